// What a run can say: words are accepted, rejected or undecided, or outside of what a file is made
// for; numbers are exact.
//
// Here. The shares of a and of b among the tokens, of at most 8 letters: as numbers, and the larger
//   one as a verdict.
#include <iostream>
#include <logdepth/compile.hpp>
#include <logdepth/run.hpp>

namespace cells = logdepth::cells;

logdepth::Transformer shares(const char* of_a, const char* of_b) {
  using namespace cells;
  cells::Program p("shares");
  p.alphabet({"a", "b"}).fixed_loops(0).at_most(8);
  const auto letter = p.onehot("letter", {"begin", "a", "b"});
  const auto a = p.number("a"), b = p.number("b");
  p.token(kBegin, letter == "begin").token("a", letter == "a").token("b", letter == "b");
  p.final(fetch("shares").causal(uniform()).add(a, letter["a"]).add(b, letter["b"]));
  return logdepth::compile(p.output(of_a, a).output(of_b, b));
}

int main() {
  const auto election = shares("accept", "reject");
  for (const char* typed : {"aab", "bba", "abab", "aaaaaaaaa"}) {
    const logdepth::Answer answer = logdepth::run(election, election.word(typed));
    std::cout << typed << ": ";
    switch (answer.decision) {
      case logdepth::Decision::accepted:
        std::cout << "a wins\n";
        break;
      case logdepth::Decision::rejected:
        std::cout << "b wins\n";
        break;
      default:  // nobody wins, and the reason says why
        std::cout << answer.reason << '\n';
    }
  }

  const auto counted = shares("share_of_a", "share_of_b");
  const logdepth::Answer answer = logdepth::run(counted, {"a", "a", "b"});
  for (const auto& [name, numbers] : answer.numbers)
    std::cout << name << " = " << numbers.back().text << " at the last of " << numbers.size()
              << " tokens\n";
}
