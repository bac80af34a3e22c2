#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "learned/latent_reasoning/computation_graphs.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/records/task.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Computation graphs as sequences of factored tokens (the paper, appendix C.1): every token has a
/// row in each of four tables, and a network answers with a class of each. A leaf is `v = x ;`, a
/// node `a o b o c = x ;`, evaluated from left to right.

/// Factors of a token, in the order of tables and of heads of answers.
enum Factor : std::size_t {
  kSyntaxFactor,
  kVariableFactor,
  kOperationFactor,
  kValueFactor,
  kFactors
};

/// Rows of the table of syntax.
enum class TokenSyntax : std::int32_t { value, equals, variable, operation, separator, padding };

/// Rows of the four tables.
using FactoredToken = std::array<std::int32_t, kFactors>;
using FactoredState = std::vector<FactoredToken>;

/// Numbers of rows, and those that mean "not applicable" (N/A) or "not known yet" (empty).
struct FactorTables {
  std::uint32_t modulus = 3, names = 32;

  /// Six kinds of syntax; names and N/A; three operations and N/A; values, N/A and empty.
  std::vector<std::uint32_t> rows() const { return {6, names + 1, 4, modulus + 2}; }
  std::int32_t no_variable() const { return static_cast<std::int32_t>(names); }
  static constexpr std::int32_t kNoOperation = 3;
  std::int32_t no_value() const { return static_cast<std::int32_t>(modulus); }
  std::int32_t empty_value() const { return static_cast<std::int32_t>(modulus) + 1; }
  FactoredToken padding() const {
    return {static_cast<std::int32_t>(TokenSyntax::padding), no_variable(), kNoOperation,
            no_value()};
  }
};

/// At which tokens of a variable its value is written.
enum class ValueSupervision {
  /// At the defining token of a node of depth d from z(d) on, at later occurrences, which can only
  /// copy a value that exists, from z(d + 1) on.
  all_occurrences,
  definition_only  ///< at the defining token; others stay empty
};

/// A graph as tokens, with what the states z(t) of the layer-by-layer algorithm say.
struct GraphTokens {
  FactoredState tokens;             ///< z(0): values of variables are empty
  std::vector<std::int32_t> final;  ///< the value factor of each token in the end
  std::vector<std::uint32_t> due;   ///< the first t from which z(t) has it; 0: z(0) has it already
  std::vector<std::uint32_t> defining;  ///< of each node, the token that defines it
  std::uint32_t depth = 0;              ///< of the graph: z(t) is the same from here on

  FactoredState state(std::uint32_t t, const FactorTables& tables) const;
  /// For each node whether `state` has the right value at its defining token.
  std::vector<bool> right_nodes(const FactoredState& state) const;
};
GraphTokens graph_tokens(const ComputationGraph& graph, const FactorTables& tables,
                         ValueSupervision supervision);

/// Errors of a state that a network learns to mend: of every variable token a known value becomes
/// another one with probability `known`, an empty one any with probability `unknown`.
void corrupt(FactoredState& state, const FactorTables& tables, double known, double unknown,
             CounterRandom& random);
/// Replaces the share `share` (rounded, at least one) of the known values of variable tokens by
/// other ones. Result: where.
std::vector<std::size_t> corrupt_share(FactoredState& state, const FactorTables& tables,
                                       double share, CounterRandom& random);

/// What a model reads and answers: four tables, four heads, everything before a token visible.
TaskFormat factored_format(const FactorTables& tables);
/// Samples of so many tokens, all of them padding, nothing asked.
Samples factored_samples(const FactorTables& tables, std::size_t count, std::size_t tokens);
/// Sample `i` becomes this state, and its length that of the state.
void put_state(Samples& samples, std::size_t i, const FactoredState& state);
/// All factors of this state become the targets of sample `i`.
void put_targets(Samples& samples, std::size_t i, const FactoredState& state);
/// The first `tokens` answers to sample `i`.
FactoredState answered_state(const Samples& samples, const Answers& answers, std::size_t i,
                             std::size_t tokens);

}  // namespace logdepth::inline learned_latent_reasoning
