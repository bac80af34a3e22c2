// A flip-flop: compiled, run, tested against the last letter that acts, drawn.
#include "flipflop.hpp"

#include <iostream>
#include <logdepth/compile.hpp>
#include <logdepth/draw.hpp>
#include <logdepth/run.hpp>
#include <logdepth/test.hpp>

int main() {
  const logdepth::Transformer transformer = logdepth::compile(flipflop());
  const logdepth::Letters word = {"keep", "set", "keep", "keep"};
  std::cout << (logdepth::run(transformer, word).accepted() ? "on\n" : "off\n");

  const auto on = [](const logdepth::Letters& letters) {
    bool state = false;
    for (const std::string& letter : letters)
      if (letter != "keep") state = letter == "set";
    return state;
  };
  const auto tested = logdepth::test(transformer, on, {.up_to = 7});
  std::cout << tested.text() << '\n';

  logdepth::draw(transformer, word, "flipflop.svg");
  return tested.passed() ? 0 : 1;
}
