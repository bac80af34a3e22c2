"""One run: steps of an optimiser, a learning curve, checkpoints, resumption."""
import fcntl
import json
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from .problem import Problem, check_settings, require

SAVED_EVERY = 60  # seconds


@dataclass
class Training:
    steps: int = 300
    seconds: float = 0.0  # 0: no limit
    learning_rate: float = 1e-4
    beta1: float = 0.9
    beta2: float = 0.98
    weight_decay: float = 0.01
    warm_up: int = 10
    floor: float = 0.0
    decay: float = 1.0  # share of the steps, at the end, in which the rate falls to the floor
    clip: float = 1.0
    curve_first: int = 75  # steps between points of the curve

    def rate(self, step):
        rise = min(1, (step + 1) / self.warm_up) if self.warm_up else 1
        left = (self.steps - step) / (self.decay * self.steps) if self.decay else 1
        return self.learning_rate * rise * max(self.floor, min(1, left))

    def check(self):
        check_settings("training", self, steps=(1, 10**9), seconds=(0, 10**9), learning_rate=(0, 1), beta1=(0, 1), beta2=(0, 1), weight_decay=(0, 1),
                       warm_up=(0, 10**9), floor=(0, 1), decay=(0, 1), clip=(0, 10**9), curve_first=(1, 10**9))


def write_json(path, value):
    """The file appears under its name when it is complete."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    os.replace(part, path)


def read_json(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{path}: expected a file that can be read: {error.strerror}") from None
    except ValueError as error:
        raise Problem(f"{path}: expected JSON: {error}") from None


def seeded(seed, step=0):
    """All that draws in a step depends on seed and step alone, so that a resumed run draws what it would have drawn."""
    torch.manual_seed((seed * 1_000_003 + step) % 2 ** 63)


class Run:
    """`learner` has parameters(), learn(step, descend) -> (loss, right answers in per cent / 100, tokens), score() -> a share,
    state() and load(state). `descend(loss)` is one step of the optimiser; a learner may take several in one step of the run."""

    def __init__(self, folder, seed, training, config, learner, say=lambda text: None):
        training.check()
        self.folder, self.seed, self.training, self.config, self.learner, self.say = Path(folder), seed, training, config, learner, say
        self.trained = [p for p in learner.parameters() if p.requires_grad]
        self.optimiser = torch.optim.AdamW(self.trained, training.learning_rate, (training.beta1, training.beta2), weight_decay=training.weight_decay)
        self.done = {"steps": 0, "seconds": 0.0, "tokens": 0, "loss": None, "accuracy": None, "points": []}

    def descend(self, loss):
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if self.training.clip:
            torch.nn.utils.clip_grad_norm_([p for p in self.trained if p.grad is not None], self.training.clip)
        self.optimiser.step()

    def save(self):
        part = self.folder / "checkpoint.part"
        torch.save({"config": self.config, "done": self.done, "state": self.learner.state(), "optimiser": self.optimiser.state_dict()}, part)
        os.replace(part, self.folder / "checkpoint.pt")

    def resume(self):
        file = self.folder / "checkpoint.pt"
        if not file.exists():
            return
        try:
            saved = torch.load(file, weights_only=True, map_location="cpu")
        except Exception as error:  # whatever a damaged file makes pickle and zip say
            raise Problem(f"{file}: expected a checkpoint of a run, found a damaged file ({type(error).__name__})") from None
        for key in sorted(set(saved["config"]) | set(self.config)):
            require(saved["config"].get(key) == self.config.get(key),
                    f"{self.folder}: expected to go on with the settings that the run began with, found another '{key}'")
        self.learner.load(saved["state"])
        self.optimiser.load_state_dict(saved["optimiser"])
        self.done = saved["done"]
        self.say(f"goes on after {self.done['steps']} steps")

    def go(self):
        """The part 'training' of a record."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / ".lock", "w") as lock:  # let go at the end
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Problem(f"{self.folder}: expected one command at a time to train here, found another at work") from None
            self.resume()
            write_json(self.folder / "config.json", self.config)
            done, plan, begin, stopped = self.done, self.training, time.monotonic(), "steps"
            saved, before = begin, done["seconds"]
            while done["steps"] < plan.steps:
                step = done["steps"] + 1
                for group in self.optimiser.param_groups:
                    group["lr"] = plan.rate(step - 1)
                seeded(self.seed, step)
                loss, right, tokens = self.learner.learn(step - 1, self.descend)
                require(math.isfinite(loss), f"{self.folder}: expected a finite loss, found {loss} in step {step}; a smaller training.learning_rate may help")
                for name, new in (("loss", loss), ("accuracy", right)):  # smoothed
                    done[name] = new if done[name] is None else done[name] + 0.1 * (new - done[name])
                done.update(steps=step, tokens=done["tokens"] + tokens, seconds=round(before + time.monotonic() - begin, 1))
                if step % plan.curve_first == 0 or step == plan.steps:
                    done["points"].append({"steps": step, "score": self.learner.score()})
                    self.say(f"step {step} of {plan.steps}: loss {done['loss']:.3f}, right {done['points'][-1]['score']:.3f}, {done['seconds']:.0f} s")
                if plan.seconds and done["seconds"] >= plan.seconds:
                    stopped = "seconds"
                    break
                if time.monotonic() - saved > SAVED_EVERY:
                    self.save()
                    saved = time.monotonic()
            self.save()
            return {**{key: value for key, value in done.items() if key != "points"}, "stopped": stopped, "stage": "all", "promotions": [],
                    "parameters": sum(p.numel() for p in self.trained), "curve": {"score": self.learner.score_name, "points": done["points"]}}
