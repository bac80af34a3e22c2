#!/usr/bin/env python3
"""Makes the files beside it: texts with the tokens that Python's tokenizers (and gguf) give them.

    make_pairs.py small           trains small.tokenizer.json on the pages of docs/ and writes
                                  small.pairs.jsonl
    make_pairs.py characters      the same with a vocabulary over characters, as Llama 2 has it:
                                  characters.tokenizer.json and characters.pairs.jsonl
    make_pairs.py smollm2 GGUF    writes smollm2.pairs.jsonl with the vocabulary of that file
    make_pairs.py check FILE PAIRS [COLUMN]
                                  reads a tokenizer.json that logdepth wrote; exit status 1 when it
                                  gives other tokens than the pairs

A line is {"text", "tokens"} and, where they differ, "recognised": the tokens when special ones are
recognised. Small pairs also have "split": the tokens under the expression of Llama 3 with pieces
that are tokens left whole.
"""
import json
import pathlib
import sys

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers,
                        processors)
from tokenizers.trainers import BpeTrainer

HERE = pathlib.Path(__file__).resolve().parent
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

TEXTS = [
    "", " ", "   ", "\n", "\n\n", " \n", "\t", "\t\t x", "a", "Hello world", " Hello  world ",
    "The quick brown fox jumps over the lazy dog.", "I'm you're he's we've they'll I'd don't",
    "I'M YOU'RE HE'S WE'VE THEY'LL I'D DON'T", "it's'tis 'twas '' 'sS", "rock 'n' roll",
    "0 1 12 123 1234 12345 3.14 1e-5 0x7F", "x1y22z333", "١٢٣ ½ ² ⅷ", "1,000,000.00 %",
    "def f(x):\n    return x ** 2  # square\n\n\n\tprint(f(3))\r\n", "a_b__c/d\\e::f->g();{}[]<>",
    "if (a && b || !c) { x += 1; } else --y;", "https://example.org/?q=a+b&c=%20#top",
    "line\n  indented\n\n\n    more   \n", "tabs\tand\tmore\t\t.", "a\r\nb\rc\n", "word\u00a0word",
    "thin\u2009and\u3000wide\u200bzero", "\u180eMongolian\u180e separator", "next\u0085line\u2028para\u2029end",
    "漢字かな交じり文。", "中文 和 English 混合", "한국어 텍스트", "Привет, мир!", "γειά σου Κόσμε",
    "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "ไทย", "😀 😃😄", "👩‍👩‍👧‍👦 👍🏽 🇩🇪", "e\u0301 é ñ n\u0303 ạ\u0308",
    "ﬁ ﬂ Å Ω ſ ß İ ı", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟘𝟙𝟚", "\ufeffmark", "soft\u00adhyphen", "…—–“”‘’«»", "!!!???...",
    "∀x∃y: x ≤ y ∧ ¬(y < x)", "log n ≈ ⌈log₂ n⌉", "aaaaaaaaaaaaaaaaaaaaaaaaa", "            twelve",
    "SELECT * FROM t WHERE a = 'b';", "a test of{special} text", "{special}{special}\n{special} ",
    "<|not a token|> <| end|>",
]


def written(tokenizer, text):
    def tokens(as_text):
        tokenizer.encode_special_tokens = as_text
        return tokenizer.encode(text, add_special_tokens=False).ids

    plain, recognised = tokens(True), tokens(False)
    assert tokenizer.decode(recognised, skip_special_tokens=False) == text, text
    return {"tokens": plain} | ({"recognised": recognised} if recognised != plain else {})


def texts(special):
    return [text.replace("{special}", special) for text in TEXTS]


def save_lines(name, lines):
    with open(HERE / name, "w", encoding="utf-8", newline="\n") as out:
        for line in lines:
            out.write(json.dumps(line, ensure_ascii=True) + "\n")


def small():
    tokenizer = Tokenizer(models.BPE())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    pages = sorted((HERE.parent.parent / "docs").rglob("*.md"))
    tokenizer.train([str(page) for page in pages],
                    BpeTrainer(vocab_size=700, show_progress=False,
                               initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
                               special_tokens=["<|begin|>", "<|end|>"]))
    # Two tokens that are recognised always; one begins like the other.
    tokenizer.add_tokens([AddedToken("<tab>", normalized=False),
                          AddedToken("<tab><tab>", normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin|> $A", special_tokens=[("<|begin|>", tokenizer.token_to_id("<|begin|>"))])
    (HERE / "small.tokenizer.json").write_text(
        json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False) + "\n", encoding="utf-8")

    split = json.loads(tokenizer.to_str())
    split["model"]["ignore_merges"] = True
    split = Tokenizer.from_str(json.dumps(split))
    split.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
         pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    split.encode_special_tokens = True
    lines = []
    for text in texts("<|end|>") + ["<tab>", "a<tab><tab><tab>b <tab", "<|begin|>x<|end|><tab>"]:
        line = {"text": text} | written(tokenizer, text)
        line["split"] = split.encode(text, add_special_tokens=False).ids
        lines.append(line)
    save_lines("small.pairs.jsonl", lines)


def characters():
    blank, special = "\u2581", ["<unk>", "<s>", "</s>"]
    single_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace(replacement=blank)
    pages = sorted((HERE.parent.parent / "docs").rglob("*.md"))
    trained.train([str(page) for page in pages],
                  BpeTrainer(vocab_size=800, show_progress=False, limit_alphabet=90,
                             special_tokens=special + single_bytes))
    model = json.loads(trained.to_str())["model"]
    tokenizer = Tokenizer(models.BPE(vocab=model["vocab"],
                                     merges=[tuple(merge) for merge in model["merges"]],
                                     unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend(blank), normalizers.Replace(" ", blank)])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace(blank, " "), decoders.ByteFallback(), decoders.Fuse(),
         decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])
    (HERE / "characters.tokenizer.json").write_text(
        json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False) + "\n", encoding="utf-8")
    lines = []
    for text in texts("</s>") + ["  a", "a</s> b", "<0x41> <0x4"]:
        # Behind a recognised token there is one more blank, which does not come back.
        plain = "</s>" not in text
        lines.append({"text": text} | (written(tokenizer, text) if plain else as_text(tokenizer, text)))
    save_lines("characters.pairs.jsonl", lines)


def as_text(tokenizer, text):
    tokenizer.encode_special_tokens = True
    plain = tokenizer.encode(text, add_special_tokens=False).ids
    tokenizer.encode_special_tokens = False
    return {"tokens": plain,
            "recognised": tokenizer.encode(text, add_special_tokens=False).ids}


def smollm2(file):
    from gguf import GGUFReader

    fields = GGUFReader(file).fields

    def of(key):
        return fields["tokenizer.ggml." + key].contents()

    assert of("model") == "gpt2" and of("pre") == "smollm"
    names = of("tokens")
    tokenizer = Tokenizer(models.BPE(vocab={name: i for i, name in enumerate(names)},
                                     merges=[tuple(merge.split(" ")) for merge in of("merges")]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True),
         pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    control = 3
    tokenizer.add_special_tokens([AddedToken(name, normalized=False)
                                  for name, kind in zip(names, of("token_type")) if kind == control])
    chat = ["<|im_start|>user\nWhat is the capital of Germany?<|im_end|>\n<|im_start|>assistant\n"]
    save_lines("smollm2.pairs.jsonl",
               [{"text": text} | written(tokenizer, text) for text in texts("<|im_end|>") + chat])


def check(file, pairs, column="tokens"):
    tokenizer = Tokenizer.from_file(file)
    tokenizer.encode_special_tokens = True
    wrong = 0
    with open(pairs, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            found = tokenizer.encode(line["text"], add_special_tokens=False).ids
            if found != line[column]:
                print(f"{line['text']!r}: expected {line[column]}, found {found}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    actions = {"small": small, "characters": characters, "smollm2": smollm2, "check": check}
    if len(sys.argv) < 2 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    sys.exit(actions[sys.argv[1]](*sys.argv[2:]))
