"""Pictures, as a notebook shows them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Callable


class Drawing:
    """A picture of a network or of a run: a notebook shows it, `save` writes it.

    `svg` is its text; the same network and input give the same one. `notes` say which comparison of the
    run was left out, and why.
    """

    def __init__(self, svg: str, write: Callable[[str], None], notes: Sequence[str] = ()) -> None:
        """`write` writes the same picture to a file, in the form that its name asks for."""
        self.svg: str = svg
        self.notes: list[str] = list(notes)
        self._write = write

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes .svg, .html (a page with a slider over the layers), .pdf and .png.

        BadInput for another ending, where the file cannot be written, and for .pdf and .png where
        librsvg's program is not installed.
        """
        self._write(os.fspath(file))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<drawing, {len(self.svg)} bytes of SVG>"
