"""Both checkers, and `logdepth certify`, on every kind of file that a theorem covers: proved, and found to be the language of the
automaton that it was compiled from. Files that no theorem covers are refused by name."""
import pathlib
import unittest

import files
from files import both, certified, compiled, run

LANGUAGES = [("--group", "Z2"), ("--group", "S3"), ("--group", "flipflop"), ("--regex", "(a|b)*abb"), ("--regex", "(a|b)*b"),
             ("--regex", "(b|ab*a)*"), ("--regex", "(ab)*"), ("--regex", "(a|b|c)*a(b|c)"), ("--regex", "(a|b)*")]


class Agreement(unittest.TestCase):
    def proved(self, theorem, *options, scope="every word of every length", against=True):
        dfa = files.path()
        file = compiled(*options, emit=dfa if against else None)
        certificate = certified(file)
        status, out, _ = both(file, certificate, *(["--against", dfa] if against else []), "--steps")
        self.assertEqual(status, 0, options)
        self.assertIn(f"correct for {scope}\n", out)
        self.assertIn(f"theorem    {theorem}\n", out)
        if against:
            self.assertIn(f"same language as {dfa}\n", out)
        self.assertLess(pathlib.Path(certificate).stat().st_size, 4096)

    def test_scans_of_all_codes_tables_and_norms(self):
        for language in LANGUAGES:
            for code in ("first-flag", "circle", "two-circle"):
                for table in ("matrix", "monoid"):
                    for norm in ("rms", "layernorm"):
                        self.proved("shift-scan", "regular", *language, "--construction", "scan", "--positions", code, "--table", table, "--norm", norm)

    def test_scans_of_a_standard_transformer_and_of_a_strict_width(self):
        at_most = "every word of at most 16 letters"
        self.proved("shift-scan", "regular", "--regex", "(a|b)*abb", "--construction", "scan", "--unroll", "16", scope=at_most)
        self.proved("shift-scan", "regular", "--group", "S3", "--construction", "scan", "--strict")

    def test_radix_networks(self):
        for radix in ("2", "3", "4"):
            self.proved("shift-scan", "regular", "--group", "S3", "--construction", "radix", "--radix", radix, "--unroll", "30",
                        scope="every word of at most 30 letters")

    def test_a5(self):
        self.proved("shift-scan", "regular", "--group", "A5", "--construction", "scan", "--positions", "circle", "--table", "matrix")

    def test_a5_as_a_monoid(self):  # 3600 cases; the peer in Python takes seconds and decides alike (checked by hand)
        file = compiled("regular", "--group", "A5", "--construction", "scan", "--positions", "circle", "--table", "monoid")
        self.assertEqual(run(files.RECHECK, file, certified(file))[0], 0)

    def test_cascades_of_resets(self):
        for language in LANGUAGES[2:5] + LANGUAGES[6:] + [("--regex", "a"), ("--regex", "(ab|c)*b")]:
            for code in ("fine", "first-flag"):
                for norm in ("rms", "layernorm"):
                    self.proved("resets", "regular", *language, "--construction", "cascade", "--positions", code, "--norm", norm)

    def test_cascades_with_groups(self):
        for group in ("Z2", "Z3", "Z6", "S3", "D4", "Q8", "A4"):
            for norm in ("rms", "layernorm") if group in ("Z2", "S3") else ("rms",):
                self.proved("resets", "regular", "--group", group, "--construction", "cascade", "--norm", norm)
        for regex in ("(b|ab*a)*", "((a|b)(a|b)(a|b))*a"):
            self.proved("resets", "regular", "--regex", regex, "--construction", "cascade")

    def test_rows(self):
        for size in (3, 4, 5):
            for norm in ("rms", "layernorm"):
                self.proved("reachability", "connectivity", "--construction", "rows", "--size", size, "--norm", norm,
                            scope=f"every graph of at most {size} vertices", against=False)

    def test_another_automaton_differs_on_a_shortest_word(self):
        dfa = files.path()
        compiled("regular", "--regex", "(a|b)*b", emit=dfa)
        file = compiled("regular", "--regex", "(a|b)*abb")
        status, out, _ = both(file, certified(file), "--against", dfa)
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith(f'another language than {dfa}: they differ on the word "b"\n'), out)

    def test_what_no_theorem_covers_is_refused_by_name(self):
        refused = [
            (("regular", "--group", "Z2", "--construction", "cascade", "--positions", "first-flag"), "expected one positive factor"),
            (("regular", "--group", "Z2", "--construction", "radix"), "the direction of the position is irrational"),
            (("regular", "--group", "Z2", "--construction", "tree"), "expected words after <begin>, without <end>"),
            (("division",), "raw streams; expected words or rows of a graph"),
            (("connectivity", "--construction", "rows", "--size", "2"), "size 2; expected at least 3"),
            (("connectivity", "--construction", "radix", "--size", "3"), "an adjacency matrix with padding"),
            (("crasp", files.ROOT / "examples/crasp/dyck1.crasp"), "no prefix read-out"),
        ]
        for options, reason in refused:
            file = compiled(*options)
            status, out, error = run(files.LOGDEPTH, "certify", file, "-o", files.path("none.json"))
            self.assertEqual((status, out), (1, ""), options)
            self.assertIn("not proved: no theorem covers this file (construction ", error)
            self.assertIn(reason, error)
            self.assertFalse((files.FOLDER / "none.json").exists())

    def test_compile_certifies_what_it_wrote(self):
        file = files.path("own.json")
        status, _, error = run(files.LOGDEPTH, "compile", "regular", "--group", "Z2", "--construction", "scan", "--certify", "-o", file)
        self.assertEqual(status, 0, error)
        self.assertEqual(both(file, files.path("own.cert.json"))[0], 0)
        self.assertIn("proved        every length, theorem shift-scan\n", run(files.LOGDEPTH, "info", file)[1])
        status, _, error = run(files.LOGDEPTH, "compile", "regular", "--group", "Z2", "--construction", "tree", "--certify", "-o", files.path("tree.json"))
        self.assertEqual(status, 1, error)


if __name__ == "__main__":
    unittest.main()
