// Well-nested brackets: compiled, run, tested against a counter, drawn.
#include "dyck1.hpp"

#include <iostream>
#include <logdepth/compile.hpp>
#include <logdepth/draw.hpp>
#include <logdepth/run.hpp>
#include <logdepth/test.hpp>

bool well_nested(const logdepth::Letters& word) {
  int open = 0;
  for (const std::string& letter : word) {
    open += letter == "(" ? 1 : -1;
    if (open < 0) return false;
  }
  return open == 0;
}

int main() {
  const logdepth::Transformer transformer = logdepth::compile(dyck1());
  for (const char* typed : {"(()())", "())("})
    std::cout << typed
              << (logdepth::run(transformer, transformer.word(typed)).accepted()
                      ? " is well nested\n"
                      : " is not\n");

  const auto tested = logdepth::test(transformer, well_nested, {.up_to = 10});
  std::cout << tested.text() << '\n';

  logdepth::draw(transformer, transformer.word("(()())"), "dyck1.svg");
  return tested.passed() ? 0 : 1;
}
