"""Weights files go through Coq's kernel: files of every code, table and norm are proved, changed files are not, or the theorem that
still holds of them is true on every word that is run. The library has the stored axioms and nothing admitted."""
import pathlib
import re
import tempfile
import unittest

import kernel

kernel.coqc_or_skip()

import changes  # noqa: E402
import files  # noqa: E402
import test_hostile_files as hostile  # noqa: E402
from files import certified, claim, compiled, first_difference, load, path, right_on_every_graph, run, seal, words  # noqa: E402
from kernel import READ_BACK  # noqa: E402

LANGUAGES = [("--group", "Z2"), ("--group", "S3"), ("--group", "flipflop"), ("--regex", "(a|b)*abb"), ("--regex", "(a|b)*b"),
             ("--regex", "(b|ab*a)*"), ("--regex", "(ab)*"), ("--regex", "(a|b|c)*a(b|c)"), ("--regex", "(a|b)*")]
ROWS = ("connectivity", "--construction", "rows", "--size")


def for_coq(file):
    out = file[:-5] + ".v"
    status, _, error = run(files.LOGDEPTH, "certify", file, "--coq", "-o", out)
    assert status == 0, error
    return pathlib.Path(out).read_text(encoding="utf-8")


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kernel.compile_library()
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def prove(self, name, *options):
        """All of a printed file, as a user compiles it."""
        text = for_coq(compiled(*options))
        self.assertEqual(kernel.axioms(kernel.coq(text, name, self.folder)), kernel.stored_axioms())

    def test_nothing_is_admitted_and_the_axioms_are_those_that_are_stored(self):
        for source in kernel.SOURCES.glob("*.v"):
            self.assertNotRegex(source.read_text(), r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Hypothesis Extraction)\b", source.name)
        self.assertEqual(len(kernel.stored_axioms()), 3)
        header = "From Logdepth Require Import Codes Rows Model Statement Atoms Checker ShiftScan ResetsChecker Resets GraphChecker Connectivity.\n"
        of_words = "{} f c X r = true -> decides f X /\\ tells f X r"
        for theorem, shown in (("shift_scan_correct", of_words.format("check")), ("resets_correct", of_words.format("resetcheck")),
                               ("connectivity_correct", "rowscheck f = true -> decides_reachability f")):
            found = kernel.coq(header + f"Print Assumptions {theorem}.\n", "assumptions", self.folder)
            self.assertEqual(kernel.axioms(found), kernel.stored_axioms())
            statement = kernel.coq(header + f"Check {theorem}.\n", "statement", self.folder)
            self.assertIn(shown, " ".join(statement.split()))

    def test_the_checker_of_compiled_libraries_finds_the_stored_axioms_and_the_one_that_coqs_reals_bring_along(self):
        found = kernel.library_checked_again()
        short = {".".join(name.split(".")[-2:]) for name in found.pop("Axioms")}
        # It lists what the loaded parts of Coq assume, also where no proof of the library uses it (`Print Assumptions` above).
        self.assertEqual(short, kernel.stored_axioms() | {"Classical_Prop.classic"})
        self.assertEqual(found.pop("Theory"), {"Set", "is", "predicative"})
        self.assertEqual(found, dict.fromkeys(("Constants/Inductives relying on type-in-type", "Constants/Inductives relying on unsafe (co)fixpoints",
                                               "Inductives whose positivity is assumed"), {"<none>"}))

    def test_whole_files(self):
        self.prove("circle", "regular", "--group", "S3", "--construction", "scan", "--positions", "circle")
        self.prove("unrolled", "regular", "--regex", "(a|b)*abb", "--construction", "scan", "--positions", "first-flag", "--unroll", "16")
        self.prove("radix", "regular", "--regex", "(a|b)*b", "--construction", "radix", "--radix", "3", "--unroll", "30")

    def test_a5_as_matrix_and_as_monoid(self):
        for table in ("matrix", "monoid"):
            self.prove(f"a5_{table}", "regular", "--group", "A5", "--construction", "scan", "--positions", "circle", "--table", table)

    def test_cascades_of_resets(self):
        languages = LANGUAGES[2:5] + LANGUAGES[6:] + [("--regex", "a")]
        self.all_proved("cascades", [("regular", *language, "--construction", "cascade", "--positions", code, "--norm", norm) for language in languages
                                     for code in ("fine", "first-flag") for norm in ("rms", "layernorm")])
        self.prove("cascade", "regular", "--regex", "(a|b)*b", "--construction", "cascade")

    def test_every_code_table_and_norm(self):
        kinds = [("regular", *language, "--construction", "scan", "--positions", code, "--table", table, "--norm", norm) for language in LANGUAGES
                 for code in ("first-flag", "circle", "two-circle") for table in ("matrix", "monoid") for norm in ("rms", "layernorm")]
        s3 = ("regular", "--group", "S3", "--construction")
        kinds += [(*s3, "scan", "--strict"), (*s3, "radix", "--radix", "2", "--unroll", "30"), (*s3, "radix", "--radix", "4", "--unroll", "30")]
        self.all_proved("kinds", kinds)

    def test_rows(self):
        self.all_proved("rows", [(*ROWS, size, "--norm", norm) for size in "345" for norm in ("rms", "layernorm")], "F")
        self.prove("rows_of_five", *ROWS, "5")

    def all_proved(self, name, kinds, arguments="F C X R"):
        """Every file read back and checked, in one run of Coq."""
        modules = []
        for options in kinds:
            file = compiled(*options)
            text = for_coq(file)
            self.assertEqual(READ_BACK.compare(text, load(file)), [], options)
            modules.append((text, [("", arguments)]))
        found = kernel.checked_together(modules, self.folder, name)
        self.assertEqual(len(found), len(kinds))
        self.assertEqual([options for options, good in zip(kinds, found) if not good], [])

    def changed(self, name, every, *options):
        """Every number in turn: the kernel computes `check` of the changed file with the certificate of the old one."""
        file = compiled("regular", *options)
        document, text = load(file), for_coq(file)
        reading = READ_BACK.definitions(text, document)["R"]
        certificate = certified(file)
        answer = claim(files.recheck(file, certificate)[1])
        some = list(words(document["alphabet"]))
        self.assertIsNone(first_difference(document, answer, some))
        changed = list(changes.changed_numbers(document, every)) + list(changes.random_entries(document, 12))
        for what, change in changes.whole_changes(document):
            changed.append((what, changes.changed(document, change)))
        calls, mutants = [], []
        for what, d in changed:
            try:
                f, r = READ_BACK.expected_file(d), {**reading, **READ_BACK.expected_reading(d)}
            except ValueError:
                continue  # another kind of file, which the model has no words for
            i = len(mutants)
            calls.append((f"Definition F{i} : file := {kernel.term(f)}.\nDefinition R{i} : reading := {kernel.term(r)}.", f"F{i} C X R{i}"))
            mutants.append((what, d))
        found = kernel.checked_together([(text, [("", "F C X R")] + calls)], self.folder, name)
        self.assertTrue(found.pop(0))
        self.assertEqual(len(found), len(mutants))
        for good, (what, d) in zip(found, mutants):
            if good:
                self.assertIsNone(first_difference(seal(d), answer, some), f"FALSE THEOREM of {what}")
        self.assertGreater(found.count(True), 3)
        self.assertGreater(found.count(False), 20)

    def test_changed_circle(self):
        self.changed("changed_circle", 4, "--group", "Z2", "--construction", "scan", "--positions", "circle", "--table", "matrix")

    def test_changed_first_flag_with_layernorm(self):
        self.changed("changed_first", 11, "--regex", "(a|b)*b", "--construction", "scan", "--positions", "first-flag", "--norm", "layernorm")

    def test_changed_two_circle(self):
        self.changed("changed_two", 11, "--regex", "(a|b)*b", "--construction", "scan", "--positions", "two-circle", "--table", "matrix")

    def test_changed_radix(self):
        self.changed("changed_radix", 61, "--group", "Z2", "--construction", "radix", "--radix", "2", "--unroll", "16")

    def test_changed_cascade(self):
        self.changed("changed_cascade", 5, "--regex", "(a|b)*b", "--construction", "cascade")

    def changed_rows(self, name, every, norm):
        """The same of reachability for three vertices; what is still proved is run on all 64 graphs. recheck, whose lemmas are the same,
        proves no other file: `recheck` decides each change alike."""
        file = compiled(*ROWS, "3", "--norm", norm)
        document, certificate, text = load(file), load(certified(file)), for_coq(file)
        calls, mutants = [], []
        for what, d in list(changes.changed_numbers(document, every)) + list(changes.random_entries(document, 15)) + [
                (what, changes.changed(document, change)) for what, change in changes.changes_of_rows(document)]:
            try:
                f = READ_BACK.expected_file(d)
            except ValueError:
                continue  # another kind of file, which the model has no words for
            calls.append((f"Definition F{len(calls)} : graphfile := {kernel.term(f)}.", f"F{len(calls)}"))
            mutants.append((what, seal(d)))
        found = kernel.checked_together([(text, [("", "F")] + calls)], self.folder, name)
        self.assertTrue(found.pop(0))
        self.assertEqual(len(found), len(mutants))
        for good, (what, d) in zip(found, mutants):
            claimed = files.store({**certificate, "sha256": d["sha256"]})
            self.assertEqual(good, files.recheck(files.store(d), claimed)[0] == 0, f"recheck decides otherwise: {what}")
            if good:
                self.assertTrue(right_on_every_graph(d, 3), f"FALSE THEOREM of {what}")
        self.assertGreater(found.count(True), 10)
        self.assertGreater(found.count(False), 50)

    def test_changed_rows(self):
        self.changed_rows("changed_rows", 4, "rms")

    def test_changed_rows_with_layernorm(self):
        self.changed_rows("changed_rows_ln", 5, "layernorm")

    def test_keys_of_two_lengths_are_refused(self):
        text = for_coq(files.store(hostile.one_back(False)))
        f = kernel.term(READ_BACK.expected_file(hostile.one_back(True)))
        found = kernel.checked_together([(text, [("", "F C X R"), (f"Definition G : file := {f}.", "G C X R")])], self.folder, "keys")
        self.assertEqual(found, [True, False])

    def test_reading_back_finds_every_kind_of_change(self):
        language = ("regular", "--regex", "(a|b)*b", "--construction")
        for options in ((*language, "scan", "--positions", "circle"), (*language, "scan", "--positions", "first-flag", "--unroll", "16"),
                        (*language, "cascade"), (*ROWS, "3")):
            file = compiled(*options)
            document, text = load(file), for_coq(file)
            self.assertEqual(READ_BACK.compare(text, document), [])
            found = 0
            for what, d in list(changes.changed_numbers(document, 3)) + list(changes.random_entries(document, 9)):
                self.assertNotEqual(READ_BACK.compare(text, d), [], what)
                found += 1
            whole = changes.changes_of_rows if document["input"]["kind"] == "graph" else changes.whole_changes
            for what, change in whole(document):
                copied = changes.copy.deepcopy(document)
                change(copied)
                if copied == document or what == "coordinates permuted" and READ_BACK.expected_file(copied) == READ_BACK.expected_file(document):
                    continue
                try:
                    self.assertNotEqual(READ_BACK.compare(text, changes.drop_zeros(copied)), [], what)
                except ValueError:
                    pass
                found += 1
            self.assertGreater(found, 60)

    def test_a_text_that_is_not_the_printed_one_and_nothing_else_is_refused(self):
        """Numbers in a comment, a second definition, a library, a notation, an option or an axiom: Coq may accept each of them."""
        file = compiled("regular", "--regex", "(a|b)*b", "--construction", "cascade")
        document, text = load(file), for_coq(file)
        self.assertEqual(READ_BACK.compare(text, document), [])
        whole = re.search(r"Definition F : file := .*?\.\n", text, re.S)[0]
        other = re.sub(r"uacc := (.*); urej := (.*) \|\}", r"uacc := \2; urej := \1 |}", whole)
        self.assertNotEqual(other, whole)
        theorem, libraries = "Theorem checked", "Require Import ZArith QArith List.\n"
        tricks = {
            "the numbers in a comment, another term": text.replace(whole, f"(* {whole} *)\n{other}"),
            "the numbers in the first comment": text.replace(whole, other).replace("them. *)", f"them.\n{whole} *)"),
            "a second term in a module": text.replace(theorem, f"Module M. {other} End M. Import M.\n{theorem}"),
            "a definition more": text.replace(theorem, f"Definition G := F.\n{theorem}"),
            "a notation": text.replace(theorem, f"Notation resetcheck := (fun _ _ _ _ => true).\n{theorem}"),
            "another library": text.replace(libraries, libraries + "Require Import Classical.\n"),
            "an axiom": text.replace(theorem, f"Axiom checked : resetcheck F C X R = true.\n{theorem}_again"),
            "an option": text.replace(libraries, f"Unset Guard Checking.\n{libraries}"),
            "a comment between two tokens": text.replace(":= {| net", ":= (* F *) {| net"),
            "a comment at the end": text + "(* all of it *)\n",
            "another theorem": text.replace("decides F X /\\ tells F X R", "decides F X \\/ True"),
            "another sort of proof": text.replace("vm_cast_no_check (eq_refl true). Qed", "Admitted"),
            "another letter": text.replace('0 = "a"', '0 = "b"'),
            "another file": text.replace(document["sha256"], "0" * 64),
        }
        for name, trick in tricks.items():
            with self.subTest(name):
                self.assertNotEqual(trick, text)
                with self.assertRaises(ValueError):
                    READ_BACK.compare(trick, document)
        hostile_hash = {**document, "sha256": f"{document['sha256']} *) Axiom a : False. (*"}
        with self.assertRaises(ValueError):
            READ_BACK.compare(text.replace(document["sha256"], hostile_hash["sha256"]), hostile_hash)
        for stored in sorted((pathlib.Path(__file__).parent / "false").glob("*.v")):
            self.assertEqual(run(kernel.sys.executable, kernel.SOURCES / "read_back.py", stored, stored.with_suffix(".json"))[:2], (2, ""))

    def test_what_the_library_does_not_cover_is_refused_by_name(self):
        refused = [
            (("regular", "--group", "Z2", "--construction", "cascade"), "Coq: position with a parity: counts are not covered"),
            (("regular", "--regex", "(ab|c)*b", "--construction", "cascade"), "Coq: more than 200 nodes of the machine"),
            (("regular", "--group", "Z2", "--construction", "tree"), "levels: Coq: the library has no such theorem"),
            (("regular", "--group", "Z2", "--construction", "radix"), "directions of the stride are not covered"),
            (("connectivity", "--construction", "rows", "--size", "2"), "size 2; expected at least 3"),
            ((*ROWS, "45"), "Coq: more than 44 vertices"),
            (("division",), "Coq: the library has no such theorem"),
        ]
        for options, reason in refused:
            file = compiled(*options)
            status, out, error = run(files.LOGDEPTH, "certify", file, "--coq", "-o", path("refused.v"))
            self.assertEqual((status, out), (1, ""), options)
            self.assertIn(reason, error)
            self.assertIsNone(re.search("Traceback|terminate", error))


if __name__ == "__main__":
    unittest.main()
