"""The checkers of certificates share nothing with the rest: only the standard library, GMP, OpenSSL and their own headers. What writes
certificates of floating-point answers is float_recheck.py itself; the float runs that it is tested by use nothing of it."""
import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "recheck"
STANDARD = re.compile(r"<[a-z_]+>")


class Independence(unittest.TestCase):
    def test_sources_include_nothing_of_ours(self):
        seen = 0
        for source in list(FOLDER.glob("*.cpp")) + list(FOLDER.glob("*.hpp")):
            for line in source.read_text().splitlines():
                if not re.match(r"\s*#\s*(include|import)", line):
                    continue
                seen += 1
                what = line.split(None, 1)[1].strip()
                own = re.fullmatch(r'"recheck/([a-z_]+\.hpp)"', what)
                good = own and (FOLDER / own[1]).exists() or what in ("<gmpxx.h>", "<openssl/evp.h>") or STANDARD.fullmatch(what)
                self.assertTrue(good, f"{source.name}: {line}")
        self.assertGreater(seen, 50, "the test did not find the sources")

    def test_float_certificates_and_float_runs_import_the_standard_library_alone(self):
        for source, expected in ((FOLDER / "float_recheck.py", {"fractions", "hashlib", "itertools", "json", "math", "pathlib", "re", "struct", "sys"}),
                                 (FOLDER.parent / "tests/recheck/float_runs.py", {"json", "math", "pathlib", "random", "struct"})):
            imports = set(re.findall(r"^\s*(?:import|from)\s+(\w+)", source.read_text(), re.M))
            self.assertEqual(imports, expected)

    def test_the_program_links_no_part_of_ours(self):
        text = (FOLDER.parent / "CMakeLists.txt").read_text()
        links = re.findall(r"target_link_libraries\((?:recheck|logdepth-recheck) ([^)]*)\)", text)
        self.assertEqual(links, ["PUBLIC PkgConfig::GMP PRIVATE OpenSSL::Crypto logdepth_warnings", "PRIVATE recheck logdepth_warnings"])


if __name__ == "__main__":
    unittest.main()
