"""The recursive block of ReLIT: x are states of a frozen language model, y the answer, z the scratchpad.

h = W_c [x; y; z] + e_step, z = norm(z + R(h)); after the latent steps y = norm(y + W_y [y; z]). R is a Llama layer or several."""
import math
from dataclasses import dataclass

import torch
from torch import nn
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRMSNorm, LlamaRotaryEmbedding, apply_rotary_pos_emb

from .problem import check_settings, require

SMALL = 0.02  # deviation of z at the beginning, and of step embeddings


@dataclass
class Relit:
    """The network 'relit' of a record. Defaults follow the paper's text rather than its pseudocode; sizes are those of a CPU."""
    kind: str = "relit"
    backbone: str = ""
    states: str = "last"  # last; embedding: without the layers; random: weights drawn anew
    macro_steps: int = 3
    recursions: int = 2
    latent_steps: int = 2
    layers: int = 1
    heads: int = 4
    hidden: int = 0  # 0: 8/3 of the width, rounded up to 64
    z_start: str = "gaussian"  # zero, from_x
    update_y: str = "linear"  # block
    y_every_latent: bool = False  # as in the pseudocode
    replace: bool = False  # z = norm(R(h)), without the residual refinement
    through_time: bool = False  # the gradient passes all recursions of all macro steps
    deep_supervision: bool = True  # a loss after every macro step, else after the last
    halting: bool = True
    halting_weight: float = 0.1
    least_steps: int = 2
    loss_epsilon: float = 1e-3  # a batch ends when its loss changes by less; 0: never
    head: str = "frozen"  # trainable
    adapters: int = 0  # rank of the language model's adapters
    cross_attention: bool = False  # to the prompt's embeddings in every latent step
    probe: str = "none"  # linear: y = W x + b in place of the block

    def check(self, width):
        check_settings("network", self, states=("last", "embedding", "random"), z_start=("gaussian", "zero", "from_x"), update_y=("linear", "block"),
                       head=("frozen", "trainable"), probe=("none", "linear"), macro_steps=(1, 64), recursions=(1, 64), latent_steps=(1, 64),
                       layers=(1, 64), heads=(1, 1024), least_steps=(1, 64), hidden=(0, 10**6), halting_weight=(0, 10**6), loss_epsilon=(0, 1),
                       adapters=(0, 1024))
        require(width % self.heads == 0 and width // self.heads % 2 == 0,
                f"network.heads: expected heads of an even width in the backbone's {width}, found {self.heads}")


METHODS = {"relit": {}, "linear-probe": dict(probe="linear", macro_steps=1, recursions=1, latent_steps=1, halting=False),
           "one-pass": dict(macro_steps=1, recursions=1, latent_steps=1, halting=False), "through-time": dict(through_time=True),
           "replace": dict(replace=True), "no-deep-supervision": dict(deep_supervision=False), "trainable-head": dict(head="trainable"),
           "no-halting": dict(halting=False), "adapters": dict(adapters=8), "cross-attention": dict(cross_attention=True)}


def linear(inputs, outputs, bias=False):
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    return layer


class CrossAttention(nn.Module):
    """Of the latent state to the embeddings of the prompt."""

    def __init__(self, width, heads, epsilon):
        super().__init__()
        self.heads = heads
        self.norm, self.prompt_norm = LlamaRMSNorm(width, epsilon), LlamaRMSNorm(width, epsilon)
        self.query, self.key_value, self.output = linear(width, width), linear(width, 2 * width), linear(width, width)

    def forward(self, h, prompt, rotary):
        by_head = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        keys, values = map(by_head, self.key_value(self.prompt_norm(prompt)).chunk(2, -1))
        query, keys = apply_rotary_pos_emb(by_head(self.query(self.norm(h))), keys, *rotary)
        found = nn.functional.scaled_dot_product_attention(query, keys, values, is_causal=True)
        return self.output(found.transpose(1, 2).flatten(2))


class RecursiveBlock(nn.Module):
    def __init__(self, settings, width, rotary_base=1e4, epsilon=1e-5):
        super().__init__()
        s = self.settings = settings
        config = LlamaConfig(hidden_size=width, num_attention_heads=s.heads, num_key_value_heads=s.heads, num_hidden_layers=s.layers,
                             intermediate_size=s.hidden or math.ceil(width * 8 / 3 / 64) * 64, rms_norm_eps=epsilon,
                             rope_parameters={"rope_type": "default", "rope_theta": rotary_base}, attn_implementation="sdpa")
        self.rotary = LlamaRotaryEmbedding(config)
        self.concatenation, self.answer = linear(3 * width, width), linear(2 * width, width)
        self.step_embedding = nn.Parameter(SMALL * torch.randn(s.latent_steps, width))
        self.blocks = nn.ModuleList(LlamaDecoderLayer(config, i) for i in range(s.layers))
        self.z_norm, self.y_norm = LlamaRMSNorm(width, epsilon), LlamaRMSNorm(width, epsilon)
        if s.z_start == "gaussian":
            self.z_mean = nn.Parameter(torch.zeros(width))
            self.z_log_deviation = nn.Parameter(torch.full((width,), math.log(SMALL)))
        if s.cross_attention:
            self.cross = CrossAttention(width, s.heads, epsilon)

    def begin(self, x, noise=None):
        if self.settings.z_start == "gaussian":
            mean = self.z_mean.expand_as(x)
            return x, mean if noise is None else mean + self.z_log_deviation.exp() * noise
        return x, x if self.settings.z_start == "from_x" else torch.zeros_like(x)

    def through(self, h, rotary):
        for block in self.blocks:
            h = block(h, position_embeddings=rotary)
        return h

    def next_y(self, y, z, rotary):
        change = self.answer(torch.cat([y, z], -1))
        return self.y_norm(y + (self.through(change, rotary) if self.settings.update_y == "block" else change))

    def forward(self, y, z, x, prompt=None):
        """One recursion."""
        s, rotary = self.settings, self.rotary(x, torch.arange(x.shape[1], device=x.device).unsqueeze(0))
        for step in range(s.latent_steps):
            h = self.concatenation(torch.cat([x, y, z], -1)) + self.step_embedding[step]
            if s.cross_attention:
                h = h + self.cross(h, prompt, rotary)
            found = self.through(h, rotary)
            z = self.z_norm(found if s.replace else z + found)
            if s.y_every_latent:
                y = self.next_y(y, z, rotary)
        return y if s.y_every_latent else self.next_y(y, z, rotary), z
