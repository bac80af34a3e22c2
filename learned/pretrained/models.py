"""Pretrained decoders: whatever transformers reads, from a GGUF file, a folder, or the hub by name."""
import json
import zlib
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from .problem import Problem, require
from .shapes import Shape, parse_shape, plain, set_shape

logging.set_verbosity_error()
logging.disable_progress_bar()

SHAPE_FILE, ROUTER_FILE = "etd.json", "etd_router.safetensors"
FAMILIES = ("llama", "olmo", "olmo2", "olmo3", "qwen2", "qwen3")  # tested: a looped model at one pass is the model, bit for bit


class LanguageModel:
    """A network with a list of layers between an embedding and a final norm, and its tokens."""

    def __init__(self, network, tokenizer, name, path, precision="float32"):
        self.network, self.tokenizer, self.name, self.path, self.precision = network.eval(), tokenizer, name, path, precision
        self.body, self.config = network.get_decoder(), network.config
        self.layers = list(self.body.layers)  # each once, however often they run
        self.layer_types, self.think, self.shape = getattr(self.config, "layer_types", None), None, Shape(0, len(self.layers), 0)
        self.vocabulary, self.width = network.get_input_embeddings().weight.shape
        self.known_states = {}  # of a frozen model, by kind and tokens
        self.begin = [t for t in tokenizer("", add_special_tokens=True).input_ids if t != tokenizer.eos_token_id][:1]

    def encode(self, text):
        """Names of special tokens in a text are text."""
        return self.tokenizer(text, add_special_tokens=False, split_special_tokens=True).input_ids

    @property
    def device(self):
        return self.network.device

    def parameters(self):
        return sum(p.numel() for p in self.network.parameters())

    def numbers(self):
        """Each layer's once, however often it runs."""
        return {name: p.detach().clone() for name, p in self.network.named_parameters()}

    def set_numbers(self, numbers):
        with torch.no_grad():
            for name, p in self.network.named_parameters():
                p.copy_(numbers[name])

    def mixed(self):
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    def head(self, states):
        with self.mixed():
            return self.network.get_output_embeddings()(states).float()

    def states(self, tokens, embedding=False):
        """Of the last layer after its norm, or what the layers read."""
        if embedding:
            return self.network.get_input_embeddings()(tokens)
        with self.mixed():
            return self.body(input_ids=tokens, use_cache=False).last_hidden_state.float()

    def streams(self, tokens):
        """The residual stream that enters each layer, and that which leaves the last one before the norm."""
        seen = []
        hooks = [part.register_forward_pre_hook(lambda m, args, kwargs: seen.append(args[0] if args else kwargs["hidden_states"]), with_kwargs=True)
                 for part in (*self.body.layers, self.body.norm)]
        self.states(tokens)
        for hook in hooks:
            hook.remove()
        return seen

    def fingerprint(self):
        """A checksum of all numbers."""
        value = 0
        for name, p in sorted(self.network.named_parameters(remove_duplicate=True)):
            value = zlib.crc32(p.detach().cpu().contiguous().view(torch.uint8).numpy().reshape(-1), zlib.crc32(name.encode(), value))
        return f"{value:08x}"


def mend_tokens(tokenizer, file):
    """transformers reads the pieces of a GGUF file's text as GPT-2 does, whatever the file says (tokenizer.ggml.pre)."""
    from gguf import GGUFReader
    fields = GGUFReader(file).fields
    said = fields["tokenizer.ggml.pre"].contents() if "tokenizer.ggml.pre" in fields else ""
    if said in ("smollm", "refact", "command-r", "codeshell", "starcoder"):  # which split digits one by one
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])


def open_model(path, device="cpu", precision="float32", random_seed=None):
    """With `random_seed` the weights are drawn anew. So are those of a folder with a config.json and no weights: a model of one's own."""
    file = Path(path)
    place, more = str(path), {}
    if file.suffix == ".gguf":
        require(file.is_file(), f"{path}: expected a GGUF file, found none")
        place, more = str(file.parent or "."), {"gguf_file": file.name}
    if random_seed is None and (file / "config.json").is_file() and not [*file.glob("*.safetensors"), *file.glob("*.bin")]:
        random_seed = 1
    try:
        config = AutoConfig.from_pretrained(place, **more)
        require(config.model_type in FAMILIES, f"{path}: expected a model of a known family, {', '.join(FAMILIES)}; found {config.model_type}")
        tokenizer = AutoTokenizer.from_pretrained(place, **more)
        if random_seed is not None:
            torch.manual_seed(random_seed)
            network = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
        else:
            network = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **more)
    except Problem:
        raise
    except Exception as error:  # whatever a damaged file makes its readers say
        raise Problem(f"{path}: expected a language model of a known family, {', '.join(FAMILIES)}: {' '.join(str(error).split())[:200]}") from None
    if more:
        mend_tokens(tokenizer, file)
        # What was read are plain numbers, which may be trained and saved.
        network.hf_quantizer = None
        network.config.__dict__.pop("quantization_config", None)
    name = file.stem if file.suffix == ".gguf" else file.name or str(path)
    model = LanguageModel(network.to(device), tokenizer, name, str(path), precision)
    if (file / SHAPE_FILE).is_file():
        set_shape(model, parse_shape(json.loads((file / SHAPE_FILE).read_text())["shape"]))
        if model.think is not None:
            model.think.router.load_state_dict(load_file(file / ROUTER_FILE))
    return model


def save_model(model, folder):
    """In Hugging Face's layout, each layer once; open_model runs it in its shape again. Layers of their own stay so."""
    shape, folder = model.shape, Path(folder)
    router = model.think.router.state_dict() if model.think is not None else None
    if shape.block != "untied":
        plain(model)
    model.network.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    if shape.block != "untied":
        (folder / SHAPE_FILE).write_text(json.dumps({"shape": str(shape)}) + "\n")
        set_shape(model, shape)
    if router:
        save_file(router, folder / ROUTER_FILE)
        model.think.router.load_state_dict(router)


def padded(rows, device="cpu", fill=0):
    """[rows, longest]. Padding stands behind: a causal model needs no mask for it."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows], device=device)
