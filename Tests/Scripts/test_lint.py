#!/usr/bin/env python3
"""Shows that lint.py refuses what it is there to refuse, and nothing else."""
import unittest

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
        self.assertEqual(refused("try! read(); list.first!; import Foundation", "Tests/ATests/A.swift"), [])
        self.assertTrue(refused("InlineArray", "Tests/ATests/A.swift"))

    def test_a_listed_file_may_be_unsafe(self):
        self.assertEqual(lint.check_swift(SOURCE, "unsafe load()", {SOURCE: "reason"}), [])

    def test_only_the_command_reads_the_environment(self):
        self.assertEqual(refused('getenv("A")', "Sources/Product/ATScopeCommand/Streams.swift"), [])

    def test_lines_are_counted_behind_comments_and_texts(self):
        text = '// one\nlet a = """\n  two\n  """\n/* five\nsix */ try! a\n'
        self.assertEqual(lint.check_swift(SOURCE, text), [(6, "try! traps")])


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

    def test_the_document_has_a_row_for_each_file_and_no_others(self):
        text = "| `Sources/A.swift` | import | |\n| | more | |\n\n## Constants\n\n`O_RDONLY` `EIO`\n"
        self.assertEqual(platforms.documented(text), ({"Sources/A.swift"}, {"O_RDONLY", "EIO"}))
        self.assertEqual(platforms.check_document({"Sources/A.swift"}, text), [])
        self.assertEqual(len(platforms.check_document({"Sources/B.swift"}, text)), 2)


class Places(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
