"""Looks at what README's first command printed and drew: check_setup.py LOG CLONE."""

import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

log = Path(sys.argv[1]).read_text()
clone = Path(sys.argv[2])
example = clone / "build" / "example"

# The four words, each with its answer, as rows in the order they were asked.
words = ["aabb", "ab", "bbbb", ""]
answers = ["accept" if word.count("a") % 2 == 0 else "reject" for word in words]
rows = "".join(f"{word}\t{answer}\n" for answer, word in zip(answers, words))
assert rows in log, f"expected the rows\n{rows}in the output"
assert re.search(r"^passed: against fst even_a\.fst, ", log, re.M), "the oracle test is missing"
assert (example / "even_a.json").stat().st_size > 0

# A picture that shows something: an SVG with an extent, shapes and the names of cells.
picture = xml.parse(example / "even_a.svg").getroot()
assert picture.tag.endswith("svg") and picture.get("viewBox"), "no SVG picture"
texts = [text.strip() for text in picture.itertext() if text.strip()]
shapes = sum(1 for item in picture.iter() if item.tag.rsplit("}")[-1] in ("path", "polygon", "rect"))
assert len(texts) > 20 and shapes > 20, f"{len(texts)} texts and {shapes} shapes in the picture"
assert any("attention" in text for text in texts), "the picture names no attention"
print(f"what setup.sh printed and drew is as expected ({len(texts)} texts, {shapes} shapes)")
