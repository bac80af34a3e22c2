"""Both checkers, and `logdepth certify`, on every kind of file that a theorem covers: proved, and found to be the language of the
automaton that it was compiled from. Files that no theorem covers are refused by name."""
import pathlib
import unittest

import files
from files import both, certified, compiled, first_difference, load, run

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

    def test_cascades_with_groups_and_the_first_flag(self):
        for group in ("Z2", "Z3", "Z6", "S3", "D4", "Q8", "A4"):
            for norm in ("rms", "layernorm"):
                self.proved("resets", "regular", "--group", group, "--construction", "cascade", "--positions", "first-flag", "--norm", norm)
        for regex in ("(b|ab*a)*", "((a|b)(a|b)(a|b))*a"):
            self.proved("resets", "regular", "--regex", regex, "--construction", "cascade", "--positions", "first-flag")

    def test_radix_networks_of_all_lengths(self):
        for language in LANGUAGES:
            for radix, block in (("2", "2"), ("3", "2"), ("2", "3"), ("3", "4")):
                for norm in ("rms", "layernorm"):
                    self.proved("shift-scan", "regular", *language, "--construction", "radix", "--radix", radix, "--block", block, "--norm", norm)
        for table in ("matrix", "monoid"):
            self.proved("shift-scan", "regular", "--group", "S3", "--construction", "radix", "--table", table)

    def test_trees(self):
        for language in LANGUAGES:
            for table in ("matrix", "monoid"):
                for norm in ("rms", "layernorm"):
                    self.proved("levels", "regular", *language, "--construction", "tree", "--table", table, "--norm", norm)

    def counting(self, file):
        """Proved, and the printed program decides the same as the network and as the project's own interpreter of C-RASP."""
        certificate = certified(file)
        status, out, _ = both(file, certificate, "--steps")
        self.assertEqual(status, 0)
        self.assertIn("correct for every word of every length\ntheorem    counting\n", out)
        document = load(file)
        self.assertIsNone(first_difference(document, files.claim(out), list(files.words(document["alphabet"], 4))))
        printed = files.path("printed.crasp")
        pathlib.Path(printed).write_text(out[out.index("alphabet "):])
        status, _, error = run(files.LOGDEPTH, "test", file, "--against", f"crasp:{printed}", "--up-to", "6")
        self.assertEqual(status, 0, error)
        self.assertLess(pathlib.Path(certificate).stat().st_size, 256)
        return out

    def test_counting_programs(self):
        for name in ("anbncn", "dyck1", "majority", "subsequence"):
            for norm in ("rms", "layernorm"):
                self.counting(compiled("crasp", files.ROOT / f"examples/crasp/{name}.crasp", "--norm", norm))

    def test_counting_programs_of_every_kind_of_line(self):
        for lines in ("a := #[Q_a]\nb := 2 * #[Q_b]\nL := max(a, b) - 3 >= min(a, 2) or not a + b < 5",
                      "L := #[true] = 4 or (#[Q_a] > #[Q_b] ? #[Q_a] : 3 * #[Q_c]) <= 2", "L := #[Q_c] > 2 and not Q_c", "L := Q_a or Q_b", "L := true",
                      "L := not Q_a", "b := Q_b or #[Q_a] = 1\nL := #[b] >= #[not b] + 1 and #[#[b] > 1] < 3", "L := 0 < 1 or #[Q_a] = 0"):
            source = files.path("lines.crasp")
            pathlib.Path(source).write_text(f"alphabet a b c\n{lines}\n")
            out = self.counting(compiled("crasp", source))
            self.assertIn("alphabet a b c\n", out)
        source = files.path("many.crasp")
        equal = " and ".join(f"#[Q_a] = {i + 2} * #[Q_b] + {i}" for i in range(9))  # 3^9 signs, 2^9 classes of a letter
        pathlib.Path(source).write_text(f"alphabet a b\nx := {equal}\nL := #[x] = 0 or #[not x and Q_b] > 1\n")
        self.counting(compiled("crasp", source))
        source = files.path("letters.crasp")
        pathlib.Path(source).write_text('alphabet < 1 é <=\nL := #[Q_"<="] > #[Q_é] + #[Q_<] and #[Q_1] = 0\n')
        self.counting(compiled("crasp", source))

    def test_divisions(self):
        forms = [(), ("--own-argument",), ("--unit-inputs",), ("--own-argument", "--unit-inputs")]
        floors = [("--construction", "floor", "--for-length", length, *more) for length in ("8", "9", "100") for more in ((), ("--own-argument",))]
        for form in forms + floors:
            for norm in ("rms", "layernorm"):
                file = compiled("division", *form, "--norm", norm)
                certificate = certified(file)
                status, out, _ = both(file, certificate, "--steps")
                self.assertEqual(status, 0)
                scope = f"at most {form[3]} tokens" if "floor" in form else "every length"
                self.assertIn(f"correct for every input of {scope}\ntheorem    division\n", out)
                argument = "p" if "--own-argument" in form else "a"
                for part in "01":
                    self.assertIn(f'answers    "quotient.{part}" = dir(floor({argument}/m), 1).{part}\n', out)
                    self.assertIn(f'answers    "remainder.{part}" = dir({argument} mod m, 1).{part}\n', out)
                self.assertIsNone(files.first_wrong_division(load(file), out, (1, 8), (1, 2, 3, 5, 9)))
                self.assertLess(pathlib.Path(certificate).stat().st_size, 512)

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
            (("division", "--construction", "paper"), "division: position: expected the same at every token"),
            (("connectivity", "--construction", "rows", "--size", "2"), "size 2; expected at least 3"),
            (("connectivity", "--construction", "radix", "--size", "3"), "an adjacency matrix with padding"),
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
        self.assertEqual(status, 0, error)
        self.assertEqual(both(files.path("tree.json"), files.path("tree.cert.json"))[0], 0)
        status, _, error = run(files.LOGDEPTH, "compile", "division", "--construction", "paper", "--certify", "-o", files.path("paper.json"))
        self.assertEqual(status, 1, error)


if __name__ == "__main__":
    unittest.main()
