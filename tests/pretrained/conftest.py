import gzip
import json
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from logdepth.pretrained.models import FAMILIES, open_model
from logdepth.pretrained.nli import NOUNS, QUANTIFIERS
from logdepth.pretrained.rules import ATTRIBUTES, NAMES

WORDS = ["<end>", "<other>", *NAMES, *ATTRIBUTES, *sorted({n for pair in NOUNS for n in pair}), *QUANTIFIERS[:3], "Not", "all",
         *"is not If someone and then they are All things question answer premise hypothesis yes no unknown neutral : . , + = 0 1 2 3 4 5 6".split()]
WORDS = list(dict.fromkeys(WORDS))


STORED = Path(__file__).parents[2] / "bench/results/pretrained"


def stored_record(series, run):
    """A record of bench/results/pretrained by its file there and the place of its run."""
    records = map(json.loads, gzip.open(STORED / f"{series}.jsonl.gz", "rt", encoding="utf-8"))
    return next(record for record in records if record["run"] == run)


def write_model(folder, kind="llama", layers=6, seed=0):
    torch.manual_seed(seed)
    more = {"qwen2": {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 3}, "olmo3": {"sliding_window": 4}}.get(kind, {})
    config = AutoConfig.for_model(kind, vocab_size=len(WORDS), hidden_size=32, intermediate_size=48, num_hidden_layers=layers, num_attention_heads=4,
                         num_key_value_heads=2, max_position_embeddings=256, pad_token_id=0, bos_token_id=None, eos_token_id=0, **more)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<other>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>", unk_token="<other>").save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session", params=FAMILIES)
def any_model(request, tmp_path_factory):
    return open_model(write_model(tmp_path_factory.mktemp(request.param), request.param))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture
def model(folder):
    return open_model(folder)


@pytest.fixture
def tokens():
    return torch.randint(2, len(WORDS), (3, 9), generator=torch.Generator().manual_seed(5))
