#include "cli/run_answer.hpp"

#include <algorithm>
#include <iostream>

#include "base/quoted_text.hpp"
#include "compiler/file/names_of_states.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/numbers/float_text.hpp"

namespace logdepth::inline cli {
namespace {

/// How sure an answer of floating point is, all that was read taken together.
struct Confidence {
  Certificate certificate = Certificate::certified;
  std::string reason;
  std::optional<double>
      bound;  ///< of the numbers as printed, on their distance from the exact ones
};

/// The first that is not certified stands for all.
Confidence confidence(const RunAnswer& answer) {
  Confidence found;
  const auto take = [&](Certificate certificate, const std::string& reason) {
    if (found.certificate != Certificate::certified) return;
    found.certificate = certificate;
    found.reason = reason;
  };
  if (answer.prefixes)
    for (const Read<PrefixAnswer>& prefix : *answer.prefixes)
      if (prefix.has_value()) take(prefix.value().certificate, prefix.value().reason);
  take(answer.certificate, answer.reason);
  for (const std::vector<ReadNumber>& logits : answer.numbers)
    for (const ReadNumber& number : logits)
      found.bound =
          std::max(found.bound.value_or(0), sum_of_bounds(number.error, text_error(number.value)));
  return found;
}

const char* refusal_name(const Refusal& refusal) {
  return std::holds_alternative<Undecided>(refusal)      ? "undecided"
         : std::holds_alternative<OutsideField>(refusal) ? "outside the field"
                                                         : "outside the hypotheses";
}

std::string outcome(const SaidAnswer& said) {
  const RunAnswer& answer = said.answer;
  if (answer.limit) return "resource limit exceeded";
  if (answer.refusal) return refusal_name(*answer.refusal);
  if (!answer.verdict) return "value";
  if (said.of == SaidAnswer::Of::pair) return *answer.verdict ? "connected" : "not connected";
  return *answer.verdict ? "accept" : "reject";
}

void print(const ExactStatistics& statistics, std::ostream& out) {
  const AttentionStatistics& s = statistics.attention;
  out << "attention: " << s.rows << " rows";
  for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
    if (s.by_rule[rule] > 0)
      out << ", " << s.by_rule[rule] << " by "
          << attention_rule_name(static_cast<AttentionRule>(rule));
  out << "\nscores: " << s.scores << " of distinct queries with distinct keys; "
      << s.decided_in_double << " comparisons in double, " << s.decided_exactly
      << " exactly, of these " << s.exact_ties << " ties\n"
      << "contracts: " << statistics.promises << " rows checked\n"
      << "values: " << statistics.values << " distinct; " << (statistics.bytes >> 20)
      << " MiB of tuples, values and caches\n";
  const ColumnStatistics& columns = statistics.columns;
  if (columns.inputs > 0)
    out << "columns: " << columns.inputs << (columns.inputs == 1 ? " input of " : " inputs of ")
        << columns.tokens << " tokens; " << columns.passes << " passes over the tokens, "
        << columns.evaluations << " evaluations, at most " << (columns.bytes >> 20) << " MiB\n";
  if (columns.handed_over > 0)
    out << "columns: " << columns.handed_over << (columns.handed_over == 1 ? " input" : " inputs")
        << " left to the general path; " << columns.reason << '\n';
  const RadicalTower::Statistics& nested = statistics.nested;
  if (nested.roots > 0)
    out << "nested radicals: " << nested.roots << "; " << nested.by_enclosure
        << " signs by enclosures, " << nested.by_elimination << " by elimination, of these "
        << nested.zeros << " zero\n";
}

void print(const RoundedStatistics& statistics, std::ostream& out) {
  const FloatStatistics& s = statistics.heads;
  out << "attention: " << s.rows << " rows: " << s.single << " have a unique maximum, " << s.ties
      << " tie, " << s.alike << " average equal values, " << s.ambiguous << " ambiguous\n"
      << "scores: " << s.scores << '\n'
      << "contracts: " << s.contracts_kept << " rows confirmed by their scores, "
      << s.contracts_unread << " not read from scores\n"
      << "tests for zero: " << s.tests << ", " << s.open_tests << " undecided\n"
      << "facts: " << statistics.unproved.value_or("proved from the file's program") << '\n';
}

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
  const ColumnStatistics& columns = statistics.columns;
  if (columns.inputs + columns.handed_over > 0) {
    auto& of = out["statistics"]["columns"] = {
        {"inputs", columns.inputs}, {"tokens", columns.tokens},
        {"passes", columns.passes}, {"evaluations", columns.evaluations},
        {"bytes", columns.bytes},   {"general_path", columns.handed_over}};
    if (columns.handed_over > 0) of["reason"] = columns.reason;
  }
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
  out["promises"] = {{"confirmed", s.contracts_kept}, {"unread", s.contracts_unread}};
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

RunText::RunText(const Model& model, bool rounded, bool trace_ends, bool only_messages)
    : model_(model),
      rounded_(rounded),
      trace_ends_(trace_ends),
      only_messages_(only_messages),
      state_names_(names_of_states(model)) {}

void RunText::print(const SaidAnswer& said) {
  const RunAnswer& answer = said.answer;
  which_ = said.which;
  if (said.separated) line("");
  if (answer.prefixes) {
    for (const Read<PrefixAnswer>& prefix : *answer.prefixes)
      if (prefix.has_value()) {
        line(named_text(prefix.value().value));
      } else {
        refuse(refusal_name(prefix.refusal()), describe(prefix.refusal()));
      }
  }
  if (answer.limit) {
    refuse(outcome(said), *answer.limit);
  } else if (!answer.refusal) {
    print_answer(said);
  } else if (answer.prefixes && !only_messages_) {
    say_sure(answer);  // no verdict was asked for
  } else {
    if (answer.depth) say_left_field(answer);
    refuse(outcome(said), describe(*answer.refusal));
  }
  std::cout << std::flush;
}

/// A verdict, or the numbers of the last token on one line; a table where every token has some.
void RunText::print_answer(const SaidAnswer& said) {
  const RunAnswer& answer = said.answer;
  const bool table = said.of == SaidAnswer::Of::pair || said.of == SaidAnswer::Of::streams;
  if (!answer.numbers.empty() && table) {
    print_table(answer.numbers);
    return say_sure(answer);
  }
  say_sure(answer);
  if (answer.prefixes) return;
  if (answer.divided)
    return line(answer.divided->quotient + " remainder " + answer.divided->remainder);
  if (answer.numbers.empty()) return line(outcome(said));
  const std::vector<std::string>& names = std::get<CellsOutput>(model_.output).names;
  std::string fields;
  for (std::size_t i = 0; i < names.size(); ++i)
    fields +=
        (fields.empty() ? "" : " ") + printable(names[i]) + "=" + text(answer.numbers.back()[i]);
  line(fields);
}

/// A line of names, then a line of values for every token, in a form that --cells reads again where
/// no value is a root of roots.
void RunText::print_table(const std::vector<std::vector<ReadNumber>>& numbers) const {
  std::string names;
  for (const std::string& name : std::get<CellsOutput>(model_.output).names)
    names += (names.empty() ? "" : " ") + printable(name);
  line(names);
  for (const std::vector<ReadNumber>& logits : numbers) {
    std::string values;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (i > 0) values += ' ';
      for (const char c : text(logits[i]))
        if (c != ' ') values += c;
    }
    line(values);
  }
}

/// The images of the points, or the state; a user's states by their names, in quotes.
std::string RunText::named_text(const PrefixAnswer& prefix) const {
  if (const auto* state = std::get_if<std::uint32_t>(&prefix))
    return *state < state_names_.size() ? nlohmann::json(state_names_[*state]).dump()
                                        : prefix_text(prefix);
  const auto& product = std::get<std::vector<std::uint32_t>>(prefix);
  if (state_names_.size() != product.size()) return prefix_text(prefix);
  nlohmann::json images = nlohmann::json::array();
  for (const std::uint32_t point : product) images.push_back(state_names_[point]);
  return images.dump();
}

/// Where the numbers of an exact run left the field, if it was finished with nested radicals.
void RunText::say_left_field(const RunAnswer& answer) {
  if (!answer.left_field) return;
  say("decided with nested radicals; the values leave the number field at " +
      printable(*answer.left_field, kMostPrinted) + (trace_ends_ ? ", where the trace ends" : ""));
}

/// An answer of floating point comes with its certificate; without one the run counts as not decided.
void RunText::say_sure(const RunAnswer& answer) {
  say_left_field(answer);
  if (!rounded_) return;
  const Confidence sure = confidence(answer);
  std::string reason = sure.reason;
  if (sure.bound)
    reason += (reason.empty() ? "" : "; ") + ("numbers within " + bound_text(*sure.bound));
  if (sure.certificate != Certificate::certified) refused_ = true;
  say(certificate_name(sure.certificate) +
      (reason.empty() ? "" : ": " + printable(reason, kMostPrinted)));
}

void RunText::refuse(const std::string& name, const std::string& reason) {
  refused_ = true;
  line(name);
  say(printable(reason, kMostPrinted));
}

void RunText::say(const std::string& text) const {
  std::cout << std::flush;
  std::cerr << "logdepth: " << which_ << text << '\n';
}

void RunText::line(const std::string& text) const {
  if (!only_messages_) std::cout << text << '\n';
}

void print_statistics(const RunStatistics& statistics, std::ostream& out) {
  std::visit([&](const auto& of) { logdepth::print(of, out); }, statistics);
}

nlohmann::json to_json(const Model& model, const SaidAnswer& said, bool rounded) {
  const RunAnswer& answer = said.answer;
  nlohmann::json out = said.input;
  out["outcome"] = answer.limit ? "beyond a limit" : outcome(said);
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
  if (answer.left_field && answer.depth) out["left_field"] = *answer.left_field;
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
  if (!rounded) return out;
  const Confidence sure = confidence(answer);
  out["certificate"] = certificate_name(sure.certificate);
  if (!sure.reason.empty()) out["reason"] = sure.reason;
  if (sure.bound) out["error_bound"] = *sure.bound;
  return out;
}

void add_statistics(const RunStatistics& statistics, bool all, nlohmann::json& out) {
  std::visit([&](const auto& of) { put(of, all, out); }, statistics);
}

}  // namespace logdepth::inline cli
