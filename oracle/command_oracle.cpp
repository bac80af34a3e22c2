#include "oracle/command_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "oracle/line_program.hpp"

namespace logdepth::inline oracle {
namespace {

/// The answer as yes or no.
bool verdict(LineProgram& program, const std::string& question, const std::string& yes,
             const std::string& no) {
  const std::string answer = program.ask(question);
  std::string small = answer;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (small == yes || small == "1" || small == "true") return true;
  if (small == no || small == "0" || small == "false") return false;
  throw InputError(fmt::format("command {}, input {}: expected '{}' or '{}', found {}",
                               in_quotes(program.command()), in_quotes(question), yes, no,
                               in_quotes(answer)));
}

class CommandOracle : public LanguageOracle {
 public:
  CommandOracle(const std::string& command, Alphabet alphabet)
      : program_(command), alphabet_(std::move(alphabet)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  bool accepts(const Word& word) const override {
    return verdict(program_, alphabet_.format_word(word), "accept", "reject");
  }
  std::optional<std::string> named_values(const Word& word) const override {
    return program_.ask(alphabet_.format_word(word));
  }
  std::string name() const override { return kCommandOracle + program_.command(); }

 private:
  mutable LineProgram program_;  // it is asked, and is as it was
  Alphabet alphabet_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_command_oracle(const std::string& command, Alphabet alphabet) {
  return std::make_unique<CommandOracle>(command, std::move(alphabet));
}

ReachabilityQuestion make_command_reachability(const std::string& command) {
  return [program = std::make_shared<LineProgram>(command)](const Graph& graph, Vertex source,
                                                            Vertex target) {
    std::string question = fmt::format("{} {} {}", graph.size(), source, target);
    for (Vertex from = 0; from < graph.size(); ++from)
      for (Vertex to = 0; to < graph.size(); ++to)
        if (graph.has_edge(from, to)) question += fmt::format(" {} {}", from, to);
    return verdict(*program, question, "connected", "not connected");
  };
}

}  // namespace logdepth::inline oracle
