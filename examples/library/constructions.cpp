// Constructions of one's own, each against a function that says what is right.
#include <iostream>
#include <logdepth/compile.hpp>
#include <logdepth/run.hpp>
#include <logdepth/test.hpp>

#include "dyck1.hpp"
#include "flipflop.hpp"
#include "sorting.hpp"

/// The last letter that is not 'keep' is 'set'.
bool is_on(const logdepth::Letters& word) {
  bool on = false;
  for (const std::string& letter : word)
    if (letter != "keep") on = letter == "set";
  return on;
}

/// Brackets that match.
bool is_balanced(const logdepth::Letters& word) {
  int open = 0;
  for (const std::string& letter : word)
    if ((open += letter == "(" ? 1 : -1) < 0) return false;
  return open == 0;
}

int main() {
  const auto on = logdepth::test(logdepth::compile(flipflop()), is_on);
  const auto balanced = logdepth::test(logdepth::compile(dyck1()), is_balanced, {.up_to = 10});
  std::cout << "flip-flop " << on.text() << "\nDyck-1 " << balanced.text() << '\n';

  // Token p holds the letter at place p of the sorted word; token 0 begins it.
  const auto transformer = logdepth::compile(sorting());
  const auto answer = logdepth::run(transformer, transformer.word("cabba"));
  for (std::size_t p = 1; p <= 5; ++p)
    for (const std::string& letter : transformer.alphabet())
      if (answer.numbers.at(letter)[p].text == "1") std::cout << letter;
  std::cout << '\n';
  return on.passed() && balanced.passed() ? 0 : 1;
}
