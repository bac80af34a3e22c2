#pragma once

#include <string>
#include <vector>

namespace logdepth { inline namespace runtime_file {

/// What a hypothesis can say that the weights of a file may contradict.
enum class Assumption {
  causal_heads,
  unmasked_heads,
  uniform_heads,      ///< they select all visible positions
  first_flag,         ///< the position encoding knows the first position only
  position_table,     ///< positions are rows of a table
  position_encoding,  ///< of this name
  begin_token,
  no_begin_token,
  end_token,
  any_length,
  letters_at_most,  ///< so many; and so on
  vertices_at_most,
  tokens_at_most
};

struct Assumed {
  Assumption kind;
  std::string what;  ///< the name or the number, where the kind has one
  bool operator==(const Assumed&) const = default;
};

/// The clause that says it: hypotheses of constructions are written with these. `what` is a name or a number
/// where the kind has one. Errors: std::logic_error where it is not.
std::string clause(Assumption kind, const std::string& what = "");

/// What a sentence says in clauses of a kind, in its order; empty for free text. A weights file has
/// sentences only, and this is where they are read: clauses end at `, ` and `; `.
std::vector<Assumed> assumptions_of(const std::string& hypothesis);

}}  // namespace logdepth::runtime_file
