// Majority in one layer, by counting: more ones than zeros? One head takes the mean over all tokens so
// far, to which a one gives 1 and a zero -1. The token that begins the word gives -1/2, so that the
// mean is never 0: (ones - zeros - 1/2) / (n + 1), exactly, at every length.
#pragma once

#include "logdepth/program.hpp"

inline logdepth::cells::Program majority() {
  using namespace logdepth::cells;
  Program p("majority");
  p.construction("program").source("counting by uniform attention");
  p.alphabet({"0", "1"}).fixed_loops(0);

  p.constant();
  const auto letter = p.onehot("letter", {"begin", "zero", "one"});
  const auto margin = p.number("margin");
  p.token(kBegin, letter == "begin").token("0", letter == "zero").token("1", letter == "one");

  p.final(fetch("count").causal(uniform()).add(
      margin, letter["one"] - letter["zero"] - letter["begin"] / 2));

  p.output("accept", margin).output("reject", {});
  return p;
}
