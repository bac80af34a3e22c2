"""ReLIT: recall without gradient, one recursion with, a loss and a step of the optimiser after every macro step, and halting."""
import math
from statistics import geometric_mean
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from . import nli
from .counter_random import TRAINING, VALIDATION, CounterRandom
from .models import padded
from .problem import require
from .questions import read_questions
from .records import reading
from .relit_block import RecursiveBlock, linear
from .rules import rule_question
from .training import seeded

AT_ONCE, STATES_AT_ONCE, SCORED = 50, 8, 200
INITIAL_HALTING = -2.0  # nothing halts before the head has learned when


class Prompt(NamedTuple):
    text: str
    answer: str
    depth: int = 0


class Prompts:
    """Training samples by number, in a new order every epoch; test samples are others."""

    def __init__(self, task, seed):
        task.check()
        self.task, self.seed, self.lines, self.orders = task, seed, None, {}
        if task.set == "file":
            self.lines = [Prompt(f"question : {q.question} answer :", q.answer, q.difficulty) for q in read_questions(task.questions)]
            wanted = task.training_samples + task.test_samples
            require(len(self.lines) >= wanted, f"{task.questions}: expected {wanted} questions, --training-samples and --test-samples, found {len(self.lines)}")

    def prompt(self, index, test):
        task = self.task
        if self.lines:
            return self.lines[len(self.lines) - task.test_samples + index if test else index]
        random = CounterRandom(self.seed, VALIDATION if test else TRAINING, 0, index)
        answers = nli.ANSWERS if task.set == "nli" else task.answers()
        answer = answers[index % len(answers)]
        if task.set == "nli":
            return Prompt(nli.pair_prompt(answer, test, random), answer)
        depth = task.depths[index // len(answers) % len(task.depths)]
        return Prompt(rule_question(task, depth, answer, random).prompt(), answer, depth)

    def training_batch(self, step):
        count, batch = self.task.training_samples, []
        for k in range(step * self.task.batch, (step + 1) * self.task.batch):
            if k // count not in self.orders:
                self.orders = {k // count: CounterRandom(self.seed, TRAINING, 1 + k // count).permutation(count)}
            batch.append(self.prompt(self.orders[k // count][k % count], False))
        return batch

    def test(self, most=None):
        return [self.prompt(i, True) for i in range(min(self.task.test_samples, most or self.task.test_samples))]


def adapt(model, rank):
    """Low-rank additions to the query, key and value maps of every layer; they begin as nothing."""
    added = nn.ParameterDict()
    for i, layer in enumerate(model.layers):
        for name in ("q_proj", "k_proj", "v_proj"):
            place = getattr(layer.self_attn, name)
            down = nn.Parameter(torch.randn(place.in_features, rank) / math.sqrt(place.in_features))
            up = nn.Parameter(torch.zeros(rank, place.out_features))
            added[f"{i}_{name}_down"], added[f"{i}_{name}_up"] = down, up
            place.register_forward_hook(lambda m, args, out, down=down, up=up: out + args[0] @ down @ up)
    return added


class Network(nn.Module):
    """What is trained: the block or the linear map, the halting head, a head of its own, adapters. The language model is not in it."""

    def __init__(self, settings, model):
        super().__init__()
        settings.check(model.width)
        self.settings, s, width = settings, settings, model.width
        self.__dict__["model"] = model
        for p in model.network.parameters():
            p.requires_grad_(False)
        if s.probe == "linear":
            self.map = linear(width, width, bias=True)
        else:
            self.block = RecursiveBlock(s, width, model.config.rope_parameters["rope_theta"], getattr(model.config, "rms_norm_eps", 1e-5))
        if s.halting:
            self.halting = nn.Linear(width, 1)
            self.halting.load_state_dict({"weight": torch.zeros(1, width), "bias": torch.tensor([INITIAL_HALTING])})
        if s.head == "trainable":
            self.own_head = nn.Linear(width, model.vocabulary, bias=False)
            self.own_head.weight.data.copy_(model.network.get_output_embeddings().weight.data)
        if s.adapters:
            self.adapters = adapt(model, s.adapters)
        self.to(model.device)

    def head(self, states):
        return self.own_head(states) if self.settings.head == "trainable" else self.model.head(states)

    def x(self, rows):
        """States of prompts, computed once for all runs of a command."""
        embedding, known = self.settings.states == "embedding", self.model.known_states.setdefault(self.settings.states, {})
        if self.settings.adapters:  # which move
            return self.model.states(padded(rows, self.model.device), embedding).float()
        missing = sorted({t for t in rows if t not in known}, key=len)
        for at in range(0, len(missing), STATES_AT_ONCE):
            part = missing[at:at + STATES_AT_ONCE]
            with torch.no_grad():
                states = self.model.states(padded(part, self.model.device), embedding).float().cpu()
            known.update((tokens, row[:len(tokens)].clone()) for tokens, row in zip(part, states))
        return nn.utils.rnn.pad_sequence([known[t] for t in rows], batch_first=True).to(self.model.device)

    def prompt(self, rows):
        return self.model.states(padded(rows, self.model.device), True).float() if self.settings.cross_attention else None

    def halts(self, read, step):
        return self.halting(read).squeeze(-1) > 0 if self.settings.halting and step >= self.settings.least_steps \
            else torch.zeros(len(read), dtype=torch.bool, device=read.device)

    def recur(self, y, z, x, prompt, count):
        for _ in range(count):
            y, z = self.block(y, z, x, prompt)
        return y, z

    def macro_step(self, y, z, x, prompt, learned):
        """Recall without gradient, then one recursion with."""
        s = self.settings
        if s.through_time:
            return self.recur(y, z, x, prompt, s.recursions)
        with torch.no_grad():
            y, z = self.recur(y.detach(), z.detach(), x.detach(), prompt, s.recursions - learned)
        return self.recur(y, z, x, prompt, 1) if learned else (y, z)


def at_read(y, rows):
    return y[torch.arange(len(rows), device=y.device), torch.tensor([len(r) - 1 for r in rows], device=y.device)]


class Learner:
    score_name = "share of right answers at the halt, 200 test samples"

    def __init__(self, model, settings, task, seed):
        self.prompts, self.settings, self.task, self.seed = Prompts(task, seed), settings, task, seed
        torch.manual_seed(seed)
        self.net, self.model = Network(settings, model), model
        self.parameters, self.state, self.load = self.net.parameters, self.net.state_dict, self.net.load_state_dict
        self.samples(self.prompts.test(len(task.depths) * 3))  # whatever is asked can be written in these tokens

    def samples(self, prompts):
        rows, answers = [(*self.model.begin, *self.model.encode(p.text)) for p in prompts], [self.model.encode(" " + p.answer) for p in prompts]
        for prompt, tokens in zip(prompts, answers):
            require(len(tokens) == 1, f"{self.model.name}: expected every answer to be one token, found {len(tokens)} in {prompt.answer!r}")
        return rows, torch.tensor([tokens[0] for tokens in answers], device=self.model.device)

    def learn(self, step, descend):
        rows, targets = self.samples(self.prompts.training_batch(step))
        net, s, tokens = self.net, self.settings, sum(map(len, rows))
        if s.probe == "linear":
            logits = net.head(net.map(at_read(net.x(rows), rows)))
            descend(loss := cross_entropy(logits, targets))
            return loss.item(), (logits.argmax(-1) == targets).float().mean().item(), tokens
        count, number = len(rows), torch.arange(len(rows), device=targets.device)  # `number`: the samples that still run
        x, prompt = net.x(rows), net.prompt(rows)
        y, z = net.block.begin(x, torch.randn(x.shape).to(x.device) if s.z_start == "gaussian" else None)
        losses, right = torch.zeros(2, count, device=x.device)
        through_time, earlier = [], math.inf
        for macro in range(1, s.macro_steps + 1):
            last = macro == s.macro_steps
            learned = last or s.deep_supervision
            y, z = net.macro_step(y, z, x, prompt, learned)
            if not learned:
                continue
            read = at_read(y, [rows[i] for i in number.tolist()])
            logits = net.head(read)
            each, is_right = cross_entropy(logits, targets[number], reduction="none"), logits.argmax(-1) == targets[number]
            if s.halting:
                each = each + s.halting_weight * binary_cross_entropy_with_logits(net.halting(read).squeeze(-1), is_right.float(), reduction="none")
            halted = net.halts(read.detach(), macro)
            losses[number], right[number] = each.detach(), is_right.float()
            (through_time.append if s.through_time else descend)(each.sum() / count)
            mean = float(losses.mean())
            if last or s.loss_epsilon and macro >= s.least_steps and abs(mean - earlier) < s.loss_epsilon * abs(earlier):
                break
            earlier = mean
            if halted.any():
                keep = ~halted
                if not keep.any():
                    break
                number, y, z, x = number[keep], y[keep], z[keep], x[keep]
                prompt = None if prompt is None else prompt[keep]
            if s.adapters and not s.through_time:
                x = net.x([rows[i] for i in number.tolist()])
        if through_time:
            descend(sum(through_time) / len(through_time))
        return losses.mean().item(), right.mean().item(), tokens

    @torch.no_grad()
    def answers(self, rows):
        """After every macro step the answers and the change of y; the macro step at which each sample halts."""
        net, s = self.net, self.settings
        x = net.x(rows)
        if s.probe == "linear":
            return [net.head(net.map(at_read(x, rows))).argmax(-1)], [None], torch.ones(len(rows), dtype=torch.long)
        prompt, (y, z) = net.prompt(rows), net.block.begin(x)
        real = torch.tensor([[i < len(r) for i in range(x.shape[1])] for r in rows], device=x.device).unsqueeze(-1)
        after, changes, halted = [], [], torch.zeros(len(rows), dtype=torch.long, device=x.device)
        for step in range(1, s.macro_steps + 1):
            before = y
            y, z = net.recur(y, z, x, prompt, s.recursions)
            changed, whole = ((t * real).flatten(1).norm(dim=1) for t in (y - before, before))
            changes.append((changed / whole).sum().item())
            read = at_read(y, rows)
            after.append(net.head(read).argmax(-1))
            stop = net.halts(read, step) | (step == s.macro_steps)
            halted = torch.where((halted == 0) & stop, step, halted)
        return after, changes, halted

    def score(self):
        result = self.measure(SCORED)
        return result["right"] / result["asked"]

    def measure(self, most=None):
        prompts = self.prompts.test(most)
        self.net.eval()
        steps, everything, changes = self.settings.macro_steps, [], [0.0] * self.settings.macro_steps
        for at in range(0, len(prompts), AT_ONCE):
            part = prompts[at:at + AT_ONCE]
            rows, targets = self.samples(part)
            after, moved, halted = self.answers(rows)
            changes = [None if m is None else c + m for c, m in zip(changes, moved)]
            everything += zip(part, targets.tolist(), zip(*(a.tolist() for a in after)), halted.tolist())
        self.net.train()
        by_depth = {d: [e for e in everything if e[0].depth == d] for d in sorted({p.depth for p in prompts})}

        def score(of):
            return {"asked": len(of), "right": sum(e[2][e[3] - 1] == e[1] for e in of), "mean_halting": sum(e[3] for e in of) / len(of)}
        return {"kind": "rules", "set": self.task.set, **score(everything),
                "by_proof_depth": [{"depth": d, **score(of)} for d, of in by_depth.items()],
                "by_macro_step": [{"step": s + 1, "right": sum(e[2][s] == e[1] for e in everything),
                                   "change": None if changes[s] is None else changes[s] / len(everything)} for s in range(steps)],
                "halting": [sum(e[3] == s for e in everything) for s in range(1, steps + 1)]}


def spectral_radius(function, point, seed=1, iterations=20):
    """Of a map at a point, by power iteration with products of the transposed Jacobian."""
    at = point.detach().clone().requires_grad_(True)
    image, lengths = function(at), []
    seeded(seed)
    direction = torch.randn_like(at)
    for _ in range(iterations + 1):
        lengths.append(float(direction.norm()))
        if lengths[-1] == 0:
            return 0.0
        direction = torch.autograd.grad(image, at, direction / lengths[-1], retain_graph=True)[0]
    return geometric_mean(lengths[-(iterations // 2):])


def convergence(learner, samples=4, steps=16):
    """Do y and z settle, and does the Jacobian at the last state shrink? For the first test samples, each alone."""
    net, found = learner.net, []
    require(learner.settings.probe == "none", "a linear probe has no recursion whose convergence could be measured")
    for prompt in learner.prompts.test(samples):
        rows, _ = learner.samples([prompt])
        with torch.no_grad():
            x, extra = net.x(rows), net.prompt(rows)
            (y, z), changes = net.block.begin(x), []
            for _ in range(steps):
                before = torch.cat([y, z], -1)
                y, z = net.recur(y, z, x, extra, learner.settings.recursions)
                changes.append(float((torch.cat([y, z], -1) - before).norm() / before.norm()))
        radius = spectral_radius(lambda both: torch.cat(net.recur(*both.chunk(2, -1), x, extra, 1), -1), torch.cat([y, z], -1), learner.seed)
        found.append({"depth": prompt.depth, "changes": changes, "spectral_radius": radius})
    return {"measurement": "relit-convergence", "samples": found}


def readings(result, config):
    """At the halt, by the depth of the proofs; and after each macro step."""
    asked = result["asked"]
    return [reading("proof depth", d["depth"], d["right"] / d["asked"], d["asked"], d["mean_halting"]) for d in result["by_proof_depth"]] + [
        reading("all", 0, s["right"] / asked, asked, s["step"], what="after step") for s in result["by_macro_step"]]


def result_text(result):
    depths = "".join(f" depth {e['depth']}: {e['right'] / e['asked']:.3f};" for e in result["by_proof_depth"] if result["set"] != "nli")
    return (f"{result['set']}: {result['right'] / result['asked']:.3f} of {result['asked']} right;{depths} halted after "
            f"{result['mean_halting']:.2f} of {len(result['halting'])} macro steps")
