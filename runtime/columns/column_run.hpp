#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/column_layer.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace runtime_columns {

/// What columns embed: tokens of words of one length, or of one graph.
struct ColumnTokens {
  std::vector<std::uint32_t> kinds;            ///< per token a number of its kind
  std::vector<const SparseVector*> embedding;  ///< by number of the kind
  std::vector<Rational> given;                 ///< per token the values of the first cells, or none
};

/// Words of one length, or the tokens of one graph: an input of columns.
class ColumnWords {
 public:
  explicit ColumnWords(const Model& model);

  /// Adds the tokens of a word, or of a graph. False, and nothing is added, for a token without an
  /// embedding, for a word of another length, and for given values beside other words or irrational ones.
  bool add(const Tokens& tokens);
  bool add(const std::vector<std::string>& kinds);
  /// Adds a word's letters, with the tokens that begin and end a word.
  bool add_letters(const std::vector<std::string>& letters);

  std::size_t words() const { return words_; }
  std::size_t tokens() const { return tokens_.kinds.size(); }
  const ColumnTokens& input() const { return tokens_; }

 private:
  bool append(const std::string& kind);
  bool append_given(const Tokens& tokens);
  bool finish(std::size_t before, bool complete);

  bool begin_ = false, end_ = false;
  std::size_t values_ = 0;  ///< given per token
  std::unordered_map<std::string, std::uint32_t> number_;
  ColumnTokens tokens_;
  std::size_t words_ = 0;
};

/// The logits of all tokens of an input, and what they answer. Keeps a reference to the model.
class ColumnLogits {
 public:
  /// Rows of the unembedding, in order, as numbers per class of tokens.
  struct Part {
    Combinations at;
    std::vector<Reals> values;  ///< per combination
  };
  ColumnLogits(const Model& model, std::vector<Part> parts, std::size_t period, std::size_t words);

  /// Tokens of a word, and words.
  std::size_t period() const { return period_; }
  std::size_t words() const { return words_; }
  Reals logits(std::size_t word, std::size_t token) const;
  /// As of Runner, of a word. Errors: InputError when the output of the model is another.
  Outcome<bool> accepts(std::size_t word, std::size_t token) const;
  Outcome<PrefixAnswer> prefix(std::size_t word, std::size_t token) const;
  /// Of a graph.
  Outcome<bool> connected(std::size_t source, std::size_t target) const;

 private:
  std::span<const Real> only(std::size_t word, std::size_t token) const;

  const Model& model_;
  std::vector<Part> parts_;  ///< one for each row of a relation, else one
  std::size_t period_, words_;
  mutable std::vector<std::optional<PrefixAnswer>> prefixes_;  ///< decided ones, per combination
};

/// Exact runs by columns: the residual stream is held as entries of small dictionaries, numbers
/// of single tokens are not made. Every step rests on a certificate, which is proved of the weights and
/// the input alone, or hands the input over: the answer is that of Runner, or there is none.
///
///     ColumnRunner runner(model, memory);
///     if (const auto logits = runner.run(words, loops)) ...   // else runner.statistics().reason
class ColumnRunner {
 public:
  /// Called after every sublayer, with what it has made of the input.
  using Progress = std::function<void(const Location&, const ColumnState&)>;

  /// Keeps a reference to the model. `memory`: how many bytes a run may hold, beside the model. `threads`:
  /// how many a run may use where it pays; nothing else depends on it.
  ColumnRunner(const Model& model, std::size_t memory, std::size_t threads = 1);
  ~ColumnRunner();

  /// Runs an input, the repeated block so many times, and proves every head's contract at every row; absent
  /// where the input is handed over. `beside`: bytes of the memory that something else holds.
  /// Precondition: at least one token, and an input within the hypotheses. What was interned for one
  /// input is kept for the next.
  std::optional<ColumnLogits> run(const ColumnWords& words, std::uint64_t loops,
                                  std::size_t beside = 0, const Progress& progress = {});
  /// Drops it.
  void forget();

  const ColumnStatistics& statistics() const { return statistics_; }
  /// What is held between runs.
  std::size_t bytes() const;

 private:
  ColumnLogits run_layers(ColumnState& state, std::uint64_t loops, const Progress& progress,
                          ColumnRows& rows);
  void run_sublayer(ColumnState& state, const Location& location, ColumnRows& rows);
  void look_at_memory(const ColumnState& state);
  ColumnLogits read(ColumnState& state) const;
  void forget_input();

  const Model& model_;
  const std::size_t memory_, threads_;
  std::size_t limit_ = 0;  ///< of the latest run
  std::optional<ColumnPools> pools_;
  std::vector<std::unique_ptr<ColumnLayer>> layers_;
  std::size_t heads_ = 0;  ///< of all layers of the file
  ColumnAttention attention_;
  ColumnAverages averages_;
  ColumnStatistics statistics_;
};

}}  // namespace logdepth::runtime_columns
