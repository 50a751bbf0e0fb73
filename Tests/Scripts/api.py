#!/usr/bin/env python3
"""Writes docs/api.txt, the list of public declarations that `import ATScope` makes available. `--check` fails if the list differs.

A line is the path of a declaration and its kind; a function has the labels of its parameters. Nesting is read from the indentation, which
the formatter sets to two columns a level. A `var` can be set by a user of the library, a `let` can only be read.
`--check` also fails if a declaration has no documentation, if there are too many, or if the topics of the library's landing page differ
from its types."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
LIST = ROOT / 'docs/api.txt'
LIBRARY = ROOT / 'Sources/Product/ATScope'
LANDING_PAGE = LIBRARY / 'ATScope.docc/ATScope.md'
# More would be too many to read; the cases of an enum count with the enum.
MAXIMUM_COUNT = 899
MODIFIERS = r'(?:(?:@\w+(?:\([^)]*\))?|(?:package|internal|private|fileprivate)(?:\(set\))?|static|final|mutating|borrowing|consuming|indirect) )*'
DECLARATION = re.compile(
    rf'( *)({MODIFIERS})(public )?({MODIFIERS})(struct|enum|class|protocol|typealias|associatedtype|func|init|var|let|subscript|case|extension)\b'
    r'[?!]? ?([\w.`]+|[^\s\w(]+|)')


def modules():
    """Returns the folders of ATScope and of the modules that it re-exports."""
    names = re.findall(r'@_exported public import (\w+)', (LIBRARY / 'ATScope.swift').read_text())
    return [LIBRARY] + [folder for name in names for folder in (ROOT / 'Sources').glob(f'*/{name}')]


def labels(text):
    """Returns the labels of the first parameter list in a text, such as `(first:_:)`."""
    depth, names, word = 0, [], ''
    for index, character in enumerate(text[text.index('('):]):
        depth += (character in '([{<') - (character in ')]}' or character == '>' and text[text.index('(') + index - 1] != '-')
        if depth == 1 and character == ':' and word is not None:
            names.append(word.split()[0] + ':')
            word = None
        elif depth == 1 and character in '(,':
            word = ''
        elif word is not None:
            word += character
        if depth == 0:
            return f'({"".join(names)})'
    return '()'


def is_settable(lines):
    """Returns whether the `var` on the first line has no body, or a body with a setter or observers."""
    first = lines[0]
    if first.endswith('{'):
        end = ' ' * (len(first) - len(first.lstrip())) + '}'
        body = lines[1:next((number for number, line in enumerate(lines) if line.startswith(end)), len(lines))]
        return any(re.match(r'(?:mutating |nonmutating )?(?:set|willSet|didSet|_modify)\b', line[len(end) + 1:]) for line in body)
    body = re.search(r'(?<!= )\{(.*)\}', first)
    return body is None or re.search(r'\b(?:set|willSet|didSet|_modify)\b', body[1]) is not None


def is_documented(lines, number):
    """Returns whether a comment for documentation precedes a line, and attributes on lines of their own."""
    before = next((line.strip() for line in reversed(lines[:number]) if not line.strip().startswith('@')), '')
    return before.startswith('///')


def declarations(text, undocumented=None):
    """Yields the public declarations in the text of a file, and adds those without documentation to a list."""
    lines, scopes = text.split('\n'), []
    for number, line in enumerate(lines):
        depth = (len(line) - len(line.lstrip())) // 2
        match = DECLARATION.match(line)
        if not match or line.strip() == '}':
            scopes = scopes[:depth] if line.strip() == '}' else scopes
            continue
        _, before, public, after, kind, name = match.groups()
        if len(scopes) != depth:
            continue
        outer, is_visible, outer_kind = scopes[-1] if scopes else ('', True, '')
        name = kind if kind == 'subscript' else name.strip('`') or kind
        full = f'{outer}.{name}'.lstrip('.')
        is_public = is_visible and bool(public or kind == 'extension' or outer_kind == 'protocol' or kind == 'case')
        if kind in ('struct', 'enum', 'class', 'protocol', 'extension') and line.endswith('{'):
            scopes.append((full, is_public, kind))
        if not is_public or kind == 'extension':
            continue
        if kind in ('func', 'init', 'subscript'):
            full += labels('\n'.join(lines[number:]))
        if kind == 'var' and ('(set)' in before + after or not is_settable(lines[number:])):
            kind = 'let'
        if undocumented is not None and not is_documented(lines, number):
            undocumented.append(full)
        names = [f'{outer}.{case}' for case in re.findall(r'(?:case|,) `?(\w+)`?(?:\([^)]*\))?', line)] if kind == 'case' else [full]
        yield from (f'{name} {kind}' for name in names)


def main():
    files = [path for folder in modules() for path in folder.rglob('*.swift')]
    undocumented = []
    text = ''.join(line + '\n' for line in sorted({line for path in files for line in declarations(path.read_text(), undocumented)}))
    if '--check' not in sys.argv:
        LIST.write_text(text)
    elif text != LIST.read_text():
        sys.exit('api.py: docs/api.txt differs from the public declarations; run make api to update it')
    elif undocumented:
        sys.exit(f'api.py: these public declarations have no documentation: {", ".join(undocumented)}')
    elif (count := len(re.findall(r' (?!case$)\w+$', text, re.M))) > MAXIMUM_COUNT:
        sys.exit(f'api.py: {count} public declarations without the cases of enums, more than {MAXIMUM_COUNT}')
    else:
        types = set(re.findall(r'^(\w+) (?:struct|enum|class|protocol|typealias)$', text, re.M))
        listed = set(re.findall(r'^- ``(\w+)``$', LANDING_PAGE.read_text(), re.M))
        if types != listed:
            sys.exit(f'api.py: {LANDING_PAGE.name} and docs/api.txt differ in {", ".join(sorted(types ^ listed))}')


if __name__ == '__main__':
    main()
