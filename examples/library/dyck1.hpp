// Well-nested brackets: as many ) as (, and nowhere more ) than ( so far. One head counts, a second
// one counts the places where the first one found too many ). Both counts are tested exactly, so the
// network is right at every length.
#pragma once

#include "logdepth/program.hpp"

inline logdepth::cells::Program dyck1() {
  using namespace logdepth::cells;
  Program p("Dyck-1");
  p.construction("program").source("counting by uniform attention");
  p.alphabet({"(", ")"}).fixed_loops(0);

  const auto one = p.constant();
  const auto letter = p.onehot("letter", {"begin", "open", "close"});
  const auto excess = p.number("excess");  // how many ) more than ( so far, over p + 1
  const auto below = p.flag("below");      // more ) than ( here
  const auto even = p.flag("even");        // as many ) as ( here
  const auto times = p.number("times");    // at how many places so far more ) than (, over p + 1
  const auto never = p.flag("never");      // at none
  p.token(kBegin, letter == "begin", !below, even, never);
  p.token("(", letter == "open", !below, even, never);
  p.token(")", letter == "close", !below, even, never);

  p.final(fetch("count").causal(uniform()).add(excess, letter["close"] - letter["open"]));
  p.final(test(below).positive(excess), test(even).zero(excess));
  p.final(fetch("times").causal(uniform()).add(times, one / 2 + below / 2));
  p.final(test(never).zero(times));

  p.output("accept", even + never - one).output("reject", {});
  return p;
}
