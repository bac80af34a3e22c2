"""CI fails when a line of code is added above the budget of .ci/line_budget."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

COUNT = pathlib.Path(__file__).resolve().parents[2] / ".ci/line_budget.py"


class LineBudget(unittest.TestCase):
    def test_one_line_above_the_budget_fails_in_product_and_in_tests(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for place in ("base", "tests", "docs", ".ci"):
                (folder / place).mkdir()
            (folder / "base/a.cpp").write_text("// a comment\n\nint a;\nint b;  // counts\n/* not\n this */\n")
            (folder / "tests/t.py").write_text("# a comment\nx = 1\n")
            (folder / "docs/conf.py").write_text("left = out\n")
            (folder / "base/untracked.cpp").write_text("int c;\n")
            (folder / ".ci/line_budget").write_text("product 2\ntests 1\n")
            subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
            subprocess.run(["git", "add", "base/a.cpp", "tests", "docs", ".ci"], cwd=folder, check=True)

            def count():
                return subprocess.run([sys.executable, COUNT, folder], capture_output=True, text=True)

            self.assertEqual(count().returncode, 0, count().stderr)
            for file, line in (("base/a.cpp", "int d;\n"), ("tests/t.py", "y = 2\n")):
                before = (folder / file).read_text()
                (folder / file).write_text(before + line)
                self.assertEqual(count().returncode, 1, file)
                self.assertIn("more lines of code than .ci/line_budget allows", count().stderr)
                (folder / file).write_text(before)


if __name__ == "__main__":
    unittest.main()
