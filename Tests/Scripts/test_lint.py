#!/usr/bin/env python3
"""Tests that lint.py refuses what it must refuse, and nothing else."""
import unittest

import api
import lint
import platforms

SOURCE = "Sources/Protocols/TLSParsing/Example.swift"


def refused(code, path=SOURCE):
    return [reason for _, reason in lint.check_swift(path, code)]


class Code(unittest.TestCase):
    def test_what_is_refused_in_sources(self):
        for code in [
            "let a: InlineArray<4, UInt8>", "text.utf8Span", "import Synchronization", "import Foundation",
            "String(validating: bytes, as: UTF8.self)", "let a: UInt128 = 0",
            "@preconcurrency import Foundation", "import struct Foundation.Date", "public import FoundationXML",
            "try! read()", "value as! Int", "list.first!", "f()!", "list[0]!.count", "var x: Int!",
            "fatalError()", "final class A: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1",
            "socket(AF_INET, 0, 0)", "let now = Date()", 'getenv("HOME")', "print(a)",
            "unsafe load()", "UnsafePointer<UInt8>",
        ]:
            self.assertTrue(refused(code), code)

    def test_what_is_allowed_in_sources(self):
        for code in [
            "a != b", "if !a { }", "a = !b", "x !== y", "import FoundationEssentials", "try? read()", "a as? Int",
            "// list.first! would trap", '"list.first!"', '"""\n try! \n"""', '#"as! "quoted"!"#',
            '"\\(a ? "x" : "y!")"', "/* fatalError */", "withUnsafe", "let a = b ?? c",
        ]:
            self.assertEqual(refused(code), [], code)

    def test_tests_may_do_what_sources_may_not(self):
        self.assertEqual(refused("try! read(); list.first!; import Foundation", "Tests/Unit/ATests/A.swift"), [])
        self.assertTrue(refused("InlineArray", "Tests/Unit/ATests/A.swift"))

    def test_a_listed_file_may_be_unsafe(self):
        self.assertEqual(lint.check_swift(SOURCE, "unsafe load()", {SOURCE: "reason"}), [])

    def test_only_the_command_reads_the_environment(self):
        self.assertEqual(refused('getenv("A")', "Sources/Product/ATScopeCommand/Streams.swift"), [])

    def test_lines_are_counted_behind_comments_and_texts(self):
        text = '// one\nlet a = """\n  two\n  """\n/* five\nsix */ try! a\n'
        self.assertEqual(lint.check_swift(SOURCE, text), [(6, "try! traps")])


class DocComments(unittest.TestCase):
    def lines(self, text, path=SOURCE):
        return [line for line, _ in lint.check_doc_comments(path, text)]

    def test_whether_is_refused_on_what_is_not_a_bool(self):
        for code in ["/// Whether it is a client.\nlet direction: Direction\n", "/// Whether it is one.\nstruct A {\n",
                     "/// Whether it is signed.\n@inlinable\npackage func verify(\n  _ key: Key\n) -> Result {\n",
                     "enum A {\n  /// Whether it is local.\n  case direct\n", "/// Whether it is one;\n/// nil if not.\nvar a: Direction?\n"]:
            self.assertEqual(self.lines(code), [2 if code.startswith("enum") else 1], code)

    def test_whether_is_allowed_on_a_bool(self):
        for code in ["/// Whether it is one.\nvar isOne: Bool { true }\n", "/// Whether it is one.\nvar isOne = false\n",
                     "/// Whether it is one.\n@inlinable\n@inline(__always)\nfunc isOne(\n  _ a: Int\n) -> Bool {\n",
                     "/// Whether each is one.\nvar saw = BothDirections(false)\n", "/// A word: whether it is one.\nlet a: Direction\n"]:
            self.assertEqual(self.lines(code), [], code)
        self.assertEqual(self.lines("/// Whether.\nlet a: Int\n", "Tests/Unit/ATests/A.swift"), [])


class Declarations(unittest.TestCase):
    def kinds(self, members):
        return list(api.declarations("public struct A {\n" + members + "\n}\n"))[1:]

    def test_what_a_user_can_set_is_a_var(self):
        for member in ["  public var a = 1", "  public var a: Int {\n    didSet { b = 1 }\n  }", "  public var a = 1 { didSet { b = 1 } }",
                       "  public var a: Int {\n    get { 1 }\n    set { b = newValue }\n  }", "  public var a: Int { get set }",
                       "  public var a: Int {\n    get {\n      1\n    }\n    nonmutating set { b = newValue }\n  }",
                       "  public var a: () -> Void = {}"]:
            self.assertEqual(self.kinds(member), ["A.a var"], member)

    def test_what_a_user_can_only_read_is_a_let(self):
        for member in ["  public let a = 1", "  public private(set) var a = 1", "  public package(set) var a: Int {\n    didSet { b = 1 }\n  }",
                       "  public var a: Int { b }", "  public var a: Int {\n    b.set()\n  }", "  public var a: Int { get }",
                       "  public var a: Int {\n    func inner() {\n      set { 1 }\n    }\n    return 1\n  }"]:
            self.assertEqual(self.kinds(member), ["A.a let"], member)

    def test_what_is_not_public_is_not_listed(self):
        self.assertEqual(self.kinds("  package var a = 1\n  var b = 1"), [])

    def test_what_has_no_documentation_is_found(self):
        found = []
        code = "/// A.\npublic enum A {\n  /// B.\n  @inlinable\n  public var b: Int { 1 }\n\n  public let c = 1\n  case d\n  var e = 1\n}\n"
        list(api.declarations(code, found))
        self.assertEqual(found, ["A.c", "A.d"])


class Platforms(unittest.TestCase):
    IMPORTS = "#if canImport(Glibc)\n  import Glibc\n#elseif canImport(Darwin)\n  import Darwin\n#endif\n"

    def refused(self, code, path=SOURCE, constants=()):
        return platforms.check(path, lint.code_of(code), constants)

    def test_what_one_system_has_is_refused_without_a_condition(self):
        for code in ["import Glibc", "import Darwin", "prctl(1, 0)", "let a = O_TMPFILE", "_ = memfd_create(name, 0)", "status.st_mtim",
                     "fcntl(0, F_SETPIPE_SZ, 1)", "splice(a, b)", "fcntl(0, F_FULLFSYNC)", "status.st_mtimespec", "Glibc.close(0)"]:
            self.assertTrue(self.refused(code), code)
        for code in ["#include <linux/landlock.h>\n", "#include <sys/prctl.h>\n", "#include <mach/mach.h>\n"]:
            self.assertTrue(self.refused(code, "Sources/Product/C/a.c"), code)

    def test_conditions_are_followed(self):
        for before, code, after in [
            ("#if os(Linux)", "prctl(1, 0)", "#endif"), ("#if canImport(Darwin)\n#else", "Glibc.read()", "#endif"),
            ("#if os(Linux) && DEBUG", "O_TMPFILE", "#endif"), ("#if !canImport(Darwin)", "prctl(1)", "#endif"),
            ("#if os(Linux)\n#if DEBUG", "prctl(1)", "#endif\n#endif"), ("#if canImport(Glibc)\n#elseif canImport(Darwin)", "Darwin.read()", "#endif"),
        ]:
            self.assertEqual(self.refused(f"{before}\n{code}\n{after}\n"), [], before)
            self.assertTrue(self.refused(f"{before}\n{after}\n{code}\n"), "after " + before)
        for before in ["#if DEBUG", "#if os(Linux) || DEBUG", "#if canImport(Darwin)", "#if os(Linux)\n#else", "#if !os(Linux)"]:
            self.assertTrue(self.refused(f"{before}\nprctl(1, 0)\n#endif\n"), before)
        self.assertEqual(self.refused("#if defined(__linux__)\n#include <sys/prctl.h>\n#endif\n", "Sources/Product/C/a.c"), [])

    def test_comments_and_texts_may_name_anything(self):
        self.assertEqual(self.refused('// prctl(1)\nlet a = "O_TMPFILE"'), [])

    def test_constants_have_to_be_documented(self):
        code = self.IMPORTS + "open(path, O_RDONLY | O_SYNC)"
        self.assertEqual([line for line, _ in self.refused(code, constants={"O_RDONLY"})], [6])
        self.assertEqual(self.refused(code, constants={"O_RDONLY", "O_SYNC"}), [])

    def test_scripts_test_for_tools_that_only_linux_has(self):
        for line in ["sed -i 's/a/b/' file", "stat -c %s file", "readlink -f a", "sha256sum file", "tar --sort=name -cf a b", "touch -d @0 a",
                     "cat /proc/self/maps"]:
            self.assertTrue(platforms.check_script("Scripts/a.sh", line), line)
            self.assertEqual(platforms.check_script("Tests/Scripts/packages.sh", line), [], line)
            self.assertEqual(platforms.check_script("Scripts/a.sh", 'if [ "$(uname -s)" = Linux ]; then\n' + line), [], line)
        self.assertEqual(platforms.check_script("Scripts/a.sh", "if command -v sha256sum; then sha256sum a; fi\nstat -f %z a # not stat -c"), [])

    def test_the_document_has_a_row_for_each_file_and_no_others(self):
        text = "| `Sources/A.swift` | import | |\n| | more | |\n\n## Constants\n\n`O_RDONLY` `EIO`\n"
        self.assertEqual(platforms.documented(text), ({"Sources/A.swift"}, {"O_RDONLY", "EIO"}))
        self.assertEqual(platforms.check_document({"Sources/A.swift"}, text), [])
        self.assertEqual(len(platforms.check_document({"Sources/B.swift"}, text)), 2)


class Places(unittest.TestCase):
    def test_tests_are_named_after_a_type_or_file_under_test(self):
        types = lint.types_of("Sources/A/B/Reader+Names.swift", "extension Reader { enum Kind {} }\n// struct Comment\nstruct Outer.Inner {}")
        self.assertEqual(types, {"Reader", "Kind", "Inner", "Reader+Names"})
        for name in ["ReaderTests", "Reader+LimitsTests", "KindTests", "Samples", "Reader+Samples"]:
            self.assertEqual(lint.check_test_name(f"Tests/Unit/BTests/{name}.swift", types), [], name)
        for name in ["LimitTests", "ReaderLimitTests", "CommentTests", "Limit+ReaderTests"]:
            self.assertTrue(lint.check_test_name(f"Tests/Unit/BTests/{name}.swift", types), name)

    def test_long_lines_are_refused_in_comments_too(self):
        lines = ["/// " + "a" * 10, "/// " + "a" * 17, '  "' + "a" * 40 + '",', 'f("' + "a" * 20 + '")']
        self.assertEqual([line for line, _ in lint.check_length("\n".join(lines), 20)], [2, 4])

    def test_long_files_and_functions_are_refused(self):
        function = "  func f() {\n" + "    g()\n" * 59 + "  }\n"
        self.assertEqual(lint.check_sizes("Sources/a.swift", "struct A {\n" + function + "}\n"), [(2, "61 lines in a function; 60 at most")])
        self.assertEqual(lint.check_sizes("Sources/a.swift", function.replace("g()\n", "", 1)), [])
        self.assertEqual(lint.check_sizes("Sources/a.swift", "\n" * 400), [])
        self.assertEqual(lint.check_sizes("Sources/a.swift", "\n" * 401), [(401, "401 lines in a file; 400 at most")])

    def test_what_tools_dropped_at_the_top_is_refused(self):
        self.assertTrue(lint.check_place("Unseen.bc"))
        self.assertTrue(lint.check_place("scratch/a.swift"))
        for path in ["Makefile", ".ci/run", "Tests/Scripts/lint.py"]:
            self.assertEqual(lint.check_place(path), [], path)


class Mentions(unittest.TestCase):
    def test_paths_of_machines_and_issue_numbers_are_refused(self):
        home = "/ho" + "me/someone/x"
        for path, text in [
            ("a.md", "see " + home), ("a.md", "fixes #12"), ("a.swift", "// issue #3"), ("a.py", "# TO" + "DO later"),
        ]:
            self.assertTrue(lint.check_mentions(path, text), text)

    def test_names_that_hold_a_number_are_allowed(self):
        for path, text in [("a.md", "PKCS #1, UTS #46"), ("a.swift", 'let a = "#12"'), ("a.md", "../shared/work/x")]:
            self.assertEqual(lint.check_mentions(path, text), [], text)


class Words(unittest.TestCase):
    # One text for each pattern of lint.WORDS, in the same order, and texts without findings.
    FOUND = [
        "TLS 1.0; asked: TLS 1.2", "put right by", "the device reports -1200", "settled by --keylog", "a key stands twice", "roots at hand",
        "connections given up", "is no CA", "which tells of a reset", "what it says of itself", "a header in front of TLS", "bytes behind it",
        "cut off at byte 9", "whoever reads this", "the ratio wished for", "an entry of its own", "so many more bytes", "worth while",
        "held against the schema", "taken for a hello", "files are passed over", "written anew", "it lies in the gap",
    ]
    RIGHT = [
        "requires TLS 1.2", "fix: renew the certificate", "to settle: --keylog FILE", "there is no CA", "is no longer visible", "a host behind a proxy",
        "a standard port", "a stand-in", "a masked flag", "no other host", "the tag", "settledBy",
    ]

    def words(self, text, path="docs/a.md"):
        return lint.check_words(path, text)

    def test_each_pattern_finds_its_word(self):
        self.assertEqual(len(self.FOUND), len(lint.WORDS))
        for text, (pattern, instead) in zip(self.FOUND, lint.WORDS):
            self.assertIn(instead, " ".join(reason for _, reason in self.words(text)), text)

    def test_correct_texts_pass(self):
        for text in self.RIGHT:
            self.assertEqual(self.words(text), [], text)

    def test_words_are_found_across_lines_and_counted(self):
        self.assertEqual([line for line, _ in self.words("one\ntwo is\nno CA")], [2])

    def test_literals_of_sources_are_read_and_code_is_not(self):
        found = self.words('let asked = 1 // asked\nlet a = "x; asked: y"\nlet b = "\\(asked) of \\("told")"\n', SOURCE)
        self.assertEqual([line for line, _ in found], [2])
        text = 'let a = """\n  roots at \\\n  hand\n  """\n'
        self.assertEqual([line for line, _ in self.words(text, SOURCE)], [2])
        self.assertEqual(self.words('let a = "asked"', "Tests/Unit/ATests/A.swift"), [])

    def test_strings_of_scripts_are_read(self):
        for path, text in [
            ("Tests/Scripts/a.py", 'print("not at hand here")'), ("Tests/Scripts/a.py", '"""Says what stands here."""\n'),
            ("Tests/Scripts/a.sh", 'echo "not at hand"'), ("docs/schemas/a.json", '{"description": "asked for"}'),
            ("Sources/Reports/CPage/page.js", "text('not at hand')"), ("Makefile", "all: ## the captures at hand"),
        ]:
            self.assertTrue(self.words(text, path), text)
        for path, text in [
            ("Tests/Scripts/a.py", 'def f():\n    """Asks."""\n    return x["asked"]  # asked for\n'), ("Tests/Scripts/a.py", 'print(f"{asked + 1} of")'),
            ("Tests/Scripts/a.sh", "# at hand"), ("Makefile", "# at hand"),
        ]:
            self.assertEqual(self.words(text, path), [], text)


class Modules(unittest.TestCase):
    ROWS = [("ByteParsing", "Sources/Bytes/ByteParsing", [], []),
            ("TLSParsing", "Sources/Protocols/TLSParsing", ["ByteParsing"], [])]

    def test_the_order_of_the_data_is_allowed(self):
        self.assertEqual(lint.check_manifest(self.ROWS), [])

    def test_later_rows_later_stages_and_crypto_in_parsers_are_refused(self):
        self.assertTrue(lint.check_manifest(self.ROWS[::-1]))
        late = ("Late", "Sources/Bytes/Late", [], [])
        self.assertTrue(lint.check_manifest(self.ROWS + [late]))
        parser = ("HTTPParsing", "Sources/Protocols/HTTPParsing", [], ["Crypto"])
        self.assertTrue(lint.check_manifest(self.ROWS + [parser]))
        self.assertTrue(lint.check_manifest([("A", "Sources/Elsewhere/A", [], [])]))

    def test_imports_must_be_declared(self):
        text = "public import ByteParsing\n#if canImport(Glibc)\n  import Glibc\n#endif\nimport Reporting\n"
        found = lint.check_imports(SOURCE, text, "TLSParsing", ["ByteParsing"], [])
        self.assertEqual([line for line, _ in found], [5])
        self.assertTrue(lint.check_imports(SOURCE, "import Crypto", "TLSParsing", [], ["Crypto"]))

    def test_a_module_is_imported_once(self):
        for text in ["import A\nimport A\n", "import A\n@testable import A\n", "public import A\nimport  A // again\n",
                     "#if B\n  import A\n  import A\n#endif\n"]:
            self.assertEqual(len(lint.check_duplicate_imports(text)), 1, text)
        for text in ["import A\nimport AB\n", "#if B\nimport A\n#else\nimport A\n#endif\n", "import struct A.B\nimport func A.c\n",
                     "import A\n// import A\n", '"""\nimport A\n"""\nimport A\n']:
            self.assertEqual(lint.check_duplicate_imports(text), [], text)


if __name__ == "__main__":
    unittest.main()
