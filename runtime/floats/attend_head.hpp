#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "runtime/floats/attention_rows.hpp"
#include "runtime/floats/equal_tokens.hpp"
#include "runtime/floats/scaled_query.hpp"
#include "runtime/floats/shared_averages.hpp"

namespace logdepth::inline runtime_floats::float_pass {
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
}  // namespace logdepth::inline runtime_floats::float_pass
