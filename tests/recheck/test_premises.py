"""Each lemma of the checker says what checks its premises, by names: `[checked by linear, version; explore in class_heads.cpp]`. The names
exist in the code of that file, comments apart, and a lemma without one fails."""
import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "recheck"
MARK = re.compile(r"\[checked by ([^\]]*)\]")


def head_and_code(file):
    """The comment at the head of a source as one line, and its code without comments."""
    head, code = file.read_text().split("\nnamespace ", 1)
    comment = " ".join(line[2:].strip() for line in head.splitlines() if line.startswith("//"))
    return comment, re.sub(r"//.*", "", code)


class Premises(unittest.TestCase):
    def test_what_checks_a_premise_is_there(self):
        names = 0
        for file in sorted(FOLDER.glob("*.cpp")):
            for mark in MARK.findall(head_and_code(file)[0]):
                for said in re.split(r"[,;] ", mark):
                    name, _, other = said.partition(" in ")
                    code = head_and_code(FOLDER / (other or file.name))[1]
                    self.assertTrue(re.search(rf"\b{re.escape(name)}\b", code), f"{file.name}: nothing is called {said}")
                    names += 1
        self.assertGreater(names, 100)

    def test_each_lemma_names_something(self):
        lemmas = 0
        for file in sorted(FOLDER.glob("*.cpp")):
            for lemma in re.split(r"(?:Lemma|Invariant)\b", head_and_code(file)[0])[1:]:
                if lemma[0] in " :":
                    self.assertRegex(lemma, MARK, f"{file.name}: lemma{lemma[:40]}")
                    lemmas += 1
        self.assertGreater(lemmas, 40)


if __name__ == "__main__":
    unittest.main()
