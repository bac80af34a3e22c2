"""The checker, and `logdepth certify`, on every kind of file that a theorem covers: certified, and found to be the language of the
automaton that it was compiled from. Files that no theorem covers are refused by name."""
import itertools
import pathlib
import unittest

import files
from files import certified, compiled, first_difference, load, recheck, run

LANGUAGES = [("--group", "Z2"), ("--group", "S3"), ("--group", "flipflop"), ("--regex", "(a|b)*abb"), ("--regex", "(a|b)*b"),
             ("--regex", "(b|ab*a)*"), ("--regex", "(ab)*"), ("--regex", "(a|b|c)*a(b|c)"), ("--regex", "(a|b)*")]



def forms(construction, **values):
    """Options of a construction, in every combination of these values."""
    for chosen in itertools.product(*values.values()):
        yield ["--construction", construction, *(word for key, value in zip(values, chosen) for word in (f"--{key}", value))]


NORMS, CODES, TABLES = ("rms", "layernorm"), ("fine", "first-flag"), ("matrix", "monoid")
GROUPS = [("--group", group) for group in ("Z2", "Z3", "Z6", "S3", "D4", "Q8", "A4")]
WITH_GROUPS = [("--regex", "(b|ab*a)*"), ("--regex", "((a|b)(a|b)(a|b))*a")]
REGULAR = [(theorem, languages, list(some)) for theorem, languages, some in [
    ("shift-scan", LANGUAGES, forms("scan", positions=("first-flag", "circle", "two-circle"), table=TABLES, norm=NORMS)),
    ("shift-scan", [("--group", "S3")], [["--construction", "scan", "--strict"], *forms("radix", table=TABLES)]),
    ("shift-scan", [("--group", "A5")], forms("scan", positions=("circle",), table=("matrix",))),
    *(("shift-scan", LANGUAGES, forms("radix", radix=radix, block=block, norm=NORMS)) for radix, block in (("2", "2"), ("3", "2"), ("2", "3"), ("3", "4"))),
    ("resets", LANGUAGES[2:5] + LANGUAGES[6:] + [("--regex", "a"), ("--regex", "(ab|c)*b")], forms("cascade", positions=CODES, norm=NORMS)),
    ("resets", GROUPS, [*forms("cascade", norm=("rms",)), *forms("cascade", positions=("first-flag",), norm=NORMS)]),
    ("resets", [GROUPS[0], GROUPS[3]], forms("cascade", norm=("layernorm",))),
    ("resets", WITH_GROUPS, [["--construction", "cascade"], *forms("cascade", positions=("first-flag",))]),
    ("levels", LANGUAGES, forms("tree", table=TABLES, norm=NORMS)),
]]


class Agreement(unittest.TestCase):
    def certified(self, theorem, *options, scope="every word of every length"):
        dfa = files.path()
        file = compiled(*options, emit=dfa)
        certificate = certified(file)
        status, out, _ = recheck(file, certificate, "--against", dfa, "--steps")
        self.assertEqual(status, 0, options)
        self.assertIn(f"correct for {scope}\n", out)
        self.assertIn(f"theorem    {theorem}\n", out)
        self.assertIn(f"same language as {dfa}\n", out)
        self.assertLess(pathlib.Path(certificate).stat().st_size, 4096)

    def test_regular_languages(self):
        for theorem, of, forms in REGULAR:
            for language in of:
                for form in forms:
                    self.certified(theorem, "regular", *language, *form)

    def test_standard_transformers(self):
        for options, length in (("--regex (a|b)*abb --construction scan --unroll 16", 16), *((f"--group S3 --construction radix --radix {r} --unroll 30", 30) for r in "234")):
            self.certified("shift-scan", "regular", *options.split(), scope=f"every word of at most {length} letters")

    def test_a5_as_a_monoid(self):  # 3600 cases
        file = compiled("regular", "--group", "A5", "--construction", "scan", "--positions", "circle", "--table", "monoid")
        self.assertEqual(run(files.RECHECK, file, certified(file))[0], 0)

    def counting(self, file):
        """Proved, and the printed program decides the same as the network and as the project's own interpreter of C-RASP."""
        certificate = certified(file)
        status, out, _ = recheck(file, certificate, "--steps")
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

    def test_letters_that_the_syntax_of_programs_has_a_meaning_for(self):
        source = files.path("signs.crasp")
        pathlib.Path(source).write_text(r"""alphabet a "//" \ " "\"q\"" :=
L := #[Q_"//"] + #[Q_"\"q\""] > #[Q_\] + #[Q_"\""] or Q_":=" and #[Q_a] = 1
""")
        out = self.counting(compiled("crasp", source))
        self.assertIn(r'alphabet a "//" "\\" "\"" "\"q\"" ":="' + "\n", out)

    def test_divisions(self):
        forms = [(), ("--own-argument",), ("--unit-inputs",), ("--own-argument", "--unit-inputs")]
        floors = [("--construction", "floor", "--for-length", length, *more) for length in ("8", "9", "100") for more in ((), ("--own-argument",))]
        for form in forms + floors:
            for norm in ("rms", "layernorm"):
                file = compiled("division", *form, "--norm", norm)
                certificate = certified(file)
                status, out, _ = recheck(file, certificate, "--steps")
                self.assertEqual(status, 0)
                scope = f"at most {form[3]} tokens" if "floor" in form else "every length"
                self.assertIn(f"correct for every input of {scope}\ntheorem    division\n", out)
                argument = "p" if "--own-argument" in form else "a"
                for part in "01":
                    self.assertIn(f'answers    "quotient.{part}" = dir(floor({argument}/m), 1).{part}\n', out)
                    self.assertIn(f'answers    "remainder.{part}" = dir({argument} mod m, 1).{part}\n', out)
                self.assertIsNone(files.first_wrong_division(load(file), out, (1, 8), (1, 2, 3, 5, 9)))
                self.assertLess(pathlib.Path(certificate).stat().st_size, 512)

    def test_another_automaton_differs_on_a_shortest_word(self):
        dfa = files.path()
        compiled("regular", "--regex", "(a|b)*b", emit=dfa)
        file = compiled("regular", "--regex", "(a|b)*abb")
        status, out, _ = recheck(file, certified(file), "--against", dfa)
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith(f'another language than {dfa}: they differ on the word "b"\n'), out)

    def test_what_no_theorem_covers_is_refused_by_name(self):
        refused = [
            (("division", "--construction", "paper"), "division: position: expected the same at every token"),
            (("connectivity", "--construction", "rows", "--size", "3"), "reachability: logdepth-prove proves this theorem; `certify --kernel` writes the certificate that it takes"),
            (("connectivity", "--construction", "radix", "--size", "3"), "an adjacency matrix with padding"),
        ]
        for options, reason in refused:
            file = compiled(*options)
            status, out, error = run(files.LOGDEPTH, "certify", file, "-o", files.path("none.json"))
            self.assertEqual((status, out), (1, ""), options)
            self.assertIn("not certified (construction ", error)
            self.assertIn(reason, error)
            self.assertFalse((files.FOLDER / "none.json").exists())

    def test_a_certificate_of_reachability_is_for_the_proved_checker(self):
        file = compiled("connectivity", "--construction", "rows", "--size", "3")
        certificate = {"format": "logdepth-certificate", "version": 1, "theorem": "reachability", "sha256": load(file)["sha256"]}
        status, out, error = recheck(file, files.store(certificate))
        self.assertEqual((status, out), (1, ""))
        self.assertTrue(error.endswith("not certified: logdepth-prove proves this theorem; `certify --kernel` writes the certificate that it takes\n"), error)

    def test_a_certified_file_has_a_record_beside_it(self):
        file = compiled("regular", "--group", "Z2", "--construction", "scan")
        self.assertEqual(run(files.LOGDEPTH, "certify", file, "-o", files.path("own.cert.json"))[0], 0)
        self.assertEqual(recheck(file, files.path("own.cert.json"))[0], 0)
        self.assertIn("certified     every length, theorem shift-scan\n", run(files.LOGDEPTH, "info", file)[1])
        with open(file + ".checks.json", encoding="utf-8") as text:  # as it was called before
            old = text.read().replace('"certified"', '"proved"')
        with open(file + ".checks.json", "w", encoding="utf-8") as text:
            text.write(old)
        self.assertIn("none recorded", run(files.LOGDEPTH, "info", file)[1])


def tearDownModule():
    files.most_are_stored(300)


if __name__ == "__main__":
    unittest.main()
