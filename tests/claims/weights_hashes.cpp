// Every construction with every option of its own, the examples and the own programs of the tests:
// each line of weights_hashes.txt is the hash of a weights file and what `compile` was told for it. Every
// hypothesis that they write has a kind, or is free text.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/file/hypotheses.hpp"
#include "runtime/file/sha256.hpp"
#include "tests/support/command_line.hpp"

namespace logdepth::weights_hashes_tests {
namespace {

class WeightsHashes : public support::CommandLine {};

/// Hypotheses that no weights can contradict.
bool is_free_text(const std::string& hypothesis) {
  static const std::regex kFree(
      "averaging-hard attention, causal and unmasked heads, .*"
      "|masked pre-norm without epsilon, averaging-hard attention, exact numbers"
      "|the position encoding separates the first position(; positions from 0)?"
      "|a graph over (1 <= n <= [0-9]+|n >= 1) vertices: .*"
      "|(0 <= a_i <= i|a_i = i), m >= 1 an integer, the same at all tokens"
      "|.* in the stream at token i, positions from 0"
      "|I = phi\\(i\\) at position i, from 0; x = .*"
      "|z0, z1, ... are unit vectors"
      "|z (= phi\\(z\\), or raw psi\\(z\\), for any rational z|is a unit vector|is computed by a "
      "head: .*)"
      "|the cells that the attention read are not written in between"
      "|the groups of the levels, by holonomy, are solvable"
      "|equations 'value = name' and .*");
  return std::regex_match(hypothesis, kFree);
}

std::set<std::string> hypotheses_of(const std::string& weights) {
  return nlohmann::json::parse(weights)["hypotheses"].get<std::set<std::string>>();
}

TEST_F(WeightsHashes, WeightsOfEveryExampleAreTheBytesTheyWere) {
  std::ifstream list(support::source_dir() + "/tests/claims/weights_hashes.txt");
  std::set<std::string> commands, hypotheses;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string hash;
    words >> hash;
    std::vector<std::string> arguments = {support::program(), "compile"};
    for (std::string word; words >> word;) arguments.push_back(word);
    commands.insert(line.substr(hash.size()));
    arguments.insert(arguments.end(), {"-o", folder.file("weights.json")});
    const auto finished = support::run_process(arguments, support::source_dir());
    ASSERT_EQ(finished.status, 0) << line << '\n' << finished.err;
    const std::string weights = folder.read("weights.json");
    EXPECT_EQ(sha256(weights), hash) << line;
    hypotheses.merge(hypotheses_of(weights));
  }
  EXPECT_EQ(commands.size(), 319u) << "commands, no two of them the same";

  std::size_t with_kind = 0;
  for (const std::string& hypothesis : hypotheses) {
    const auto assumed = assumptions_of(hypothesis);
    EXPECT_EQ(assumed.empty(), is_free_text(hypothesis)) << hypothesis;
    with_kind += !assumed.empty();
    for (const Assumed& one : assumed)
      EXPECT_EQ(assumptions_of(clause(one.kind, one.what)), std::vector<Assumed>{one})
          << "as it is written it is read";
  }
  EXPECT_GT(with_kind, 40u) << "of " << hypotheses.size();
}

}  // namespace
}  // namespace logdepth::weights_hashes_tests
