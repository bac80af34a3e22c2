"""Constructions whose answers are worked out here: hops of induction heads and past temporal logic."""

import itertools

import pytest

import logdepth


def hops(word, count):
    """The authors' search in the text: `X[:i].rfind(X_i) + 1`, again and again."""
    text, place = "_" + word, len(word)
    while count and place:
        place = text[:place].rfind(text[place]) + 1
        count -= 1
    return text[place].replace("_", "none")


def reached(model, word):
    """The letters whose number is 1 at the last token; all others are 0."""
    values = {name: numbers[-1] for name, numbers in model.run(word).numbers.items()}
    assert set(values.values()) == {0, 1}
    return [name for name, value in values.items() if value]


@pytest.mark.parametrize("settings, depth", [({"hops": 1}, 2), ({"hops": 5}, 5), ({"hops": 4, "form": "loops"}, 4)])
def test_hops_lead_to_the_letters_that_a_search_in_the_text_finds(settings, depth):
    model = logdepth.compile_khop(letters=3, **settings)
    assert model.depth(100) == depth
    for length in range(6):
        for word in map("".join, itertools.product("abc", repeat=length)):
            assert reached(model, word) == [hops(word, settings["hops"])], word


def test_the_number_of_hops_may_be_a_token():
    model = logdepth.compile_khop(hops=3, letters=2, form="token")
    for count, word in itertools.product(range(4), ("abab", "aab", "bbb", "")):
        assert reached(model, [str(count), *word]) == [hops(word, count)], (count, word)


def test_the_value_of_a_formula_is_that_of_a_stack():
    model = logdepth.compile_formula(algebra="mod3")
    assert model.depth(1024) == 47
    for word in map("".join, itertools.chain(itertools.product("012+*", repeat=5), ["12+2*11+*", ""])):
        stack: list[int] = []
        for letter in word:
            if letter in "+*" and len(stack) < 2:
                stack = []
                break
            right, left = (stack.pop(), stack.pop()) if letter in "+*" else (0, 0)
            stack.append({"+": left + right, "*": left * right}.get(letter, ord(letter) - ord("0")) % 3)
        assert reached(model, word) == ([str(stack[0])] if len(stack) == 1 else ["none"]), word


def test_a_formula_holds_at_the_last_letter_in_as_many_layers_as_it_is_deep():
    model = logdepth.compile_ltl("H(g -> Y(!g S r))", alphabet="rgx")
    assert model.depth(100) == 3
    for length in range(6):
        for word in map("".join, itertools.product("rgx", repeat=length)):
            granted = all("r" in word[word[:i].rfind("g") + 1:i] for i, letter in enumerate(word) if letter == "g")
            assert model.run(word).accepted == granted, word


def test_what_no_network_does_is_refused_with_the_command_lines_sentence():
    with pytest.raises(logdepth.BadInput, match="hops= 3: expected a power of two"):
        logdepth.compile_khop(hops=3, form="loops")
    with pytest.raises(logdepth.BadInput, match="character 3: 'U' is an operator of the future"):
        logdepth.compile_ltl("a U b")
