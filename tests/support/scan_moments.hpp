#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/program/program.hpp"
#include "objects/action.hpp"
#include "objects/transition_monoid.hpp"
#include "tests/support/token_ranges.hpp"

/// What the tokens of a scan can hold at each of its steps, for words of every length: worked out
/// on sets of monoid elements, not sampled.
namespace logdepth::support {

using Elements = std::set<std::uint32_t>;
using Pair = std::pair<std::uint32_t, std::uint32_t>;  ///< the fetched product, the token's own

constexpr std::size_t kAnyStep = static_cast<std::size_t>(-1);

class ScanReach {
 public:
  explicit ScanReach(const Action& action);

  const TransitionMonoid& monoid() const { return monoid_; }
  /// What tokens hold and fetch at step L of a run, or at any step.
  std::set<Pair> pairs(std::size_t step) const;
  /// What tokens hold before step L, or before any.
  Elements owned(std::size_t step) const;
  /// Products of the non-empty words.
  Elements products() const;

  /// Calls `visit(step, pair)` for every token and step of a run of `loops` loops.
  void simulate(const Word& word, std::size_t loops,
                const std::function<void(std::size_t, const Pair&)>& visit) const;

  /// Adds the values of the cells d and d.q (or sd and sd.q) that spell an element.
  void spell(const Program& program, const std::string& cell, std::uint32_t element,
             FiniteValues& values) const;

 private:
  /// Products of the words of certain lengths, when intervals have length s = 2^L. Token p >= s has
  /// an interval of exactly s letters and fetches one of min(s, p - s) letters; token p < s has p
  /// letters and fetches the identity of position 0. All words occur, so all combinations do.
  struct Doubling {
    Elements exactly, up_to, below;  ///< s letters; 0..s; 0..s-1
    bool operator==(const Doubling&) const = default;
  };

  std::uint32_t product(std::uint32_t a, std::uint32_t b) const {
    return table_[a * monoid_.size() + b];
  }
  Elements times(const Elements& left, const Elements& right) const;
  std::vector<const Doubling*> at_step(std::size_t step) const;

  TransitionMonoid monoid_;
  std::vector<std::uint32_t> table_;
  std::vector<Doubling> steps_;
  std::size_t returns_to_ = 0;  ///< the step after the last one is like this one
};

/// The moments of a compiled scan, looped or unrolled.
Moments scan_moments(const Program& program, const Model& model, const ScanReach& reach);

}  // namespace logdepth::support
