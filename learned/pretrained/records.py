"""Records of runs in the common form, 'logdepth-run' of version 2: settings, and readings, of which `logdepth compare` and logdepth.records read
nothing but these."""
import platform
import re
from pathlib import Path

import torch


def model_fields(model, shape):
    """A looped decoder in the words of the form."""
    c = model.config
    adaptive, untied = shape.block == "adaptive", shape.block == "untied"
    return {"architecture": c.model_type, "initial": shape.encoder, "repeated": shape.think * (shape.passes if untied else 1), "final": shape.decoder,
            "loops": {"kind": "adaptive" if adaptive else "fixed", "least": 1 if adaptive or untied else shape.passes, "most": 1 if untied else shape.passes},
            "width": model.width, "heads": c.num_attention_heads, "key_value_heads": getattr(c, "num_key_value_heads", c.num_attention_heads),
            "hidden": c.intermediate_size, "tied_readout": bool(c.tie_word_embeddings), "router": shape.router}


def config_of(preset, seed, task, training, precision, model=None, network=None, initial_weights="", initial_layers=()):
    return {"preset": preset, "seed": seed, "initial_weights": initial_weights, "initial_layers": list(initial_layers), "task": task,
            "model": model, "network": network, "training": {**training, "precision": precision}}


def machine(device):
    cpu = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", cpu.read_text() if cpu.exists() else "") or [platform.processor() or "unknown"]
    processor = torch.cuda.get_device_name() if "cuda" in str(device) else names[0]
    return {"device": str(device).split(":")[0], "processor": processor, "torch": torch.__version__.split("+")[0], "threads": torch.get_num_threads()}


def shape_fields(shape, cut):
    """What criteria ask of a shape. Chosen is the block of the command's cut; others are compared with it."""
    own = (shape.encoder, shape.think, shape.decoder)
    return {"name": str(shape), "cut": "-".join(map(str, own)), "block": shape.block, "passes": shape.passes, "think": shape.think, "chosen": own == cut}


def reading(of, at, score, samples, iterations=None, layers=None, what="right"):
    """One measured number, as learned/records/reading.hpp explains it: the size `at` of a difficulty, and what the score counts."""
    return {"of": of, "at": at, "iterations": iterations, "layers": layers, "score": score, "samples": samples, "what": what}


def record_of(config, training, result, readings, device, inputs=None):
    return {"format": "logdepth-run", "version": 2, "seed": config["seed"], "config": config, **({"inputs": inputs} if inputs else {}),
            "machine": machine(device), "training": training, "result": result, "readings": readings}


def angles_record(found, device):
    """A measurement of angles is a record beside: nothing is trained, and each part of the cut is read as its layers."""
    config = {"seed": 0, "task": {"kind": "lines"}, "measurement": found["measurement"], "model": found["model"], "shape": {"name": found["model"]["name"]}}
    parts = [reading("layers of the cut", found["cut"][part], 1.0, 1, what=part) for part in ("encoder", "think", "decoder")]
    return found | record_of(config, {"steps": 0, "seconds": 0.0, "stopped": "steps"}, {}, parts, device)
