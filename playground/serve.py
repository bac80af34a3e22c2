"""Serves the folder of the page on loopback, for `logdepth play`: serve.py FOLDER PORT OPEN FILE. FILE ('' for none) is the
weights file that the page shows; OPEN (0 or 1) opens it in a browser. Only the files that are there at the start have names
in addresses, so no path in a request can lead elsewhere."""
import contextlib
import gzip
import os
import shutil
import signal
import subprocess
import sys
import urllib.parse
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TYPES = {".html": "text/html; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml",
         ".txt": "text/plain; charset=utf-8", ".gz": "application/gzip"}


@lru_cache(maxsize=32)
def packed(text):
    return gzip.compress(text)


class Handler(BaseHTTPRequestHandler):
    timeout = 10  # seconds: browsers open connections ahead, and send nothing
    files: dict[str, Path] = {}

    def answer(self, status, kind="text/plain; charset=utf-8", body=b"", **headers):
        self.send_response(status)
        fields = {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-cache",
                  "X-Content-Type-Options": "nosniff", **headers}
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        with contextlib.suppress(ConnectionError):  # a browser may leave early
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else body)

    def refuse(self, status, **headers):
        self.answer(status, body=f"{status.value} {status.phrase}\n".encode(), **headers)

    def do_GET(self):
        port = self.server.server_port
        # Pages of other sites that have a name for this machine have another host in their requests.
        if self.headers["Host"] not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            return self.refuse(HTTPStatus.FORBIDDEN)
        name = urllib.parse.unquote(self.path.split("?")[0].split("#")[0])
        name = "/index.html" if name == "/" else name
        try:
            body = self.files[name].read_bytes()
        except (KeyError, OSError):
            return self.refuse(HTTPStatus.NOT_FOUND)
        kind = TYPES.get(Path(name).suffix, "application/octet-stream")
        if "gzip" not in self.headers.get("Accept-Encoding", "") or name.endswith(".gz"):
            return self.answer(HTTPStatus.OK, kind, body)
        return self.answer(HTTPStatus.OK, kind, packed(body), Content_Encoding="gzip", Vary="Accept-Encoding")

    do_HEAD = do_GET

    def do_POST(self):
        self.refuse(HTTPStatus.METHOD_NOT_ALLOWED, Allow="GET, HEAD")

    do_PUT = do_DELETE = do_OPTIONS = do_PATCH = do_POST

    def log_message(self, *_):
        """Requests are not printed."""


def main():
    folder, port, opened, shown = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1", sys.argv[4]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Handler.files = {f"/{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*") if path.is_file()}
    question = ""
    if shown:
        name = os.path.basename(shown)
        if f"/examples/{name}" in Handler.files:  # a stored example keeps its place
            name = f"given/{name}"
        Handler.files[f"/examples/{name}"] = Path(shown).absolute()
        question = f"#kind=file&file={urllib.parse.quote(name, safe='')}"
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        print(f"logdepth: --port {port}: cannot be used on 127.0.0.1: {os.strerror(error.errno)}", file=sys.stderr)
        sys.exit(2)
    address = f"http://127.0.0.1:{server.server_port}/{question}"
    print(address, flush=True)
    if opened and shutil.which("xdg-open"):  # else the printed address is there
        subprocess.Popen(["xdg-open", address], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server.serve_forever()


main()
