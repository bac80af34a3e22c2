#include "runtime/exact/attention_rules.hpp"

#include <algorithm>
#include <vector>

#include "runtime/exact/attention_question.hpp"

namespace logdepth {
namespace {

/// One key class: all scores of a row are equal, everything visible is selected.
void attend_uniformly(Question& question) {
  if (question.keys.size() > 1) return;
  for (Ask& ask : question.asks) ask.answer = Question::kEverything;
}

bool answered(const Question& question) {
  return std::all_of(question.asks.begin(), question.asks.end(),
                     [](const Ask& ask) { return ask.answer != Question::kOpen; });
}

}  // namespace

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

void attend_exactly(HeadRows<ValueId>& rows, ValuePool& pool, HeadMemory& memory,
                    AttentionStatistics& statistics, std::size_t threads, const RowSink& sink) {
  for (Question& question : questions_of(rows, pool, memory)) {
    attend_uniformly(question);
    if (!answered(question)) attend_by_match(question, statistics);
    if (!answered(question)) attend_by_angle(question, statistics);
    if (!answered(question)) attend_by_distinct_keys(question, statistics, threads);
    statistics.rows += question.tokens.size();
    for (const std::uint32_t ask : question.ask_of)
      ++statistics.by_rule[static_cast<std::size_t>(question.asks[ask].rule)];
    average_answers(question, sink);
  }
}

}  // namespace logdepth
