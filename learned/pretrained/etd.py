"""Encode-Think-Decode: a pretrained decoder goes on training with a block of its layers run k times."""
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from .counter_random import TRAINING, CounterRandom
from .models import padded
from .problem import require
from .questions import held_out
from .records import reading
from .shapes import set_shape

FIRST_STEP = 1 << 40  # other lines than a base would draw
MOST_LOGITS = 1 << 26  # of one batch of a measurement


@dataclass
class Lines:
    """The task 'lines' of a record."""
    text: str
    tokens: str
    length: int = 256
    batch: int = 32
    answers_only: bool = False
    validation: int = 200  # measured lines of a kind and difficulty
    kind: str = "lines"


class Line(NamedTuple):
    question: list
    answer: list  # with the end of the text


def line_set(questions, model, task, tests=()):
    """Lines in a model's tokens: those to train on, and those to measure by kind and difficulty. Measured are `tests`; without, one question in
    eight is, and not trained on."""
    end = model.tokenizer.eos_token_id
    require(end is not None, f"{model.path}: expected a vocabulary with an end-of-text token, which questions require")
    training, measured = [], {}
    for q, test in [(q, False if tests else held_out(q.question)) for q in questions] + [(q, True) for q in tests]:
        line = Line([*model.begin, *model.encode(q.question)], [*model.encode(" " + q.answer), end])
        size = len(line.question) + len(line.answer)
        require(line.question and size <= task.length, f"{task.text}: expected questions of at least one token in lines of at most {task.length} tokens with "
                                                       f"their end (--length), found {size} in {q.question!r}")
        (measured.setdefault((q.kind, q.difficulty), []) if test else training).append(line)
    require(training and measured, f"{task.text}: expected questions to train on and questions to measure, about one in eight, "
                                   f"found {len(training)} and {sum(map(len, measured.values()))}")
    kinds = list(dict.fromkeys(kind for kind, _ in measured))
    return training, {key: measured[key] for key in sorted(measured, key=lambda k: (kinds.index(k[0]), k[1]))}


def targets_of(lines, device, answers_only):
    """Tokens, targets (-100: none), and which of them write an answer."""
    tokens = padded([[*l.question, *l.answer[:-1]] for l in lines], device)
    targets, answering = torch.full_like(tokens, -100), torch.zeros_like(tokens, dtype=torch.bool)
    for i, line in enumerate(lines):
        text = [*line.question, *line.answer]
        targets[i, :len(text) - 1] = torch.tensor(text[1:], device=device)
        answering[i, len(line.question) - 1:len(text) - 1] = True
    return tokens, targets.masked_fill(~answering, -100) if answers_only else targets, answering


class Learner:
    """A looped model and its lines."""

    def __init__(self, model, lines, task, seed):
        self.model, (self.training, self.measured), self.task, self.seed = model, lines, task, seed
        self.parameters, self.state, self.load, self.most_loops = model.network.parameters, model.numbers, model.set_numbers, 0
        self.score_name = f"share of right answers, {(task.validation + 3) // 4} of each kind and difficulty"

    def logits(self, tokens, targets):
        if self.model.think is not None:
            self.model.think.real = torch.arange(tokens.shape[1], device=tokens.device) <= (targets != -100).long().cumsum(1).argmax(1, keepdim=True)
        return self.model.head(self.model.states(tokens))

    def learn(self, step, descend):
        lines = self.training
        rows = [lines[CounterRandom(self.seed, TRAINING, FIRST_STEP + step, i).below(len(lines))] for i in range(self.task.batch)]
        tokens, targets, _ = targets_of(rows, self.model.device, self.task.answers_only)
        self.model.network.train()
        logits = self.logits(tokens, targets)
        loss = cross_entropy(logits.flatten(0, 1), targets.flatten())
        descend(loss)
        self.model.network.eval()
        asked = targets != -100
        right = (logits.argmax(-1) == targets)[asked].float().mean()
        return loss.item(), right.item(), int(asked.sum())

    def score(self):
        total = sum(self.tallies((self.task.validation + 3) // 4).values(), Counter())
        return total["right"] / total["asked"]

    @torch.no_grad()
    def tallies(self, most):
        """Greedy decoding writes an answer and its end exactly if each of their tokens is the likeliest after those before."""
        found, device, think = {}, self.model.device, self.model.think
        for key, lines in self.measured.items():
            lines = sorted(lines[:most], key=lambda l: len(l.question) + len(l.answer))
            found[key] = tally = Counter()
            at_once = max(1, min(250, MOST_LOGITS // (len(lines[-1].question) + len(lines[-1].answer)) // self.model.vocabulary))
            for at in range(0, len(lines), at_once):
                tokens, targets, answering = targets_of(lines[at:at + at_once], device, False)
                right, real = self.logits(tokens, targets).argmax(-1) == targets, targets != -100
                tally.update(asked=len(tokens), right=int((right | ~answering).all(1).sum()), tokens=int(real.sum()), right_tokens=int(right[real].sum()))
                if think is not None:
                    tally.update(loops=int(think.loops_taken[answering].sum()), looped=int(answering.sum()))
                    self.most_loops = max(self.most_loops, int(think.loops_taken[real].max()))
        return found

    def measure(self):
        self.most_loops = 0
        found = self.tallies(self.task.validation)

        def entry(head, tallies):
            total = sum(tallies, Counter())
            loops = {"mean_loops": total["loops"] / total["looped"]} if total["looped"] else {}
            return {**head, "asked": total["asked"], "right": total["right"], **loops}
        kinds = []
        for kind in dict.fromkeys(k for k, _ in found):
            of_kind = {d: tally for (k, d), tally in found.items() if k == kind}
            kinds.append({**entry({"kind": kind}, of_kind.values()), "difficulties": [entry({"difficulty": d}, [t]) for d, t in of_kind.items()]})
        total = sum(found.values(), Counter())
        return {"kind": "lines", "right_tokens": total["right_tokens"] / total["tokens"], "kinds": kinds,
                **({"largest_loops": self.most_loops} if self.most_loops else {})}


def learner(model, shape, lines, task, seed):
    torch.manual_seed(seed)
    return Learner(set_shape(model, shape), lines, task, seed)


def readings(result, config):
    """Of the kinds of lines, each by its own difficulty."""
    sizes, m = {"multi-hop": "hops", "arithmetic": "terms", "reading": "sentences"}, config["model"]
    fixed = m["loops"]["least"] if m["loops"]["kind"] == "fixed" and m["repeated"] else 1
    found = [(k["kind"], d, d.get("mean_loops", fixed)) for k in result["kinds"] for d in k["difficulties"]]
    return [reading(sizes.get(kind, "facts"), d["difficulty"], d["right"] / d["asked"], d["asked"], loops,
                    m["initial"] + loops * m["repeated"] + m["final"], kind) for kind, d, loops in found]


def result_text(result):
    return "; ".join(f"{k['kind']} {k['right'] / k['asked']:.3f}" + (f" in {k['mean_loops']:.2f} iterations" if "mean_loops" in k else "")
                     for k in result["kinds"])
