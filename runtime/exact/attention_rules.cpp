#include "runtime/exact/attention_rules.hpp"

#include <algorithm>
#include <vector>

#include "runtime/exact/attention_question.hpp"

namespace logdepth::inline runtime_exact {
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

}  // namespace logdepth::inline runtime_exact
