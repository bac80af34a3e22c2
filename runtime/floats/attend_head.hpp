#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "runtime/floats/attention_rows.hpp"
#include "runtime/floats/candidates.hpp"
#include "runtime/floats/equal_tokens.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

inline namespace LOGDEPTH_SIDE {

/// Rows with the same candidates share one running sum over them: a row reads it where its own
/// tokens end. Averages of many ties then cost an addition per token, not one per token and row.

/// Whether two rows have the same candidates.
template <class Real, class Score>
LOGDEPTH_WIDE LOGDEPTH_BOTH bool same_candidates(const Score& of, const Real& limit,
                                                 const Score& of_other, const Real& other_limit,
                                                 std::size_t keys) {
  const Score score = of, other_score = of_other;
  const Real most = limit, other_most = other_limit;
  std::uint64_t differ = 0;
#ifndef __CUDACC__
#pragma omp simd reduction(| : differ)
#endif
  for (std::size_t j = 0; j < keys; ++j) {
    const std::uint64_t here = score(j) <= most ? 1 : 0;
    const std::uint64_t there = other_score(j) <= other_most ? 1 : 0;
    differ |= here ^ there;
  }
  return differ == 0;
}

/// same[i]: whether row[i] has the candidates of row other[i].
template <class Real, class Score>
struct CompareCandidates {
  AttendRow<Real, Score> rows;
  const std::uint32_t *row, *other;
  std::uint8_t* same;
  LOGDEPTH_BOTH void operator()(std::size_t i) const {
    const Score score(rows.head, row[i]), other_score(rows.head, other[i]);
    same[i] = same_candidates(score, rows.waiting[row[i]].threshold, other_score,
                              rows.waiting[other[i]].threshold, rows.keys())
                  ? 1
                  : 0;
  }
};

/// The averages of the rows that wait for the same candidates, several values at a time.
template <class Real, class Score>
struct AverageShared {
  static constexpr std::uint32_t kTogether = 8;

  AttendRow<Real, Score> rows;
  std::size_t sets;
  const std::uint32_t *start, *row;  ///< per set of candidates: rows, in order
  std::uint8_t* differ;              ///< per `kTogether` values and row: some provably do

  LOGDEPTH_BOTH void operator()(std::size_t i) const {
    const std::size_t set = i % sets, block = i / sets;
    const auto first = static_cast<std::uint32_t>(block * kTogether);
    const std::uint32_t several = rows.values - first < kTogether ? rows.values - first : kTogether;
    ValueAverage<Real> averages[kTogether];
    std::size_t count = 0;
    std::uint32_t next = start[set];
    const auto answer = [&] {
      const std::size_t at = row[next++];
      const bool tie = rows.state[at] == RowState::waiting_tie;
      bool some = false;
      for (std::uint32_t v = 0; v < several; ++v) {
        rows.average.set(first + v, at, averages[v].over(count, tie, rows.rounding));
        some |= averages[v].differs(rows.rounding);
      }
      differ[block * rows.tokens + at] = some ? 1 : 0;
    };
    each_token(set, [&](std::size_t token) {
      while (rows.head.causal && row[next] < token) answer();
      for (std::uint32_t v = 0; v < several; ++v)
        averages[v].add(rows.value.at(first + v, token), count == 0);
      ++count;
    });
    while (next < start[set + 1]) answer();
  }

 private:
  /// The candidates that the last row of a set sees, in order.
  template <class Visit>
  LOGDEPTH_BOTH void each_token(std::size_t set, Visit visit) const {
    const KeyGroups& groups = rows.groups;
    const std::size_t end = rows.head.causal ? row[start[set + 1] - 1] + 1 : rows.tokens;
    const Waiting<Real>& any = rows.waiting[row[start[set]]];
    if (any.candidates == Waiting<Real>::kAll) {
      for (std::size_t token = 0; token < end; ++token) visit(token);
      return;
    }
    if ((any.candidates & Waiting<Real>::kSeveral) == 0) {
      for (std::uint32_t i = groups.start[any.candidates];
           i < groups.start[any.candidates + 1] && groups.member[i] < end; ++i)
        visit(groups.member[i]);
      return;
    }
    const Score score(rows.head, row[start[set]]);
    for (std::size_t token = 0; token < end; ++token)
      if (score(groups.of ? groups.of[token] : token) <= any.threshold) visit(token);
  }
};

/// What a row that waited has become.
template <class Real>
struct EndWaiting {
  RowState* state;
  const std::uint32_t* row;
  const std::uint8_t* differ;
  std::size_t blocks, tokens;
  LOGDEPTH_BOTH void operator()(std::size_t i) const {
    bool some = false;
    for (std::size_t b = 0; b < blocks; ++b) some |= differ[b * tokens + row[i]] != 0;
    RowState& own = state[row[i]];
    own = own == RowState::waiting_tie ? RowState::tie
          : some                       ? RowState::ambiguous
                                       : RowState::alike;
  }
};

/// What a row of a head without a mask has in common with an earlier one of the same query: all.
template <class Real>
struct CopyRow {
  Numbers<Real> average;
  std::uint32_t values;
  const std::uint32_t *of, *first;  ///< per token: its query; per query: the row that was answered
  RowState* state;
  RowContract* contract;
  LOGDEPTH_BOTH void operator()(std::size_t token) const {
    const std::size_t from = first[of[token]];
    if (from == token) return;
    for (std::uint32_t v = 0; v < values; ++v) average.set(v, token, average.at(v, from));
    state[token] = state[from];
    contract[token] = contract[from];
  }
};

}  // namespace LOGDEPTH_SIDE

inline namespace LOGDEPTH_SIDE {

/// All rows of a head that compares. What is equal is looked at once: keys of different tokens, the
/// candidates of different rows and, without a causal mask, queries. Which they are is decided from
/// the bits alone, so it is the same for all threads and devices.
template <class Backend, class Real>
class AttendHead {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  AttendHead(const Backend& backend, const HeadView<Real>& head, const Numbers<Real>& value,
             const Numbers<Real>& average, std::uint32_t values, std::size_t tokens,
             const Choice& choice, const Rounding& rounding, RowState* state, RowContract* contract)
      : backend_(backend),
        head_(head),
        value_(value),
        average_(average),
        values_(values),
        tokens_(tokens),
        choice_(choice),
        rounding_(rounding),
        state_(state),
        contract_(contract) {}

  /// The arrays are those of the head.
  template <class Score>
  void answer(const Array<Real>& query, const Array<double>& query_error, const Array<Real>& key) {
    if constexpr (kShares) {
      if (choice_.temperature == 0) {
        group_keys(key);
        if (!head_.causal) group_queries(query, query_error);
      }
    }
    backend_.each(tokens_, PrepareQuery<Real>{head_, rounding_});
    AttendRow<Real, Score> rows{head_,   value_,    average_, values_,   tokens_,
                                choice_, rounding_, state_,   contract_, groups_};
    const bool shares = kShares && choice_.temperature == 0;
    Array<Waiting<Real>> waiting = Backend::template zeros<Waiting<Real>>(shares ? tokens_ : 0);
    if (shares) rows.waiting = Backend::pointer(waiting);
    if (same_query_) rows.rows = Backend::pointer(first_);
    backend_.each(same_query_ ? same_query_->count() : tokens_, rows);
    if constexpr (kShares) {
      if (shares && some_wait()) share(rows, waiting);
    }
    if (same_query_)
      backend_.each(tokens_, CopyRow<Real>{average_, values_, Backend::pointer(query_of_),
                                           Backend::pointer(first_), state_, contract_});
  }

 private:
  /// Numbers of other kinds are not compared by their bits.
  static constexpr bool kShares = std::is_floating_point_v<Real>;

  template <class T>
  static Array<T> put(const std::vector<T>& numbers) {
    return Array<T>(numbers.begin(), numbers.end());
  }
  template <class T>
  void add_columns(const std::vector<T>& numbers, std::vector<TokenColumn>& columns) const {
    for (std::size_t begin = 0; begin < numbers.size(); begin += tokens_)
      columns.push_back({numbers.data() + begin, sizeof(T)});
  }
  /// Grouping costs more than it saves where most tokens are alone.
  std::size_t most_groups() const { return tokens_ / 2; }

  void group_keys(const Array<Real>& key) {
    std::vector<Real> numbers;
    backend_.fetch(key, numbers);
    std::vector<TokenColumn> columns;
    add_columns(numbers, columns);
    const auto equal = group_equal_tokens(tokens_, columns, most_groups());
    if (!equal) return;
    const std::size_t count = equal->count();
    std::vector<Real> distinct;
    for (std::size_t begin = 0; begin < numbers.size(); begin += tokens_)
      for (std::size_t g = 0; g < count; ++g) distinct.push_back(numbers[begin + equal->first(g)]);
    std::vector<std::uint32_t> seen;
    std::uint32_t groups = 0;
    for (const std::uint32_t group : equal->of)
      seen.push_back(groups = group == groups ? groups + 1 : groups);
    distinct_ = put(distinct);
    of_ = put(equal->of);
    seen_ = put(seen);
    start_ = put(equal->start);
    member_ = put(equal->member);
    head_.key = {Backend::pointer(distinct_), nullptr, count};
    groups_ = {count, Backend::pointer(of_), Backend::pointer(seen_), Backend::pointer(start_),
               Backend::pointer(member_)};
  }

  void group_queries(const Array<Real>& query, const Array<double>& query_error) {
    std::vector<Real> numbers;
    std::vector<double> errors;
    backend_.fetch(query, numbers);
    backend_.fetch(query_error, errors);
    std::vector<TokenColumn> columns;
    add_columns(numbers, columns);
    add_columns(errors, columns);
    same_query_ = group_equal_tokens(tokens_, columns, most_groups());
    if (!same_query_) return;
    std::vector<std::uint32_t> first;
    for (std::size_t g = 0; g < same_query_->count(); ++g) first.push_back(same_query_->first(g));
    query_of_ = put(same_query_->of);
    first_ = put(first);
  }

  bool some_wait() const {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(state_);
    const auto of = [&](RowState state) {
      return backend_.count(bytes, tokens_, static_cast<std::uint8_t>(state));
    };
    return of(RowState::waiting) + of(RowState::waiting_tie) > 0;
  }

  /// Rows by what they wait for.
  struct Shares {
    std::vector<std::uint32_t> start = {0}, row;  ///< per set of candidates
    std::vector<std::uint32_t> alone;             ///< what sharing does not pay for
  };
  template <class Score>
  Shares shares_of(const AttendRow<Real, Score>& rows, const std::vector<Waiting<Real>>& waiting) {
    std::vector<std::uint32_t> row;
    std::vector<std::uint64_t> candidates;
    for (std::size_t t = 0; t < tokens_; ++t)
      if (waiting[t].candidates != Waiting<Real>::kNothing) {
        row.push_back(static_cast<std::uint32_t>(t));
        candidates.push_back(waiting[t].candidates);
      }
    const auto sets = *group_equal_tokens(row.size(), {{candidates.data(), 8}}, row.size());
    // Where there are several keys, equal numbers of sets do not prove that they are equal.
    std::vector<std::uint32_t> compared, with;
    const auto each_set = [&](auto visit) {
      for (std::size_t s = 0; s < sets.count(); ++s) {
        const std::size_t size = sets.start[s + 1] - sets.start[s];
        const std::uint32_t first = row[sets.first(s)];
        const bool one = (waiting[first].candidates & Waiting<Real>::kSeveral) == 0;
        // Else sharing goes through all tokens once.
        const bool pays = one || (size > 1 && size * waiting[first].tokens >= tokens_);
        for (std::size_t i = sets.start[s]; i < sets.start[s + 1]; ++i)
          visit(row[sets.member[i]], first, one, pays);
      }
    };
    each_set([&](std::uint32_t own, std::uint32_t first, bool one, bool pays) {
      if (one || !pays || own == first) return;
      compared.push_back(own);
      with.push_back(first);
    });
    const std::vector<std::uint8_t> same = compare(rows, compared, with);
    Shares shares;
    std::size_t next = 0;
    each_set([&](std::uint32_t own, std::uint32_t first, bool one, bool pays) {
      if (!pays || (!one && own != first && same[next++] == 0)) {
        shares.alone.push_back(own);
        return;
      }
      if (own == first && !shares.row.empty())
        shares.start.push_back(static_cast<std::uint32_t>(shares.row.size()));
      shares.row.push_back(own);
    });
    if (!shares.row.empty()) shares.start.push_back(static_cast<std::uint32_t>(shares.row.size()));
    return shares;
  }
  template <class Score>
  std::vector<std::uint8_t> compare(const AttendRow<Real, Score>& rows,
                                    const std::vector<std::uint32_t>& compared,
                                    const std::vector<std::uint32_t>& with) {
    Array<std::uint32_t> row = put(compared), other = put(with);
    Array<std::uint8_t> same = Backend::template zeros<std::uint8_t>(compared.size());
    backend_.each(compared.size(),
                  CompareCandidates<Real, Score>{rows, Backend::pointer(row),
                                                 Backend::pointer(other), Backend::pointer(same)});
    std::vector<std::uint8_t> result;
    backend_.fetch(same, result);
    return result;
  }

  template <class Score>
  void share(AttendRow<Real, Score> rows, const Array<Waiting<Real>>& waiting) {
    std::vector<Waiting<Real>> host;
    backend_.fetch(waiting, host);
    const Shares shares = shares_of(rows, host);
    if (!shares.row.empty()) {
      Array<std::uint32_t> start = put(shares.start), row = put(shares.row);
      using Average = AverageShared<Real, Score>;
      const std::size_t blocks = (values_ + Average::kTogether - 1) / Average::kTogether;
      Array<std::uint8_t> differ = Backend::template zeros<std::uint8_t>(blocks * tokens_);
      const std::size_t sets = shares.start.size() - 1;
      backend_.each(sets * blocks, Average{rows, sets, Backend::pointer(start),
                                           Backend::pointer(row), Backend::pointer(differ)});
      backend_.each(shares.row.size(), EndWaiting<Real>{state_, Backend::pointer(row),
                                                        Backend::pointer(differ), blocks, tokens_});
    }
    if (!shares.alone.empty()) {
      Array<std::uint32_t> row = put(shares.alone);
      rows.rows = Backend::pointer(row);
      rows.waiting = nullptr;
      backend_.each(shares.alone.size(), rows);
    }
  }

  const Backend& backend_;
  HeadView<Real> head_;
  Numbers<Real> value_, average_;
  std::uint32_t values_;
  std::size_t tokens_;
  Choice choice_;
  Rounding rounding_;
  RowState* state_;
  RowContract* contract_;
  KeyGroups groups_;
  Array<Real> distinct_;
  Array<std::uint32_t> of_, seen_, start_, member_;
  std::optional<EqualTokens> same_query_;
  Array<std::uint32_t> query_of_, first_;
};

}  // namespace LOGDEPTH_SIDE

}}}  // namespace logdepth::runtime_floats::float_pass
