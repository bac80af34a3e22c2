#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "objects/automaton.hpp"
#include "runtime/columns/column_run.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/unrolling.hpp"

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

  const Model& model() const { return *model_; }
  ColumnRunner& columns() { return columns_; }

 private:
  std::string difference(const ColumnLogits& logits, std::size_t word, const Word& letters);

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
                                                const Word& letters) {
  std::vector<std::string> names;
  for (const Letter letter : letters) names.push_back(model_->alphabet[letter]);
  contracts_.forgive();
  const auto stream = general_.run_word(names, {&contracts_});
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

inline ColumnComparison::Result ColumnComparison::compare(const std::vector<Word>& words) {
  ColumnWords input(*model_);
  for (const Word& word : words) {
    std::vector<std::string> letters;
    for (const Letter letter : word) letters.push_back(model_->alphabet[letter]);
    if (!input.add_letters(letters)) return {true, "no input of columns", ""};
  }
  const std::uint64_t before = columns_.statistics().contracts;
  const auto logits = columns_.run(input, loops_at(model_->unroll, words[0].size()));
  if (!logits) return {true, columns_.statistics().reason, ""};
  const std::uint64_t proved = columns_.statistics().contracts - before;
  const std::uint64_t checked = contracts_.total_evaluated();
  for (std::size_t w = 0; w < words.size(); ++w)
    if (auto found = difference(*logits, w, words[w]); !found.empty()) return {false, "", found};
  if (proved != contracts_.total_evaluated() - checked) return {false, "", "rows of contracts"};
  return {};
}

}  // namespace logdepth::support
