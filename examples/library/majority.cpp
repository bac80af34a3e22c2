// What is done with a construction: majority compiled, saved, run, tested, inspected, drawn,
// exported.
#include "majority.hpp"

#include <algorithm>
#include <iostream>
#include <logdepth/compile.hpp>
#include <logdepth/draw.hpp>
#include <logdepth/export.hpp>
#include <logdepth/inspect.hpp>
#include <logdepth/run.hpp>
#include <logdepth/test.hpp>

/// What is right, said without a transformer.
bool has_a_majority(const logdepth::Letters& word) {
  return std::ranges::count(word, "1") > std::ranges::count(word, "0");
}

int main() {
  const logdepth::Transformer transformer = logdepth::compile(majority());
  transformer.save("majority.json");

  const auto word = transformer.word("01101");
  if (logdepth::run(transformer, word).accepted()) std::cout << "01101 has a majority\n";

  const auto tested = logdepth::test(transformer, has_a_majority, {.up_to = 8});
  std::cout << tested.text() << '\n';

  const auto sheet = logdepth::inspect(transformer);
  std::cout << "depth " << sheet.depth << ", width " << sheet.width << ", " << sheet.nonzeros
            << " weights that are not 0\n";
  for (const auto& head : sheet.head_index)
    std::cout << head.name << " selects " << head.selects << '\n';

  logdepth::draw(transformer, "circuit.svg");
  logdepth::draw(transformer, word, "run.svg");

  const auto written = logdepth::export_network(
      transformer, {.target = logdepth::ExportTarget::torch, .length = 16}, "majority-torch");
  std::cout << written.text << '\n';
  return tested.passed() ? 0 : 1;
}
