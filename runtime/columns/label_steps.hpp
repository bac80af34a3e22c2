#pragma once

#include <cstddef>

namespace logdepth::inline runtime_columns {

// What passes over the tokens do at one token. Everything is constexpr and holds plain pointers or forms of
// labels, so that nvcc (--expt-relaxed-constexpr) compiles the same text for a device.

/// out[i] = from[at[i]].
template <class From, class At, class Out>
struct GatherStep {
  From from;
  At at;
  Out* out;

  constexpr void operator()(std::size_t i) const { out[i] = from[at[i]]; }
};

template <class From, class At, class Out>
GatherStep(From, At, Out*) -> GatherStep<From, At, Out>;  // Clang 14 finds none of an aggregate

/// Labels, or the token itself where there are none.
template <class Label>
struct LabelsOrToken {
  const Label* labels;

  constexpr std::size_t operator[](std::size_t i) const { return labels ? labels[i] : i; }
};

/// Row i asks for the key of its index, query[i]: keys[the word's first token + e] is the token of key e, or a
/// mark, which is larger than any token.
template <class Label, class Query, class Keys>
struct MatchStep {
  Query query;
  Keys keys;
  std::size_t period;  ///< tokens of a word
  bool causal;

  constexpr Label selected(std::size_t i) const {
    const std::size_t word = i - i % period, e = query[i];
    return e < period ? static_cast<Label>(keys[word + e]) : static_cast<Label>(-1);
  }
  /// What a row selects is one token that it sees.
  constexpr bool sees(std::size_t i, Label token) const {
    return token <= (causal ? i : i - i % period + period - 1);
  }
};

}  // namespace logdepth::inline runtime_columns
