"""Questions in the manner of RuleTaker (closed world) and ProofWriter (open world): theories, their conclusions, and
questions whose answer and proof depth are known."""
from dataclasses import dataclass, field
from typing import NamedTuple

from .problem import Problem, check_settings, require

NAMES = "Anne Bob Charlie Dave Erin Gary Emma Harry Alice Jack Lucy Paul".split()
ATTRIBUTES = "big blue cold green happy kind nice quiet red rich rough round smart strong tall young".split()
DEEPEST_PROOF, MOST_DRAWS, MOST_TRIES, PEOPLE = 5, 10000, 8, 3
HOLDS, FAILS = True, False


@dataclass
class Rules:
    """The task 'rules' of a record: prompts with an answer of one token."""
    kind: str = "rules"
    set: str = "rules"  # nli, file
    world: str = "closed"
    negation: str = "facts"  # none, facts, rules: where "not" may stand
    second_premise: float = 0.3
    distractors_least: int = 4
    distractors_most: int = 10
    most_words: int = 90
    depths: list = field(default_factory=lambda: [0, 1, 2, 3])
    questions: str = ""
    training_samples: int = 2000
    test_samples: int = 600
    batch: int = 32
    macro_steps: int = 3
    tokens: str = ""

    def check(self):
        check_settings("task", self, set=("rules", "nli", "file"), world=("closed", "open"), negation=("none", "facts", "rules"), second_premise=(0, 1),
                       distractors_least=(2, self.distractors_most), distractors_most=(2, 40), most_words=(20, 1000), training_samples=(1, 10**9),
                       test_samples=(1, 10**9), batch=(1, 10**6))
        require(self.world == "closed" or self.negation == "rules", "task.negation: expected rules in an open world, where nothing else makes an answer no")
        require((self.set == "file") == bool(self.questions), "--questions: expected a file of JSON lines exactly with --prompts file")
        require(self.depths and self.depths == sorted(set(self.depths)) and 0 <= self.depths[0] and self.depths[-1] <= DEEPEST_PROOF,
                f"--depths: expected growing numbers from 0 to {DEEPEST_PROOF}, found {self.depths}")

    def answers(self):
        return ("yes", "no", "unknown")[:3 if self.world == "open" else 2]


class Literal(NamedTuple):
    """"kind" or "not kind"."""
    attribute: int
    negated: bool = False

    def opposite(self):
        return Literal(self.attribute, not self.negated)

    def __str__(self):
        return "not " * self.negated + ATTRIBUTES[self.attribute]


class Fact(NamedTuple):
    name: int
    literal: Literal

    def about(self):
        """Sentences that state the same of an attribute, or the opposite, count as one."""
        return self.name, self.literal.attribute

    def __str__(self):
        return f"{NAMES[self.name]} is {self.literal} ."


class Rule(NamedTuple):
    premises: tuple
    conclusion: Literal
    conditional: bool = True

    def about(self):
        return self.premises, self.conclusion.attribute

    def __str__(self):
        if self.conditional:
            return f"If someone is {' and '.join(map(str, self.premises))} then they are {self.conclusion} ."
        return f"All {' , '.join(map(str, self.premises))} things are {self.conclusion} ."


class Theory(NamedTuple):
    open: bool
    facts: list
    rules: list

    def sentences(self):
        return [str(s) for s in (*self.facts, *self.rules)]


class Conclusions:
    """What a theory says of one person, by forward chaining in rounds. In round 0 facts hold, and what is stated by no fact and
    concluded by no rule fails. A later round settles what the rounds before it decide. In a closed world "not kind" also holds where
    "kind" fails, and either fails where the other holds. The depth of what is settled is its round."""

    def __init__(self, theory, name):
        self.told = {f.literal for f in theory.facts if f.name == name}
        self.status, self.depth = {}, {}
        while new := self.settled(theory):
            self.depth.update(dict.fromkeys(new, len(set(self.depth.values()))))
            self.status.update(new)
        both = [(self.status.get(Literal(a)), self.status.get(Literal(a, True))) for a in range(len(ATTRIBUTES))]
        self.sound = (all(None not in pair and pair != (HOLDS, HOLDS) for pair in both) and all(self.status[t] == HOLDS for t in self.told)
                      and all(self.status[r.conclusion] == HOLDS for r in theory.rules if self.all_hold(r)))

    def all_hold(self, rule):
        return all(self.status.get(p) == HOLDS for p in rule.premises)

    def settled(self, theory):
        """What the next round settles."""
        holds = self.told | {r.conclusion for r in theory.rules if self.all_hold(r)}
        may = self.told | {r.conclusion for r in theory.rules if not any(self.status.get(p) == FAILS for p in r.premises)}
        new = {}
        for a in range(len(ATTRIBUTES)):
            plain, negated = Literal(a), Literal(a, True)
            if theory.open:
                new |= {x: x in holds for x in (plain, negated) if x in holds or x not in may}
            elif plain in holds or negated in holds or plain not in may:
                new |= {plain: plain in holds, negated: plain not in holds}
        return {x: status for x, status in new.items() if x not in self.status}


class Draft:
    """A theory that is being drawn. Facts 0 and 1 are the first of the chain and the one that it may exchange persons with; in an
    open world rule depth - 1 is the last of the chain and the next one the distractor that ends the other way round."""

    def __init__(self, settings, depth, random, last_negated):
        self.s, self.depth, self.random, self.last_negated, self.open = settings, depth, random, last_negated, settings.world == "open"
        self.coin, self.everywhere = random.chance, settings.negation == "rules"
        self.order = random.permutation(len(ATTRIBUTES))
        self.people = random.permutation(len(NAMES))[:PEOPLE]

    def last(self):
        return Fact(self.people[0], Literal(self.order[self.ranks[-1]], self.last_negated))

    def polarity(self, step):
        return self.open and (self.last_negated if step == self.depth else self.coin(0.5))

    def draw_chain(self):
        ranks = self.random.permutation(len(ATTRIBUTES))
        self.ranks, foil = sorted(ranks[:self.depth + 1]), ranks[self.depth + 1]
        reached = Literal(self.order[self.ranks[0]], self.polarity(0))
        foil_negated = self.open and (not self.last_negated if self.depth == 0 else self.coin(0.5))
        t = self.theory = Theory(self.open, [Fact(self.people[0], reached), Fact(self.people[1], Literal(self.order[foil], foil_negated))], [])
        for step in range(1, self.depth + 1):
            premises = [reached]
            if self.coin(self.s.second_premise):
                self.add_second_premise(premises, step)
            reached = Literal(self.order[self.ranks[step]], self.polarity(step))
            t.rules.append(self.told(premises, reached))
        if self.open and self.depth > 0:
            rule = self.random_rule()
            if rule.conclusion.attribute == reached.attribute:
                return False
            t.rules.append(rule._replace(conclusion=Literal(rule.conclusion.attribute, not self.last_negated)))
        return self.words() <= self.s.most_words

    def add_second_premise(self, premises, step):
        """An attribute before that of the conclusion which is no link of the chain. It is stated as a fact, unless it is negated and a
        closed world implies it."""
        before = [self.order[r] for r in range(self.ranks[step]) if r not in self.ranks]
        if not before:
            return
        premise = Literal(before[self.random.below(len(before))], self.everywhere and self.coin(0.5))
        premises.append(premise)
        if self.coin(0.5):
            premises.reverse()
        fact = Fact(self.people[0], premise)
        if (not premise.negated or self.open or self.coin(0.5)) and not self.known(fact):
            self.theory.facts.append(fact)

    def told(self, premises, conclusion):
        """"All ... things" has no negated premises."""
        return Rule(tuple(premises), conclusion, self.coin(0.5) or any(p.negated for p in premises))

    def random_rule(self):
        count = 2 if self.coin(self.s.second_premise) else 1
        ranks = self.random.permutation(len(ATTRIBUTES))[:count + 1]
        at = ranks.index(max(ranks))
        ranks[at], ranks[-1] = ranks[-1], ranks[at]
        premises = [Literal(self.order[r], self.everywhere and self.coin(0.3)) for r in ranks[:-1]]
        return self.told(premises, Literal(self.order[ranks[-1]], self.everywhere and self.coin(0.5 if self.open else 0.25)))

    def random_fact(self):
        person, attribute = self.people[self.random.below(PEOPLE)], self.random.below(len(ATTRIBUTES))
        return Fact(person, Literal(attribute, self.s.negation != "none" and self.coin(0.5 if self.open else 0.3)))

    def known(self, sentence):
        """Also as a fact that has exchanged persons."""
        return any(sentence.about() == s.about() for t in (self.theory, self.variant(False, True)) for s in (*t.facts, *t.rules))

    def draw_distractors(self):
        least = self.s.distractors_least
        wanted = least + self.random.below(self.s.distractors_most - least + 1)
        there, tries = 1 + (self.open and self.depth > 0), MOST_TRIES * wanted
        while there < wanted and tries:
            tries -= 1
            there += self.add(self.theory.facts, self.random_fact()) if self.coin(0.5) else self.add(self.theory.rules, self.random_rule())
        return there >= least

    def add(self, to, sentence):
        """Unless it is stated already, too long, or changes what is asked."""
        if self.known(sentence):
            return False
        to.append(sentence)
        if self.words() <= self.s.most_words and self.right():
            return True
        to.pop()
        return False

    def words(self):
        return sum(len(s.split()) for s in self.theory.sentences()) + (9 if self.open else 8)

    def variant(self, turned, broken):
        """`turned`: the end of the chain and its distractor are negated. `broken`: the first fact has exchanged persons."""
        facts, rules = list(self.theory.facts), list(self.theory.rules)
        for i in range(2 if turned else 0):
            if self.depth == 0:
                facts[i] = Fact(facts[i].name, facts[i].literal.opposite())
            else:
                rule = rules[self.depth - 1 + i]
                rules[self.depth - 1 + i] = rule._replace(conclusion=rule.conclusion.opposite())
        if broken:
            facts[:2] = Fact(facts[1].name, facts[0].literal), Fact(facts[0].name, facts[1].literal)
        return Theory(self.open, facts, rules)

    def right(self):
        """Whether depth and answers are as they should be, whichever is asked for."""
        for turned in (False, True)[:1 + self.open]:
            last = Literal(self.last().literal.attribute, self.last_negated != turned)
            for broken in (False, True):
                theory = self.variant(turned, broken)
                about = [Conclusions(theory, person) for person in self.people]
                if not all(c.sound for c in about) or not self.answers(about[0], last, broken):
                    return False
        return True

    def answers(self, c, last, broken):
        if c.status[last] != (FAILS if broken else HOLDS):
            return False
        if not broken or not self.open:
            return c.depth[last] == self.depth
        return c.status[last.opposite()] == FAILS and max(c.depth[last], c.depth[last.opposite()]) == self.depth


class Question(NamedTuple):
    theory: Theory
    sentences: list
    asked: Fact
    answer: str  # yes, no, unknown
    depth: int

    def prompt(self):
        return " ".join((*self.sentences, "question :", str(self.asked), "answer :"))


def rule_question(settings, depth, answer, random):
    """From the same random numbers the questions for all answers have the same words in the same numbers."""
    open_world = settings.world == "open"
    asked_negated = open_world and random.chance(0.5)
    last_negated = {"unknown": open_world and random.chance(0.5), "yes": asked_negated, "no": open_world and not asked_negated}[answer]
    for _ in range(MOST_DRAWS):
        draft = Draft(settings, depth, random, last_negated)
        if draft.draw_chain() and draft.right() and draft.draw_distractors():
            theory, last = draft.variant(False, answer == ("unknown" if open_world else "no")), draft.last()
            told = theory.sentences()
            return Question(theory, [told[i] for i in random.permutation(len(told))],
                            Fact(last.name, Literal(last.literal.attribute, asked_negated)), answer, depth)
    raise Problem(f"task.most_words: expected room for proofs of depth {depth} with {settings.distractors_least} distractors, "
                  f"found none of at most {settings.most_words} words in {MOST_DRAWS} draws")
