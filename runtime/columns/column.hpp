#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/columns/entries.hpp"
#include "runtime/columns/families.hpp"
#include "runtime/columns/labels.hpp"
#include "runtime/columns/token_parts.hpp"

namespace logdepth::inline runtime_columns {

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
  /// from[selected[i]] for every token i.
  SharedLabels gather(const SharedLabels& from, const SharedLabels& selected);
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

}  // namespace logdepth::inline runtime_columns
