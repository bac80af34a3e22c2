#include "library/exports/float_steps.hpp"

namespace logdepth::exports {

/// The square root of x >= 0, within 2^-600 of it.
Rational root(const Rational& x) {
  const mpq_class value = x.to_mpq();
  mpz_class whole = (value.get_num() << 1200) / value.get_den();
  whole = sqrt(whole);
  return Rational(mpq_class(whole, mpz_class(1) << 600));
}

Totals FloatSteps::totals(const SparseVector& mask) const {
  using Pair = std::pair<Rational, Rational>;
  std::map<const void*, std::vector<Pair>> known;
  std::optional<Totals> all;
  const auto add = [](Pair& sums, const SparseEntry& e, const Rational& x) {
    sums.first += e.value * e.value * x * x;
    sums.second += e.value * x;
  };
  for (const WordStream& stream : streams_) {
    Pair base;
    for (const SparseEntry& e : mask) add(base, e, stream.base[e.index]);
    auto& parts = known[stream.tuples.get()];
    if (parts.empty()) {
      std::set<Pair> distinct;
      for (const Tuple& tuple : *stream.tuples) {
        Pair sums;
        for (const SparseEntry& e : mask)
          if (reach_.is_tied[e.index]) add(sums, e, numbers_[tuple[place_[e.index]]]);
        distinct.insert(sums);
      }
      parts.assign(distinct.begin(), distinct.end());
    }
    for (const Pair& part : parts) {
      const Rational square = base.first + part.first;
      const Rational mean = (base.second + part.second).abs();
      if (!all) all = Totals{square, square, mean};
      all->low = std::min(all->low, square);
      all->high = std::max(all->high, square);
      all->mean = std::max(all->mean, mean);
    }
  }
  return *all;
}

Reading FloatSteps::read(const std::string& place, const SparseVector& mask,
                         const NetworkNorm& norm) {
  const Totals found = totals(mask);
  const double near = apart_ > 0 ? kNear : 0;
  if (found.low.sign() <= 0) not_shown("{}: reads zero at some token", place);
  if (model_.norm == Norm::layernorm && size_of(found.mean) > near)
    not_shown("{}: the mean is not 0", place);
  double weights = 0, least = INFINITY;
  for (const SparseEntry& e : mask) {
    weights += size_of(e.value);
    least = std::min(least, size_of(e.value));
  }
  const double spread = std::sqrt(width_ / size_of(found.low)) + 1;
  apart_z_ = 4 * spread * (weights * apart_ + near) + (near + kApart) * width_;
  Reading reading{norm.folded, norm.folded ? norm.scale : Rational(1), &mask, width_};
  if (norm.folded) {
    const Rational difference =
        norm.scale * norm.scale * found.high - Rational(static_cast<std::int64_t>(width_));
    if (size_of(found.high - found.low) > near || size_of(difference) > near)
      not_shown("{}: the norm depends on the word or token; expected the scale {}", place,
                norm.scale.text());
    // In units of the stream.
    apart_z_ *= std::max(1.0, 1 / (size_of(norm.scale) * least));
    if (apart_ == 0) apart_z_ = 0;
    return reading;
  }
  for (const SparseEntry& e : mask)
    if (reach_.is_tied[e.index])
      not_shown("{}: the norm depends on the word; expected a constant one", place);
  if (norm.zero_below > 0) not_shown("{}: tests for zero; expected a norm without one", place);
  put_norm(place, mask);
  return reading;
}

void FloatSteps::put_norm(const std::string& place, const SparseVector& mask) {
  std::vector<double> wrong(width_);
  const bool layernorm = model_.norm == Norm::layernorm;
  for (WordStream& stream : streams_) {
    Dense x(width_);
    std::vector<double> off(width_);
    double all_off = 0, all_sizes = 0;
    Rational square;
    for (const SparseEntry& e : mask) {
      x[e.index] = e.value * stream.base[e.index];
      square += x[e.index] * x[e.index];
      const double moved = size_of(e.value) * error_[e.index];
      off[e.index] = moved + g(1) * (size_of(x[e.index]) + moved) + tiny_;
      all_off += off[e.index];
      all_sizes += size_of(x[e.index]) + off[e.index];
    }
    const double mean = layernorm ? (all_off + g(width_) * all_sizes) / width_ : 0;
    const double size = std::sqrt(size_of(square));
    all_off += width_ * (mean + tiny_);
    if (!(2 * all_off < size))
      not_shown("{}: rounding may take {:.3g} of the norm {:.3g}", place, all_off, size);
    const Rational factor = root(Rational(static_cast<std::int64_t>(width_)) / square);
    const double times = size_of(factor);
    for (std::uint32_t c = 0; c < width_; ++c) {
      const double z = 2 * times * (off[c] + mean + size_of(x[c]) * all_off / size);
      wrong[c] = std::max(wrong[c], z + g(width_ + 8) * (times * size_of(x[c]) + z) + tiny_);
      stream.base.push_back(x[c].is_zero() ? Rational() : factor * x[c]);
    }
  }
  apart_ = std::max(apart_, kApart);
  error_.insert(error_.end(), wrong.begin(), wrong.end());
}

void FloatSteps::forget_norm() {
  error_.resize(width_);
  for (WordStream& stream : streams_) stream.base.resize(width_);
}

}  // namespace logdepth::exports
