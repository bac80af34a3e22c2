// Majority: a word of 0 and 1 is accepted if more than half of its letters are 1.
//
// Here. One head that sees all of the word and averages +1 for a 1 and -1 for a 0. Of T letters k are
//   1, the beginning token counts -1/2 and breaks the tie: the average is (2k - T - 1/2) / (T + 1),
//   never 0, and positive if and only if 2k > T. One layer, at every length.
#include <algorithm>
#include <iostream>
#include <logdepth/compile.hpp>
#include <logdepth/draw.hpp>
#include <logdepth/inspect.hpp>
#include <logdepth/run.hpp>
#include <logdepth/test.hpp>

namespace cells = logdepth::cells;

cells::Program majority() {
  using namespace cells;
  cells::Program p("majority");
  p.construction("majority by one average").source("here");
  p.hypothesis("averaging-hard causal attention, exact numbers");
  p.alphabet({"0", "1"}).fixed_loops(0);

  const auto letter = p.onehot("letter", {"begin", "zero", "one"});  // of the token
  const auto margin = p.number("margin");                            // the average so far
  p.token(kBegin, letter == "begin");
  p.token("0", letter == "zero").token("1", letter == "one");

  p.final(fetch("count").causal(uniform()).add(
      margin, letter["one"] - letter["zero"] - letter["begin"] / 2));
  p.output("accept", margin).output("reject", {});
  return p;
}

bool has_a_majority(const logdepth::Letters& word) {
  return 2 * std::ranges::count(word, "1") > static_cast<long>(word.size());
}

int main() {
  const logdepth::Transformer transformer = logdepth::compile(majority());
  transformer.save("majority.json");

  const auto word = transformer.word("01101");
  std::cout << "01101 " << (logdepth::run(transformer, word).accepted() ? "accepted" : "rejected")
            << '\n';

  const auto tested = logdepth::test(transformer, has_a_majority, {.up_to = 8});
  std::cout << tested.text() << '\n';

  const auto sheet = logdepth::inspect(transformer);
  std::cout << "depth " << sheet.depth << ", width " << sheet.width << ", " << sheet.nonzeros
            << " weights; not proved: " << sheet.unproved.size() << '\n';
  logdepth::draw(transformer, word, "majority.svg");
  return tested.passed() ? 0 : 1;
}
