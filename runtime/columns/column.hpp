#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/columns/families.hpp"
#include "runtime/columns/labels.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/stream.hpp"

namespace logdepth { inline namespace runtime_columns {

/// What stands in one segment, for all tokens: token i holds the entry dictionary[local[i]], and
/// index->at(i) is the e of an entry with a matrix. A function of one column is a new dictionary, and
/// no pass over the tokens.
struct Column {
  SharedLabels local;  ///< absent: every token holds dictionary[0]
  std::vector<EntryId> dictionary;
  SharedIndex index;  ///< absent: no entry has a matrix

  Label at(std::size_t token) const { return local ? (*local)[token] : 0; }
};
using Columns = std::vector<const Column*>;

/// The combinations of entries that columns hold at one token, and others that do not occur any more.
struct Combinations {
  SharedLabels local;                         ///< absent: every token holds the first
  std::vector<std::vector<EntryId>> entries;  ///< per combination: one entry per column

  Label at(std::size_t token) const { return local ? (*local)[token] : 0; }
};

/// All passes over the tokens that make columns from columns. What a pass made is given again, by the
/// serial numbers of what it read, as long as it lives: two heads that read the same columns have to
/// get the same one, or what one adds the other does not take away.
class ColumnPasses {
 public:
  explicit ColumnPasses(std::shared_ptr<LabelMemory> memory, std::size_t threads = 1)
      : memory_(std::move(memory)), threads_(threads) {}

  std::size_t tokens() const { return memory_->tokens(); }
  const std::shared_ptr<LabelMemory>& memory() const { return memory_; }
  std::uint64_t passes() const { return passes_; }
  void count_pass() { ++passes_; }
  std::size_t threads() const { return threads_; }
  /// The tokens, for threads to share.
  Parts parts() const { return {tokens(), threads_, kLeastPart}; }

  /// Columns with one `local` are one part; a pass is made where another joins. Combinations are
  /// numbered as they first occur. Errors: HandOver where there are so many that nothing is gained, or more
  /// than `most`.
  Combinations combine(const Columns& columns, std::optional<std::size_t> most = std::nullopt);
  /// The column that holds entries[k] where combination k stands; indices[k] is where its e stands.
  Column relabel(const Combinations& from, const std::vector<EntryId>& entries,
                 const std::vector<SharedIndex>& indices);
  /// to[from[i]] for every token i.
  SharedLabels renamed(const SharedLabels& from, const std::vector<Label>& to);
  /// from[at[i]] for every token i.
  SharedLabels gather(const Label* from, const SharedLabels& at);
  /// Labels to be filled by a pass of the caller's.
  std::shared_ptr<Labels> labels() {
    ++passes_;
    return std::make_shared<Labels>(memory_);
  }
  /// Drops what is known of labels that are gone.
  void forget_dead();

 private:
  /// Per combination, the number in every part.
  using Numbers = std::vector<std::vector<Label>>;
  struct Joined {
    std::weak_ptr<const Labels> local;
    Numbers numbers;
    HeldBytes held;  ///< by the numbers
  };
  struct Part {
    SharedLabels local;
    std::size_t size = 0;
  };
  std::shared_ptr<Labels> join_pair(const SharedLabels& left, Numbers& numbers, const Part& right,
                                    std::size_t most);
  SharedIndex merged(const Combinations& from, const std::vector<SharedIndex>& indices);

  /// Starting a thread costs about as much as passing over so many tokens.
  static constexpr std::size_t kLeastPart = std::size_t{1} << 15;

  std::shared_ptr<LabelMemory> memory_;
  std::size_t threads_;
  std::uint64_t passes_ = 0;
  std::map<std::vector<std::uint64_t>, Joined> joined_;
  std::map<std::pair<std::uint64_t, std::vector<Label>>, std::weak_ptr<const Labels>> renamed_;
};

/// The rule that answered all rows of a head.
enum class ColumnRule { uniform, match, angle, projection, scores, classes, planes };

/// How many rows each rule answered.
using ColumnRows = std::array<std::uint64_t, 7>;

/// What column runs did so far.
struct ColumnStatistics {
  std::uint64_t inputs = 0, tokens = 0;       ///< run to the end; tokens of these
  std::uint64_t passes = 0, evaluations = 0;  ///< of these: over the tokens; of maps and units
  std::uint64_t contracts = 0;                ///< of these: rows at which a contract was proved
  std::size_t bytes = 0;                      ///< the most that one of these held
  ColumnRows rows{};                          ///< of these: by ColumnRule
  std::uint64_t handed_over = 0;              ///< inputs
  std::string reason;                         ///< of the latest that was handed over
};

/// What is kept from one input to the next: interned entries, which memos name.
struct ColumnPools {
  explicit ColumnPools(const Model& of)
      : model(of), segments(segments_of(of)), entries(segments.size()) {}

  const Model& model;
  Segments segments;
  std::vector<EntryPool> entries;  ///< per segment
  EntryPool factors, signatures, boxes;

  std::size_t bytes() const {
    std::size_t total = factors.bytes() + signatures.bytes() + boxes.bytes();
    for (const EntryPool& pool : entries) total += pool.bytes();
    return total;
  }
  std::size_t length(std::uint32_t segment) const { return segments.coordinates[segment].size(); }
};

/// The residual stream of an input as columns, one per segment. The input is one word, or words of one
/// length one after the other: a token sees its own word.
struct ColumnState {
  ColumnState(ColumnPools& of, std::size_t tokens, std::size_t tokens_of_word, std::size_t memory,
              std::size_t threads)
      : pools(of),
        passes(std::make_shared<LabelMemory>(tokens, memory), threads),
        period(tokens_of_word),
        codes(code_family(of.model, tokens)) {}

  ColumnPools& pools;
  ColumnPasses passes;
  std::size_t period;  ///< tokens of a word
  SharedFamily codes;  ///< of positions
  std::vector<Column> stream;
  std::optional<Column> word;     ///< made by word_column()
  std::uint64_t evaluations = 0;  ///< of maps and units, once per combination

  std::size_t tokens() const { return passes.tokens(); }
  std::size_t words() const { return tokens() / period; }
};

/// The column whose entries are the labels themselves, which are less than `size`.
inline Column numbered(SharedLabels local, std::size_t size) {
  Column column{std::move(local), std::vector<EntryId>(std::max<std::size_t>(size, 1)), nullptr};
  std::iota(column.dictionary.begin(), column.dictionary.end(), EntryId{0});
  return column;
}

/// Which word a token is of.
inline Column word_column(ColumnState& state) {
  if (!state.word) {
    std::shared_ptr<Labels> local;
    if (state.words() > 1) {
      local = state.passes.labels();
      for (std::size_t i = 0; i < state.tokens(); ++i)
        local->data()[i] = static_cast<Label>(i / state.period);
    }
    state.word = numbered(local, state.words());
  }
  return *state.word;
}

/// The first of the columns that has the index of this one: the name of an index among them.
inline std::uint32_t index_name(const Columns& columns, std::size_t column) {
  std::uint32_t first = 0;
  while (columns[first]->index != columns[column]->index) ++first;
  return first;
}

inline Columns pointers(const std::vector<Column>& columns) {
  Columns result;
  for (const Column& column : columns) result.push_back(&column);
  return result;
}
inline Columns pointers(const std::vector<Column>& from,
                        const std::vector<std::uint32_t>& segments) {
  Columns result;
  for (const std::uint32_t s : segments) result.push_back(&from[s]);
  return result;
}

}}  // namespace logdepth::runtime_columns
