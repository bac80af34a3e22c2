#include "runtime/exact/attention_question.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "runtime/exact/exact_sum.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// Sets of blocks are bits of one word; what lies beyond shares the last bit.
constexpr std::uint32_t kMaxBlocks = 64;
constexpr std::size_t kSampledKeys = 64;
constexpr std::size_t kMaxRun = 8;
constexpr double kSeemsEqual = 0x1p-40;
/// More sets of blocks than this are asked for together: every question goes through all keys.
constexpr std::size_t kMaxQuestions = 8;

/// The block of every dimension. A block is a run of dimensions on which all sampled keys seem to
/// have one norm, those that are zero there aside; dimensions left over are blocks of their own.
/// Doubles will do: blocks decide how much the rules can prove, never what is true.
std::vector<std::uint32_t> block_of_dimension(const HeadRows<ValueId>& rows,
                                              const ValuePool& pool) {
  std::vector<TupleId> sample;
  const std::size_t step = std::max<std::size_t>(rows.tokens() / kSampledKeys, 1);
  for (std::size_t token = 0; token < rows.tokens(); token += step)
    sample.push_back(rows.keys[token]);
  std::sort(sample.begin(), sample.end());
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());

  const std::size_t dimensions = rows.score_dimension();
  std::vector<std::uint32_t> result;
  std::uint32_t block = 0;
  std::vector<double> squares;
  for (std::size_t begin = 0; begin < dimensions;) {
    squares.assign(sample.size(), 0);
    std::size_t end = begin;
    bool one_norm = false;
    while (end < std::min(dimensions, begin + kMaxRun) && !one_norm) {
      double norm = 0;
      one_norm = true;
      for (std::size_t i = 0; i < sample.size(); ++i) {
        const double x = pool.approximation((*rows.vectors)[sample[i]][end]).value;
        squares[i] += x * x;
        if (norm == 0) norm = squares[i];
        one_norm = one_norm && (squares[i] == 0 || std::abs(squares[i] / norm - 1) < kSeemsEqual);
      }
      ++end;
    }
    if (!one_norm) end = begin + 1;
    result.insert(result.end(), end - begin, std::min(block++, kMaxBlocks - 1));
    begin = end;
  }
  return result;
}

class Restriction {
 public:
  Restriction(HeadRows<ValueId>& rows, HeadMemory::Blocks& memory,
              const std::vector<std::uint32_t>& block_of)
      : rows_(rows), memory_(memory) {
    for (std::uint32_t d = 0; d < block_of.size(); ++d) {
      if (block_of[d] == blocks_.size()) blocks_.emplace_back();
      blocks_[block_of[d]].push_back(d);
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (varies(b)) varying_ |= std::uint64_t{1} << b;
    std::set<std::uint64_t> sets;
    std::uint64_t last = 0;
    for (const TupleId query : rows_.queries) {
      const std::uint64_t set = support(query) & varying_;
      if (set == last || set == 0) continue;
      sets.insert(last = set);
      together_ = together_ || sets.size() > kMaxQuestions;
      if (together_) break;
    }
  }

  const std::vector<std::vector<std::uint32_t>>& blocks() const { return blocks_; }
  /// The blocks that a query asks for: where it is not zero and keys differ, or all such blocks.
  std::uint64_t asked_by(TupleId query) {
    const std::uint64_t set = support(query) & varying_;
    return together_ && set != 0 ? varying_ : set;
  }

  /// The vector with all blocks outside `set` zeroed.
  TupleId restricted(TupleId id, std::uint64_t set) {
    if ((support(id) & ~set) == 0) return id;
    if (set != last_set_ || !last_) {
      last_ = &memory_.restricted[set];
      last_set_ = set;
    }
    if (id >= last_->size()) last_->resize(rows_.vectors->size(), Memo::kUnknown);
    TupleId& known = (*last_)[id];
    if (known == Memo::kUnknown) {
      const auto vector = (*rows_.vectors)[id];
      vector_.assign(vector.begin(), vector.end());
      for (std::size_t b = 0; b < blocks_.size(); ++b)
        if (!(set >> b & 1))
          for (const std::uint32_t d : blocks_[b]) vector_[d] = ValuePool::kZero;
      known = rows_.vectors->intern(vector_.data());
    }
    return known;
  }

 private:
  bool varies(std::size_t block) const {
    const auto differ = [&](TupleId a, TupleId b) {
      const auto x = (*rows_.vectors)[a], y = (*rows_.vectors)[b];
      return std::any_of(blocks_[block].begin(), blocks_[block].end(),
                         [&](std::uint32_t d) { return x[d] != y[d]; });
    };
    return std::any_of(rows_.keys.begin(), rows_.keys.end(), [&](TupleId key) {
      return key != rows_.keys.front() && differ(key, rows_.keys.front());
    });
  }
  std::uint64_t support(TupleId id) {
    while (memory_.support.size() <= id) {
      const auto vector = (*rows_.vectors)[static_cast<TupleId>(memory_.support.size())];
      std::uint64_t set = 0;
      for (std::size_t b = 0; b < blocks_.size(); ++b)
        for (const std::uint32_t d : blocks_[b])
          if (vector[d] != ValuePool::kZero) set |= std::uint64_t{1} << b;
      memory_.support.push_back(set);
    }
    return memory_.support[id];
  }

  HeadRows<ValueId>& rows_;
  HeadMemory::Blocks& memory_;
  std::vector<std::vector<std::uint32_t>> blocks_;
  std::uint64_t varying_ = 0;
  bool together_ = false;
  std::vector<TupleId>* last_ = nullptr;
  std::uint64_t last_set_ = 0;
  std::vector<ValueId> vector_;
};

KeyClasses classes_of(const HeadRows<ValueId>& rows, Restriction& restriction, std::uint64_t set) {
  KeyClasses classes;
  classes.of_position.reserve(rows.tokens());
  classes.of_vector = NumberedVectors(rows.tokens());
  for (std::uint32_t position = 0; position < rows.tokens(); ++position) {
    const TupleId key = restriction.restricted(rows.keys[position], set);
    std::uint32_t& known = classes.of_vector[key];
    if (known == KeyClasses::kNone) {
      known = static_cast<std::uint32_t>(classes.size());
      classes.first.push_back(position);
      classes.vector.push_back(key);
    }
    classes.of_position.push_back(known);
  }
  return classes;
}

}  // namespace

std::size_t KeyClasses::seen_by(std::size_t visible) const {
  return static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), visible) -
                                  first.begin());
}

ValueId Question::squares(std::uint32_t block, const std::vector<std::uint32_t>& dimensions,
                          TupleId id) {
  if (memory->squares.size() <= block) memory->squares.resize(block + 1);
  auto& known = memory->squares[block];
  constexpr ValueId unknown = static_cast<ValueId>(-1);
  if (known.size() <= id) known.resize(rows->vectors->size(), unknown);
  if (known[id] == unknown) {
    ExactSum sum;
    for (const std::uint32_t d : dimensions) {
      const ValueId x = vector(id)[d];
      if (x != ValuePool::kZero) sum.add_product((*pool)[x], (*pool)[x]);
    }
    known[id] = pool->intern(sum.value());
  }
  return known[id];
}

std::vector<Question> questions_of(HeadRows<ValueId>& rows, ValuePool& pool, HeadMemory& memory) {
  std::vector<Question> questions;
  if (rows.tokens() == 0) return questions;
  const std::vector<std::uint32_t> block_of = block_of_dimension(rows, pool);
  HeadMemory::Blocks& kept = memory.by_blocks[block_of];
  Restriction restriction(rows, kept, block_of);
  std::map<std::uint64_t, std::size_t> question_of;
  std::vector<NumberedVectors> ask_of_query;  // without a mask
  constexpr std::size_t kReserved = 64;       // rows; more are few inputs
  const auto all = static_cast<std::uint32_t>(rows.tokens());
  std::uint64_t last_set = 0;
  std::size_t last = 0;
  for (std::uint32_t token = 0; token < rows.tokens(); ++token) {
    const std::uint64_t set = restriction.asked_by(rows.queries[token]);
    if (questions.empty() || set != last_set) {
      const auto [entry, fresh] = question_of.try_emplace(set, questions.size());
      if (fresh) {
        Question& question = questions.emplace_back();
        question.rows = &rows;
        question.pool = &pool;
        question.memory = &kept;
        for (std::uint32_t b = 0; b < restriction.blocks().size(); ++b)
          if (set >> b & 1) {
            question.blocks.push_back(restriction.blocks()[b]);
            question.numbers.push_back(b);
          }
        const std::size_t reserved = std::min(rows.tokens(), kReserved);
        question.asks.reserve(reserved);
        question.tokens.reserve(reserved);
        question.ask_of.reserve(reserved);
        if (!rows.causal) ask_of_query.emplace_back(rows.tokens());
      }
      last_set = set;
      last = entry->second;
    }
    Question& question = questions[last];
    const TupleId query = restriction.restricted(rows.queries[token], set);
    std::uint32_t ask = static_cast<std::uint32_t>(question.asks.size());
    if (!rows.causal) {
      std::uint32_t& known = ask_of_query[last][query];
      if (known == NumberedVectors::kNone) known = ask;
      ask = known;
    }
    if (ask == question.asks.size())
      question.asks.push_back(
          {query, rows.causal ? token + 1 : all, Question::kOpen, AttentionRule::uniform});
    question.tokens.push_back(token);
    question.ask_of.push_back(ask);
  }
  for (const auto& [set, number] : question_of)
    questions[number].keys = classes_of(rows, restriction, set);
  return questions;
}

}  // namespace logdepth::inline runtime_exact
