#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/columns/column_run.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline library_runs {

/// An input that was run by columns: where its logits are.
struct ColumnAnswer {
  std::shared_ptr<const ColumnLogits> logits;
  std::size_t word = 0;  ///< of the logits
};

/// Runs inputs by columns: long words alone, announced ones in groups of one length, graphs.
class ColumnAnswers {
 public:
  using AnnouncedWords = std::vector<std::vector<std::string>>;

  /// Keeps a reference. Inputs and groups of fewer than `least_tokens` tokens and given values are not run.
  ColumnAnswers(const Model& model, std::size_t memory, std::size_t threads,
                std::size_t least_tokens, ColumnRunner::Progress progress);

  /// Keeps a reference.
  void announce(const AnnouncedWords& words);
  /// A single input, or a word that was announced; absent: it is for the general path. `beside`: bytes of the
  /// memory that something else holds.
  std::optional<ColumnAnswer> run(const Tokens& tokens, std::size_t beside);
  std::optional<ColumnAnswer> run_announced(std::size_t word, const Tokens& tokens,
                                            std::size_t beside);
  /// Drops what is remembered for the next input, where the general path could miss its memory.
  void forget_large();

  ColumnStatistics statistics() const {
    return runner_ ? runner_->statistics() : ColumnStatistics();
  }
  std::size_t bytes() const { return runner_ ? runner_->bytes() : 0; }

 private:
  bool fits(std::size_t tokens) const;
  bool fits(const Tokens& tokens) const;
  ColumnRunner& runner();
  void run_group(std::size_t first, std::uint64_t size, std::size_t beside);

  const Model& model_;
  bool takes_words_;
  std::size_t memory_, threads_, least_tokens_;
  ColumnRunner::Progress progress_;
  std::optional<ColumnRunner> runner_;
  const AnnouncedWords* announced_ = nullptr;
  /// By their numbers of letters, in order: announced words that were in no group.
  std::unordered_map<std::uint64_t, std::deque<std::size_t>> waiting_;
  std::map<std::size_t, ColumnAnswer> answers_;  ///< of announced words not asked for yet
};

}  // namespace logdepth::inline library_runs
