#include "runtime/exact/attention_memory.hpp"

namespace logdepth::inline runtime_exact {

const char* attention_rule_name(AttentionRule rule) {
  switch (rule) {
    case AttentionRule::uniform:
      return "uniform";
    case AttentionRule::match:
      return "match";
    case AttentionRule::angle:
      return "angle";
    case AttentionRule::one_query:
      return "one_query";
    case AttentionRule::distinct_keys:
      return "distinct_keys";
  }
  return "";
}

std::size_t HeadMemory::bytes() const {
  std::size_t total = 0;
  for (const auto& [block_of, kept] : by_blocks) {
    for (const auto& [set, vectors] : kept.restricted)
      total += vectors.capacity() * sizeof(TupleId);
    total += kept.support.capacity() * sizeof(std::uint64_t);
    for (const auto& squares : kept.squares) total += squares.capacity() * sizeof(ValueId);
    for (const auto& [length, bounds] : kept.bounds) total += bounds.bytes();
    for (const auto& [length, targets] : kept.targets) total += targets.bytes();
  }
  return total;
}

AttentionStatistics& AttentionStatistics::operator+=(const AttentionStatistics& other) {
  rows += other.rows;
  for (std::size_t r = 0; r < by_rule.size(); ++r) by_rule[r] += other.by_rule[r];
  scores += other.scores;
  decided_in_double += other.decided_in_double;
  decided_exactly += other.decided_exactly;
  exact_ties += other.exact_ties;
  return *this;
}

AttentionStatistics operator-(AttentionStatistics later, const AttentionStatistics& earlier) {
  later.rows -= earlier.rows;
  for (std::size_t r = 0; r < later.by_rule.size(); ++r) later.by_rule[r] -= earlier.by_rule[r];
  later.scores -= earlier.scores;
  later.decided_in_double -= earlier.decided_in_double;
  later.decided_exactly -= earlier.decided_exactly;
  later.exact_ties -= earlier.exact_ties;
  return later;
}

}  // namespace logdepth::inline runtime_exact
