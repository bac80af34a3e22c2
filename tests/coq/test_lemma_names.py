"""The lemmas that recheck states at the head of its sources and the theorems of the Coq library: the table of proofs-check/coq/README.md
lists every lemma once, and names a theorem that is in the library."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "proofs-check/coq"


def lemmas():
    found = []
    for source in sorted((ROOT / "recheck").glob("*.[ch]pp")):
        found += [(name, source.stem) for name in re.findall(r"^// Lemma (\w+):", source.read_text(), re.M)]
    return found


def listed():
    """Rows `lemma`, `source` | Coq file and theorem, or a dash."""
    table = (LIBRARY / "README.md").read_text().split("| lemma of recheck |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return [(*re.fullmatch(r"`(\w+)` \(`(\w+)`\)", row[0]).groups(), row[1]) for row in rows]


class LemmaNames(unittest.TestCase):
    def test_every_lemma_is_listed_once(self):
        self.assertEqual(sorted((name, source) for name, source, _ in listed()), sorted(lemmas()))
        self.assertGreater(len(lemmas()), 12, "the test did not find the lemmas")

    def test_every_theorem_is_in_the_library(self):
        proved = 0
        for name, _, cell in listed():
            if cell == "not in the library":
                continue
            for theorem, source in re.findall(r"`(\w+)` \(`(\w+)`\)", cell):
                text = (LIBRARY / f"{source}.v").read_text()
                self.assertRegex(text, rf"(?m)^(Theorem|Lemma|Corollary) {theorem}\b", name)
                proved += 1
        self.assertGreater(proved, 8)

    def test_the_files_of_the_library_are_those_that_are_compiled(self):
        compiled = re.search(r"for file in ([\w ]+);", (LIBRARY / "compile.sh").read_text())[1].split()
        self.assertEqual(sorted(compiled), sorted(source.stem for source in LIBRARY.glob("*.v")))
        self.assertEqual(len(compiled), len(set(compiled)))


if __name__ == "__main__":
    unittest.main()
