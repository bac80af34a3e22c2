#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/failure.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline proofs_check_check {

/// What was compared with what is right.
struct ComparedCounts {
  std::uint64_t answers = 0;   ///< single answers compared, of all kinds
  std::uint64_t positive = 0;  ///< words accepted, pairs connected
  std::uint64_t prefixes = 0;  ///< products, or states after prefixes
  std::uint64_t numbers = 0;   ///< named ones, quotients with remainders, values of nodes
};

/// Questions of one kind to one weights file: how an input becomes tokens, what is right, which
/// inputs are smaller. `Input` is a word, a graph with pairs of vertices, ...
template <class Input>
class TestDomain {
 public:
  virtual ~TestDomain() = default;
  virtual Outcome<Tokens> tokens(const Input& input) const = 0;
  /// Of the repeated block, where the input asks for others than the file.
  virtual std::optional<std::uint32_t> loops(const Input&) const { return std::nullopt; }
  /// The input is outside the file's hypotheses.
  virtual bool outside(const Input& input) const = 0;
  /// The answer that the question is after.
  virtual FileAnswer expected(const Input& input) const = 0;
  /// What is wrong about the answers of the run of this input; adds to what was compared.
  virtual std::optional<Failure> judge(const Input& input, DecidedRun& run,
                                       ComparedCounts& counts) = 0;
  /// The smallest input that still fails, found by leaving out what can be left out.
  virtual Input shrunk(Input input, const std::function<bool(const Input&)>& fails) const = 0;
  /// The input in words.
  virtual std::string text(const Input& input) const = 0;
};

/// Where an input comes from.
enum class CaseStage {
  exhaustive,  ///< one of all inputs up to a size, in the order of size
  chosen,      ///< picked by hand
  random,      ///< drawn
  limit        ///< just beyond the file's limit
};

/// Inputs that are asked together and counted as one: the pairs of one graph.
template <class Input>
struct AskedCase {
  CaseStage stage = CaseStage::exhaustive;
  std::vector<Input> inputs;
};

/// CaseGenerator one after the other, made when they are asked for.
template <class Input>
struct CaseGenerator {
  std::function<std::optional<AskedCase<Input>>()> next;
  std::size_t total = 0;  ///< about, for progress
};

/// All of the first, then all of the second.
template <class Input>
CaseGenerator<Input> operator+(CaseGenerator<Input> first, CaseGenerator<Input> second) {
  const std::size_t total = first.total + second.total;
  return {[first = std::move(first.next),
           second = std::move(second.next)]() -> std::optional<AskedCase<Input>> {
            if (auto found = first()) return found;
            return second();
          },
          total};
}

/// These cases.
template <class Input>
CaseGenerator<Input> listed_cases(std::vector<AskedCase<Input>> cases) {
  const std::size_t total = cases.size();
  return {
      [cases = std::move(cases), at = std::size_t{0}]() mutable -> std::optional<AskedCase<Input>> {
        if (at == cases.size()) return std::nullopt;
        return std::move(cases[at++]);
      },
      total};
}

}  // namespace logdepth::inline proofs_check_check
