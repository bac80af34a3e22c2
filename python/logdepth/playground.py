"""The playground, a page that runs networks in a browser, as a notebook shows it."""

from __future__ import annotations

import os
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlencode, urlsplit

from .errors import BadInput

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_NAME = "model.json"


def _folder(given: str | os.PathLike[str] | None) -> Path:
    if given is not None:
        if (Path(given) / "index.html").is_file():
            return Path(given)
        raise BadInput(
            f"folder: expected a folder with index.html, found '{os.fspath(given)}'; "
            "./make_playground.sh makes one"
        )
    program = shutil.which("logdepth")
    beside = Path(program).resolve().parent.parent if program else Path()
    own = Path(__file__).parent / "playground"  # the wheel has it
    for folder in (Path("build/playground"), own, beside / "playground", beside / "share/logdepth/playground"):
        if (folder / "index.html").is_file():
            return folder
    raise BadInput("the folder of the page is missing: run ./make_playground.sh, or name it with folder")


class Playground:
    """A page that shows a network, served on 127.0.0.1 by a thread of this process. A notebook shows it;
    `url` is its address; `close` ends the server.
    """

    def __init__(
        self,
        weights: str,
        word: str = "",
        folder: str | os.PathLike[str] | None = None,
        height: int = 900,
    ) -> None:
        """`folder` is what ./make_playground.sh wrote (default: build/playground, or that of the package).
        BadInput where it is missing.
        """
        root = _folder(folder).resolve()
        files = {
            "/" + path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()
        }
        own = f"/examples/{_NAME}"

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = unquote(urlsplit(self.path).path)
                name = "/index.html" if name == "/" else name
                hosts = [f"{host}:{self.connection.getsockname()[1]}" for host in ("127.0.0.1", "localhost")]
                if self.headers.get("Host") not in hosts:  # pages of other sites
                    return self.send_error(403)
                if name != own and name not in files:
                    return self.send_error(404)
                content = weights.encode() if name == own else files[name].read_bytes()
                self.send_response(200)
                self.send_header(
                    "Content-Type", _TYPES.get(Path(name).suffix, "application/octet-stream")
                )
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Cache-Control", "no-cache")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: a notebook would show every request."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        question = urlencode({"kind": "file", "file": _NAME, **({"word": word} if word else {})}, quote_via=quote)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/#{question}"
        self.height = height

    def close(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._server.server_close()

    def _repr_html_(self) -> str:
        address = self.url.replace("&", "&amp;")
        return (
            f'<iframe src="{address}" title="logdepth playground" width="100%" height="{self.height}" '
            'style="border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<playground at {self.url}>"
