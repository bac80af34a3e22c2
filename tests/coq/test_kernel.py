"""Coq's library has the stored axioms and nothing admitted, and files of every kind, as logdepth-prove prints them for coqc, are theorems."""
import re
import tempfile
import unittest

import kernel

kernel.tools_or_skip()

import files  # noqa: E402
from files import compiled, path, run  # noqa: E402


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_nothing_is_admitted_and_the_axioms_are_those_that_are_stored(self):
        for source in [*kernel.SOURCES.glob("*.v"), *(kernel.ROOT / "proofs-check/proved").glob("*.v")]:
            self.assertNotRegex(source.read_text(), r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Extract (Inlined|Inductive))\b", source.name)
            written = re.findall(r'Extract Constant.*', source.read_text())
            self.assertEqual(written, ['Extract Constant Z.of_nat => "(fun n -> n)".', 'Extract Constant Pos.of_succ_nat => "Big_int_Z.succ_big_int".',
                                       'Extract Constant nth => "(fun n l d -> if Big_int_Z.is_int_big_int n then Option.value '
                                       '(List.nth_opt l (Big_int_Z.int_of_big_int n)) ~default:d else d)".'] if source.stem == "Extract" else [])
        self.assertEqual(len(kernel.stored_axioms()), 3)
        header = "From Logdepth Require Import Rows Model Statement Atoms Checker ShiftScan ClassesChecker Classes GraphChecker Connectivity.\n"
        of_words = "{} f c X r = true -> decides f X /\\ tells f X r"
        for theorem, shown in (("shift_scan_correct", of_words.format("check")), ("resets_correct", of_words.format("resetcheck")),
                               ("counting_correct", "countcheck f G c = true -> decides_counting f G"),
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

    def test_what_is_printed_for_coqc_is_a_theorem(self):
        scan = ("regular", "--group", "S3", "--construction", "scan", "--positions")
        for name, options in (("circle", (*scan, "circle")), ("two_circle", (*scan, "two-circle", "--norm", "layernorm")),
                              ("a5", ("regular", "--group", "A5", "--construction", "scan", "--positions", "circle", "--table", "matrix")),
                              ("unrolled", ("regular", "--regex", "(a|b)*abb", "--construction", "scan", "--positions", "first-flag", "--unroll", "16")),
                              ("radix", ("regular", "--regex", "(a|b)*b", "--construction", "radix", "--radix", "3", "--unroll", "30")),
                              ("uniform", ("regular", "--group", "Z2", "--construction", "radix", "--radix", "3")),
                              ("cascade", ("regular", "--regex", "(a|b)*b", "--construction", "cascade")),
                              ("groups", ("regular", "--group", "S3", "--construction", "cascade")),
                              ("fractions", ("regular", "--group", "Z2", "--construction", "cascade", "--positions", "first-flag")),
                              ("counting", ("crasp", kernel.ROOT / "examples/crasp/dyck1.crasp")),
                              ("rows", ("connectivity", "--construction", "rows", "--size", "5"))):
            file, certificate = compiled(*options), path(f"{name}.proof.json")
            self.assertEqual(run(files.LOGDEPTH, "certify", file, "--kernel", "-o", certificate)[0], 0)
            status, text, error = run(kernel.PROVE, file, certificate, "--coq")
            self.assertEqual((status, error), (0, ""), name)
            self.assertEqual(kernel.axioms(kernel.coq(text, name, self.folder)), kernel.stored_axioms())

    def test_a_number_too_large_for_coqs_naturals_is_refused_for_coqc_alone(self):
        file, certificate = compiled("connectivity", "--construction", "rows", "--size", "45"), path("45.proof.json")
        self.assertEqual(run(files.LOGDEPTH, "certify", file, "--kernel", "-o", certificate)[0], 0)
        document = files.load(file)
        document["unroll"] = {"kind": "fixed", "loops": 4001}
        for extra, status, reason in ((("--coq",), 1, "--coq: the number 4001 is beyond 4000"), ((), 0, "")):
            changed = files.seal(document)
            claimed = files.store({**files.load(certificate), "sha256": changed["sha256"]})
            found = run(kernel.PROVE, files.store(changed), claimed, *extra)
            self.assertEqual(found[0], status, found[2])
            self.assertIn(reason, found[2])


if __name__ == "__main__":
    unittest.main()
