#include "cli/run_answer.hpp"

namespace logdepth {

nlohmann::json to_json(const Model& model, const SaidAnswer& said, bool rounded) {
  const RunAnswer& answer = said.answer;
  nlohmann::json out = said.input;
  out["outcome"] = outcome(said);
  if (answer.depth) out["depth"] = *answer.depth;
  if (answer.prefixes) {
    auto& prefixes = out["prefixes"] = nlohmann::json::array();
    for (const Read<PrefixAnswer>& prefix : *answer.prefixes)
      if (prefix.has_value()) {
        std::visit([&](const auto& value) { prefixes.push_back(value); }, prefix.value().value);
      } else {
        prefixes.push_back(nullptr);
      }
  }
  if (answer.limit || answer.refusal) {
    out["reason"] = answer.limit ? *answer.limit : describe(*answer.refusal);
    return out;
  }
  if (answer.divided) {
    out["quotient"] = answer.divided->quotient;
    out["remainder"] = answer.divided->remainder;
  } else if (!answer.numbers.empty()) {
    std::vector<nlohmann::json> tokens;
    for (const std::vector<ReadNumber>& logits : answer.numbers) {
      auto& cells = tokens.emplace_back(nlohmann::json::object());
      for (std::size_t i = 0; i < logits.size(); ++i)
        cells[std::get<CellsOutput>(model.output).names[i]] = text(logits[i]);
    }
    const bool last = said.of == SaidAnswer::Of::word || said.of == SaidAnswer::Of::division;
    out["cells"] = last ? tokens.back() : nlohmann::json(tokens);
  }
  if (answer.left_field) out["left_field"] = *answer.left_field;
  if (!rounded) return out;
  const Confidence sure = confidence(answer);
  out["certificate"] = certificate_name(sure.certificate);
  if (!sure.reason.empty()) out["reason"] = sure.reason;
  if (sure.bound) out["error_bound"] = *sure.bound;
  return out;
}

namespace {

void put(const ExactStatistics& statistics, bool all, nlohmann::json& out) {
  out["promises"]["evaluated"] = statistics.promises;
  if (!all) return;
  const AttentionStatistics& s = statistics.attention;
  nlohmann::json rules;
  for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
    rules[attention_rule_name(static_cast<AttentionRule>(rule))] = s.by_rule[rule];
  out["statistics"] = {{"rows", s.rows},
                       {"rows_by_rule", rules},
                       {"scores", s.scores},
                       {"decided_in_double", s.decided_in_double},
                       {"decided_exactly", s.decided_exactly},
                       {"exact_ties", s.exact_ties},
                       {"distinct_values", statistics.values},
                       {"bytes", statistics.bytes}};
  const RadicalTower::Statistics& nested = statistics.nested;
  if (nested.roots > 0)
    out["statistics"]["roots_of_roots"] = {{"roots", nested.roots},
                                           {"decided_by_enclosure", nested.by_enclosure},
                                           {"decided_by_elimination", nested.by_elimination},
                                           {"zeros", nested.zeros}};
}

void put(const RoundedStatistics& statistics, bool all, nlohmann::json& out) {
  const FloatStatistics& s = statistics.heads;
  out["facts"] = statistics.unproved.value_or("proved");
  out["promises"] = {{"confirmed", s.promises_kept}, {"unread", s.promises_unread}};
  if (all)
    out["statistics"] = {{"rows", s.rows},
                         {"single", s.single},
                         {"ties", s.ties},
                         {"alike", s.alike},
                         {"ambiguous", s.ambiguous},
                         {"tests", s.tests},
                         {"open_tests", s.open_tests},
                         {"scores", s.scores}};
}

}  // namespace

void add_statistics(const RunStatistics& statistics, bool all, nlohmann::json& out) {
  std::visit([&](const auto& of) { put(of, all, out); }, statistics);
}

}  // namespace logdepth
