#!/usr/bin/env python3
"""wheel_licences.py WHEEL: adds to a wheel that auditwheel repaired the licence of every library in it.

The wheel is rewritten with fixed times and a fixed order, so the same content is the same file. Licences are those of the
Debian packages. An unknown library is an error.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

# Library in the wheel: its Debian package, and its licence as SPDX writes it.
SHARED = {
    "libcrypto": ("libssl3", "Apache-2.0"),
    "libfmt": ("libfmt9", "MIT"),
    "libgmp": ("libgmp10", "LGPL-3.0-or-later"),
    "libmpfr": ("libmpfr6", "LGPL-3.0-or-later"),
    "libpugixml": ("libpugixml1v5", "MIT"),
    "libtbb": ("libtbb12", "Apache-2.0"),
}
# Headers that are compiled into the program and the extension module.
COMPILED_IN = {
    "libboost1.74-dev": "BSL-1.0",
    "libcli11-dev": "BSD-3-Clause",
    "librandom123-dev": "BSD-3-Clause",
    "libthrust-dev": "Apache-2.0",
    "nlohmann-json3-dev": "MIT",
}
# What the copyright files of Debian refer to. LGPL 3 is a supplement of GPL 3.
COMMON = ("Apache-2.0", "GPL-3", "LGPL-3")


def fail(sentence):
    sys.exit(f"wheel_licences.py: {sentence}")


def version_of(package):
    said = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
    return said.stdout or fail(f"{package}: expected an installed Debian package")


def licences(names):
    """Path below licenses/ and content of each text, and the expression of all licences."""
    inside = sorted({re.sub(r"-[0-9a-f]{8}\.so.*", "", pathlib.PurePath(name).name) for name in names if ".libs/" in name})
    if unknown := [library for library in inside if library not in SHARED]:
        fail(f"{', '.join(unknown)}: a library without a licence; add its Debian package to SHARED")
    rows = [("logdepth.libs/" + library, *SHARED[library]) for library in inside]
    rows += [("compiled in", package, spdx) for package, spdx in sorted(COMPILED_IN.items())]
    table = "".join(f"{where}\t{package} {version_of(package)}\t{spdx}\n" for where, package, spdx in rows)
    texts = {}
    for _, package, _ in rows:
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
        if text not in texts.values():  # packages of one source have the same
            texts[f"libraries/{package}/copyright"] = text
    texts |= {f"libraries/common/{name}": pathlib.Path(f"/usr/share/common-licenses/{name}").read_bytes() for name in COMMON}
    import nanobind  # it is compiled in, and brings its licence

    (text,) = pathlib.Path(nanobind.__file__).parent.parent.glob("nanobind-*.dist-info/licenses/LICENSE")
    texts["libraries/nanobind/LICENSE"] = text.read_bytes()
    table += f"compiled in\tnanobind {nanobind.__version__} (PyPI)\tBSD-3-Clause\n"
    texts["libraries/LIBRARIES.tsv"] = (
        "# What this wheel contains besides logdepth: where, package with version (Debian 12, whose archive has the\n"
        "# sources), licence. The libraries in logdepth.libs are files of their own and can be replaced.\n" + table
    ).encode()
    expression = " AND ".join(["Apache-2.0"] + sorted({spdx for _, _, spdx in rows} - {"Apache-2.0"}))
    return texts, expression


def main(wheel):
    with zipfile.ZipFile(wheel) as archive:
        files = {entry.filename: (archive.read(entry), entry.external_attr) for entry in archive.infolist() if not entry.is_dir()}
    (metadata,) = [name for name in files if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
    info = metadata.rpartition("/")[0]
    texts, expression = licences(files)
    for name, text in texts.items():
        files[f"{info}/licenses/{name}"] = (text, 0o100644 << 16)
    said, plain = files[metadata][0].decode(), "License-Expression: Apache-2.0\n"
    if said.count(plain) != 1:
        fail(f"{metadata}: expected one line {plain.strip()}")
    lines = "".join(f"License-File: {name}\n" for name in sorted(texts))
    files[metadata] = (said.replace(plain, f"License-Expression: {expression}\n{lines}").encode(), files[metadata][1])
    record = f"{info}/RECORD"
    files[record] = (
        "".join(
            f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
            for name, (content, _) in sorted(files.items()) if name != record
        ).encode() + f"{record},,\n".encode(), files[record][1])
    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, attributes) in sorted(files.items(), key=lambda file: (".dist-info/" in file[0], file[0])):
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr, entry.compress_type, entry.create_system = attributes, zipfile.ZIP_DEFLATED, 3
            archive.writestr(entry, content)


if __name__ == "__main__":
    main(*sys.argv[1:])
