#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learned/latent_reasoning/factored_tokens.hpp"
#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// A text with a probe equation at its end: `v_0 = x_0 ; ... ; x_a + x_b + x_c = x_r ;`. The earlier
/// equations are leaves, so that names and values can be changed one by one, and z(1), in which the
/// sum is due next, is a state that the network was trained on.
struct ProbeText {
  struct Leaf {
    std::uint32_t name = 0, value = 0;
  };
  std::uint32_t modulus = 2;
  std::vector<Leaf> leaves;
  std::vector<std::uint32_t> operands;  ///< indices of leaves
  std::uint32_t result = 0;             ///< name of the sum

  ComputationGraph graph() const;
};

/// The state z(1) of a probe text, and where its parts stand.
struct ProbeState {
  FactoredState state;
  std::uint32_t result = 0;             ///< token of x_r, where the network is looked at
  std::vector<std::uint32_t> operands;  ///< tokens of x_a, x_b, ...
};
ProbeState probe_state(const ProbeText& text, const FactorTables& tables,
                       ValueSupervision supervision);

/// Names, values and operands drawn uniformly, names and operands without replacement.
/// Preconditions: operands <= leaves < tables.names.
ProbeText draw_probe_text(const FactorTables& tables, std::size_t leaves, std::size_t operands,
                          CounterRandom& random);

// One thing changed, all else kept.

/// Operand `i` is each leaf that no other operand is.
std::vector<ProbeText> with_other_operand(const ProbeText& text, std::size_t i);
/// The sum has each name that no leaf has.
std::vector<ProbeText> with_other_result(const ProbeText& text, const FactorTables& tables);
/// Operand `i` has each value 0 ... modulus - 1, in this order.
std::vector<ProbeText> with_other_value(const ProbeText& text, std::size_t i);
/// The operands have all tuples of values, the last one running fastest.
std::vector<ProbeText> with_all_values(const ProbeText& text);

/// Tokens of the operands of the equation whose defining token is `defining`.
std::vector<std::uint32_t> operand_tokens(std::uint32_t defining, std::size_t operands);

}  // namespace logdepth::inline learned_latent_reasoning
