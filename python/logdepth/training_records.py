"""Records of training runs as one table of pandas."""
from __future__ import annotations

import gzip
import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from .errors import BadInput


def _stored(place: str | os.PathLike[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name of the run, its record) of every record at a place: folders of runs, and files of several (.jsonl.gz)."""
    root = pathlib.Path(place)
    if not root.exists():
        raise BadInput(f"{root}: expected a folder of training runs, or a file of records (.jsonl.gz)")
    patterns = ("record.json", "angular.measurement.json", "*.jsonl.gz")
    files = [root] if root.is_file() else sorted(f for pattern in patterns for f in root.rglob(pattern))
    for file in files:
        text = gzip.decompress(file.read_bytes()).decode() if file.name.endswith(".gz") else file.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines() if file.name.endswith(".gz") else [text], 1):
            try:
                record = json.loads(line)
            except ValueError as error:
                raise BadInput(f"{file}:{number}: expected a record of a training run, a JSON object") from error
            if not isinstance(record, dict) or record.get("format") != "logdepth-run":
                raise BadInput(f'{file}:{number}: expected a record of a training run, "format": "logdepth-run"')
            yield str(file.parent / record["run"]) if "run" in record else str(file.parent), record


def _flat(settings: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{name}.")
        else:
            yield path + name, json.dumps(value) if isinstance(value, list) else value


def records(place: str | os.PathLike[str], of: str = "readings") -> Any:
    """All training runs at a place, as a pandas.DataFrame with a row per reading.

    `place`: a folder, searched for record.json, angular.measurement.json and *.jsonl.gz, or such a file. `of`: "readings", or
    "curve" for a row per point of the learning curves. Columns: run, seed; the settings by their path ("model.width"; lists as
    JSON text); trained_steps, tokens, parameters, seconds, stopped; then of, at, iterations, layers, score (a share from 0 to
    1), samples, what and own of a reading (learned/records/reading.hpp says what they are), or steps, score and tokens of a
    point. Raises BadInput for a place without records or a damaged one, ImportError without pandas.
    """
    import pandas  # type: ignore[import-untyped]

    if of not in ("readings", "curve"):
        raise BadInput(f'of: expected "readings" or "curve", found {of!r}')
    rows: list[dict[str, Any]] = []
    for name, record in _stored(place):
        training = record["training"]
        run = {"run": name, **dict(_flat(record["config"])), "trained_steps": training.get("steps")}
        run |= {key: training.get(key) for key in ("tokens", "parameters", "seconds", "stopped")}
        if of == "curve":
            points = training.get("curve", {}).get("points", [])
            rows += [run | {"steps": p["steps"], "score": p["score"], "tokens": p.get("tokens")} for p in points]
        else:
            rows += [run | {"what": "right", "own": True} | reading for reading in record.get("readings", [])]
    if not rows:
        raise BadInput(f"{place}: expected training runs, found no {of}")
    return pandas.DataFrame(rows)


def n_star(readings: Any, threshold: float = 0.95) -> int:
    """The largest size up to which every size has the score: of rows of one network after the same iterations."""
    solved = 0
    for row in readings.sort_values("at").itertuples():
        if row.score < threshold - 1e-9:
            break
        solved = int(row.at)
    return solved
