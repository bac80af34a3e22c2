#!/usr/bin/env python3
"""More ones than zeros? A word per line on standard input, accept or reject on standard output."""
import sys

for line in sys.stdin:
    word = line.strip()
    print("accept" if word.count("1") > word.count("0") else "reject")
