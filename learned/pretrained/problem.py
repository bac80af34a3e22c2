class Problem(Exception):
    """What is wrong with what was asked for, in a sentence that names it, what was expected, and what was found."""


def require(holds, sentence):
    if not holds:
        raise Problem(sentence)


def check_settings(part, settings, **limits):
    """A setting is one of the words, or a number from a least to a most."""
    for name, wanted in limits.items():
        value, words = getattr(settings, name), isinstance(wanted[0], str)
        require(value in wanted if words else wanted[0] <= value <= wanted[1],
                f"{part}.{name}: expected {'one of ' + ', '.join(wanted) if words else f'{wanted[0]} to {wanted[1]}'}, found {value!r}")
