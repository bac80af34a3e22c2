#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/exact/exact.hpp"

namespace logdepth { inline namespace runtime_exact {

const char* attention_rule_name(AttentionRule rule) {
  constexpr const char* names[] = {"uniform", "match", "angle", "one_query", "distinct_keys"};
  return names[static_cast<std::size_t>(rule)];
}

AttentionStatistics& AttentionStatistics::operator+=(const AttentionStatistics& other) {
  rows += other.rows;
  for (std::size_t r = 0; r < by_rule.size(); ++r) by_rule[r] += other.by_rule[r];
  scores += other.scores;
  decided_in_double += other.decided_in_double;
  decided_exactly += other.decided_exactly;
  exact_ties += other.exact_ties;
  return *this;
}

AttentionStatistics operator-(AttentionStatistics later, const AttentionStatistics& earlier) {
  later.rows -= earlier.rows;
  for (std::size_t r = 0; r < later.by_rule.size(); ++r) later.by_rule[r] -= earlier.by_rule[r];
  later.scores -= earlier.scores;
  later.decided_in_double -= earlier.decided_in_double;
  later.decided_exactly -= earlier.decided_exactly;
  later.exact_ties -= earlier.exact_ties;
  return later;
}

namespace {

/// One query beside the keys at positions 0 .. visible-1, and what was found: positions whose key
/// is in one of some classes, or all of them.
struct Ask {
  TupleId query = 0;  ///< of Question::vectors
  std::uint32_t visible = 0;
  std::uint32_t answer = 0;  ///< a class, kEverything, or kSeveral + a number in Question::several
  AttentionRule rule = AttentionRule::uniform;
};

/// The rows of one head whose queries are not zero on the same dimensions, and the keys on these.
/// Dimensions on which all keys are equal shift all scores of a row alike and are not asked for.
struct Question {
  static constexpr std::uint32_t kOpen = static_cast<std::uint32_t>(-1);
  static constexpr std::uint32_t kEverything = static_cast<std::uint32_t>(-2);
  static constexpr std::uint32_t kSeveral = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kNoClass = static_cast<std::uint32_t>(-1);

  Question(const HeadRows<ValueId>& head, ValuePool& numbers, std::vector<std::uint32_t> asked)
      : rows(&head),
        pool(&numbers),
        dimensions(std::move(asked)),
        vectors(dimensions.size(), ValuePool::kZero) {}

  const HeadRows<ValueId>* rows;
  ValuePool* pool;
  std::vector<std::uint32_t> dimensions;
  TuplePool<ValueId> vectors;  ///< queries and keys on these dimensions
  /// Keys that are equal there are one class. Classes are numbered by their first position.
  std::vector<std::uint32_t> class_of_position;
  std::vector<std::uint32_t> first;  ///< per class, its first position
  std::vector<TupleId> keys;         ///< per class
  /// Under the causal mask one per row, in their order; else one per distinct query.
  std::vector<Ask> asks;
  std::vector<std::uint32_t> tokens;                ///< the rows
  std::vector<std::uint32_t> ask_of;                ///< per row of `tokens`, its ask
  std::vector<std::vector<std::uint32_t>> several;  ///< sets of classes, increasing

  /// A query or key of the head on the dimensions asked for.
  TupleId restricted(TupleId id) {
    const auto vector = (*rows->vectors)[id];
    restricted_.clear();
    for (const std::uint32_t d : dimensions) restricted_.push_back(vector[d]);
    return vectors.intern(restricted_.data());
  }
  void find_classes() {
    std::vector<std::uint32_t> class_of;  // by vector
    class_of_position.reserve(rows->tokens());
    for (std::uint32_t position = 0; position < rows->tokens(); ++position) {
      const TupleId key = restricted(rows->keys[position]);
      if (key >= class_of.size()) class_of.resize(vectors.size(), kNoClass);
      if (class_of[key] == kNoClass) {
        class_of[key] = static_cast<std::uint32_t>(keys.size());
        first.push_back(position);
        keys.push_back(key);
      }
      class_of_position.push_back(class_of[key]);
    }
  }
  /// Number of classes that some of the first `visible` positions belong to.
  std::size_t seen_by(std::size_t visible) const {
    return static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), visible) -
                                    first.begin());
  }
  /// The answer that stands for several classes.
  std::uint32_t answer_of(std::vector<std::uint32_t> classes) {
    several.push_back(std::move(classes));
    return kSeveral + static_cast<std::uint32_t>(several.size() - 1);
  }

 private:
  std::vector<ValueId> restricted_;
};

/// More sets of dimensions than this are asked for together.
constexpr std::size_t kMaxQuestions = 8;

/// The dimensions on which a query is not zero and keys differ, for all queries of a head.
class AskedDimensions {
 public:
  explicit AskedDimensions(const HeadRows<ValueId>& rows) : rows_(rows) {
    for (std::uint32_t d = 0; d < rows.score_dimension(); ++d)
      if (std::any_of(rows.keys.begin(), rows.keys.end(), [&](TupleId key) {
            return key != rows.keys.front() && (*rows.vectors)[key][d] != rows.key(0)[d];
          }))
        varying_.push_back(d);
  }

  const std::vector<std::uint32_t>& all() const { return varying_; }
  const std::vector<std::uint32_t>& of(TupleId query) {
    const auto vector = (*rows_.vectors)[query];
    asked_.clear();
    for (const std::uint32_t d : varying_)
      if (vector[d] != ValuePool::kZero) asked_.push_back(d);
    return asked_;
  }

 private:
  const HeadRows<ValueId>& rows_;
  std::vector<std::uint32_t> varying_, asked_;
};

/// All rows of a head, question by question.
std::vector<Question> questions_of(const HeadRows<ValueId>& rows, ValuePool& pool) {
  std::vector<Question> questions;
  if (rows.tokens() == 0) return questions;
  AskedDimensions asked(rows);
  std::vector<std::vector<std::uint32_t>> sets;
  std::vector<std::size_t> set_of(rows.tokens());
  for (std::size_t token = 0; token < rows.tokens() && sets.size() <= kMaxQuestions; ++token) {
    if (token > 0 && rows.queries[token] == rows.queries[token - 1]) {
      set_of[token] = set_of[token - 1];
      continue;
    }
    const auto& own = asked.of(rows.queries[token]);
    const auto known = std::find(sets.begin(), sets.end(), own);
    set_of[token] = static_cast<std::size_t>(known - sets.begin());
    if (known == sets.end()) sets.push_back(own);
  }
  if (sets.size() > kMaxQuestions) {
    for (std::size_t token = 0; token < rows.tokens(); ++token)
      set_of[token] = asked.of(rows.queries[token]).empty() ? 0 : 1;
    sets = {{}, asked.all()};
  }
  questions.reserve(sets.size());
  for (auto& set : sets) questions.emplace_back(rows, pool, std::move(set));

  std::vector<std::vector<std::uint32_t>> ask_of_query(sets.size());  // without a mask, by vector
  if (sets.size() == 1) {
    questions[0].asks.reserve(rows.tokens());
    questions[0].tokens.reserve(rows.tokens());
    questions[0].ask_of.reserve(rows.tokens());
  }
  for (std::uint32_t token = 0; token < rows.tokens(); ++token) {
    const std::size_t number = set_of[token];
    Question& question = questions[number];
    const TupleId query = question.restricted(rows.queries[token]);
    auto ask = static_cast<std::uint32_t>(question.asks.size());
    if (!rows.causal) {
      auto& known = ask_of_query[number];
      if (query >= known.size()) known.resize(question.vectors.size(), Question::kOpen);
      ask = known[query] = std::min(known[query], ask);
    }
    if (ask == question.asks.size()) {
      const auto visible = static_cast<std::uint32_t>(rows.causal ? token + 1 : rows.tokens());
      question.asks.push_back({query, visible, Question::kOpen, AttentionRule::uniform});
    }
    question.tokens.push_back(token);
    question.ask_of.push_back(ask);
  }
  for (Question& question : questions) question.find_classes();
  return questions;
}

/// Positions that are averaged together: a key class, or everything, as far as it has been seen.
struct Members {
  std::uint32_t count = 0, last = 0;
  TupleId key = 0;            ///< of the first of them
  bool several_keys = false;  ///< they may differ where they were not compared
  std::uint32_t summed = 0;   ///< how many of them are in the sums below
};

/// The average of one value part over a growing set of positions, for many sets at once.
class PartAverages {
 public:
  /// `room`: of all sums of the head.
  PartAverages(const HeadRows<ValueId>::ValuePart& part, ValuePool& pool, SumRoom& room,
               std::size_t sets)
      : part_(part), pool_(pool), room_(room), first_(sets), mixed_(sets, 0) {}

  /// The next position of a set.
  void see(std::size_t set, std::uint32_t position, bool is_first) {
    if (is_first) {
      first_[set] = part_.ids[position];
    } else if (part_.ids[position] != first_[set]) {
      mixed_[set] = 1;
    }
  }
  bool mixed(std::size_t set) const { return mixed_[set] != 0; }
  TupleId common(std::size_t set) const { return first_[set]; }

  /// Adds the value at a position to the sums of a set.
  void sum_up(std::size_t set, std::uint32_t position) {
    if (sums_.empty()) sums_.resize(first_.size());
    auto& sums = sums_[set];
    const auto value = (*part_.tuples)[part_.ids[position]];
    sums.resize(value.size());
    for (std::size_t d = 0; d < value.size(); ++d)
      if (value[d] != ValuePool::kZero) room_.grow(sums[d], [&] { sums[d].add(pool_[value[d]]); });
  }
  /// Adds the sum of a set, `count` positions, to a total.
  void add_to(std::vector<ExactSum>& total, std::size_t set, std::uint32_t count) const {
    if (!mixed(set)) {
      const auto value = (*part_.tuples)[first_[set]];
      for (std::size_t d = 0; d < value.size(); ++d)
        if (value[d] != ValuePool::kZero)
          room_.grow(total[d], [&] { total[d].add(Rational(count), pool_[value[d]]); });
      return;
    }
    for (std::size_t d = 0; d < sums_[set].size(); ++d)
      room_.grow(total[d], [&] {
        total[d].rational += sums_[set][d].rational;
        total[d].irrational = total[d].irrational + sums_[set][d].irrational;
      });
  }
  /// The average of a total, which is left zero.
  TupleId intern(std::vector<ExactSum>& total, std::uint32_t count) {
    const Rational share(1, count);
    tuple_.clear();
    for (ExactSum& sum : total) {
      room_.close(sum);
      tuple_.push_back(sum.is_zero() ? ValuePool::kZero : pool_.intern(sum.value().scaled(share)));
      sum = ExactSum();
    }
    return part_.tuples->intern(tuple_.data());
  }
  std::size_t components() const { return part_.tuples->length(); }

 private:
  const HeadRows<ValueId>::ValuePart& part_;
  ValuePool& pool_;
  SumRoom& room_;
  std::vector<TupleId> first_;
  std::vector<char> mixed_;
  std::vector<std::vector<ExactSum>> sums_;  ///< of no set until one is mixed
  std::vector<ValueId> tuple_;
};

/// Goes through the positions once and answers every ask when all that it sees has been seen.
class Sweep {
 public:
  Sweep(const Question& question, const RowSink& sink)
      : q_(question),
        sink_(sink),
        everything_(question.keys.size()),
        members_(question.keys.size() + 1),
        room_(*question.pool),
        averages_(question.rows->values.size()),
        positions_([this] { return selected(); }) {
    for (const auto& part : q_.rows->values)
      parts_.emplace_back(part, *q_.pool, room_, members_.size());
  }

  void run() {
    const auto tokens = static_cast<std::uint32_t>(q_.rows->tokens());
    std::size_t next = 0;
    for (std::uint32_t position = 0; position < tokens; ++position) {
      see(q_.class_of_position[position], position);
      see(everything_, position);
      if (!q_.rows->causal) continue;
      if (next == q_.tokens.size() || q_.tokens[next] != position) continue;
      hand_over(next, average(q_.asks[q_.ask_of[next]]));
      ++next;
    }
    if (q_.rows->causal) return;
    // Without a mask all rows of one ask have one answer.
    std::vector<std::vector<std::uint32_t>> rows_of(q_.asks.size());
    for (std::uint32_t i = 0; i < q_.tokens.size(); ++i) rows_of[q_.ask_of[i]].push_back(i);
    for (const auto& rows : rows_of) {
      const std::size_t count = average(q_.asks[q_.ask_of[rows.front()]]);
      for (const std::uint32_t i : rows) hand_over(i, count);
    }
  }

 private:
  void see(std::size_t set, std::uint32_t position) {
    Members& members = members_[set];
    for (PartAverages& part : parts_) part.see(set, position, members.count == 0);
    if (members.count == 0) members.key = q_.rows->keys[position];
    members.several_keys = members.several_keys || q_.rows->keys[position] != members.key;
    ++members.count;
    members.last = position;
  }

  /// The sets that an ask selects: classes, or everything.
  std::span<const std::uint32_t> sets_of(const Ask& ask) {
    if (ask.answer == Question::kEverything) {
      one_ = static_cast<std::uint32_t>(everything_);
      return {&one_, 1};
    }
    if (ask.answer >= Question::kSeveral) return q_.several[ask.answer - Question::kSeveral];
    one_ = ask.answer;
    return {&one_, 1};
  }

  /// Fills averages_; the number of positions selected.
  std::size_t average(const Ask& ask) {
    const auto sets = sets_of(ask);
    std::uint32_t count = 0;
    last_ = 0;
    one_key_ = true;
    for (const std::uint32_t set : sets) {
      const Members& members = members_[set];
      count += members.count;
      last_ = std::max(last_, members.last);
      one_key_ = one_key_ && !members.several_keys && members.key == members_[sets[0]].key;
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      PartAverages& part = parts_[p];
      bool mixed = false;
      for (const std::uint32_t set : sets)
        mixed = mixed || part.mixed(set) || part.common(set) != part.common(sets[0]);
      if (!mixed) {
        averages_[p] = part.common(sets[0]);
        continue;
      }
      total_.resize(part.components());
      for (const std::uint32_t set : sets) {
        if (part.mixed(set)) bring_up_to_date(set);
        part.add_to(total_, set, members_[set].count);
      }
      averages_[p] = part.intern(total_, count);
    }
    ask_ = &ask;
    return count;
  }

  void bring_up_to_date(std::size_t set) {
    Members& members = members_[set];
    if (set == everything_) {
      for (; members.summed < members.count; ++members.summed)
        for (PartAverages& part : parts_) part.sum_up(set, members.summed);
      return;
    }
    for (; members.summed < members.count; ++members.summed)
      for (PartAverages& part : parts_) part.sum_up(set, positions_of(set)[members.summed]);
  }

  void hand_over(std::size_t i, std::size_t count) {
    const std::uint32_t token = q_.tokens[i];
    sink_({token, ask_->visible, count, last_, one_key_, &positions_}, averages_);
  }

  std::vector<std::size_t> selected() {
    std::vector<std::size_t> positions;
    for (const std::uint32_t set : sets_of(*ask_)) {
      if (set == everything_) {
        positions.resize(ask_->visible);
        std::iota(positions.begin(), positions.end(), std::size_t{0});
        return positions;
      }
      const auto& members = positions_of(set);
      positions.insert(positions.end(), members.begin(),
                       std::lower_bound(members.begin(), members.end(), ask_->visible));
    }
    std::sort(positions.begin(), positions.end());
    return positions;
  }

  const std::vector<std::uint32_t>& positions_of(std::size_t key_class) {
    if (positions_of_.empty()) {
      positions_of_.resize(q_.keys.size());
      for (std::uint32_t position = 0; position < q_.rows->tokens(); ++position)
        positions_of_[q_.class_of_position[position]].push_back(position);
    }
    return positions_of_[key_class];
  }

  const Question& q_;
  const RowSink& sink_;
  std::size_t everything_;  // the set after the classes
  std::vector<Members> members_;
  SumRoom room_;
  std::vector<PartAverages> parts_;
  std::vector<std::vector<std::uint32_t>> positions_of_;
  std::vector<TupleId> averages_;
  std::vector<ExactSum> total_;
  const Ask* ask_ = nullptr;
  std::uint32_t one_ = 0, last_ = 0;
  bool one_key_ = true;
  std::function<std::vector<std::size_t>()> positions_;
};

/// Integers below this are doubles, and so are their sums and products.
constexpr double kExactInDouble = 0x1p53;
constexpr std::int64_t kLargestDenominator = std::int64_t{1} << 30;

/// Common denominators of many numbers, as long as they stay small.
class Denominators {
 public:
  void add(const Real& x) {
    if (!small_ || x.is_zero()) return;
    const auto parts = x.is_rational() ? x.rational_part().small() : std::nullopt;
    small_ = parts && parts->denominator <= kLargestDenominator;
    if (small_) common_ = std::lcm(common_, parts->denominator);
    small_ = small_ && common_ <= kLargestDenominator;
  }
  std::optional<std::int64_t> common() const {
    return small_ ? std::optional(common_) : std::nullopt;
  }

 private:
  std::int64_t common_ = 1;
  bool small_ = true;
};

/// factor * x, which must be an integer; exact while its size is below 2^53.
double scaled(const Real& x, std::int64_t factor) {
  const Rational::Small parts = *x.rational_part().small();
  const std::int64_t multiple = factor / parts.denominator;  // without a remainder
  return static_cast<double>(parts.numerator) * static_cast<double>(multiple);
}

/// Double scores of the key classes of a question, with one rigorous bound per query.
///
/// Rational vectors with small common denominators are scaled to integers. Their scores are then
/// computed without any rounding, the bound is 0, and a tie is proved where two doubles are equal.
class ScoreFilter {
 public:
  /// Keeps a reference.
  explicit ScoreFilter(const Question& question)
      : q_(question), dimensions_(question.dimensions.size()) {
    const std::size_t classes = q_.keys.size();
    keys_.resize(dimensions_ * classes);
    Denominators denominators;
    for (std::size_t c = 0; c < classes; ++c)
      for (const ValueId x : q_.vectors[q_.keys[c]]) denominators.add((*q_.pool)[x]);
    integer_ = denominators.common().has_value();
    load(denominators.common().value_or(1));
    const double largest =
        largest_.empty() ? 0 : *std::max_element(largest_.begin(), largest_.end());
    if (!integer_ || largest < kExactInDouble) return;
    integer_ = false;  // the conversion has rounded
    load(1);
  }

  struct Query {
    std::vector<double> values;  ///< per asked dimension
    double bound = 0;            ///< on the error of every score
    bool rounded = true;         ///< false: scores are exact multiples of the scores
  };
  Query query(TupleId id) const {
    Query query;
    const auto vector = q_.vectors[id];
    double magnitude = 0, inherited = 0;
    if (integer_) {
      Denominators denominators;
      for (const ValueId x : vector) denominators.add((*q_.pool)[x]);
      if (const auto common = denominators.common()) {
        for (std::size_t d = 0; d < dimensions_; ++d) {
          query.values.push_back(scaled((*q_.pool)[vector[d]], *common));
          magnitude += std::abs(query.values.back()) * largest_[d];
          inherited = std::max({inherited, std::abs(query.values.back()), largest_[d]});
        }
        // Every product and every partial sum is an integer of at most `magnitude`, far from where
        // the rounding of `magnitude` itself could matter.
        if (magnitude < kExactInDouble / 2 && inherited < kExactInDouble / 2) {
          query.rounded = false;
          return query;
        }
        query.values.clear();
        magnitude = inherited = 0;
      }
    }
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const Approximation& x = q_.pool->approximation(vector[d]);
      query.values.push_back(x.value);
      magnitude += std::abs(x.value) * largest_[d];
      inherited += std::abs(x.value) * error_[d] + x.bound * (largest_[d] + error_[d]);
    }
    // |computed - exact| <= rounding of d products and d sums, each relative 2^-53 to the running
    // magnitude, plus the errors of the factors; doubled to cover the rounding of this bound itself
    // and a lower limit for products that underflow.
    const double rounding =
        (static_cast<double>(dimensions_) + 2) * std::numeric_limits<double>::epsilon() * magnitude;
    query.bound = 2 * (rounding + inherited) + 1e-290;
    if (!std::isfinite(query.bound)) query.bound = std::numeric_limits<double>::infinity();
    return query;
  }

  /// Scores of the classes in [begin, end) into score[begin .. end); the largest of them.
  double score(const Query& query, std::size_t begin, std::size_t end, double* score) const {
    const std::size_t classes = q_.keys.size();
    std::fill(score + begin, score + end, 0.0);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const double factor = query.values[d];
      if (factor == 0) continue;
      const double* key = keys_.data() + d * classes;
      for (std::size_t c = begin; c < end; ++c) score[c] += factor * key[c];
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t c = begin; c < end; ++c) largest = score[c] > largest ? score[c] : largest;
    return largest;
  }

  /// The score itself.
  Real exact(TupleId query, std::uint32_t key_class) const {
    const auto q = q_.vectors[query], k = q_.vectors[q_.keys[key_class]];
    ExactSum sum;
    for (std::size_t d = 0; d < dimensions_; ++d)
      if (q[d] != ValuePool::kZero && k[d] != ValuePool::kZero)
        sum.add_product((*q_.pool)[q[d]], (*q_.pool)[k[d]]);
    return sum.value();
  }

 private:
  /// Fills the tables below, keys times `common` if integer_.
  void load(std::int64_t common) {
    const std::size_t classes = q_.keys.size();
    largest_.assign(dimensions_, 0);
    error_.assign(dimensions_, 0);
    for (std::size_t c = 0; c < classes; ++c) {
      const auto vector = q_.vectors[q_.keys[c]];
      for (std::size_t d = 0; d < dimensions_; ++d) {
        const ValueId id = vector[d];
        const Approximation x = integer_ ? Approximation{scaled((*q_.pool)[id], common), 0}
                                         : q_.pool->approximation(id);
        keys_[d * classes + c] = x.value;
        largest_[d] = std::max(largest_[d], std::abs(x.value));
        error_[d] = std::max(error_[d], x.bound);
      }
    }
  }

  const Question& q_;
  std::size_t dimensions_;
  std::vector<double> keys_;  // dimensions x classes, so the inner loop runs over classes
  std::vector<double> largest_, error_;  // per dimension
  bool integer_ = false;                 // keys are multiplied by a common denominator
};

/// Follows one query at a time through the key classes as they come into sight.
class Follower {
 public:
  Follower(const Question& question, const ScoreFilter& filter)
      : q_(question), filter_(filter), score_(question.keys.size()) {}

  /// `asks` have one query, those that see less come first. Their answers are sets of classes.
  template <class Answer>
  void follow(const std::vector<std::uint32_t>& asks, Answer answer) {
    query_ = q_.asks[asks.front()].query;
    in_double_ = filter_.query(query_);
    best_.clear();
    exact_.clear();
    held_ = 0;
    std::size_t seen = 0;
    for (const std::uint32_t ask : asks) {
      const std::size_t visible = q_.seen_by(q_.asks[ask].visible);
      if (visible > seen) look_at(seen, visible);
      seen = visible;
      answer(ask, best_);
    }
  }
  const AttentionStatistics& statistics() const { return statistics_; }

 private:
  void look_at(std::size_t begin, std::size_t end) {
    statistics_.scores += end - begin;
    double largest = filter_.score(in_double_, begin, end, score_.data());
    if (!best_.empty()) largest = std::max(largest, score_[best_.front()]);
    // What lies below this is exactly smaller than the key whose double score is the largest. With
    // an infinite bound, or scores that are none, every comparison is exact.
    const double threshold = largest - 2 * in_double_.bound;
    for (std::size_t c = begin; c < end; ++c) {
      if (score_[c] < threshold) {
        ++statistics_.decided_in_double;
        continue;
      }
      const auto candidate = static_cast<std::uint32_t>(c);
      const int order = best_.empty() ? 1 : compare(candidate, best_.front());
      if (order > 0) best_.clear();
      if (order >= 0) best_.push_back(candidate);
    }
  }

  /// Sign of score(a) - score(b).
  int compare(std::uint32_t a, std::uint32_t b) {
    const double difference = score_[a] - score_[b];
    if (!in_double_.rounded) {
      ++statistics_.decided_in_double;
      return (difference > 0) - (difference < 0);
    }
    if (difference > 2 * in_double_.bound || difference < -2 * in_double_.bound) {
      ++statistics_.decided_in_double;
      return difference > 0 ? 1 : -1;
    }
    ++statistics_.decided_exactly;
    const Real &x = exact(a), &y = exact(b);
    if (x == y) {
      ++statistics_.exact_ties;
      return 0;
    }
    return x < y ? -1 : 1;
  }
  const Real& exact(std::uint32_t c) {
    const auto [entry, fresh] = exact_.try_emplace(c);
    if (fresh) {
      entry->second = filter_.exact(query_, c);
      held_ += entry->second.heap_bytes();
      if (held_ > 0) q_.pool->expect_room(held_);
    }
    return entry->second;
  }

  const Question& q_;
  const ScoreFilter& filter_;
  TupleId query_ = 0;
  ScoreFilter::Query in_double_;
  std::vector<double> score_;
  std::vector<std::uint32_t> best_;
  std::map<std::uint32_t, Real> exact_;  // node addresses stay valid
  std::size_t held_ = 0;                 // bytes of these beside themselves
  AttentionStatistics statistics_;
};

void attend_by_distinct_keys(Question& question, AttentionStatistics& statistics) {
  std::vector<std::uint32_t> number_of_query(question.vectors.size(), Question::kOpen);
  std::vector<std::vector<std::uint32_t>> asks_of_query;
  for (std::uint32_t ask = 0; ask < question.asks.size(); ++ask) {
    if (question.asks[ask].answer != Question::kOpen) continue;
    std::uint32_t& number = number_of_query[question.asks[ask].query];
    if (number == Question::kOpen) {
      number = static_cast<std::uint32_t>(asks_of_query.size());
      asks_of_query.emplace_back();
    }
    asks_of_query[number].push_back(ask);
  }
  if (asks_of_query.empty()) return;
  const AttentionRule rule =
      asks_of_query.size() == 1 ? AttentionRule::one_query : AttentionRule::distinct_keys;

  const ScoreFilter filter(question);
  Follower follower(question, filter);
  for (const auto& asks : asks_of_query)
    follower.follow(asks, [&](std::uint32_t number, const std::vector<std::uint32_t>& best) {
      Ask& ask = question.asks[number];
      ask.rule = rule;
      ask.answer = best.size() == 1 ? best.front() : question.answer_of(best);
    });
  statistics += follower.statistics();
}

/// Pairs of queries and keys from which on keys are looked up first.
constexpr std::size_t kWorthALookUp = std::size_t{1} << 14;

/// The squared norm of a vector of the question.
Real squares(const Question& question, TupleId id) {
  ExactSum sum;
  for (const ValueId x : question.vectors[id])
    if (x != ValuePool::kZero) sum.add_product((*question.pool)[x], (*question.pool)[x]);
  return sum.value();
}

/// Where all keys have one norm, q . k <= |q| |k| with equality only for k = q |k| / |q| (Cauchy and Schwarz):
/// if that key is visible, it is the best one.
void look_up_keys(Question& question) {
  const Real norm = squares(question, question.keys.front());
  for (const TupleId key : question.keys)
    if (!(squares(question, key) == norm)) return;
  std::vector<std::uint32_t> class_of(question.vectors.size(), Question::kNoClass);
  for (std::uint32_t c = 0; c < question.keys.size(); ++c) class_of[question.keys[c]] = c;
  std::vector<ValueId> best;
  for (Ask& ask : question.asks) {
    const Real own = squares(question, ask.query);
    TupleId key = ask.query;
    if (!(own == norm)) {
      if (!own.is_rational() || !norm.is_rational() || own.is_zero()) continue;
      const Real scale = Real::root(norm.rational_part() / own.rational_part());
      best.clear();
      for (const ValueId x : question.vectors[ask.query])
        best.push_back(question.pool->intern((*question.pool)[x] * scale));
      key = question.vectors.intern(best.data());
    }
    const std::uint32_t c = key < class_of.size() ? class_of[key] : Question::kNoClass;
    if (c == Question::kNoClass || question.first[c] >= ask.visible) continue;
    ask.answer = c;
    ask.rule = AttentionRule::match;
  }
}

}  // namespace

void attend_exactly(HeadRows<ValueId>& rows, ValuePool& pool, AttentionStatistics& statistics,
                    const RowSink& sink) {
  for (Question& question : questions_of(rows, pool)) {
    if (question.keys.size() == 1) {
      for (Ask& ask : question.asks) ask.answer = Question::kEverything;
    } else {
      if (question.asks.size() * question.keys.size() >= kWorthALookUp) look_up_keys(question);
      attend_by_distinct_keys(question, statistics);
    }
    statistics.rows += question.tokens.size();
    for (const std::uint32_t ask : question.ask_of)
      ++statistics.by_rule[static_cast<std::size_t>(question.asks[ask].rule)];
    Sweep(question, sink).run();
  }
}

}}  // namespace logdepth::runtime_exact
