#!/usr/bin/env python3
"""The forward pass of a weights file with PyTorch in float64 on one thread: dense matrices, all
scores at once."""
import torch

import dense_arrays


def tensor(array):
    return torch.from_numpy(array).contiguous()


def read(h, mask, model, zero):
    x = h * tensor(mask)
    x[x.abs() <= zero] = 0
    if model.layernorm:
        x = x - x.mean(dim=1, keepdim=True)
    length = x.square().sum(dim=1, keepdim=True).sqrt()
    return torch.where(length > 0, x * (model.width ** 0.5 / length), torch.zeros_like(x))


def attend(z, head, hidden, tolerance):
    query, key, value = (z @ tensor(map).T for map in (head.query, head.key, head.value))
    scores = query @ key.T
    if head.causal:
        scores.masked_fill_(hidden, -torch.inf)
    size = query.abs() @ key.abs().amax(dim=0)
    ties = scores >= (scores.amax(dim=1) - tolerance * size)[:, None]
    ties = ties.to(torch.float64)
    return (ties @ value) / ties.sum(dim=1, keepdim=True) @ tensor(head.output).T


def forward(model, stream, size, options):
    h = tensor(stream)
    hidden = torch.ones(len(h), len(h), dtype=torch.bool).triu(diagonal=1)
    for layer in model.unrolled(size):
        if layer.heads:
            z = read(h, layer.mask, model, options.zero)
            for head in layer.heads:
                h = h + attend(z, head, hidden, options.tolerance)
        if len(layer.inner):
            z = read(h, layer.ff_mask, model, options.zero)
            h = h + (z @ tensor(layer.inner).T).relu() @ tensor(layer.outer).T
    return h.numpy()


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.inference_mode():
        dense_arrays.main("torch", torch.__version__, forward)
