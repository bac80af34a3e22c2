#!/usr/bin/env python3
"""Packs the records of training runs, a line each, as bench/results/records has them:
python3 bench/store_records.py RUNS bench/results/records/NAME.jsonl.gz. The same runs give the same bytes."""
import gzip
import json
import pathlib
import sys


def lines_of(folder):
    """A line for each record below the folder; "run" is its place in there."""
    for file in sorted(folder.rglob("record.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        yield json.dumps({"run": str(file.parent.relative_to(folder))} | record, separators=(",", ":"), ensure_ascii=False)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: store_records.py RUNS FILE.jsonl.gz")
    folder, file = map(pathlib.Path, sys.argv[1:])
    lines = list(lines_of(folder))
    if not lines:
        sys.exit(f"{folder}: expected training runs, found no record.json")
    file.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    print(f"wrote {len(lines)} records to {file}")


if __name__ == "__main__":
    main()
