// A flip-flop in one layer: the last letter that is not 'keep' decides. One head looks for the
// rightmost such token; when there is none it finds the last token, which then says 'keep' or begins
// the word, and the flip-flop is still off.
#pragma once

#include "logdepth/program.hpp"

inline logdepth::cells::Program flipflop() {
  using namespace logdepth::cells;
  Program p("flip-flop");
  p.construction("program").source("reset monoids: one hard-attention head");
  p.hypothesis("rational position encoding: circle");
  p.alphabet({"keep", "set", "reset"}).fixed_loops(0);

  p.constant();
  const auto I = p.key("I", circle);
  const auto acts = p.flag("acts");
  const auto letter = p.onehot("letter", {"off", "on"});
  const auto now = p.onehot("state", {"off", "on"});
  p.position(I);
  p.token(kBegin, !acts, letter == "off").token("keep", !acts, letter == "off");
  p.token("set", acts, letter == "on").token("reset", acts, letter == "off");

  p.final(fetch("last").causal(rightmost(acts).key(I)).copy(now, letter));

  p.output("accept", now["on"]).output("reject", now["off"]);
  return p;
}
