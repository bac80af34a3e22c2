#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "objects/automaton.hpp"
#include "runtime/columns/column_run.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"

/// Runs by columns held against the general path, which knows no contract and no certificate.
namespace logdepth::support {

class ColumnComparison {
 public:
  explicit ColumnComparison(Model model);

  struct Result {
    bool handed_over = false;
    std::string reason;      ///< of what is handed over
    std::string difference;  ///< empty: all logits, contracts and refusals are equal
  };
  /// Words of one length, as one input of columns.
  Result compare(const std::vector<Word>& words);
  /// The tokens of a graph, or of a raw input.
  Result compare(const Tokens& tokens) { return compare(std::vector{tokens}); }
  /// Graphs with one number of tokens, as one input of columns.
  Result compare(const std::vector<Tokens>& graphs);

  const Model& model() const { return *model_; }
  ColumnRunner& columns() { return columns_; }

 private:
  Result compare(const ColumnWords& input, std::uint64_t size,
                 const std::vector<Tokens>& tokens_of_words);
  std::string difference(const ColumnLogits& logits, std::size_t word, const Tokens& tokens);

  std::unique_ptr<const Model> model_;  // runners keep references to it
  Runner general_;
  ContractCheck contracts_;
  ColumnRunner columns_;
};

inline ColumnComparison::ColumnComparison(Model model)
    : model_(std::make_unique<const Model>(std::move(model))),
      general_(*model_),
      contracts_(*model_, general_.arithmetic()),
      columns_(*model_, std::size_t{1} << 32) {}

inline std::string ColumnComparison::difference(const ColumnLogits& logits, std::size_t word,
                                                const Tokens& tokens) {
  contracts_.clear_broken();
  const auto stream = general_.run(tokens, {&contracts_});
  if (!stream.has_value()) return "refused: " + describe(stream.refusal());
  if (const auto broken = contracts_.broken()) return "contract: " + *broken;
  if (stream.value().tokens != logits.period()) return "another number of tokens";
  for (std::size_t token = 0; token < stream.value().tokens; ++token) {
    const auto right = general_.logits(stream.value(), token);
    const auto found = logits.logits(word, token);
    for (std::size_t row = 0; row < right.size(); ++row)
      if (!(right[row] == Real(found[row])))
        return fmt::format("word {}, token {}, row {}: {} in place of {}", word, token, row,
                           found[row].text(), right[row].text());
  }
  return "";
}

inline ColumnComparison::Result ColumnComparison::compare(
    const ColumnWords& input, std::uint64_t size, const std::vector<Tokens>& tokens_of_words) {
  const std::uint64_t before = columns_.statistics().contracts;
  const auto logits = columns_.run(input, loops_at(model_->unroll, size));
  if (!logits) return {true, columns_.statistics().reason, ""};
  const std::uint64_t proved = columns_.statistics().contracts - before;
  const std::uint64_t checked = contracts_.total_evaluated();
  for (std::size_t w = 0; w < tokens_of_words.size(); ++w)
    if (auto found = difference(*logits, w, tokens_of_words[w]); !found.empty())
      return {false, "", found};
  if (proved != contracts_.total_evaluated() - checked) return {false, "", "rows of contracts"};
  return {};
}

inline ColumnComparison::Result ColumnComparison::compare(const std::vector<Word>& words) {
  ColumnWords input(*model_);
  std::vector<Tokens> tokens;
  for (const Word& word : words) {
    std::vector<std::string> letters;
    for (const Letter letter : word) letters.push_back(model_->alphabet[letter]);
    if (!input.add_letters(letters)) return {true, "no input of columns", ""};
    tokens.push_back(tokens_of(*model_, letters).value());
  }
  return compare(input, words[0].size(), tokens);
}

inline ColumnComparison::Result ColumnComparison::compare(const std::vector<Tokens>& graphs) {
  ColumnWords input(*model_);
  for (const Tokens& tokens : graphs)
    if (!input.add(tokens)) return {true, "no input of columns", ""};
  return compare(input, graphs[0].size, graphs);
}

/// A contract of heads for words that has nothing to do with the head: uniform, match, rightmost or
/// flagged, by `kind` from 0 to 3. `flag`: the coordinate that it names.
inline Contract contract_of_kind(std::uint64_t kind, std::uint32_t flag, std::mt19937_64& random) {
  switch (kind) {
    case 0:
      return UniformContract{};
    case 1:
      return MatchContract{random() % 2 == 0};
    case 2:
      return RightmostContract{{{flag, 1}}};
    default:
      return FlaggedContract{{{flag, 1}}, std::nullopt};
  }
}

}  // namespace logdepth::support
