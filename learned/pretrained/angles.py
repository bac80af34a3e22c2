"""What a loop would do to a pretrained model: angular distances of its layers, the cut at two knees, the loss that loops add."""
import math

import numpy as np
import torch

from .models import padded
from .problem import require
from .shapes import Shape, plain, set_shape

SAME = 1e-12  # differences below this share are rounding


def knee_difference(heights):
    """How far the parabola through convex, falling heights lies below the diagonal; both axes scaled to [0, 1]."""
    n = len(heights)
    if n < 3:
        return None
    x = np.arange(n)
    fit = np.polyval(np.polyfit(x - (n - 1) / 2, heights, 2), x - (n - 1) / 2)
    extent = fit.max() - fit.min()
    return 1 - (fit - fit.min()) / extent - x / (n - 1) if extent > SAME * np.abs(fit).max() else None


def find_knee(heights):
    difference = knee_difference(heights)
    return None if difference is None else last_knee(difference)


def last_knee(difference, sensitivity=1):
    """The last local maximum (online) behind which the difference falls by more than the threshold."""
    knee, top, rising = None, None, False
    for i in range(1, len(difference)):
        step = difference[i] - difference[i - 1]
        if step < -SAME:
            top, rising = i - 1 if rising else top, False
        elif step > SAME:
            rising = True
        if top is not None and difference[i] < difference[top] - sensitivity / (len(difference) - 1):
            knee = top
    return knee


def layer_cut(distances):
    """Encoder up to the knee, decoder up to the knee of the reversed rest; without knees as the published 7-4-5 of 16."""
    layers, first = len(distances), find_knee(distances)
    encoder = first if first is not None else math.floor(layers * 7 / 16 + 0.5)
    second = find_knee(distances[max(encoder - 1, 0):][::-1])
    decoder = second if second is not None else min(math.floor(layers * 5 / 16 + 0.5), layers - encoder - 1)
    return {"encoder": encoder, "think": layers - encoder - decoder, "decoder": decoder,
            "encoder_knee": first is not None, "decoder_knee": second is not None}


def _mean_and_error(values):
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _measurement(kind, model, text, sequences, **found):
    shape = {"name": model.name, "architecture": model.config.model_type, "layers": len(model.layers), "parameters": model.parameters()}
    return {"measurement": kind, "model": shape, "text": {"name": text, "sequences": len(sequences), "length": len(sequences[0])}, **found}


@torch.no_grad()
def angular_distances(model, sequences, text, batch=8):
    """Between the streams that enter neighbouring layers, at the last token, in shares of pi."""
    per_sequence = []
    for at in range(0, len(sequences), batch):
        last = [s[:, -1].double() for s in model.streams(padded(sequences[at:at + batch], model.device))]
        cosines = [torch.nn.functional.cosine_similarity(a, b, dim=-1).clamp(-1, 1) for a, b in zip(last, last[1:])]
        per_sequence += torch.stack([c.arccos() / math.pi for c in cosines], 1).tolist()
    distances, errors = zip(*map(_mean_and_error, zip(*per_sequence)))
    return _measurement("angular-distance", model, text, sequences, distances=distances, standard_errors=errors, cut=layer_cut(distances))


@torch.no_grad()
def sequence_losses(model, sequences, batch=4):
    losses = []
    for at in range(0, len(sequences), batch):
        tokens = padded(sequences[at:at + batch], model.device)
        logits = model.head(model.states(tokens))[:, :-1]
        losses += torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none").mean(1).tolist()
    return np.array(losses)


def loops_without_training(model, sequences, text, blocks, loops, every=1, say=print):
    """The loss where a block runs several times, at every position, against the loss of one run."""
    layers, shapes = len(model.layers), []
    once = sequence_losses(plain(model), sequences)
    for think in blocks:
        require(1 <= think <= layers, f"--blocks: expected 1 to {layers} layers, found {think}")
        for shape in [Shape(encoder, think, layers - think - encoder, k) for k in loops for encoder in range(0, layers - think + 1, every)]:
            losses = sequence_losses(set_shape(model, shape), sequences)
            (loss, error), (difference, difference_error) = _mean_and_error(losses), _mean_and_error(losses - once)
            shapes.append({"encoder": shape.encoder, "think": think, "loops": shape.passes, "decoder": shape.decoder, "loss": loss,
                           "standard_error": error, "difference": difference, "difference_error": difference_error})
            say(f"{shape}: {difference:+.3f} ± {difference_error:.3f}")
    plain(model)
    loss, error = _mean_and_error(once)
    return _measurement("loops-without-training", model, text, sequences, loss=loss, standard_error=error, shapes=shapes)
