"""logdepth-prove, whose checkers Coq has proved: files of every code, table and norm are proved; changed files are not, or what is proved
of them is true on every word that is run. Its reader reads every number of a file, and no file that logdepth refuses."""
import copy
import json
import pathlib
import random
import re
import subprocess
import unittest
from fractions import Fraction

import kernel

kernel.tools_or_skip()

import changes  # noqa: E402
import files  # noqa: E402
import read_terms  # noqa: E402
import test_format  # noqa: E402
import test_hostile_files as hostile  # noqa: E402
from files import certified, claim, compiled, first_difference, load, path, right_on_graphs, run, seal, store, words  # noqa: E402

LANGUAGES = [("--group", "Z2"), ("--group", "S3"), ("--group", "flipflop"), ("--regex", "(a|b)*abb"), ("--regex", "(a|b)*b"),
             ("--regex", "(b|ab*a)*"), ("--regex", "(ab)*"), ("--regex", "(a|b|c)*a(b|c)"), ("--regex", "(a|b)*")]
ROWS = ("connectivity", "--construction", "rows", "--size")
COUNTING = {  # files of counting programs: names of examples, and programs for the letters a, b and c
    **{name: (kernel.ROOT / f"examples/crasp/{name}.crasp").read_text() for name in ("anbncn", "dyck1", "majority", "subsequence")},
    **{f"lines{n}": f"alphabet a b c\n{lines}\n" for n, lines in enumerate((
        "a := #[Q_a]\nb := 2 * #[Q_b]\nL := max(a, b) - 3 >= min(a, 2) or not a + b < 5", "L := #[Q_c] > 2 and not Q_c", "L := Q_a or Q_b",
        "L := #[true] = 4 or (#[Q_a] > #[Q_b] ? #[Q_a] : 3 * #[Q_c]) <= 2", "L := true", "L := not Q_a", "L := 0 < 1 or #[Q_a] = 0",
        "b := Q_b or #[Q_a] = 1\nL := #[b] >= #[not b] + 1 and #[#[b] > 1] < 3"))},
    "large": "alphabet a b\nL := #[Q_a] = 100000000 * #[Q_b] + 3\n"}
LAST_B = ("regular", "--regex", "(a|b)*b", "--construction")


def for_kernel(file):
    certificate = file[:-5] + ".proof.json"
    status, _, error = run(files.LOGDEPTH, "certify", file, "--kernel", "-o", certificate)
    assert status == 0, error
    return certificate


def counting(name, *options):
    """What compiles a program of COUNTING, or another one that is given as a text."""
    source = path(f"{name}.crasp" if name in COUNTING else "given.crasp")
    pathlib.Path(source).write_text(COUNTING.get(name, name))
    return "crasp", source, *options


def verdict(program, letters, word):
    """What a counting program of a certificate says of a word, as Statement.v defines it."""
    classes = [[k] for k in [0] + [1 + letters.index(a) for a in word]]
    at = lambda items, i: items[i] if i < len(items) else 0  # noqa: E731
    for c in program["comparisons"]:
        def total(p):
            return c["rest"] + sum(z * sum(at(weights, at(classes[j], since)) for j in range(1, p + 1))
                                   for since, weights, z in ((*program["tallies"][i], z) if i < len(program["tallies"]) else (0, [], z) for i, z in c["summands"]))
        sums = [total(p) for p in range(len(classes))]
        for token, x in zip(classes, sums):
            turns = c["turns"][token[-1]] if token[-1] < len(c["turns"]) else []
            token.append(at(turns, 1 + (x > 0) - (x < 0)))
    return classes[-1][-1] < len(program["verdicts"]) and program["verdicts"][classes[-1][-1]]


def prove(document, certificate, *options):
    """Status, standard output, standard error: of a changed file with the certificate of the old one."""
    status, out, error = run(kernel.PROVE, store(document), store({**certificate, "sha256": document["sha256"]}), *options)
    assert "Fatal error" not in error, error
    assert status in (0, 1, 2) and (status != 0 or error == "") and (status == 0 or out == "") and error.count("\n") == (status > 0), error
    return status, out, error


def places(value):
    """Every member within, as the object or array around it and its key, but what a head promises."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        if key != "promise":
            yield value, key
            if isinstance(value[key], (dict, list)):
                yield from places(value[key])


class Proved(unittest.TestCase):
    def all_proved(self, kinds):
        for options in kinds:
            file = compiled(*options)
            certificate = for_kernel(file)
            status, out, error = run(kernel.PROVE, file, certificate)
            self.assertEqual((status, error), (0, ""), options)
            self.assertIn("proved by", out)
            if options[1] != path("large.crasp"):  # a number beyond those that --coq takes
                self.assertEqual(read_terms.compare(run(kernel.PROVE, file, certificate, "--coq")[1], load(file)), [], options)

    def test_every_code_table_and_norm(self):
        s3 = ("regular", "--group", "S3", "--construction")
        self.all_proved([("regular", *language, "--construction", "scan", "--positions", code, "--table", table, "--norm", norm)
                         for language in LANGUAGES for code in ("first-flag", "circle", "two-circle") for table in ("matrix", "monoid")
                         for norm in ("rms", "layernorm")] + [(*s3, "scan", "--strict"), (*s3, "scan", "--unroll", "16")] +
                        [(*s3, "radix", "--radix", radix, "--unroll", "30") for radix in "234"])

    def test_a5_as_matrix_and_as_monoid(self):
        self.all_proved([("regular", "--group", "A5", "--construction", "scan", "--positions", "circle", "--table", table)
                         for table in ("matrix", "monoid")])

    def test_cascades_of_resets(self):
        self.all_proved([("regular", *language, "--construction", "cascade", "--positions", code, "--norm", norm)
                         for language in LANGUAGES[2:5] + LANGUAGES[6:] + [("--regex", "a")]
                         for code in ("fine", "first-flag") for norm in ("rms", "layernorm")])

    def test_cascades_with_groups(self):
        self.all_proved([("regular", *language, "--construction", "cascade", "--positions", code, "--norm", norm)
                         for language in [("--group", group) for group in ("Z2", "Z3", "Z4", "Z2_x_Z2", "S3", "D4", "Q8")] +
                         [("--regex", "(aa)*b"), ("--regex", "(aa|b)*")]
                         for code in ("fine", "first-flag") for norm in ("rms", "layernorm")] +
                        [("regular", "--group", "A4", "--construction", "cascade")])

    def test_counting_programs(self):
        self.all_proved([counting(name, "--norm", norm) for name in COUNTING for norm in ("rms", "layernorm")] + [counting("dyck1", "--strict")])

    def test_counting_programs_accept_what_recheck_says(self):
        for name in COUNTING:
            file = compiled(*counting(name))
            program, answer, letters = load(for_kernel(file))["program"], claim(files.recheck(file, certified(file))[1]), load(file)["alphabet"]
            for word in words(letters, 4):
                self.assertEqual(verdict(program, letters, word), answer(word)[0] > 0, (name, word))
        out = run(kernel.PROVE, compiled(*counting("majority")), for_kernel(compiled(*counting("majority"))))[1]
        for line in ("classes    of tokens, at first: 0 of <begin>, 1 of \"a\", 2 of \"b\"; a comparison changes them, the class of the last token decides\n",
                     "count 0    over the tokens up to the own one without <begin>, by the classes after comparison 0: 1 for class 1\n",
                     "compare 1  2 * count 0 + -2 * count 1 + -1; classes where it is negative, 0, positive: 0 to 0 - -, 1 to 1 - 2, 2 to 3 - 4\n",
                     "accepting  2, 4\n"):
            self.assertIn(line, out)
        self.assertNotIn("count 2", out)

    def test_counting_programs_are_printed_whole_or_refused(self):
        file = compiled(*counting("majority"))
        for change in (lambda p: p["comparisons"][0]["turns"][1].pop(), lambda p: p["comparisons"][0]["turns"].append([0, 0, 0]), lambda p: p["verdicts"].append(True),
                       lambda p: p["comparisons"][0]["summands"].append([3, 1]), lambda p: p["tallies"].append([2, []]), lambda p: p.update(more=1)):
            certificate = load(for_kernel(file))
            change(certificate["program"])
            self.assertEqual(prove(load(file), certificate)[0], 2)
        certificate = load(for_kernel(file))
        certificate["program"]["tallies"].append([0, [0, 0, 0]])
        certificate["program"]["comparisons"][0]["summands"].append([3, 7])
        certificate["certificate"]["layers"][0]["next"]["places"].append(["share", 3])
        status, out, _ = prove(load(file), certificate)
        self.assertTrue(status == 1 or "count 3    over the tokens up to the own one without <begin>, by the classes after comparison 0: none\n" in out)

    def test_radix_networks_for_all_lengths(self):
        self.all_proved([("regular", *language, "--construction", "radix", "--radix", radix, "--block", block, "--table", table, "--norm", norm)
                         for language in (("--group", "Z2"), ("--group", "S3"), ("--regex", "(a|b)*abb"))
                         for radix, block in ("22", "23", "32", "33", "42") for table in ("matrix", "monoid") for norm in ("rms", "layernorm")] +
                        [("regular", "--group", "A5", "--construction", "radix", "--table", "matrix")])

    def test_rows(self):
        self.all_proved([(*ROWS, size, "--norm", norm) for size in ("3", "4", "5", "9", "20") for norm in ("rms", "layernorm")])

    def test_the_automaton_is_compared_with_ones_own(self):
        language, other = path("abb.json"), path("b.json")
        file = compiled("regular", "--regex", "(a|b)*abb", "--construction", "scan", emit=language)
        compiled(*LAST_B, "scan", emit=other)
        certificate = for_kernel(file)
        self.assertEqual(run(kernel.PROVE, file, certificate, "--against", language)[0], 0)
        status, out, error = run(kernel.PROVE, file, certificate, "--against", other)
        self.assertEqual((status, error), (1, ""))
        self.assertIn(f'another language than {other}: they differ on the word "b"\n', out)
        arcs = load(language)
        arcs["transitions"][arcs["initial_state"]][""] = arcs["final_states"][0]  # an automaton with such an arc is another one
        for program, its in ((kernel.PROVE, certificate), (files.RECHECK, certified(file))):
            status, out, error = run(program, file, its, "--against", store(arcs))
            self.assertEqual(status, 2)
            self.assertIn("expected arcs of a deterministic automaton, with a letter each", error)
        compiled("regular", "--regex", "(a|c)*", "--construction", "scan", emit=other)
        status, out, error = run(kernel.PROVE, file, certificate, "--against", other)
        self.assertEqual(status, 2)
        self.assertIn('input_symbols: expected the letters "a", "b"', error)

    def test_info_has_the_proof_that_was_recorded(self):
        file = compiled(*LAST_B, "cascade")
        certified(file)
        for _ in range(2):  # a second proof takes the place of the first
            self.assertEqual(run(kernel.PROVE, file, for_kernel(file), "--record")[0], 0)
        shown = run(files.LOGDEPTH, "info", file)[1]
        self.assertEqual(re.findall("^(?:certified|proved) .*$", shown, re.M),
                         ["certified     every length, theorem resets", "proved        every length, resets_correct"])
        language = path("a.json")
        compiled("regular", "--regex", "(a|b)*a", "--construction", "scan", emit=language)
        other = compiled(*LAST_B, "scan")
        self.assertEqual(run(kernel.PROVE, other, for_kernel(other), "--record", "--against", language)[0], 1)
        self.assertFalse(pathlib.Path(other + ".checks.json").exists())
        pathlib.Path(other + ".checks.json").write_text("{")
        self.assertEqual(run(kernel.PROVE, other, for_kernel(other), "--record")[0], 2)
        self.assertEqual(pathlib.Path(other + ".checks.json").read_text(), "{")
        pathlib.Path(file).write_text(pathlib.Path(other).read_text())
        self.assertNotRegex(run(files.LOGDEPTH, "info", file)[1], "(?m)^proved")

    def test_letters_are_any_text(self):
        language = store({"states": ["0", "1"], "input_symbols": ['a"b', "\u00e9\\n", "*)"], "initial_state": "0", "final_states": ["1"], "transitions":
                          {"0": {'a"b': "1", "\u00e9\\n": "0", "*)": "1"}, "1": {'a"b': "0", "\u00e9\\n": "1", "*)": "1"}}})
        file = compiled("regular", "--json-automaton", language, "--construction", "scan")
        self.assertEqual(run(kernel.PROVE, file, for_kernel(file), "--against", language)[0], 0)
        self.assertEqual(read_terms.compare(run(kernel.PROVE, file, for_kernel(file), "--coq")[1], load(file)), [])

    def test_letters_that_nobody_sees_are_refused(self):
        file = compiled(*LAST_B, "cascade")
        for letter in ("a\u200b", "\u00a0", "\u00ad", "\u1680", "\u2000", "\u200f", "\u202f", "\u205f", "\u2069", "\u3000", "\ufeff", "\uffff"):
            document = load(file)
            document["alphabet"] = ["a", letter]
            document["embedding"][letter] = document["embedding"].pop("b")
            self.assertIn("letters without white space and control characters", prove(seal(document), load(for_kernel(file)))[2])
            self.assertEqual(run(files.RECHECK, store(seal(document)), certified(file))[0], 2)
        for broken, reason in ((b"\xff", "UTF-8"), (b"\xed\xa0\x80", "UTF-8"), (b"\xc1\xa1", "UTF-8"), (b"\\ud800", "Unicode"), (b"\\udc00", "Unicode")):
            text = pathlib.Path(file).read_bytes().replace(b'"alphabet": ["a"', b'"alphabet": ["' + broken + b'"', 1)
            self.assertNotEqual(text, pathlib.Path(file).read_bytes())
            pathlib.Path(path("broken.json")).write_bytes(text)
            status, _, error = run(kernel.PROVE, path("broken.json"), for_kernel(file))
            self.assertEqual((status, error.count("\n")), (2, 1), error)
            self.assertIn(reason, error)

    def changed(self, every, *options):
        """Every number in turn, with the certificate of the old file. What is proved of a changed file holds on all words that are run, and
        recheck certifies it too."""
        file = compiled(*(options if options[0] == "crasp" else ("regular", *options)))
        document, certificate, claimed = load(file), load(for_kernel(file)), load(certified(file))
        answer = claim(files.recheck(file, store(claimed))[1])
        some = list(words(document["alphabet"]))
        self.assertIsNone(first_difference(document, answer, some))
        changed = list(changes.changed_numbers(document, every)) + list(changes.random_entries(document, 12))
        changed += [(what, changes.changed(document, change)) for what, change in changes.whole_changes(document)]
        found = {0: 0, 1: 0, 2: 0}
        for what, d in changed:
            d = seal(d)
            status, _, _ = prove(d, certificate)
            found[status] += 1
            if status == 0:
                self.assertIsNone(first_difference(d, answer, some), f"FALSE THEOREM of {what}")
                again = files.run(files.RECHECK, store(d), store({**claimed, "sha256": d["sha256"]}))
                # A number of loops of no layer is nothing to the machine of a cascade; recheck wants that to be said.
                self.assertTrue(again[0] == 0 or again[2].endswith("unroll: expected no loops\n"), f"recheck refuses: {what}: {again[2]}")
        self.assertGreater(found[0], 3)
        self.assertGreater(found[1], 20)

    def test_changed_circle(self):
        self.changed(4, "--group", "Z2", "--construction", "scan", "--positions", "circle", "--table", "matrix")

    def test_changed_first_flag_with_layernorm(self):
        self.changed(11, "--regex", "(a|b)*b", "--construction", "scan", "--positions", "first-flag", "--norm", "layernorm")

    def test_changed_two_circle(self):
        self.changed(11, "--regex", "(a|b)*b", "--construction", "scan", "--positions", "two-circle", "--table", "matrix")

    def test_changed_radix(self):
        self.changed(61, "--group", "Z2", "--construction", "radix", "--radix", "2", "--unroll", "16")

    def test_changed_cascade(self):
        self.changed(5, "--regex", "(a|b)*b", "--construction", "cascade")

    def test_changed_radix_for_all_lengths(self):
        self.changed(13, "--group", "Z2", "--construction", "radix", "--radix", "3", "--table", "monoid")

    def test_changed_counts(self):
        self.changed(3, "--group", "Z2", "--construction", "cascade")

    def test_changed_counts_of_one_letter(self):
        self.changed(23, "--regex", "(aa|b)*", "--construction", "cascade")

    def test_changed_counting_program(self):
        self.changed(5, *counting("dyck1"))

    def test_changed_counting_program_with_layernorm(self):
        self.changed(17, *counting("lines0", "--norm", "layernorm"))

    def test_changed_fractions_of_the_position(self):
        self.changed(5, "--group", "Z2", "--construction", "cascade", "--positions", "first-flag")

    def changed_rows(self, every, entries, norm, size, some):
        """The same of reachability; what is still proved is run on these graphs."""
        file = compiled(*ROWS, size, "--norm", norm)
        document, certificate, found = load(file), load(for_kernel(file)), {0: 0, 1: 0, 2: 0}
        self.assertTrue(right_on_graphs(document, size, some))
        for what, d in list(changes.changed_numbers(document, every)) + list(changes.random_entries(document, entries)) + [
                (what, changes.changed(document, change)) for what, change in changes.changes_of_rows(document)]:
            status, _, _ = prove(seal(d), certificate)
            found[status] += 1
            if status == 0:
                self.assertTrue(right_on_graphs(d, size, some), f"FALSE THEOREM of {what}")
        self.assertGreater(found[0], 10)
        self.assertGreater(found[1], 50)

    def test_changed_rows(self):
        self.changed_rows(2, 40, "rms", 3, files.graphs(3))

    def test_changed_rows_with_layernorm(self):
        self.changed_rows(5, 15, "layernorm", 3, files.graphs(3))

    def test_changed_rows_of_five_vertices(self):
        draw = random.Random(9)
        self.changed_rows(5, 15, "rms", 5, [{(i, j) for i in range(5) for j in range(5) if i != j and draw.random() < 0.3} for _ in range(24)])

    def test_keys_of_two_lengths_are_refused(self):
        certificate = load(for_kernel(store(hostile.one_back(False))))
        self.assertEqual(prove(seal(hostile.one_back(False)), certificate)[0], 0)
        self.assertEqual(prove(seal(hostile.one_back(True)), certificate)[0], 1)

    def test_the_false_scan_is_refused(self):
        """A file of which recheck once certified a false theorem (TRUST.md), with the certificate of the right one, and as many layers."""
        right = load(for_kernel(compiled("regular", "--group", "A5", "--construction", "scan", "--positions", "first-flag", "--table", "matrix")))
        false, inside = load(kernel.ROOT / "tests/recheck/false/scan_of_two_lengths.json"), right["certificate"]
        for final in ([], inside["cinit"][-1:] * 2, inside["cbody"] * 2):
            inside["cfinal"] = final
            self.assertEqual(prove(false, right)[0], 1)

    def test_changed_certificates_prove_nothing_else(self):
        """The certificate is not trusted: what its automaton and its maps become is proved or refused."""
        for options in ((*LAST_B, "scan", "--positions", "circle"), (*LAST_B, "cascade"), (*LAST_B, "radix"),
                        ("regular", "--regex", "((a|b)(a|b))*b", "--construction", "cascade")):
            file = compiled(*options)
            document, certificate, draw = load(file), load(for_kernel(file)), random.Random(5)
            some, refused, language = list(words(document["alphabet"])), 0, re.compile(options[options.index("--regex") + 1])
            for _ in range(300):
                changed = copy.deepcopy(certificate)
                test_format.change(*draw.choice(list(test_format.places(changed))), draw)
                status, out, _ = prove(document, {**changed})
                refused += status > 0
                if status == 0:
                    states = changed["automaton"]
                    for word in some:
                        q = states["start"]
                        for letter in word:
                            q = states["delta"][q][document["alphabet"].index(letter)]
                        self.assertEqual(states["accepting"][q], language.fullmatch("".join(word)) is not None, f"FALSE THEOREM {out}")
            self.assertGreater(refused, 200)

    def test_changed_certificates_of_counting_programs_prove_nothing_else(self):
        draw, refused, proved = random.Random(7), 0, 0
        for name in ("majority", "dyck1", "lines0", "lines7"):
            file = compiled(*counting(name))
            document, certificate = load(file), load(for_kernel(file))
            some, right = list(words(document["alphabet"])), claim(files.recheck(file, certified(file))[1])
            for _ in range(300):
                changed = copy.deepcopy(certificate)
                inside = [changed] + [changed["program"]] * draw.randrange(2)
                test_format.change(*draw.choice(list(test_format.places(inside[-1]))), draw)
                status, out, _ = prove(document, changed)
                refused += status > 0
                proved += status == 0 and changed != certificate
                if status == 0:
                    for word in some:
                        self.assertEqual(verdict(changed["program"], document["alphabet"], word), right(word)[0] > 0, f"FALSE THEOREM {out}")
        self.assertGreater(refused, 600)
        self.assertGreater(proved, 10)

    def test_numbers_beyond_the_machines_are_exact(self):
        """Scores that are 2^70 times as large, and then one number that is larger by 1."""
        file = compiled(*LAST_B, "scan", "--positions", "circle")
        document, certificate = load(file), load(for_kernel(file))
        query = document["layers"][0]["attention"]["heads"][0]["query"]["entries"]
        for entry in query:
            entry[2] = str(Fraction(entry[2]) * 2 ** 70)
        head = certificate["certificate"]["cbody"][0]["heads"][0]
        head[3] = str(Fraction(head[3]) * 2 ** 70)
        self.assertEqual(prove(seal(document), certificate)[0], 0)
        query[0][2] = str(Fraction(query[0][2]) + 1)
        self.assertEqual(prove(seal(document), certificate)[0], 1)

    def test_what_the_model_has_no_words_for_is_refused(self):
        for construction, change, reason in (("scan", lambda d: d["unroll"].update(max_length=9), "max_length with a number of loops that grows"),
                                             ("scan", lambda d: d["unroll"].update(of="tokens"), "loops that the library does not count"),
                                             ("scan", lambda d: d["input"].update(end=True), "no words after <begin>")):
            file = compiled(*LAST_B, construction)
            document = load(file)
            change(document)
            status, _, error = prove(seal(document), load(for_kernel(file)))
            self.assertEqual(status, 1, reason)
            self.assertIn(reason, error)

    def test_large_numbers_take_no_time(self):
        file = compiled(*LAST_B, "scan", "--positions", "first-flag", "--unroll", "1000000")
        self.assertEqual(run(kernel.PROVE, file, for_kernel(file))[0], 0)
        for change in (lambda c: c["certificate"].update(factor=10 ** 9), lambda c: c.update(maps=[[10 ** 30] * 2] * 2),
                       lambda c: c["certificate"]["stage0"]["parts"].append([5, 10 ** 9, "1"])):
            certificate = load(for_kernel(file))
            change(certificate)
            self.assertEqual(prove(load(file), certificate)[0], 2)

    def test_maps_of_other_points_are_refused(self):
        file = compiled("regular", "--group", "Z2", "--construction", "scan", "--positions", "circle")
        for maps in ([[1]], [[1, 0, 7]], [[1, 2]], [], [[1, 0], [1, 0]]):
            self.assertIn("expected a map of all points for every letter", prove(load(file), {**load(for_kernel(file)), "maps": maps})[2])

    def test_the_reader_notices_every_kind_of_change(self):
        for options in ((*LAST_B, "scan", "--positions", "circle"), (*LAST_B, "scan", "--positions", "first-flag", "--unroll", "16"),
                        (*LAST_B, "cascade"), ("regular", "--group", "Z2", "--construction", "cascade"), counting("majority"), (*ROWS, "3")):
            file = compiled(*options)
            document, certificate = load(file), load(for_kernel(file))
            terms = read_terms.definitions(prove(document, certificate, "--coq")[1])
            whole = changes.changes_of_rows if document["input"]["kind"] == "graph" else changes.whole_changes
            found = 0
            for what, d in list(changes.changed_numbers(document, 3)) + list(changes.random_entries(document, 9)) + [
                    (what, changes.changed(document, change)) for what, change in whole(document)]:
                if d == document:
                    continue
                status, text, _ = prove(seal(d), certificate, "--coq")
                if status == 0:
                    self.assertEqual(read_terms.compare(text, d), [], what)
                    same = read_terms.definitions(text) == terms
                    self.assertEqual(same, "derived" in what or same and read_terms.expected_file(d) == read_terms.expected_file(document), what)
                found += 1
            self.assertGreater(found, 60)

    def test_no_file_is_read_that_logdepth_refuses(self):
        """Not looked at: what the meaning of a file does not depend on, and what only the format asks of it."""
        draw, read, unread = random.Random(11), 0, {"name", "construction", "source", "hypotheses", "deviations", "parameters", "derived", "cells", "shape"}
        for options in ((*LAST_B, "scan", "--positions", "circle"), (*LAST_B, "scan", "--positions", "two-circle", "--unroll", "4"),
                        (*LAST_B, "scan", "--positions", "first-flag"), (*LAST_B, "cascade"), (*LAST_B, "radix", "--radix", "3"),
                        ("regular", "--group", "Z2", "--construction", "cascade"), counting("dyck1"), (*ROWS, "3")):
            file = compiled(*options)
            document, certificate = load(file), load(for_kernel(file))
            document.pop("derived")
            for _ in range(150):
                changed = copy.deepcopy(document)
                key = draw.choice([key for key in changed if key not in unread])
                inside = list(places(changed[key])) if isinstance(changed[key], (dict, list)) else []
                test_format.change(*draw.choice(inside or [(changed, key)]), draw)
                if prove(seal(changed), certificate, "--coq")[0] == 0:
                    read += 1
                    self.assertEqual(run(files.LOGDEPTH, "info", store(changed))[0], 0,
                                     (options, {k: v for k, v in changed.items() if v != document.get(k)}))
        self.assertGreater(read, 60)

    def test_the_hash_of_a_content_is_that_of_the_other_readers(self):
        """Changed files of the fuzz corpus, written in other ways: all readers hash the same canonical text."""
        draw, compared, texts = random.Random(3), 0, ["\u00e9\\", '"', "\u2028 \U0001f600", "\x7f\t\n", "\ud7ff\ue000\uffff", "/<>&'", "\b\f\x01"]
        for file in sorted((kernel.ROOT / "tests/fuzz/corpus/weights").iterdir()):
            try:
                document = json.loads(file.read_bytes())
                document["sha256"] = "0" * 64
            except (ValueError, TypeError):
                self.assertEqual(run(kernel.PROVE, file, file)[0], 2)
                continue
            for _ in range(80):
                changed = copy.deepcopy(document)
                if draw.random() < 0.4:
                    test_format.change(*draw.choice(list(places(changed))), draw)
                changed["name"] = "".join(draw.choices(texts, k=3))
                changed = dict(draw.sample(list(changed.items()), len(changed)))
                other = path("other.json")
                pathlib.Path(other).write_text(json.dumps(changed, indent=draw.choice([None, 1]), ensure_ascii=draw.random() < 0.5), encoding="utf-8")
                said = [re.findall("(?!0{64})[0-9a-f]{64}", run(*command)[2]) for command in
                        ((kernel.PROVE, other, other), (files.LOGDEPTH, "info", other), (files.RECHECK, other, other))]
                hashes = {one[0] for one in said if one}
                self.assertLessEqual(len(hashes), 1, other)
                compared += sum(map(bool, said)) == 3
        self.assertGreater(compared, 100)

    def test_wrong_input_is_one_sentence(self):
        file = compiled(*LAST_B, "scan")
        certificate, text = for_kernel(file), path("text.json")
        document = load(file)
        for content, reason in (("", "no JSON"), ("{", "no JSON"), ("[]", "expected an object"), ('{"format": 1}', "format: expected a string"),
                                ('{"a": 1, "a": 1}', "expected distinct keys"), ("[" * 100000, "JSON|large")):
            pathlib.Path(text).write_text(content, encoding="utf-8")
            for pair in ((text, certificate), (file, text)):
                status, out, error = run(kernel.PROVE, *pair)
                self.assertEqual((status, out, error.count("\n")), (2, "", 1), error)
        for what, change, status, reason in (
                ("hash", lambda d: d.update(sha256="0" * 64), 2, "the hash of the content"),
                ("version", lambda d: d.update(version=2), 2, "version 1"), ("member", lambda d: d.update(colour=1), 2, "no member colour")):
            changed = copy.deepcopy(document)
            change(changed)
            self.assertRegex(run(kernel.PROVE, store(changed), certificate)[2], reason, what)
        self.assertEqual(run(kernel.PROVE, path("nowhere.json"), certificate)[0], 2)
        self.assertEqual(run(kernel.PROVE, file)[0], 2)
        for options, reason in ((["--colour"], "unknown option --colour"), (["--against"], "--against: expected a file"),
                                (["--coq", "--record"], "--coq: not with"), (["--against", "."], r"^\.: Is a directory")):
            self.assertRegex(run(kernel.PROVE, file, certificate, *options)[2], reason)
        with open("/dev/full", "w") as full:
            done = subprocess.run([kernel.PROVE, file, certificate], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_what_the_library_does_not_cover_is_refused_by_name(self):
        refused = [
            (("regular", "--regex", "(ab|c)*b", "--construction", "cascade"), "Coq: more than 1000 nodes of the machine"),
            (("regular", "--group", "S6", "--construction", "scan"), "Coq: the letters generate more than 200 products"),
            (("regular", "--group", "Z2", "--construction", "tree"), "levels: Coq: the library has no such theorem"),
            (("connectivity", "--construction", "rows", "--size", "2"), "size 2; expected at least 3"),
            (("division",), "Coq: the library has no such theorem"),
            ("alphabet a b\nL := #[Q_a] <= #[not Q_a] and #[Q_a] <= #[Q_b]\n", "a sum that is compared in two layers is not covered"),
            ("alphabet a b\nL := #[true] > 0 and #[Q_a] + #[Q_b] > 0\n", "a sum that is compared in two layers is not covered"),
            ("alphabet a b\nL := " + " or ".join(f"#[Q_a] = {3 * n}" for n in range(10)) + "\n", "Coq: more than 1000 classes of tokens"),
        ]
        for options, reason in refused:
            file = compiled(*(counting(options) if isinstance(options, str) else options))
            status, out, error = run(files.LOGDEPTH, "certify", file, "--kernel", "-o", path("refused.json"))
            self.assertEqual((status, out), (1, ""), options)
            self.assertIn(reason, error)
            self.assertIsNone(re.search("Traceback|terminate", error))
        limited = load(compiled(*LAST_B, "scan"))
        limited["unroll"]["max_length"] = 9
        error = run(files.LOGDEPTH, "certify", store(seal(limited)), "--kernel", "-o", path("refused.json"))[2]
        self.assertIn("Coq: max_length with a number of loops that grows", error)


if __name__ == "__main__":
    unittest.main()
