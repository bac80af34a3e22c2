#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/exact/attention_memory.hpp"
#include "runtime/exact/value_pool.hpp"
#include "runtime/stream/head_rows.hpp"

namespace logdepth::inline runtime_exact {

/// Numbers of some vectors of a head, in a table as large as an input and not as all vectors that
/// earlier inputs had.
class NumberedVectors {
 public:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  /// Room for so many vectors.
  explicit NumberedVectors(std::size_t vectors = 0)
      : slots_(std::bit_ceil(2 * vectors + 2), {kNone, kNone}) {}
  /// The number of a vector, kNone at first.
  std::uint32_t& operator[](TupleId id) {
    auto& [vector, number] = slots_[slot_of(id)];
    vector = id;
    return number;
  }
  std::uint32_t find(TupleId id) const { return slots_[slot_of(id)].second; }

 private:
  std::size_t slot_of(TupleId id) const {
    std::size_t slot = id * std::uint64_t{0x9e3779b97f4a7c15} >> 32 & (slots_.size() - 1);
    while (slots_[slot].first != id && slots_[slot].first != kNone)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::vector<std::pair<TupleId, std::uint32_t>> slots_;  // open addressing, at most half full
};

/// Keys that are equal on the blocks asked for. Classes are numbered by their first position.
struct KeyClasses {
  static constexpr std::uint32_t kNone = NumberedVectors::kNone;

  std::vector<std::uint32_t> of_position;
  std::vector<std::uint32_t> first;  ///< per class, its first position
  std::vector<TupleId> vector;       ///< per class, the key with other blocks zeroed
  NumberedVectors of_vector;         ///< the class of a vector, or kNone

  std::size_t size() const { return first.size(); }
  /// Number of classes that some of the first `visible` positions belong to.
  std::size_t seen_by(std::size_t visible) const;
};

/// One query beside the keys at positions 0 .. visible-1, and what was found: positions whose key
/// is in one of some classes, or all of them.
struct Ask {
  TupleId query = 0;  ///< with other blocks zeroed
  std::uint32_t visible = 0;
  std::uint32_t answer = 0;  ///< a class, kEverything, or kSeveral + a number in Question::several
  AttentionRule rule = AttentionRule::uniform;
};

/// The rows of one head whose queries are non-zero on the same blocks, and the keys on these
/// blocks. Blocks on which all keys are equal shift all scores of a row alike and are not asked
/// for.
struct Question {
  static constexpr std::uint32_t kOpen = static_cast<std::uint32_t>(-1);
  static constexpr std::uint32_t kEverything = static_cast<std::uint32_t>(-2);
  static constexpr std::uint32_t kSeveral = std::uint32_t{1} << 31;

  const HeadRows<ValueId>* rows = nullptr;
  ValuePool* pool = nullptr;
  HeadMemory::Blocks* memory = nullptr;
  std::vector<std::vector<std::uint32_t>> blocks;  ///< asked for; dimensions of each
  std::vector<std::uint32_t> numbers;              ///< of these blocks
  KeyClasses keys;
  /// Under the causal mask one per row, in their order; else one per distinct query.
  std::vector<Ask> asks;
  std::vector<std::uint32_t> tokens;                ///< the rows
  std::vector<std::uint32_t> ask_of;                ///< per row of `tokens`, its ask
  std::vector<std::vector<std::uint32_t>> several;  ///< sets of classes, increasing

  /// The answer that stands for several classes.
  std::uint32_t answer_of(std::vector<std::uint32_t> classes) {
    several.push_back(std::move(classes));
    return kSeveral + static_cast<std::uint32_t>(several.size() - 1);
  }
  std::span<const ValueId> vector(TupleId id) const { return (*rows->vectors)[id]; }
  /// Squared norm of a vector on one of the head's blocks; by block number, kept in the memory.
  ValueId squares(std::uint32_t block, const std::vector<std::uint32_t>& dimensions, TupleId id);
};

/// All rows of a head, question by question.
std::vector<Question> questions_of(HeadRows<ValueId>& rows, ValuePool& pool, HeadMemory& memory);

/// The rules after `uniform`: each answers asks that are open, or leaves them open.
void attend_by_match(Question& question, AttentionStatistics& statistics);
void attend_by_angle(Question& question, AttentionStatistics& statistics);
void attend_by_distinct_keys(Question& question, AttentionStatistics& statistics,
                             std::size_t threads);

/// Averages what the asks select, and hands every row to the sink.
void average_answers(const Question& question, const RowSink& sink);

}  // namespace logdepth::inline runtime_exact
