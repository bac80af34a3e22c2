"""The playground, a page that runs networks in a browser, as a notebook shows it."""

from __future__ import annotations

import os
import subprocess
import tempfile
import weakref
from pathlib import Path
from urllib.parse import quote

from .errors import BadInput


class Playground:
    """A page that shows a network, served on 127.0.0.1 by `logdepth play`. A notebook shows it; `url` is its
    address; `close`, or the end of this process, ends the server.
    """

    def __init__(
        self,
        weights: str,
        word: str = "",
        folder: str | os.PathLike[str] | None = None,
        height: int = 900,
    ) -> None:
        """`folder` is what ./make_playground.sh wrote (default: that of the package). BadInput where it is
        missing.
        """
        program = Path(__file__).parent / "bin" / "logdepth"
        options = [] if folder is None else ["--folder", os.fspath(folder)]
        files = tempfile.TemporaryDirectory()
        file = Path(files.name) / "model.json"
        file.write_text(weights, encoding="utf-8")
        # Ctrl-C ends a cell of the notebook, not the server.
        server = subprocess.Popen(
            [program, "play", "--no-open", *options, file],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert server.stdout is not None
        address = server.stdout.readline().rstrip()
        if not address:
            raise BadInput(server.communicate()[1].rstrip().removeprefix("logdepth: "))
        self._end = weakref.finalize(self, _end, server, files)
        self.url = address + (f"&word={quote(word, safe='')}" if word else "")
        self.height = height

    def close(self) -> None:
        """Ends the server."""
        self._end()

    def _repr_html_(self) -> str:
        address = self.url.replace("&", "&amp;")
        return (
            f'<iframe src="{address}" title="logdepth playground" width="100%" height="{self.height}" '
            'style="border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<playground at {self.url}>"


def _end(server: subprocess.Popen[str], files: tempfile.TemporaryDirectory[str]) -> None:
    server.terminate()
    server.communicate()
    files.cleanup()
