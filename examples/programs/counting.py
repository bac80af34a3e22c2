#!/usr/bin/env python3
"""Which share of a word and the token before it is an a, a b, a c? As `logdepth run` prints it."""
import sys
from fractions import Fraction

for line in sys.stdin:
    word = line.strip()
    print(*(f"{letter}={Fraction(word.count(letter), len(word) + 1)}" for letter in "abc"))
