"""What Hugging Face's transformers makes of language models, for tests to compare with.

language_model_peer.py REQUEST LOGITS: the request is a JSON list of {"model", "prompts", "tokens"}: a
GGUF file or a folder, lists of tokens, and how many are to follow each. Prints, for every model,
{"vocabulary", "continuations"}, the latter greedy, one for every prompt; writes the logits of every prompt's last token to the file
LOGITS, 32-bit floats one after the other.
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import torch
from transformers import AutoModelForCausalLM
from transformers.utils import logging

logging.disable_progress_bar()
logging.set_verbosity_error()
torch.set_num_threads(1)


def load(path):
    if os.path.isdir(path):
        return AutoModelForCausalLM.from_pretrained(path, torch_dtype=torch.float32)
    folder, name = os.path.split(path)
    return AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, torch_dtype=torch.float32)


answers = []
with open(sys.argv[2], "wb") as logits_file, torch.no_grad():
    for asked in json.load(open(sys.argv[1])):
        model = load(asked["model"]).eval()
        continuations = []
        for prompt in asked["prompts"]:
            outcome = model(torch.tensor([prompt]), use_cache=True)
            logits_file.write(outcome.logits[0, -1].numpy().tobytes())
            tokens = []
            for _ in range(asked["tokens"]):
                tokens.append(int(outcome.logits[0, -1].argmax()))
                outcome = model(torch.tensor([tokens[-1:]]), use_cache=True,
                                past_key_values=outcome.past_key_values)
            continuations.append(tokens)
        answers.append({"vocabulary": model.config.vocab_size, "continuations": continuations})
print(json.dumps(answers))
