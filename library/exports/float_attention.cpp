#include "library/exports/float_steps.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"

namespace logdepth::exports {

Rational FloatSteps::score(const Tuple& query, const Tuple& key) const {
  Rational sum;
  for (std::size_t d = 0; d < query.size(); ++d) sum += numbers_[query[d]] * numbers_[key[d]];
  return sum;
}

Selection FloatSteps::select(const std::string& place, const std::vector<TokenPlace>& tokens,
                             const std::vector<SparseRow>& query,
                             const std::vector<SparseRow>& key) {
  Selection selection;
  selection.compares = true;
  for (const auto* rows : {&query, &key})
    for (const SparseRow& row : *rows)
      for (const auto& entry : row)
        selection.by_word |= entry.first < width_ && reach_.is_tied[entry.first];
  selection.query.resize(query.size());
  selection.key.resize(key.size());
  std::vector<std::vector<Vectors>> vectors;
  std::vector<std::vector<KeyOf>> keys;
  const auto ids = [&](const std::vector<SparseRow>& rows, const Dense& h,
                       std::vector<double>& largest) {
    Tuple found;
    for (std::size_t d = 0; d < rows.size(); ++d) {
      const Rational value = dot(rows[d], h);
      largest[d] = std::max(largest[d], size_of(value));
      found.push_back(numbers_.id(value));
    }
    return found;
  };
  for (const WordStream& of : streams_) {
    auto& own = vectors.emplace_back();
    const auto add = [&](const Tuple* tuple, const Dense& h) {
      own.push_back({tuple, ids(query, h, selection.query), ids(key, h, selection.key)});
    };
    if (!selection.by_word) {
      add(nullptr, of.base);
    } else {
      for (const Tuple& tuple : *of.tuples) add(&tuple, stream(of, tuple));
    }
    std::map<Tuple, std::vector<const Tuple*>> grouped;
    for (const Vectors& v : own) grouped[v.key].push_back(v.tuple);
    auto& listed = keys.emplace_back();
    for (auto& [k, tuples] : grouped) listed.push_back({k, std::move(tuples)});
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    look_for_interruption();
    select_at(place, tokens[i].position, i, vectors[i], keys, selection);
  }
  return selection;
}

void FloatSteps::select_at(const std::string& place, std::size_t position, std::size_t i,
                           const std::vector<Vectors>& own,
                           const std::vector<std::vector<KeyOf>>& keys,
                           Selection& selection) const {
  auto& winners = selection.winners.emplace_back(own.size());
  const auto gap = [&](const Rational& distance) {
    if (distance.is_zero())
      not_shown("{}, token {}: two tokens may share the largest score; expected one", place,
                position);
    if (!selection.separation || distance < *selection.separation) selection.separation = distance;
  };
  std::map<Tuple, std::vector<std::size_t>> by_query;
  for (std::size_t n = 0; n < own.size(); ++n) by_query[own[n].query].push_back(n);
  for (const auto& [query, rows] : by_query) {
    std::vector<Scored> high;
    std::optional<Rational> floor, below;
    for (std::size_t j = 0; j < position; ++j) {
      std::optional<Rational> lowest;
      for (const KeyOf& key : keys[j]) {
        high.push_back({score(query, key.key), j, &key});
        if (!lowest || high.back().score < *lowest) lowest = high.back().score;
      }
      if (!floor || *floor < *lowest) floor = lowest;
    }
    std::erase_if(high, [&](const Scored& one) {
      if (!(one.score < *floor)) return false;
      if (!below || *below < one.score) below = one.score;
      return true;
    });
    for (const Scored& one : high) {
      if (below) gap(one.score - *below);
      for (const Scored& other : high)
        if (other.token != one.token && !(one.score < other.score)) gap(one.score - other.score);
    }
    for (const std::size_t n : rows) {
      const Rational mine = score(query, own[n].key);
      for (const Scored& one : high) gap((mine - one.score).abs());
      if (below && *below < mine) gap(mine - *below);
      if (!floor || !(mine < *floor)) winners[n].push_back({i, {own[n].tuple}});
      for (const Scored& one : high)
        if (!(one.score < mine)) winners[n].push_back({one.token, one.key->tuples});
    }
  }
}

double FloatSteps::weigh(const std::string& place, std::size_t l, std::size_t k,
                         const Selection& selection, const std::vector<SparseRow>& query,
                         const std::vector<SparseRow>& key) {
  double size = 0, wrong = 0;
  for (std::size_t d = 0; d < query.size(); ++d) {
    const double q = selection.query[d], eq = product(query[d]).error;
    const double s = selection.key[d], es = product(key[d]).error;
    size += (q + eq) * (s + es);
    wrong += q * es + s * eq + eq * es;
  }
  if (!(size < most_)) not_shown("numbers are too large for the format");
  const double both = total(query) + total(key) + 1;
  wrong += apart_z_ * both * both * (size + apart_z_ + 1);
  const auto dimensions = static_cast<double>(query.size());
  const double rounding = wrong + g(dimensions + 4) * size + dimensions * tiny_;
  ProvedHead& proved = bounds_.heads[{l, k}];
  proved.rounding = std::max(proved.rounding, rounding);
  proved.largest = std::max(proved.largest, size);
  if (!selection.separation) return 0;
  if (!proved.separation || *selection.separation < *proved.separation)
    proved.separation = selection.separation;
  const double separation = selection.separation->approximate();
  const double left = separation - 2 * rounding * (1 + 0x1p-18);
  if (!(left > 0))
    not_shown("{}: the separation is {:.3g}, and rounding may take {:.3g} of each score", place,
              separation, rounding);
  proved.left = proved.left > 0 ? std::min(proved.left, left) : left;
  if (network_.hard) return 0;
  const double halvings = std::floor(network_.layers[l].heads[k].temperature * left * 10 / 7);
  return 2 * static_cast<double>(tokens_.size()) *
         std::exp2(-std::min(halvings, network_.single ? 500.0 : 1000.0));
}

void FloatSteps::attention(std::size_t l, const std::vector<TokenPlace>& tokens) {
  const Attention& source = model_.layers[l].attention;
  const Reading reading =
      read(fmt::format("layer {}, attention", l + 1), source.mask, network_.layers[l].attention);
  measure();
  std::vector<double> terms(width_), size(width_), wrong(width_);
  std::vector<PlacedHead> heads;
  double grown = apart_;
  for (std::size_t k = 0; k < source.heads.size(); ++k) {
    const std::string place = fmt::format("layer {}, head {}", l + 1, k + 1);
    const Head& head = source.heads[k];
    const auto query = reading(head.query), key = reading(head.key), value = reading(head.value);
    const auto any = [](const std::vector<SparseRow>& rows) {
      return std::any_of(rows.begin(), rows.end(), [](const SparseRow& r) { return !r.empty(); });
    };
    if (!head.causal) not_shown("{}: not causal; expected a causal head", place);
    PlacedHead& placed = heads.emplace_back();
    double others = 0;
    if (any(query) && any(key)) {
      placed.selection = select(place, tokens, query, key);
      others = weigh(place, l, k, placed.selection, query, key);
    }
    std::map<std::uint32_t, std::map<std::uint32_t, Rational>> copied;
    for (const MatrixEntry& e : head.output.entries) {
      if (!placed.selection.compares && reach_.is_tied[e.row])
        not_shown("{}: averages what depends on the word; expected a head that selects one token",
                  place);
      const Product average = product(value[e.column]);
      double off = average.error;
      const auto seen = static_cast<double>(tokens.size());
      if (!placed.selection.compares || !network_.hard)
        off += (2 * others + g(2 * seen)) * (average.size + off) + seen * tiny_;
      const double w = size_of(e.value);
      terms[e.row] += 1;
      size[e.row] += w * (average.size + off);
      wrong[e.row] += w * off;
      for (const auto& [c, v] : value[e.column]) copied[e.row][c] += e.value * v;
    }
    for (const auto& [c, row] : copied)
      placed.copied.emplace_back(c, SparseRow(row.begin(), row.end()));
    grown += total(rows_of(head.output)) * total(value) * apart_z_;
  }
  std::vector<WordStream> made;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    made.push_back(attended(i, tokens[i].position, heads));
  streams_ = std::move(made);
  for (std::uint32_t c = 0; c < width_; ++c)
    if (terms[c] > 0)
      error_[c] +=
          wrong[c] + g(terms[c] + 1) * (sizes_[c] + error_[c] + size[c]) + terms[c] * tiny_;
  apart_ = grown;
  forget_norm();
}

Taken FloatSteps::taken(const PlacedHead& head, const Dense& h) const {
  Taken found;
  for (const auto& [c, row] : head.copied)
    if (reach_.is_tied[c]) found.emplace_back(place_[c], dot(row, h));
  return found;
}

WordStream FloatSteps::attended(std::size_t i, std::size_t position,
                                const std::vector<PlacedHead>& heads) {
  look_for_interruption();
  WordStream made{streams_[i].base, nullptr};
  std::vector<std::set<Taken>> shared(heads.size());  // of heads that select alike for all words
  for (std::size_t k = 0; k < heads.size(); ++k) {
    const Selection& selection = heads[k].selection;
    if (selection.by_word) continue;
    std::vector<std::size_t> seen;
    if (selection.compares) {
      seen = {selection.winners[i].front().front().token};
    } else {
      for (std::size_t j = 0; j < position; ++j) seen.push_back(j);
      seen.push_back(i);
    }
    for (const auto& [c, row] : heads[k].copied) {
      if (reach_.is_tied[c]) continue;
      Rational sum;
      for (const std::size_t j : seen) sum += dot(row, streams_[j].base);
      made.base[c] += sum / Rational(static_cast<std::int64_t>(seen.size()));
    }
    if (selection.compares && seen.front() != i)
      for (const Tuple& tuple : *streams_[seen.front()].tuples)
        shared[k].insert(taken(heads[k], stream(streams_[seen.front()], tuple)));
  }
  std::vector<Tuple> became;
  const std::vector<Tuple>& own = *streams_[i].tuples;
  for (std::size_t n = 0; n < own.size(); ++n) {
    const Dense here = stream(streams_[i], own[n]);
    std::vector<std::set<Taken>> options;
    for (std::size_t k = 0; k < heads.size(); ++k) {
      const Selection& selection = heads[k].selection;
      if (!selection.compares) continue;
      if (!selection.by_word && !shared[k].empty()) {
        options.push_back(shared[k]);
        continue;
      }
      auto& found = options.emplace_back();
      for (const Winner& winner : selection.winners[i][selection.by_word ? n : 0]) {
        if (winner.token == i) {
          found.insert(taken(heads[k], here));
          continue;
        }
        for (const Tuple* tuple : winner.tuples)
          found.insert(taken(heads[k], stream(streams_[winner.token], *tuple)));
      }
    }
    combine(own[n], options, 0, became);
    if (became.size() > 4 * kMostTuples) became = *tuples_of(std::move(became));
  }
  made.tuples = tuples_of(std::move(became));
  if (made.tuples->size() > kMostTuples)
    throw SizeLimit(fmt::format("token {} has more than {} streams", position, kMostTuples));
  return made;
}

void FloatSteps::combine(const Tuple& tuple, const std::vector<std::set<Taken>>& options,
                         std::size_t head, std::vector<Tuple>& became) {
  if (head == options.size()) {
    became.push_back(tuple);
    return;
  }
  for (const Taken& choice : options[head]) {
    Tuple next = tuple;
    for (const auto& [at, value] : choice)
      if (!value.is_zero()) next[at] = numbers_.id(numbers_[next[at]] + value);
    combine(next, options, head + 1, became);
  }
}

}  // namespace logdepth::exports
