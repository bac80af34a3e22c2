import json
import re
from itertools import product
from pathlib import Path

import pytest

from logdepth.pretrained import nli, rules
from logdepth.pretrained.commands import main
from logdepth.pretrained.counter_random import TRAINING, VALIDATION, CounterRandom
from logdepth.pretrained.problem import Problem
from logdepth.pretrained.questions import held_out, paragraphs, read_questions, token_sequences
from logdepth.pretrained.relit import Prompts
from logdepth.pretrained.rules import Rules


def test_known_answers_of_the_generator():
    first = CounterRandom(0, 0)
    assert [first.bits() for _ in range(4)] == [0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b]


@pytest.mark.parametrize("world", ["closed", "open"])
def test_questions_are_byte_for_byte_those_that_the_program_in_cpp_wrote(world, capsys):
    assert main(["relit", "questions", "--world", world, "--count", "72", "--depths", "0,1,2,3,4,5"]) == 0
    assert capsys.readouterr().out == Path(__file__).with_name(f"rules-{world}.jsonl").read_text()


def prove(prompt, open_world):
    """(answer, depth) by backward chaining from the text alone. A fact proves at depth 0, a rule one deeper than the deepest of its premises;
    that nothing proves a claim takes as long as the longest of its rules, each given up at its quickest failing premise."""
    *told, asked, end = re.findall(r"question : |.*?(?: \.|answer :)", prompt.replace("question : ", "? "))
    facts, rules, known = set(), [], {}

    def claim(words):
        return words[-1], words[0] == "not"
    for text in map(str.strip, told):
        if rule := re.fullmatch(r"If someone is (.*) then they are (.*) \.", text):
            rules.append(([claim(p.split()) for p in rule[1].split(" and ")], claim(rule[2].split())))
        elif rule := re.fullmatch(r"All (.*) things are (.*) \.", text):
            rules.append(([claim(p.split()) for p in rule[1].split(" , ")], claim(rule[2].split())))
        else:
            person, said = re.fullmatch(r"(\w+) is (.*) \.", text).groups()
            facts.add((person, claim(said.split())))
    person, said = re.fullmatch(r"\? (\w+) is (.*) \.", asked.strip()).groups()
    assert end.strip() == "answer :"

    def search(goal):
        if (person, goal) in facts:
            return True, 0
        proofs, vain = [], [0]
        for premises, conclusion in rules:
            if conclusion == goal:
                found = [decide(p) for p in premises]
                fails = [depth for proved, depth in found if not proved]
                (vain if fails else proofs).append(1 + (min(fails) if fails else max(depth for _, depth in found)))
        return (True, min(proofs)) if proofs else (False, max(vain))

    def decide(goal):
        attribute, negated = goal
        if not open_world and negated:
            proved, depth = decide((attribute, False))
            return not proved, depth
        if goal not in known:
            proved, depth = search(goal)
            opposite = search((attribute, True)) if not open_world else (False, 0)
            assert not (proved and opposite[0])
            known[goal] = proved, min(depth, opposite[1]) if opposite[0] else depth
        return known[goal]
    goal = claim(said.split())
    proved, depth = decide(goal)
    if not open_world:
        return "yes" if proved else "no", depth
    against, other = decide((goal[0], not goal[1]))
    return ("yes", depth) if proved else ("no", other) if against else ("unknown", max(depth, other))


def test_the_prover_answers_what_is_worked_out_by_hand():
    theory = ("Anne is kind . Bob is not young . If someone is kind and not young then they are smart . All smart , kind things are big . "
              "If someone is red then they are big . question : {} . answer :")
    for asked, open_world, answer in (("Anne is kind", False, ("yes", 0)), ("Anne is smart", False, ("yes", 1)), ("Anne is smart", True, ("unknown", 1)),
                                      ("Anne is big", False, ("yes", 2)), ("Anne is not big", False, ("no", 2)), ("Bob is young", True, ("no", 0)),
                                      ("Bob is smart", False, ("no", 1)), ("Bob is big", False, ("no", 1))):
        assert prove(theory.format(asked), open_world) == answer, asked
    quick = "Anne is not smart . All big things are smart . All red things are big . question : Anne is smart . answer :"
    assert prove(quick, False) == ("no", 0)


@pytest.mark.parametrize("task", [Rules(), Rules(negation="none"), Rules(negation="rules"), Rules(world="open", negation="rules")],
                         ids=lambda task: f"{task.world}-{task.negation}")
def test_answers_and_depths_are_those_of_a_prover_that_chains_backwards(task):
    for i in range(300):
        answers = task.answers()
        answer, depth = answers[i % len(answers)], i // len(answers) % 6
        question = rules.rule_question(task, depth, answer, CounterRandom(4, TRAINING, 0, i))
        assert prove(question.prompt(), task.world == "open") == (answer, depth), question.prompt()


def test_answers_share_their_words():
    for i in range(40):
        said = {a: sorted(rules.rule_question(Rules(), i % 4, a, CounterRandom(2, TRAINING, 0, i)).prompt().split()) for a in ("yes", "no")}
        assert said["yes"] == said["no"]


def test_pairs():
    """Some by hand, and all by looking at every way in which three things may be of the nouns and have the adjective."""
    label = nli.label
    assert label(("All", False), ("Some", False), nli.SAME) == "yes"
    assert label(("All", False), ("All", False), nli.NARROWER) == "yes"
    assert label(("All", False), ("All", False), nli.WIDER) == "neutral"
    assert label(("No", False), ("Some", False), nli.NARROWER) == "no"
    assert label(("Some", False), ("Some", False), nli.WIDER) == "yes"
    assert label(("Not all", False), ("All", False), nli.SAME) == "no"
    for premise, hypothesis, nouns in product(product(nli.QUANTIFIERS, (False, True)), product(nli.QUANTIFIERS, (False, True)), nli.NOUN_CASES):
        seen = set()
        for things in product(product((False, True), repeat=3), repeat=3):  # of the premise's noun, of the hypothesis's, with the adjective
            allowed = all({nli.SAME: a == b, nli.WIDER: b or not a, nli.NARROWER: a or not b}[nouns] for a, b, _ in things)
            if allowed and any(a for a, _, _ in things) and any(b for _, b, _ in things) and says(premise, [t[2] for t in things if t[0]]):
                seen.add(says(hypothesis, [t[2] for t in things if t[1]]))
        assert label(premise, hypothesis, nouns) == ("neutral" if len(seen) == 2 else "yes" if True in seen else "no"), (premise, hypothesis, nouns)


def says(sentence, having):
    quantifier, negated = sentence
    have = [h != negated for h in having]
    return {"All": all(have), "Some": any(have), "No": not any(have), "Not all": not all(have)}[quantifier]


def test_test_pairs_combine_other_words():
    combined = lambda test: {tuple(sorted(nli.pair_prompt(a, test, CounterRandom(1, VALIDATION if test else TRAINING, 0, i)).split()[3:7]))
                             for i in range(200) for a in nli.ANSWERS}
    assert combined(True) and combined(False)


def test_samples_go_in_a_new_order_every_epoch():
    prompts = Prompts(Rules(set="nli", training_samples=6, batch=3), 1)
    epochs = [[p.text for step in (2 * e, 2 * e + 1) for p in prompts.training_batch(step)] for e in range(2)]
    assert sorted(epochs[0]) == sorted(epochs[1]) and epochs[0] != epochs[1]


@pytest.mark.parametrize("line, said", [("[]", "expected a JSON object"), ('{"question": "a"}', "expected 'answer'"),
                                        ('{"question": "a", "answer": "b", "difficulty": -1}', "whole number of at least 0")])
def test_lines_that_are_none(tmp_path, line, said):
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "a", "answer": "b"}\n' + line + "\n")
    with pytest.raises(Problem, match=said) as found:
        read_questions(file)
    assert "q.jsonl:2" in str(found.value)


def test_one_in_eight_is_held_out():
    assert 90 < sum(held_out(f"question {i}") for i in range(1000)) < 160


def test_paragraphs_and_sequences(tmp_path, model):
    (tmp_path / "a.md").write_text("big blue\ncold\n\ngreen big\n\n\n" + "red " * 9)
    assert paragraphs(tmp_path)[:2] == ["big blue\ncold", "green big"]
    assert [len(s) for s in token_sequences(tmp_path, model, 10, 5)] == [5, 5]
