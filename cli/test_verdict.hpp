#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& content, const std::optional<T>& value) {
    content = value ? json(*value) : json();
  }
  static void from_json(const json& content, std::optional<T>& value) {
    if (!content.is_null()) value = content.get<T>();
  }
};

namespace logdepth::inline cli {

/// What a test of a weights file found, whatever the file takes; in the file of a part it has the
/// names of its members.
struct TestVerdict {
  enum class Kind { words, graphs, divisions, computation_graphs };
  struct Counterexample {
    std::string shown, origin;         ///< the input, and what it was shrunk from
    nlohmann::json details;            ///< beside expected and got
    std::string preparation, options;  ///< as of TypedInput
    std::string expected, got;
    std::uint64_t number;  ///< of the case in the whole test
  };
  Kind kind = Kind::words;
  std::string file, model, sha256;  ///< the weights: path, name, hash of the content
  std::string against;
  std::string oracle;  ///< as options of the command line
  std::uint64_t seed = 0, promises = 0;
  std::vector<std::string> unevaluated;  ///< heads whose contract was never checked
  nlohmann::json details;                ///< limits and counts, beside what all tests say
  std::optional<Counterexample> counterexample;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TestVerdict::Counterexample, shown, origin, details, preparation,
                                   options, expected, got, number)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TestVerdict, kind, file, model, sha256, against, oracle, seed,
                                   promises, unevaluated, details, counterexample)

/// Of the shards of a test the whole test: counts are sums, and the counterexample is the first in
/// the order of the cases. Where there is one, the counts are of all work that was done.
TestVerdict merged(const std::vector<TestVerdict>& shards);

/// Prints the verdict and writes it beside the weights file; a folder that cannot be written does
/// not undo the test. Exit status 1 for a counterexample.
int conclude(const TestVerdict& verdict, bool json);

}  // namespace logdepth::inline cli
