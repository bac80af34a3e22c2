#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/typed_input.hpp"

namespace logdepth {

/// What a test of a weights file found, whatever the file takes.
struct TestVerdict {
  enum class Kind { words, graphs, divisions, computation_graphs };
  struct Counterexample {
    std::string shown, origin;  ///< the input, and what it was shrunk from
    std::string expected, got;
    nlohmann::json details;    ///< beside expected and got
    std::uint64_t number = 0;  ///< of the case in the whole test
    TypedInput input;
  };
  Kind kind = Kind::words;
  std::string file, model, hash;  ///< the weights: path, name, hash of the content
  std::string against;
  std::string oracle;  ///< as options of the command line
  std::uint64_t seed = 0, promises = 0;
  std::vector<std::string> unevaluated;  ///< heads whose promise was never checked
  nlohmann::json details;                ///< limits and counts, beside what all tests say
  std::optional<Counterexample> counterexample;
};

nlohmann::json to_json(const TestVerdict& verdict);
/// Errors: nlohmann's, where it is not what to_json makes.
TestVerdict test_verdict_from_json(const nlohmann::json& json);

/// Of the shards of a test the whole test: counts are sums, and the counterexample is the first in
/// the order of the cases. Where there is one, the counts are of all work that was done.
TestVerdict merged(const std::vector<TestVerdict>& shards);

/// Prints the verdict and writes it beside the weights file; a folder that cannot be written does
/// not undo the test. Exit status 1 for a counterexample.
int conclude(const TestVerdict& verdict, bool json);

}  // namespace logdepth
