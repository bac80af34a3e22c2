#include "library/exports/float_steps.hpp"
#include "logdepth/interruption.hpp"

namespace logdepth::exports {

SparseRow FloatSteps::negated(SparseRow row) {
  for (auto& entry : row) entry.second = -entry.second;
  return row;
}

void FloatSteps::find_pairs(Units& units) const {
  std::map<std::pair<SparseRow, SparseRow>, std::size_t> waiting;
  for (std::size_t u = 0; u < units.in.size(); ++u) {
    const auto opposite = waiting.find({negated(units.in[u]), negated(units.out[u])});
    if (opposite == waiting.end()) {
      waiting[{units.in[u], units.out[u]}] = u;
      continue;
    }
    units.paired[u] = units.paired[opposite->second] = true;
    waiting.erase(opposite);
    const Product& bound = units.bounds[u];
    for (const auto& [c, w] : units.out[u]) {
      units.terms[c] += 2;
      units.size[c] += size_of(w) * (bound.size + 2 * bound.error);
      units.lost[c] += 2 * size_of(w) * bound.rounding;
      for (const auto& [source, v] : units.in[u]) units.linear[c][source] += w * v;
    }
  }
}

void FloatSteps::step(const Dense& h, const std::vector<std::uint32_t>& coordinates,
                      const std::vector<std::size_t>& chosen, Units& units, Dense& made) const {
  std::vector<double> count(width_), size(width_), off(width_);
  for (const std::uint32_t c : coordinates) {
    made[c] = Rational();
    for (const auto& [source, w] : units.linear[c])
      if (!h[source].is_zero()) made[c] += w * h[source];
  }
  for (const std::size_t u : chosen) {
    const Rational x = dot(units.in[u], h);
    const double error = units.bounds[u].error;
    // Less than 0 in floating point, too.
    if (x.sign() < 0 && x.approximate() <= -error * (1 + 0x1p-30)) continue;
    const double positive = std::max(x.approximate(), 0.0);
    for (const auto& [c, w] : units.out[u]) {
      count[c] += 1;
      size[c] += size_of(w) * (positive + error);
      off[c] += size_of(w) * error;
      if (x.sign() > 0) made[c] += w * x;
    }
  }
  for (const std::uint32_t c : coordinates) {
    const double n = count[c] + units.terms[c];
    const double total_off =
        n == 0 ? error_[c]
               : off[c] + units.carried[c] + units.lost[c] +
                     g(n + 1) * (sizes_[c] + error_[c] + units.size[c] + size[c]) + n * tiny_;
    units.worst[c] = std::max(units.worst[c], total_off);
  }
}

void FloatSteps::feedforward(std::size_t l) {
  const FeedForward& source = model_.layers[l].feedforward;
  const Reading reading = read(fmt::format("layer {}, feed-forward", l + 1), source.mask,
                               network_.layers[l].feedforward);
  measure();
  Units units;
  units.in = reading(source.in);
  units.out.resize(units.in.size());
  for (const MatrixEntry& e : source.out.entries) units.out[e.column].emplace_back(e.row, e.value);
  units.paired.resize(units.in.size());
  for (const SparseRow& row : units.in) units.bounds.push_back(product(row));
  units.linear.resize(width_);
  for (std::uint32_t c = 0; c < width_; ++c) units.linear[c][c] = 1;
  for (auto* numbers : {&units.terms, &units.size, &units.lost, &units.carried, &units.worst})
    numbers->resize(width_);
  find_pairs(units);
  for (std::uint32_t c = 0; c < width_; ++c)
    for (const auto& [d, w] : units.linear[c]) units.carried[c] += size_of(w) * error_[d];
  std::array<std::vector<std::size_t>, 2> chosen;  // that write free and tied coordinates
  for (std::size_t u = 0; u < units.in.size(); ++u)
    for (const bool tied : {false, true})
      if (!units.paired[u] &&
          std::any_of(units.out[u].begin(), units.out[u].end(),
                      [&](const auto& e) { return reach_.is_tied[e.first] == tied; }))
        chosen[tied ? 1 : 0].push_back(u);
  move_streams(units, chosen);
  error_ = units.worst;
  apart_ += total(units.out) * total(units.in) * apart_z_;
}

void FloatSteps::move_streams(Units& units, const std::array<std::vector<std::size_t>, 2>& chosen) {
  std::set<std::uint32_t> read;  // of the base, by what writes tied coordinates
  for (const std::size_t u : chosen[1])
    for (const auto& entry : units.in[u]) read.insert(entry.first);
  for (const std::uint32_t c : reach_.tied)
    for (const auto& entry : units.linear[c]) read.insert(entry.first);
  std::map<std::pair<Tuple, const void*>, Tuples> known_sets;
  std::map<Tuple, std::map<Tuple, Tuple>> known;
  std::vector<Tuples> alive;  // so that no address is used twice
  Dense made(width_);
  for (WordStream& of : streams_) {
    look_for_interruption();
    Tuple seen;
    for (const std::uint32_t c : read) seen.push_back(numbers_.id(of.base[c]));
    alive.push_back(of.tuples);
    Tuples& moved = known_sets[{seen, of.tuples.get()}];
    if (!moved) {
      std::vector<Tuple> listed;
      auto& tuples = known[seen];
      for (const Tuple& tuple : *of.tuples) {
        const auto [found, added] = tuples.emplace(tuple, Tuple());
        if (added) {
          step(stream(of, tuple), reach_.tied, chosen[1], units, made);
          for (const std::uint32_t c : reach_.tied) found->second.push_back(numbers_.id(made[c]));
        }
        listed.push_back(found->second);
      }
      moved = tuples_of(std::move(listed));
    }
    step(of.base, reach_.free, chosen[0], units, made);
    Dense base(width_);
    for (const std::uint32_t c : reach_.free) base[c] = made[c];
    of = {std::move(base), moved};
  }
}

}  // namespace logdepth::exports
