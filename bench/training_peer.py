"""The other contender of training_throughput.py: the same decoder in PyTorch, as one would write it there.

Reads commands on standard input: "load FILE" (weights, safetensors), "batches FILE WORDS", "steps K".
"""
import json
import struct
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x, mask):
        batch, tokens, width = x.shape
        q, k, v = (part.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.query_key_value(x).chunk(3, -1))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
            y = torch.softmax(scores.masked_fill(mask, float("-inf")), -1) @ v
        return self.output(y.transpose(1, 2).reshape(batch, tokens, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.feed_forward_norm = nn.LayerNorm(width)
        self.enter = nn.Linear(width, 4 * width)
        self.leave = nn.Linear(4 * width, width)

    def forward(self, x, mask):
        x = x + self.attention(self.attention_norm(x), mask)
        return x + self.leave(F.gelu(self.enter(self.feed_forward_norm(x))))


class Decoder(nn.Module):
    def __init__(self, depth, width, heads, letters, length, classes):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.readout = nn.Linear(width, classes)
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).triu(1))

    def forward(self, letters):
        x = self.letters(letters) + self.positions.weight
        for block in self.blocks:
            x = block(x, self.mask)
        return self.readout(self.norm(x))


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {name: torch.tensor(np.frombuffer(data[slice(*entry["data_offsets"])], np.float32))
            .reshape(entry["shape"]) for name, entry in header.items() if name != "__metadata__"}


def load(model, path):
    ours = read_safetensors(path)
    names = {"embedding.0": "letters", "embedding.1": "positions", "final_norm": "norm",
             "in": "enter", "out": "leave", "query_key_value": "attention.query_key_value",
             "output": "attention.output"}
    state = {}
    for name, value in ours.items():
        parts = name.split(".")
        if name.startswith("embedding"):
            state[names[name] + ".weight"] = value
        elif parts[0] == "initial":
            inner = names.get(parts[2], parts[2])
            state[".".join(["blocks", parts[1], inner, parts[3]])] = value
        else:
            state[".".join([names.get(parts[0], parts[0])] + parts[1:])] = value
    missing = model.load_state_dict(state, strict=False)
    assert not missing.unexpected_keys and missing.missing_keys in ([], ["mask"]), missing


def main():
    depth, width, length, words, classes, letters, threads = map(int, sys.argv[1:8])
    torch.set_num_threads(threads)
    model = Decoder(depth, width, 4, letters, length, classes)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.01)
    batches, step = [], 0
    for line in sys.stdin:
        command, argument = line.split()
        if command == "load":
            load(model, argument)
            print(torch.__version__, flush=True)
        elif command == "batches":
            numbers = np.fromfile(argument, np.int32).reshape(-1, words * length * 3)
            for row in numbers:
                pairs = row[:words * length * 2].reshape(words, length, 2)
                batches.append((torch.tensor(pairs[:, :, 0]).long(),
                                torch.tensor(row[words * length * 2:].reshape(words, length)).long()))
            print(len(batches), flush=True)
        else:
            losses, begin = [], time.perf_counter()
            for _ in range(int(argument)):
                inputs, targets = batches[step % len(batches)]
                loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimiser.step()
                step += 1
                losses.append("%.9g" % loss.item())
            print(time.perf_counter() - begin, *losses, flush=True)


main()
