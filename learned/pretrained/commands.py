"""python -m logdepth.pretrained etd|relit train|measure|questions ..."""
import argparse
import json
import math
import sys
from dataclasses import asdict, fields, replace
from pathlib import Path

import torch

from . import etd, relit
from .angles import angular_distances, layer_cut, loops_without_training
from .counter_random import DATA_FILES, CounterRandom
from .models import open_model, save_model
from .problem import Problem, require
from .questions import read_questions, token_sequences
from .records import angles_record, config_of, model_fields, record_of, shape_fields
from .relit_block import METHODS, Relit
from .rules import Rules, rule_question
from .shapes import ROUTERS, Shape, parse_shape, plain
from .training import Run, Training, read_json, write_json

NAME = "logdepth.pretrained"


def say(text):
    print(text, file=sys.stderr, flush=True)


def numbers(text):
    if not all(n.isdecimal() for n in text.split(",")):
        raise argparse.ArgumentTypeError(f"expected whole numbers as 1,2,3, found {text!r}")
    return [int(n) for n in text.split(",")]


def count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found {text!r}")
    return int(text)


def words(text):
    return text.split(",")


def change(pairs, **settings):
    """--set NAME=VALUE: any field of the settings."""
    known = {f"{part}.{f.name}": (one, f.name) for part, one in settings.items() for f in fields(one)}
    for pair in pairs:
        name, _, value = pair.partition("=")
        require(name in known and value, f"--set: expected NAME=VALUE with one of {', '.join(sorted(known))}, found {pair!r}")
        old = getattr(*known[name])
        try:
            new = value if isinstance(old, str) else json.loads(value)
        except ValueError:
            new = None
        require(type(new) is type(old) or isinstance(old, float) and type(new) is int, f"--set: expected {name} to be as {old!r}, found {value!r}")
        setattr(*known[name], type(old)(new))


def cut_of(options, model):
    if options.cut and not options.cut.endswith(".json"):
        shape = parse_shape(options.cut, "--cut")
        require(shape.passes == 1, f"--cut: expected a cut as 3-2-3, found {options.cut!r}")
        return shape.encoder, shape.think, shape.decoder
    found = read_json(options.cut).get("cut", {}) if options.cut else layer_cut([1.0] * len(model.layers))  # without knees, as the published one
    require({"encoder", "think", "decoder"} <= set(found), f"{options.cut}: expected a measurement of angular distances, with a cut")
    return found["encoder"], found["think"], found["decoder"]


def shapes_of(options, model):
    shapes = [parse_shape(text) for text in options.shape]
    if options.loops or not shapes:
        cut = cut_of(options, model)
        shapes += [Shape(*cut, k) for k in options.loops or [1, 2, 3]]
    for shape in shapes:
        require(shape.layers == len(model.layers), f"{shape}: expected {len(model.layers)} layers in all, as {model.name} has, found {shape.layers}")
    return list(dict.fromkeys(shapes))


def each_run(options, plan, module, save=False, inputs=None):
    """`plan`: (folder, config, training, learner, more settings of its record) in order; what is finished is not repeated."""
    for folder, config, training, make, more in plan:
        if (folder / "record.json").exists():
            known = read_json(folder / "record.json").get("config", {})
            require({name: value for name, value in known.items() if name != "shape"} == config,
                    f"{folder}: expected an empty folder or the same settings, found a run with others")
            say(f"{folder}: finished before")
            continue
        learner = make()
        ended = Run(folder, config["seed"], training, config, learner, say).go()
        result = learner.measure()
        write_json(folder / "record.json", record_of({**config, **more}, ended, result, module.readings(result, config), options.device, inputs))
        if save:
            save_model(learner.model, folder / "model")
        print(f"{folder}: {module.result_text(result)}")


def etd_train(options):
    model = open_model(options.base, options.device, options.precision)
    start = model.numbers()
    task = etd.Lines(options.text, options.base, batch=options.batch or 32, length=options.length or 256)
    steps = options.steps or 300
    training = Training(steps=steps, curve_first=max(1, steps // 4))
    change(options.set, task=task, training=training)
    training.seconds = options.seconds or training.seconds
    lines = etd.line_set(read_questions(options.text), model, task, read_questions(options.test) if options.test else ())
    plan, cut = [], cut_of(options, model)
    for shape in shapes_of(options, model):
        for seed in options.seeds:
            def make(shape=shape, seed=seed):
                plain(model).set_numbers(start)
                return etd.learner(model, shape, lines, task, seed)
            layers = shape.order() if shape.block == "untied" else ()
            config = config_of("etd", seed, asdict(task), asdict(training), options.precision, model_fields(model, shape), None, options.base, layers)
            plan.append((Path(options.out) / str(shape) / f"seed-{seed}", config, training, make, {"shape": shape_fields(shape, cut)}))
    each_run(options, plan, etd, options.save, {"test": options.test} if options.test else None)


def etd_measure(options):
    model = open_model(options.base, options.device, options.precision)
    sequences, name = token_sequences(options.text, model, options.sequences, options.length or 96), Path(options.text).name
    if options.blocks:
        found = loops_without_training(model, sequences, name, options.blocks, options.loops or [2], options.every, say)
    else:
        found = angles_record(angular_distances(model, sequences, name), options.device)
        print("cut: {encoder}-{think}-{decoder}".format(**found["cut"]))
    file = Path(options.out) / ("loops.measurement.json" if options.blocks else "angular.measurement.json")
    write_json(file, found)
    print(f"wrote {file}")


def rules_of(options, **settings):
    negation = options.negation or ("rules" if options.world == "open" else "facts")
    return Rules(world=options.world, negation=negation, **({"depths": options.depths} if options.depths else {}), **settings)


def relit_settings(options, method):
    samples = {"training_samples": 800, "test_samples": 300} if options.prompts == "nli" else {}
    task = rules_of(options, set=options.prompts, questions=options.questions, tokens=options.backbone, **samples)
    for name in ("training_samples", "test_samples", "batch"):
        setattr(task, name, getattr(options, name) or getattr(task, name))
    network = Relit(backbone=options.backbone, states=options.states)
    steps = options.steps or max(1, math.ceil(options.epochs * task.training_samples / task.batch))
    training = Training(steps=steps, learning_rate=5e-4, beta2=0.95, warm_up=20, floor=0.1, decay=0.1, curve_first=max(1, steps // 8))
    change(options.set, task=task, network=network, training=training)
    network = replace(network, **METHODS[method])
    task.macro_steps = network.macro_steps
    training.seconds = options.seconds or training.seconds
    return task, network, training


def relit_train(options):
    plan, models = [], {}
    for method in options.method:
        require(method in METHODS, f"--method: expected some of {', '.join(METHODS)}, found {method!r}")
        task, network, training = relit_settings(options, method)
        for seed in options.seeds:
            def make(task=task, network=network, seed=seed):
                key = (seed if network.states == "random" else None, network.adapters > 0)
                if key not in models or network.adapters:  # adapters stay in the model
                    models[key] = open_model(options.backbone, options.device, options.precision, key[0])
                return relit.Learner(models[key], network, task, seed)
            config = config_of(method, seed, asdict(task), asdict(training), options.precision, network=asdict(network))
            name = method if options.states == "last" else f"{method}-{options.states}"
            plan.append((Path(options.out) / name / f"seed-{seed}", config, training, make, {}))
    each_run(options, plan, relit)


def relit_measure(options):
    config = read_json(Path(options.run) / "config.json")
    try:
        network, task = Relit(**config["network"]), Rules(**config["task"])
        training = Training(**{f.name: config["training"][f.name] for f in fields(Training)})
    except (KeyError, TypeError):
        raise Problem(f"{options.run}: expected the folder of a run of relit train") from None
    model = open_model(network.backbone, options.device, options.precision, config["seed"] if network.states == "random" else None)
    before = model.fingerprint()
    learner = relit.Learner(model, network, task, config["seed"])
    Run(options.run, config["seed"], training, config, learner).resume()
    found = relit.convergence(learner, options.samples)
    found["language_model_unchanged"] = model.fingerprint() == before
    print(json.dumps(found, indent=1))


def relit_questions(options):
    task = rules_of(options)
    task.check()
    answers = task.answers()
    for i in range(options.count):
        random = CounterRandom(options.seed, DATA_FILES, 1, i)
        found = rule_question(task, task.depths[i // len(answers) % len(task.depths)], answers[i % len(answers)], random)
        line = {"question": found.prompt(), "answer": found.answer, "kind": f"{options.world}-world", "difficulty": found.depth}
        print(json.dumps(line, separators=(",", ":")))


MODEL = "a GGUF file, a folder, or a name on the hub"
OPTIONS = {
    "base": dict(help=MODEL), "run": dict(help="folder of a run"),
    "--base": dict(required=True, help=MODEL), "--backbone": dict(required=True, help=MODEL),
    "--device": dict(default="cpu", help="cpu or cuda (cpu)"),
    "--precision": dict(default="float32", choices=("float32", "bfloat16"), help="of the language model's products (float32)"),
    "--threads": dict(type=count, help="threads; one thread is repeatable bit for bit (all)"),
    "--out": dict(required=True, help="folder to write to; runs that are finished or begun in it go on"),
    "--seeds": dict(type=numbers, default=[1], help="one run each (1)"),
    "--seconds": dict(type=float, default=0, help="time of a run; what is trained until then is measured"),
    "--set": dict(action="append", default=[], metavar="NAME=VALUE", help="change a setting, as training.learning_rate=1e-3"),
    "--shape": dict(type=words, default=[], help=f"as 11-10*2-9, 11-10+10-9 (layers of their own), 11-10-9-mixture (of {', '.join(ROUTERS)}), or several"),
    "--cut": dict(default="", help="the chosen cut: encoder-block-decoder, or the angular.measurement.json of etd measure (7-4-5 of 16, scaled)"),
    "--loops": dict(type=numbers, default=[], help="passes of the block (train: 1,2,3, one run each; measure: 2)"),
    "--text": dict(required=True, help="train: JSON lines with question, answer, kind, difficulty; measure: a file of text, or a folder of .md and .txt files"),
    "--test": dict(default="", help="JSON lines to measure (one in eight of --text, which then is not trained on)"),
    "--steps": dict(type=count, help="steps of the optimiser (etd: 300; relit: --epochs)"),
    "--batch": dict(type=count, help="lines or prompts of a step (32)"),
    "--length": dict(type=count, help="most tokens of a line (train: 256), tokens of a sequence (measure: 96)"),
    "--save": dict(action="store_true", help="write each trained model to its run's folder, in Hugging Face's layout"),
    "--sequences": dict(type=count, default=100, help="largest number of sequences of the text (100)"),
    "--blocks": dict(type=numbers, default=[], help="measure the loss that loops of blocks of so many layers add, in place of angles"),
    "--every": dict(type=count, default=1, help="one position of the block in so many (1)"),
    "--method": dict(type=words, default=["relit"], help=", ".join(METHODS)),
    "--states": dict(default="last", choices=("last", "embedding", "random"), help="of the last layer, of the embedding, or of random weights (last)"),
    "--prompts": dict(default="rules", choices=("rules", "nli", "file"), help="facts and rules, pairs of sentences, or those of --questions (rules)"),
    "--questions": dict(default="", help="JSON lines with question and an answer of one token"),
    "--world": dict(default="closed", choices=("closed", "open"), help="what does not follow is false, or unknown (closed)"),
    "--negation": dict(choices=("none", "facts", "rules"), help="where \"not\" may stand (closed: facts, open: rules)"),
    "--depths": dict(type=numbers, help="of the proofs, in turn (0,1,2,3)"),
    "--training-samples": dict(type=count, help="prompts to train on (rules: 2000, nli: 800)"),
    "--test-samples": dict(type=count, help="prompts to measure (rules: 600, nli: 300)"),
    "--epochs": dict(type=float, default=6.0, help="passes through the training samples (6)"),
    "--samples": dict(type=count, default=4, help="prompts to measure (4)"),
    "--count": dict(type=count, default=1000, help="questions (1000)"), "--seed": dict(type=int, default=1, help="seed of the questions (1)")}
MACHINE, TRAINED, ASKED = "--device --precision --threads", "--out --seeds --seconds --set --steps --batch", "--world --negation --depths"
COMMANDS = {
    "etd": ("Encode-Think-Decode", {
        "train": (etd_train, "go on training a pretrained model with a block of layers run k times",
                  f"--base --text --test --length --save --shape --cut --loops {TRAINED} {MACHINE}"),
        "measure": (etd_measure, "angular distances and the cut, or the loss that loops add",
                    f"base --text --sequences --length --blocks --loops --every --out {MACHINE}")}),
    "relit": ("ReLIT", {
        "train": (relit_train, "train a recursive block on the states of a frozen language model",
                  f"--backbone --method --states --prompts --questions --training-samples --test-samples --epochs {ASKED} {TRAINED} {MACHINE}"),
        "measure": (relit_measure, "whether the recursion of a trained run converges, and the language model is unchanged", f"run --samples {MACHINE}"),
        "questions": (relit_questions, "write questions about facts and rules as JSON lines", f"--count --seed {ASKED}")})}


def parser():
    top = argparse.ArgumentParser(prog=f"python -m {NAME}", description="recursion inside a pretrained language model")
    papers = top.add_subparsers(dest="paper", required=True)
    for paper, (title, commands) in COMMANDS.items():
        found = papers.add_parser(paper, help=title).add_subparsers(dest="command", required=True)
        for name, (run, text, options) in commands.items():
            one = found.add_parser(name, help=text, description=text)
            one.set_defaults(run_command=run)
            for option in options.split():
                one.add_argument(option, **OPTIONS[option])
    return top


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        if getattr(options, "threads", 0):
            torch.set_num_threads(options.threads)
        return options.run_command(options) or 0
    except Problem as problem:
        say(f"{NAME}: {problem}")
        return 2
    except KeyboardInterrupt:
        say(f"{NAME}: interrupted; the same command goes on from the last checkpoint")
        return 130
