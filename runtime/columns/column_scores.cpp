#include "runtime/columns/column_scores.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "runtime/columns/labels.hpp"
#include "runtime/columns/token_sets.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

/// Scores of a head that are worth a thread.
constexpr std::size_t kLeastScores = std::size_t{1} << 16;
/// Heads whose sets are held at a time, per thread.
constexpr std::size_t kHeadsOfThread = 16;
/// Fewer coordinates have few combinations, whose scores are found once for all of their tokens.
constexpr std::size_t kManyCoordinates = 24;

std::vector<std::vector<MatrixEntry>> rows_of(const SparseMatrix& matrix) {
  std::vector<std::vector<MatrixEntry>> rows(matrix.rows);
  for (const MatrixEntry& e : matrix.entries) rows[e.row].push_back(e);
  return rows;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  if (__builtin_mul_overflow(a, b, &a)) throw HandOver("scores beyond 64 bits");
  return a;
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  if (__builtin_add_overflow(a, b, &a)) throw HandOver("scores beyond 64 bits");
  return a;
}

/// The tokens of the largest of the scores.
template <class Score>
void largest(const Score* scores, std::size_t count, std::uint64_t* set) {
  Score best = scores[0];
  for (std::size_t j = 1; j < count; ++j) best = std::max(best, scores[j]);
  for (std::size_t begin = 0; begin < count; begin += TokenSets::kBits) {
    std::uint64_t bits = 0;
    for (std::size_t j = begin; j < std::min(begin + TokenSets::kBits, count); ++j)
      bits |= std::uint64_t{scores[j] == best} << (j - begin);
    set[begin / TokenSets::kBits] = bits;
  }
}

/// Where every row selects one token: these.
SharedLabels single_tokens(ColumnState& state, const TokenSets& sets) {
  for (std::size_t i = 0; i < state.tokens(); ++i)
    if (size_of(sets.row(i)) != 1) return nullptr;
  const auto selected = state.passes.labels();
  for (std::size_t i = 0; i < state.tokens(); ++i)
    selected->data()[i] = static_cast<Label>(first_of(sets.row(i)));
  return selected;
}

}  // namespace

ColumnScores::ColumnScores(const std::vector<const Head*>& heads, const Segments& segments,
                           const ColumnNorm& norm) {
  std::vector<std::map<Pair, std::int64_t>> pairs;
  std::map<Pair, std::size_t> votes;
  for (const Head* head : heads) {
    causal_.push_back(head->causal);
    auto& own = pairs.emplace_back();
    const auto queries = rows_of(head->query), keys = rows_of(head->key);
    for (std::size_t r = 0; r < queries.size(); ++r)
      if (!queries[r].empty() && !keys[r].empty())
        ++own[{row_of(queries[r], segments, norm), row_of(keys[r], segments, norm)}];
    for (const auto& [pair, times] : own) ++votes[pair];
  }
  for (const auto& [pair, heads_of] : votes)
    if (2 * heads_of > heads.size()) shared_.push_back({pair, 1});
  for (auto& own : pairs) {
    for (const Product& p : shared_) --own[p.pair];
    Products& products = own_.emplace_back();
    for (const auto& [pair, times] : own)
      if (times != 0) products.push_back({pair, times});
  }
  std::set<std::uint32_t> coordinates, read;
  for (const auto& [row, number] : known_)
    for (const auto& [coordinate, value] : row) coordinates.insert(coordinate);
  for (const std::uint32_t c : coordinates) read.insert(segments.place[c].segment);
  coordinates_read_ = coordinates.size();
  read_.assign(read.begin(), read.end());
}

std::uint32_t ColumnScores::row_of(const std::vector<MatrixEntry>& entries,
                                   const Segments& segments, const ColumnNorm& norm) {
  Row row;
  SparseMatrix matrix{1, static_cast<std::uint32_t>(norm.mask().size()), {}};
  for (const MatrixEntry& e : entries) {
    row.emplace_back(e.column, e.value);
    matrix.entries.push_back({0, e.column, e.value});
  }
  const auto [known, fresh] = known_.try_emplace(row, static_cast<std::uint32_t>(rows_.size()));
  if (fresh) rows_.emplace_back(matrix, segments, norm);
  return known->second;
}

bool ColumnScores::fits(const ColumnState& state, const NormedColumns& z) const {
  return state.words() == 1 && state.tokens() <= kMostTokens &&
         coordinates_read_ >= kManyCoordinates && std::ranges::none_of(read_, [&](std::uint32_t s) {
           return z.columns(state)[s].index != nullptr;
         });
}

ColumnScores::RowNumbers ColumnScores::numbers(ColumnState& state, const NormedColumns& z,
                                               std::size_t row) const {
  const ColumnImages images = rows_[row](state, z);
  Reals values;
  for (const ColumnImage& image : images.images) {
    if (image.index) throw HandOver("scores of numbers and codes");
    values.push_back(image.v[0]);
  }
  RowNumbers result;
  const std::vector<std::int64_t> integers = integer_multiple(values);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (integers[k] != 0) result.scale = values[k].scaled(Rational(integers[k]).inverse());
  result.is_constant = !images.at.local;
  result.at.resize(state.tokens());
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    result.at[i] = integers[images.at.at(i)];
    if (result.at[i] != 0) result.not_zero.push_back(static_cast<std::uint32_t>(i));
    result.most = std::max(result.most, std::abs(result.at[i]));
  }
  return result;
}

/// The scale of a product of two rows is the product of their scales; all of them together are made
/// integers by one positive factor, which does not change what is largest.
ColumnScores::Weighted ColumnScores::weighted(const std::vector<RowNumbers>& rows) const {
  Reals scales;
  const auto each = [&](auto take) {
    const auto take_all = [&](const Products& products, std::size_t list) {
      for (const Product& p : products) {
        const RowNumbers &query = rows[p.pair.first], &key = rows[p.pair.second];
        if (query.most != 0 && key.most != 0) take(p, query, key, list);
      }
    };
    for (std::size_t h = 0; h < own_.size(); ++h) take_all(own_[h], h);
    take_all(shared_, own_.size());
  };
  each([&](const Product& p, const RowNumbers& query, const RowNumbers& key, std::size_t) {
    scales.push_back((query.scale * key.scale).scaled(Rational(p.times)));
  });
  const std::vector<std::int64_t> weights = integer_multiple(scales);
  Weighted result;
  result.own.resize(own_.size());
  std::vector<std::int64_t> most(own_.size() + 1);
  std::size_t next = 0;
  each([&](const Product&, const RowNumbers& query, const RowNumbers& key, std::size_t list) {
    const std::int64_t weight = weights[next++];
    (list < own_.size() ? result.own[list] : result.shared).push_back({&query, &key, weight});
    most[list] = sum(most[list], product(product(std::abs(weight), query.most), key.most));
  });
  for (std::size_t h = 0; h < own_.size(); ++h)
    result.most = std::max(result.most, sum(most[h], most.back()));
  return result;
}

void ColumnScores::operator()(ColumnState& state, const NormedColumns& z,
                              const std::function<void(std::size_t, ColumnSelection)>& head) const {
  if (state.words() != 1 || state.tokens() > kMostTokens)
    throw HandOver("scores of many tokens or words");
  std::vector<RowNumbers> rows;
  const HeldBytes held(state.passes.memory(), rows_.size() * state.tokens() * 3 * sizeof(Label));
  for (std::size_t r = 0; r < rows_.size(); ++r) rows.push_back(numbers(state, z, r));
  const Weighted products = weighted(rows);
  if (products.most <= std::numeric_limits<std::int16_t>::max()) {
    select<std::int16_t>(state, products, head);
  } else if (products.most <= std::numeric_limits<std::int32_t>::max()) {
    select<std::int32_t>(state, products, head);
  } else {
    select<std::int64_t>(state, products, head);
  }
}

template <class Score>
void ColumnScores::select(ColumnState& state, const Weighted& products,
                          const std::function<void(std::size_t, ColumnSelection)>& head) const {
  const std::size_t n = state.tokens();
  using Scores = std::vector<Score>;
  const auto add_row = [&](const Weighted::Term& term, std::size_t i, Score* into) {
    const auto factor = static_cast<Score>(term.weight * term.query->at[i]);
    if (factor == 0) return;
    for (const std::uint32_t j : term.key->not_zero)
      into[j] = static_cast<Score>(into[j] + factor * static_cast<Score>(term.key->at[j]));
  };
  const HeldBytes held(state.passes.memory(), n * n * sizeof(Score));
  Scores shared(n * n);
  const std::size_t threads = n * n < kLeastScores ? 1 : state.passes.threads();
  Parts(n, threads, 1).share([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      look_for_interruption();
      for (const auto& term : products.shared) add_row(term, i, shared.data() + i * n);
    }
  });
  const auto find = [&](std::size_t h, TokenSets& sets) {
    look_for_interruption();
    Scores beside(n), scores(n);
    std::vector<Weighted::Term> varying;
    for (const auto& term : products.own[h]) {
      if (term.query->is_constant) {
        add_row(term, 0, beside.data());
      } else {
        varying.push_back(term);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t seen = causal_[h] ? i + 1 : n;
      const Score* of = shared.data() + i * n;
      for (std::size_t j = 0; j < n; ++j) scores[j] = static_cast<Score>(of[j] + beside[j]);
      for (const auto& term : varying) add_row(term, i, scores.data());
      largest(scores.data(), seen, sets.row(i));
    }
  };
  const std::size_t group = threads == 1 ? 1 : threads * kHeadsOfThread;
  for (std::size_t first = 0; first < own_.size(); first += group) {
    std::vector<std::shared_ptr<TokenSets>> sets(std::min(group, own_.size() - first));
    for (auto& of : sets) of = std::make_shared<TokenSets>(state.passes.memory());
    Parts(sets.size(), threads, 1).share([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) find(first + k, *sets[k]);
    });
    for (std::size_t k = 0; k < sets.size(); ++k) {
      state.passes.count_pass();
      head(first + k, {ColumnRule::scores, single_tokens(state, *sets[k]), sets[k]});
    }
  }
}

}}  // namespace logdepth::runtime_columns
