// The constructions of the papers, ready-made, and what can be asked of them beside a verdict.
#include <iostream>
#include <logdepth/constructions.hpp>
#include <logdepth/run.hpp>
#include <logdepth/test.hpp>

int main() {
  const auto say = [](const std::string& line) { std::cout << line << '\n'; };
  const auto shuffles =
      logdepth::compile_regular({.group = "S3"}, {.construction = "auto"}, {}, say);
  std::cout << shuffles.depth(1000) << " layers for 1000 letters\n";

  logdepth::TransitionTable even;
  even.name = "an even number of a";
  even.letters = {"a", "b"};
  even.next = {{1, 0}, {0, 1}};
  even.accepting = {true, false};
  const auto parity = logdepth::compile_regular({.transitions = even});
  std::cout << logdepth::test_against(parity, "regex:(b|ab*a)*", {.up_to = 5}).text() << '\n';

  const auto products = logdepth::run(shuffles, {"a", "b"}).products.value();
  std::cout << "product of ab:";
  for (const std::uint32_t image : products.back()) std::cout << ' ' << image;
  std::cout << '\n';

  const auto reach = logdepth::compile_connectivity();
  std::cout << logdepth::test_graphs(reach, {.up_to = 2, .random = 3}).text() << '\n';

  const auto division = logdepth::compile_division();
  const auto divided = logdepth::divide(division, 17, 5);
  std::cout << "17 / 5 is " << divided.quotient << " remainder " << divided.remainder << '\n';

  const auto rounded = logdepth::run_rounded(parity, {"a", "b", "a"}, {.engine = "float32"});
  std::cout << (rounded.accepted() ? "accepted, " : "not accepted, ")
            << logdepth::text(rounded.certainty) << '\n';

  const auto trace = logdepth::trace(parity, {"a", "b"});
  const std::size_t moment = trace.moments.size() - 1, token = trace.tokens - 1;
  std::cout << "after layer " << trace.moments[moment].layer << ", token " << token << ":\n";
  for (std::size_t column = 0; column < trace.columns.size(); ++column) {
    const std::size_t at = (moment * trace.tokens + token) * trace.columns.size() + column;
    const std::string number = trace.numbers[trace.entries[at]].text;
    if (number != "0") std::cout << trace.columns[column].cell << " = " << number << '\n';
  }
}
