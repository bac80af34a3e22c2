"""Pairs of sentences with quantifiers and negation: yes (entailed), no (contradicted), neutral."""
from typing import NamedTuple

from .rules import ATTRIBUTES

NOUNS = [pair.split() for pair in (
    "dogs animals,cats animals,birds animals,snakes reptiles,sharks fish,ants insects,bees insects,roses flowers,oaks trees,"
    "apples fruits,girls children,boys children,teachers people,singers people,cars vehicles,trucks vehicles").split(",")]
QUANTIFIERS = ALL, SOME, NO, NOT_ALL = "All", "Some", "No", "Not all"
NOUN_CASES = SAME, WIDER, NARROWER = "same", "wider", "narrower"  # the hypothesis's noun against the premise's
ANSWERS = YES, NO_ANSWER, NEUTRAL = "yes", "no", "neutral"


class Meaning(NamedTuple):
    """That every member, or one, has the adjective, or has it not."""
    every: bool
    positive: bool


def entails(premise, hypothesis, nouns):
    if premise.positive != hypothesis.positive:
        return False
    if premise.every:  # from every member of one noun to one of the other: they have members in common
        return not hypothesis.every or nouns != WIDER
    return not hypothesis.every and nouns != NARROWER


def label(premise, hypothesis, nouns):
    known, said = (Meaning(q in (ALL, NO), (q in (ALL, SOME)) != negated) for q, negated in (premise, hypothesis))
    if entails(known, said, nouns):
        return YES
    return NO_ANSWER if entails(known, Meaning(not said.every, not said.positive), nouns) else NEUTRAL


def family(noun):
    return next(i for i, pair in enumerate(NOUNS) if pair[1] == NOUNS[noun][1])


def pair_prompt(answer, held_out, random):
    """Held-out pairs combine a wider noun and an adjective as no training pair does."""
    while True:
        noun, adjective = random.below(len(NOUNS)), random.below(len(ATTRIBUTES))
        if ((family(noun) + adjective) % 5 == 0) == held_out:
            break
    while True:
        premise, hypothesis = [(QUANTIFIERS[random.below(4)], random.chance(0.5)) for _ in range(2)]
        nouns = NOUN_CASES[random.below(3)]
        if nouns == SAME and premise == hypothesis or label(premise, hypothesis, nouns) != answer:
            continue
        wide = nouns == NARROWER or nouns == SAME and random.chance(0.5)
        told = [f"{quantifier} {NOUNS[noun][wider]} are {'not ' * negated}{ATTRIBUTES[adjective]} ."
                for (quantifier, negated), wider in ((premise, wide), (hypothesis, wide if nouns == SAME else not wide))]
        return "premise : {} hypothesis : {} answer :".format(*told)
