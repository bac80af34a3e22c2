#include "runtime/columns/column_selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/columns/labels.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

using Wide = PlaneProduct;
constexpr Label kNone = static_cast<Label>(-1);     // no key; larger than any token
constexpr Label kSeveral = static_cast<Label>(-2);  // several keys; the same
/// Pairs of classes whose bounds are compared; more say that tokens differ too much for classes.
constexpr std::size_t kMostPairs = std::size_t{1} << 16;

/// The length of an integer vector where it is whole, else 0.
std::int64_t whole_length(const std::array<std::int64_t, 2>& x) {
  const Wide square = dot(x, x);
  auto root = static_cast<Wide>(sqrtl(static_cast<long double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root * root == square && root <= INT64_MAX ? static_cast<std::int64_t>(root) : 0;
}

/// What is known of the scores of a class of queries with a class of keys: they lie in [least, most].
///   number     the score is `most`
///   match      `most` is reached by equal indices, and by nothing else
///   angle      of keys of one norm in a plane, the larger the smaller the angle
///   projected  a number and a linear form of the key's code
struct Bound {
  enum class By { number, match, angle, projected } by = By::number;
  Real most, least;
};
using Bounds = std::vector<std::vector<Bound>>;  // by class of queries and of keys

/// match: Mq^T Mk is a multiple l_c of the identity on every circle c of one family of position codes, and
/// all l_c > 0. Then a^T Mq^T Mk b = sum l_c a_c.b_c <= sum l_c (L1, Cauchy-Schwarz), with equality where
/// a_c = b_c on all circles, that is where the indices are equal (L2), and nowhere else.
/// angle: keys Mk b in a plane with Mk^T Mk a multiple of the identity have one norm (L1); their scores
/// fall with the angle to the query.
Bound bound_of_codes(const ColumnImage& query, const ColumnImage& key, Bound bound) {
  const std::size_t rows = query.v.size();
  const Reals product = transposed_product(query.m, key.m, rows);
  if (all_zero(product)) return bound;
  const ColumnFamily& family = *key.index->family;
  Reals multiples;
  if (query.index->family == key.index->family && family.kind == ColumnFamily::Kind::code &&
      is_block_scalar(product, family, multiples)) {
    for (const Real& multiple : multiples) {
      if (multiple.sign() < 0) throw HandOver("scores that fall with the cosine of two codes");
      if (multiple.is_zero()) throw HandOver("a match of some circles of a code");
      add(bound.most, multiple);
    }
    bound.by = Bound::By::match;
    return bound;
  }
  if (rows != 2 || !is_block_scalar(transposed_product(key.m, key.m, rows), family, multiples) ||
      multiples.size() != 1)
    throw HandOver("scores of codes of two families");
  bound.by = Bound::By::angle;
  return bound;
}

/// score = (q.v + Mq a) . (k.v + Mk b) for the codes a and b of the two indices. The term of a alone,
/// Mq^T k.v, has to be zero: it would differ from class to class of keys.
Bound bound(const ColumnImage& query, const ColumnImage& key) {
  const std::size_t rows = query.v.size();
  Bound bound;
  for (std::size_t r = 0; r < rows; ++r) add(bound.most, query.v[r] * key.v[r]);
  bound.least = bound.most;
  if (!all_zero(transposed_product(query.m, key.v, rows)))
    throw HandOver("scores that depend on the index of the query alone");
  const Reals alone = transposed_product(key.m, query.v, rows);
  if (!all_zero(alone)) {
    if (!query.m.empty())
      throw HandOver("scores that depend on two indices, and on that of the key alone");
    bound.by = Bound::By::projected;
    const ColumnFamily& family = *key.index->family;
    for (std::size_t d = 0; d < alone.size(); ++d) {
      const bool up = alone[d].sign() > 0;
      add(bound.most, alone[d].scaled(up ? family.high[d] : family.low[d]));
      add(bound.least, alone[d].scaled(up ? family.low[d] : family.high[d]));
    }
    return bound;
  }
  if (query.m.empty() || key.m.empty()) return bound;
  return bound_of_codes(query, key, std::move(bound));
}

std::vector<Label> falling(const std::vector<Bound>& bounds) {
  std::vector<Label> order(bounds.size());
  std::iota(order.begin(), order.end(), Label{0});
  std::ranges::stable_sort(order,
                           [&](Label x, Label y) { return bounds[y].most < bounds[x].most; });
  return order;
}

/// Scores that are numbers, in words that are seen as a whole: a class of queries selects whole classes of
/// keys, of those that stand in the word.
ColumnSelection by_numbers(ColumnState& state, const ColumnImages& queries,
                           const ColumnImages& keys, const Bounds& bounds) {
  auto cells = std::make_shared<RankedCells>(
      RankedCells{queries.at.local, keys.at.local, keys.images.size(), {}});
  for (const auto& of : bounds) {
    const std::vector<Label> order = falling(of);
    auto& ranks = cells->ranks.emplace_back();
    for (std::size_t r = 0; r < order.size(); ++r) {
      if (r == 0 || of[order[r]].most < of[order[r - 1]].most) ranks.emplace_back();
      ranks.back().push_back(order[r]);
    }
  }
  return {ColumnRule::classes, single_tokens(state, *cells), nullptr, std::move(cells)};
}

/// One class of queries, one of keys: a row selects the key of its index, if it sees one and only one.
ColumnSelection by_match(ColumnState& state, const ColumnIndex& query, const KnownKeys& keys,
                         bool causal) {
  const auto selected = state.passes.labels();
  Label* out = selected->data();
  state.passes.parts().share([&](std::size_t, std::size_t begin, std::size_t end) {
    bool open = false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t word = i - i % state.period, e = query.at(i);
      out[i] = e < state.period ? (*keys.of_index)[word + e] : kNone;
      const std::size_t last = causal ? i : word + state.period - 1;
      open = open || out[i] > last;  // also kNone and kSeveral
    }
    if (open) throw HandOver("a row without a key of its index, or with several of them");
  });
  return {ColumnRule::match, selected};
}

/// Several classes, numbers and matches: those that a row sees in the order of what they can reach. The
/// first that reaches it wins; the next ones can reach less, or tie.
ColumnSelection by_bounds(ColumnState& state, const ColumnImages& queries,
                          const std::vector<const KnownKeys*>& known, bool causal,
                          const Bounds& bounds) {
  std::vector<std::vector<Label>> order;
  for (const auto& of : bounds) order.push_back(falling(of));
  const auto answer = [&](std::size_t i, std::size_t word, Label limit) {
    const Label a = queries.at.at(i);
    Label found = kNone;
    const Real* reached = nullptr;
    for (const Label c : order[a]) {
      if (known[c]->first[word] > limit) continue;  // the row sees none of them
      const Bound& bound = bounds[a][c];
      if (reached && bound.most < *reached) break;
      Label here = kNone;
      if (bound.by == Bound::By::number) {
        here = known[c]->second[word] > limit ? known[c]->first[word] : kSeveral;
      } else if (const std::size_t e = queries.images[a].index->at(i); e < state.period) {
        here = (*known[c]->of_index)[word * state.period + e];
      }
      if (here == kSeveral) throw HandOver("a row with several keys of the largest score");
      if (here > limit) {
        if (!reached) throw HandOver("a row without a key of its index");
        continue;
      }
      if (reached) throw HandOver("a row with keys of two classes that tie");
      found = here;
      reached = &bound.most;
    }
    return found;
  };
  const auto selected = state.passes.labels();
  state.passes.parts().share([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t word = i / state.period;
      selected->data()[i] =
          answer(i, word, static_cast<Label>(causal ? i : (word + 1) * state.period - 1));
    }
  });
  return {ColumnRule::match, selected};
}

/// One query for all rows: the classes of keys lie in intervals that do not meet, so that the best class
/// that is seen has the best key; within a class, q . k is a number plus a positive multiple of the
/// projection of an integer vector, and running bests are compared exactly.
ColumnSelection by_projection(ColumnState& state, const ColumnImage& query,
                              const ColumnImages& keys, bool causal,
                              const std::vector<Bound>& bounds) {
  if (!causal) throw HandOver("projected keys without a causal mask");
  const std::vector<Label> order = falling(bounds);
  for (std::size_t r = 0; r + 1 < order.size(); ++r)
    if (!(bounds[order[r + 1]].most < bounds[order[r]].least))
      throw HandOver("classes of keys whose scores can meet");
  std::vector<std::vector<std::int64_t>> forms(bounds.size());
  for (std::size_t c = 0; c < forms.size(); ++c) {
    const ColumnImage& key = keys.images[c];
    if (!key.index) continue;
    if (!key.index->family->has_vectors()) throw HandOver("projected keys of another family");
    forms[c] = integer_multiple(transposed_product(key.m, query.v, query.v.size()));
  }
  std::vector<Label> best(forms.size());
  std::vector<Projection> value(forms.size());
  std::vector<std::int64_t> vector;
  const auto see = [&](Label i) {
    const Label c = keys.at.at(i);
    if (forms[c].empty()) {
      best[c] = best[c] == kNone ? i : kSeveral;
      return;
    }
    const ColumnIndex& index = *keys.images[c].index;
    vector.resize(index.family->dims);
    index.family->vector(index.at(i), vector.data());
    const Projection here(forms[c].data(), vector.data(), index.family->dims);
    const int order_of = best[c] == kNone ? 1 : Projection::compare(here, value[c]);
    if (order_of > 0) {
      best[c] = i;
      value[c] = here;
    } else if (order_of == 0) {
      best[c] = kSeveral;
    }
  };
  const auto selected = state.passes.labels();
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<Label>(begin); i < end; ++i) {
      if (i % state.period == 0) std::fill(best.begin(), best.end(), kNone);
      see(i);
      const auto top = std::ranges::find_if(order, [&](Label c) { return best[c] != kNone; });
      if (best[*top] == kSeveral) throw HandOver("a row with several keys of the largest score");
      selected->data()[i] = best[*top];
    }
  });
  return {ColumnRule::projection, selected};
}

/// The best of the keys begin .. end - 1 for a query above the axis; `guess` is where to look first.
Label nearest_by_angle(const SortedKeys& sorted, const Plane& query, Label begin, Label end,
                       Label& guess) {
  const auto& keys = sorted.keys;
  const auto before = [&](Label e) {
    const Wide turn = cross(keys[e], query);
    return sorted.falls ? turn < 0 : turn > 0;
  };
  // low: the first key that is not before the query. It moves slowly, so from the last one outwards.
  Label low = begin, high = end, step = 1;
  guess = std::min(guess, end - 1);
  if (before(guess)) {
    low = guess + 1;
    while (low + step <= high && before(low + step - 1)) {
      low += step;
      step *= 2;
    }
    high = std::min(high, low + step - 1);
  } else {
    high = guess;
    while (high > low + step && !before(high - step)) {
      high -= step;
      step *= 2;
    }
    if (high > low + step) low = high - step;
  }
  while (low < high) {
    const Label middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  guess = low;
  if (low == end) return end - 1;
  if (low == begin || cross(keys[low], query) == 0) return low;
  // Between two neighbours: the larger cosine, that is the larger product over the key's length.
  int order = 0;
  Wide left, right;
  if (!sorted.lengths.empty() && sorted.lengths[low - 1] != 0 && sorted.lengths[low] != 0 &&
      !__builtin_mul_overflow(dot(query, keys[low - 1]), Wide(sorted.lengths[low]), &left) &&
      !__builtin_mul_overflow(dot(query, keys[low]), Wide(sorted.lengths[low - 1]), &right)) {
    order = (left > right) - (left < right);
  } else {
    order = Projection::compare({query.data(), keys[low - 1].data(), 2},
                                {query.data(), keys[low].data(), 2});
  }
  if (order == 0) throw HandOver("a row between two keys at the same angle");
  return order > 0 ? low - 1 : low;
}

}  // namespace

ColumnSelection ColumnAttention::select(ColumnState& state, const ColumnImages& queries,
                                        const ColumnImages& keys, bool causal) {
  ++heads_;
  if (queries.images.size() * keys.images.size() > kMostPairs)
    throw HandOver("too many classes of queries and keys");
  Bounds bounds;
  bool all_equal = true;
  for (const ColumnImage& query : queries.images) {
    auto& of = bounds.emplace_back();
    for (const ColumnImage& key : keys.images) {
      of.push_back(bound(query, key));
      all_equal = all_equal && of.back().by == Bound::By::number && of.back().most == of[0].most;
    }
  }
  // All scores of a row are one number: it selects all that it sees.
  if (all_equal) return {ColumnRule::uniform, nullptr};
  const auto has = [&](Bound::By by) {
    return std::ranges::any_of(bounds, [&](const auto& of) {
      return std::ranges::any_of(of, [&](const Bound& b) { return b.by == by; });
    });
  };
  if (!causal && !has(Bound::By::match) && !has(Bound::By::angle) && !has(Bound::By::projected))
    return by_numbers(state, queries, keys, bounds);
  const bool one_query = queries.images.size() == 1, one_key = keys.images.size() == 1;
  if (has(Bound::By::angle)) {
    if (!one_query || !one_key) throw HandOver("angles of several classes of queries or keys");
    return by_angle(state, queries.images[0], keys.images[0], causal);
  }
  if (has(Bound::By::projected)) {
    if (!one_query || has(Bound::By::match))
      throw HandOver("projected keys beside several classes of queries, or matches");
    return by_projection(state, queries.images[0], keys, causal, bounds[0]);
  }
  if (one_query && one_key)
    return by_match(state, *queries.images[0].index, known_keys(state, keys, 0), causal);
  std::vector<const KnownKeys*> known;
  for (Label c = 0; c < keys.images.size(); ++c) known.push_back(&known_keys(state, keys, c));
  return by_bounds(state, queries, known, causal, bounds);
}

ColumnSelection ColumnAttention::select(ColumnState& state, const std::vector<RowPair>& rows,
                                        bool causal) {
  KnownCells::Cells cells = select_by_planes(state, directions_, rows, cells_);
  auto selected = causal ? seen_single_tokens(state, *cells) : single_tokens(state, *cells);
  return {ColumnRule::planes, std::move(selected), nullptr, std::move(cells)};
}

const KnownKeys& ColumnAttention::known_keys(ColumnState& state, const ColumnImages& keys,
                                             Label of_class) {
  const SharedIndex& index = keys.images[of_class].index;
  KnownKeys& kept = known_[{index, {keys.at.local, of_class}}];
  kept.used = heads_;
  if (!kept.first.empty()) return kept;
  KnownKeys known;  // kept when it is complete: a hand-over on the way may end in another rule
  known.used = heads_;
  known.first.assign(state.words(), kNone);
  known.second = known.first;
  std::shared_ptr<Labels> of_index;
  if (index) of_index = std::make_shared<Labels>(state.passes.memory());
  if (index) std::fill_n(of_index->data(), state.tokens(), kNone);
  state.passes.count_pass();
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (auto j = static_cast<Label>(begin); j < end; ++j) {
      if (keys.at.at(j) != of_class) continue;
      const std::size_t word = j / state.period;
      if (known.first[word] == kNone) {
        known.first[word] = j;
      } else if (known.second[word] == kNone) {
        known.second[word] = j;
      }
      if (!index) continue;
      const std::size_t e = index->at(j);
      if (e >= state.period) throw HandOver("a key with the code of a position beyond the word");
      Label& at = of_index->data()[word * state.period + e];
      at = at == kNone ? j : kSeveral;
    }
  });
  known.of_index = of_index;
  return kept = std::move(known);
}

const SortedKeys& ColumnAttention::sorted_keys(ColumnState& state, const ColumnImage& key) {
  const std::vector<std::int64_t> matrix = integer_multiple(key.m);
  SortedKeys& kept = sorted_[{key.index, matrix}];
  kept.used = heads_;
  if (!kept.keys.empty()) return kept;
  SortedKeys sorted;  // as of known_keys
  sorted.used = heads_;
  state.passes.count_pass();
  sorted.held =
      HeldBytes(state.passes.memory(), state.tokens() * (sizeof(Plane) + sizeof(std::int64_t)));
  sorted.keys.resize(state.tokens());
  const Parts parts = state.passes.parts();
  const auto require_order = [](bool kept) {
    if (!kept) throw HandOver("keys that are not in the order of their angles");
  };
  parts.share([&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> vector;
    for (std::size_t j = begin; j < end; ++j) {
      sorted.keys[j] = planar(*key.index->family, matrix, key.index->at(j), vector);
      require_order(sorted.keys[j][1] > 0);
    }
  });
  if (state.period > 1) sorted.falls = cross(sorted.keys[0], sorted.keys[1]) < 0;
  parts.share([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      if (j % state.period == 0) continue;
      const Wide turn = cross(sorted.keys[j - 1], sorted.keys[j]);
      require_order(turn != 0 && (turn < 0) == sorted.falls);
    }
  });
  const auto is_large = [](const Plane& p) {
    return std::max(std::abs(p[0]), std::abs(p[1])) >= std::int64_t{1} << 20;
  };
  if (std::ranges::none_of(sorted.keys, is_large)) return kept = std::move(sorted);
  sorted.lengths.resize(state.tokens());
  parts.share([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) sorted.lengths[j] = whole_length(sorted.keys[j]);
  });
  return kept = std::move(sorted);
}

/// Keys of one norm above the first axis, strictly in the order of their angles from token to token, and
/// queries above it too: all angles lie in (0, pi), so that the nearest key among those a row sees, which
/// are the first ones of its word, is one of the two neighbours of the query.
ColumnSelection ColumnAttention::by_angle(ColumnState& state, const ColumnImage& query,
                                          const ColumnImage& key, bool causal) {
  if (!query.index->family->has_vectors() || !key.index->family->has_vectors())
    throw HandOver("angles of another family");
  const SortedKeys& sorted = sorted_keys(state, key);
  const std::vector<std::int64_t> matrix = integer_multiple(query.m);
  const auto selected = state.passes.labels();
  state.passes.parts().share([&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> vector;
    Label guess = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Plane x = planar(*query.index->family, matrix, query.index->at(i), vector);
      if (x[1] <= 0) throw HandOver("a query outside the half plane of the keys");
      const std::size_t word = i - i % state.period;
      guess = std::max(guess, static_cast<Label>(word));
      selected->data()[i] =
          nearest_by_angle(sorted, x, static_cast<Label>(word),
                           static_cast<Label>(causal ? i + 1 : word + state.period), guess);
    }
  });
  return {ColumnRule::angle, selected};
}

void ColumnAttention::forget_older_than(std::uint64_t heads) {
  const auto old = [&](const auto& kept) { return kept.second.used + heads < heads_; };
  std::erase_if(known_, old);
  std::erase_if(sorted_, old);
  directions_.forget_older_than(8 * heads);
  cells_.forget_older_than(2 * heads);
}

}}  // namespace logdepth::runtime_columns
