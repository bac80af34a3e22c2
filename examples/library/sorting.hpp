// Sorting by counting: token p is given the letter that stands at place p of the sorted word. It is
// behind all a when p is larger than their number and a half, behind all b when larger than that of
// a and b and a half: never a tie. Numbers x are compared by x / sqrt(x^2 + 1), which grows with x.
#pragma once

#include "logdepth/program.hpp"

inline logdepth::cells::Program sorting() {
  using namespace logdepth::cells;
  Program p("sorting");
  p.construction("program").source("counting by uniform attention");
  p.alphabet({"a", "b", "c"}).fixed_loops(0);

  const auto one = p.constant();
  const auto letter = p.onehot("letter", {"begin", "a", "b", "c"});
  const auto place = p.number("place", 2);    // (p, 1) / (p + 1)
  const auto upto = p.number("upto", 3);      // a + 1/2, a + b + 1/2, 1: each over n + 1
  const auto I = p.key("I", phi);             // direction of (p, 1)
  const auto a = p.direction("a");            // of (a + 1/2, 1)
  const auto b = p.direction("b");            // of (a + b + 1/2, 1)
  const auto behind = p.number("behind", 2);  // the first component of I less that of a, of b
  const auto behind_a = p.flag("behind_a"), behind_b = p.flag("behind_b");
  const auto sorted = p.onehot("sorted", {"a", "b", "c"});  // of <begin>, at place 0, nobody asks
  p.token(kBegin, letter == "begin", !behind_a, !behind_b);
  for (const char* x : {"a", "b", "c"}) p.token(x, letter == x, !behind_a, !behind_b);

  p.final(fetch("place")
              .causal(uniform())
              .add(place[0], one - letter["begin"])
              .add(place[1], letter["begin"]));
  p.final(fetch("counts")
              .unmasked(uniform())
              .add(upto[0], letter["a"] + letter["begin"] / 2)
              .add(upto[1], letter["a"] + letter["b"] + letter["begin"] / 2)
              .add(upto[2], letter["begin"]));
  p.final(normalise(I).from(place[0], place[1]));
  p.final(normalise(a).from(upto[0], upto[2]), normalise(b).from(upto[1], upto[2]));
  p.final(fetch("compare")
              .causal(match(I).key(I))
              .add(behind[0], I[0] - a[0])
              .add(behind[1], I[0] - b[0]));
  p.final(test(behind_a).positive(behind[0]), test(behind_b).positive(behind[1]));
  p.final(lookup(
      "letter", {when(!behind_a).then(sorted == "a"), when(behind_a, !behind_b).then(sorted == "b"),
                 when(behind_a, behind_b).then(sorted == "c")}));

  for (const char* x : {"a", "b", "c"}) p.output(x, sorted[x]);
  return p;
}
