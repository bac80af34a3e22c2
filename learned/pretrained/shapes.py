"""Shapes N_E-N_T*k-N_D of a looped decoder, and running a model in one."""
import copy
import re
from dataclasses import dataclass

import torch
from torch import nn

from .problem import require

ROUTERS = ("straight-through", "mixture", "untrained")
ADAPTIVE_PASSES, ADAPTIVE_CAP, MOST_PASSES = 10, 64, 64
SLACK, SOFTNESS = 0.01, 0.1  # epsilon of the paper; tau of the mask that gradients see


@dataclass(frozen=True)
class Shape:
    encoder: int
    think: int
    decoder: int
    passes: int = 1
    block: str = "looped"  # looped, untied (each pass has layers of its own), adaptive
    router: str = "none"

    @property
    def layers(self):
        return self.encoder + self.think + self.decoder

    def __str__(self):
        block = {"looped": f"{self.think}x{self.passes}", "untied": "+".join([str(self.think)] * self.passes), "adaptive": self.think}[self.block]
        return f"{self.encoder}-{block}-{self.decoder}" + (f"-{self.router}" if self.block == "adaptive" else "")

    def order(self):
        """The layers in the order in which they run."""
        think = list(range(self.encoder, self.encoder + self.think))
        return [*range(self.encoder), *think * self.passes, *range(self.encoder + self.think, self.layers)]


def parse_shape(text, option="--shape"):
    """3-2*2-3, 3-2x2-3, 3-2+2-3 (layers of their own), 3-2-3-mixture."""
    found = re.fullmatch(rf"(\d+)-(\d+)(?:[*x](\d+)|((?:\+\2)+))?-(\d+)(?:-({'|'.join(ROUTERS)}))?", text)
    require(found, f"{option}: expected a shape as 3-2*2-3, or 3-2+2-3 with layers of their own, or 3-2-3-mixture, found {text!r}")
    encoder, think, passes, copies, decoder, router = found.groups()
    require(not (router and (passes or copies)), f"{option}: expected a router or a number of passes, found {text!r}")
    block = "adaptive" if router else "untied" if copies else "looped"
    passes = ADAPTIVE_PASSES if router else copies.count("+") + 1 if copies else int(passes or 1)
    require(int(think) and 1 <= passes <= MOST_PASSES, f"{option}: expected a block of layers and 1 to {MOST_PASSES} passes, found {text!r}")
    return Shape(int(encoder), int(think), int(decoder), passes, block, router or "none")


class ThinkBlock(nn.Module):
    """Layers that each token runs through until its router's values add up to 1 - epsilon. Stands in a list as one layer."""

    def __init__(self, layers, router, width, cap):
        super().__init__()
        self.layers, self.kind, self.cap = nn.ModuleList(layers), router, cap
        self.router = nn.Linear(width, 1).requires_grad_(router != "untrained")
        for name in ("attention_type", "layer_type"):
            if hasattr(layers[0], name):
                setattr(self, name, getattr(layers[0], name))
        self.real = self.loops_taken = None

    def forward(self, state, **how):
        require(not how.get("use_cache") and how.get("cache") is None, "adaptive depth: expected use_cache=False, for tokens run apart")
        running = torch.ones(state.shape[:2], dtype=torch.bool, device=state.device) if self.real is None else self.real
        total = torch.zeros(state.shape[:2], device=state.device)
        mixed, loops = torch.zeros_like(state), torch.zeros_like(total, dtype=torch.long)
        for step in range(1, (self.cap if self.training else ADAPTIVE_CAP) + 1):
            candidate = state
            for layer in self.layers:
                candidate = layer(candidate, **how)
            hard = running.to(state.dtype)
            now = torch.where(running.unsqueeze(-1), candidate, state)
            if self.kind == "straight-through":
                soft = torch.sigmoid((1 - SLACK - total) / SOFTNESS)
                now = now + (soft - soft.detach()).unsqueeze(-1) * (candidate - state)
            weight = torch.sigmoid(self.router(now.to(self.router.weight.dtype))).squeeze(-1)
            last = step == (self.cap if self.training else ADAPTIVE_CAP)
            halts = running if last else running & ((total + weight * hard).detach() >= 1 - SLACK)
            if self.kind == "mixture":  # the last state weighs what the others leave
                mixed = mixed + (torch.where(halts, 1 - total, weight) * hard).unsqueeze(-1) * now
            total, loops, running, state = total + weight * hard, loops + running, running & ~halts, now
            if not running.any():
                break
        self.loops_taken = loops
        return mixed.to(state.dtype) if self.kind == "mixture" else state


def _at(layer, index):
    """The same layer, its keys and values in another place of the cache, with hooks of its own."""
    other = copy.copy(layer)
    vars(other).update({name: value.copy() for name, value in vars(layer).items() if isinstance(value, dict)})
    other._modules.update({name: _at(part, index) for name, part in layer._modules.items() if hasattr(part, "layer_idx")})
    if hasattr(other, "layer_idx"):
        other.layer_idx = index
    return other


def set_shape(model, shape):
    """Lets the model run in the shape. One pass leaves it as it is."""
    base, types, first, end = model.layers, model.layer_types, shape.encoder, shape.encoder + shape.think
    require(shape.layers == len(base), f"{shape}: expected {len(base)} layers in all, as {model.name} has, found {shape.layers}")
    model.think, order, layers = None, shape.order(), []
    if shape.block == "adaptive":
        require(not types or len(set(types[first:end])) == 1, f"{shape}: expected a block of layers with attention of one kind, found several")
        model.think = ThinkBlock(base[first:end], shape.router, model.width, shape.passes).to(model.device)
        order, layers = [*range(first + 1), *range(end, shape.layers)], [*base[:first], model.think, *base[end:]]
    else:
        for place, i in enumerate(order):
            layer = copy.deepcopy(base[i]) if shape.block == "untied" and i in order[:place] else base[i]
            layers.append(layer if place == i else _at(layer, place))
    model.body.layers, model.config.num_hidden_layers, model.shape = nn.ModuleList(layers), len(layers), shape
    if types:
        model.config.layer_types = [types[i] for i in order]
    return model


def plain(model):
    return set_shape(model, Shape(0, len(model.layers), 0))
