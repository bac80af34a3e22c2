"""Files of JSON lines with question, answer and, where told, kind and difficulty (examples/reasoning_gym_lines.py writes such)."""
import json
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from .counter_random import HELD_OUT, CounterRandom
from .problem import Problem, require


class Question(NamedTuple):
    question: str
    answer: str
    kind: str = "other"
    difficulty: int = 0


def read_text(path):
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise Problem(f"{path}: expected a file that can be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: expected UTF-8, found byte {error.object[error.start]:#x} at {error.start}") from None


def read_questions(path):
    questions = []
    for number, text in enumerate(read_text(path).splitlines(), 1):
        if not text.strip():
            continue
        where = f"{path}:{number}"
        try:
            line = {"kind": "other", "difficulty": 0} | json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise Problem(f"{where}: expected a JSON object with 'question' and 'answer', found {text[:60]!r}") from None
        for key in ("question", "answer", "kind"):
            require(isinstance(line.get(key), str) and line[key], f"{where}: expected '{key}' to be a text that is not empty, found {line.get(key)!r}")
        hard = line["difficulty"]
        require(type(hard) is int and hard >= 0, f"{where}: expected 'difficulty' to be a whole number of at least 0, found {hard!r}")
        questions.append(Question(line["question"], line["answer"], line["kind"], hard))
    require(questions, f"{path}: expected questions, found none")
    return questions


def held_out(question):
    """One in eight, by a hash of the text: a line keeps its side when others are added."""
    value = 0xcbf29ce484222325  # FNV-1a
    for byte in question.encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return CounterRandom(value, HELD_OUT).below(8) == 0


def paragraphs(path):
    """Those of a file, or of the .md and .txt files below a folder."""
    path = Path(path)
    files = sorted(f for f in path.rglob("*") if f.suffix in (".md", ".txt") and f.is_file()) if path.is_dir() else [path]
    found = ["\n".join(lines) for file in files for text, lines in groupby(read_text(file).split("\n"), lambda line: bool(line.strip())) if text]
    require(found, f"{path}: expected paragraphs of text, found none")
    return found


def token_sequences(path, model, most, length):
    """Paragraphs one after another, cut into sequences of a length; what is left of a paragraph's last sequence is dropped."""
    sequences, joined, fill = [], "", length - len(model.begin)
    require(fill > 0, f"--length: expected at least {len(model.begin) + 1}, found {length}")
    for paragraph in paragraphs(path):
        joined += "\n\n" * bool(joined) + paragraph
        tokens = model.encode(joined)
        full = [[*model.begin, *tokens[at:at + fill]] for at in range(0, len(tokens) - fill + 1, fill)]
        sequences, joined = sequences + full, "" if full else joined
        if len(sequences) >= most:
            return sequences[:most]
    require(len(sequences) >= 2, f"{path}: expected a text of at least 2 sequences of {length} tokens each, found {len(sequences)}; "
                                 "--length sets the number of tokens of a sequence")
    return sequences
