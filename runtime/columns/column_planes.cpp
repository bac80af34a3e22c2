#include "runtime/columns/column_planes.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/columns/hand_over.hpp"

namespace logdepth::inline runtime_columns {
namespace {

constexpr Label kUnnumbered = static_cast<Label>(-1);
constexpr std::size_t kBytesOfPlane = 64;  // twice its numbers, a node and a bucket

}  // namespace

Plane planar(const ColumnFamily& family, const std::vector<std::int64_t>& m, std::size_t e,
             std::vector<std::int64_t>& vector) {
  const std::uint32_t dims = family.dims;
  vector.resize(dims);
  family.vector(e, vector.data());
  Plane p{};
  for (std::uint32_t d = 0; d < dims; ++d)
    for (std::size_t r = 0; r < 2; ++r) {
      std::int64_t x;
      if (__builtin_mul_overflow(m[r * dims + d], vector[d], &x) ||
          __builtin_add_overflow(p[r], x, &p[r]) || p[r] == INT64_MIN)
        throw HandOver("a query or a key beyond 64 bits");
    }
  return p;
}

Real PlaneColumn::one_square() const {
  std::optional<Real> one;
  for (std::size_t c = 0; c < squares.size(); ++c) {
    if (!occurs[c]) continue;
    if (one && !(*one == squares[c])) return Real();
    one = squares[c];
  }
  return one.value_or(Real());
}

Real PlaneColumn::least_square() const {
  std::optional<Real> smallest;
  for (std::size_t c = 0; c < least.size(); ++c)
    if (occurs[c] && (!smallest || least[c] < *smallest)) smallest = least[c];
  return smallest.value_or(Real());
}

/// A vector divided by its content: the shortest one of its direction.
Label PlaneDirections::number(Plane vector) {
  const std::int64_t content = std::gcd(vector[0], vector[1]);
  if (content == 0) throw HandOver("the direction of zero");
  for (std::int64_t& x : vector) x /= content;
  const auto [known, fresh] = numbers_.try_emplace(vector, static_cast<Label>(planes_.size()));
  if (fresh) planes_.push_back(vector);
  return known->second;
}

/// The square of the length of v, or of M code where M^T M is a multiple of the identity and the code a unit
/// vector (L1). Else, of codes in a plane, no square is below the least eigenvalue of M^T M, which is at least
/// its determinant over its trace. False: neither a number nor a matrix times a code.
bool PlaneDirections::find_squares(const ColumnImage& image, Real& square, Real& least) {
  for (const Real& x : image.v) add(square, x * x);
  least = square;
  if (!image.index) return !square.is_zero();
  const ColumnFamily& family = *image.index->family;
  if (!square.is_zero() || !family.has_vectors() || family.block != family.dims) return false;
  const Reals product = transposed_product(image.m, image.m, image.v.size());
  Reals multiples;
  if (is_block_scalar(product, family, multiples)) {
    square = least = multiples[0];
  } else if (family.dims == 2) {
    const Real determinant = product[0] * product[3] - product[1] * product[2];
    const Real trace = product[0] + product[3];
    if (determinant.is_rational() && trace.is_rational())
      least = Real(determinant.rational_part() / trace.rational_part());
  }
  return true;
}

Column PlaneDirections::directions(ColumnState& state, const ColumnImages& images,
                                   const std::vector<char>& occurs) {
  std::vector<Label> number_of(images.images.size());
  std::vector<std::vector<std::int64_t>> matrices(images.images.size());
  for (std::size_t c = 0; c < occurs.size(); ++c) {
    if (!occurs[c]) continue;
    const ColumnImage& image = images.images[c];
    if (image.index) {
      matrices[c] = integer_multiple(image.m);
    } else {
      const auto vector = integer_multiple(image.v);
      number_of[c] = number({vector[0], vector[1]});
    }
  }
  Column result;
  std::vector<Label> local_of;  // by number of a direction
  const auto local = [&](Label direction) {
    if (direction >= local_of.size()) local_of.resize(planes_.size(), kUnnumbered);
    if (local_of[direction] == kUnnumbered) {
      local_of[direction] = static_cast<Label>(result.dictionary.size());
      result.dictionary.push_back(direction);
    }
    return local_of[direction];
  };
  const bool one = images.images.size() == 1;
  std::vector<Label> of_code(one ? state.tokens() : 0, kUnnumbered);
  std::vector<std::int64_t> vector;
  const auto labels = state.passes.labels();
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Label c = images.at.at(i);
      const SharedIndex& index = images.images[c].index;
      if (!index) {
        labels->data()[i] = local(number_of[c]);
        continue;
      }
      const std::size_t e = index->at(i);
      if (one && of_code[e] != kUnnumbered) {
        labels->data()[i] = of_code[e];
        continue;
      }
      labels->data()[i] = local(number(planar(*index->family, matrices[c], e, vector)));
      if (one) of_code[e] = labels->data()[i];
    }
  });
  if (result.dictionary.size() > 1) result.local = labels;
  held_ = HeldBytes(state.passes.memory(), planes_.size() * kBytesOfPlane);
  return result;
}

std::optional<PlaneColumn> PlaneDirections::of(ColumnState& state, const ColumnImages& images) {
  ++calls_;
  PlaneColumn result;
  result.occurs.assign(images.images.size(), images.at.local ? 0 : 1);
  if (images.at.local)
    for (std::size_t i = 0; i < state.tokens(); ++i) result.occurs[images.at.at(i)] = 1;
  for (std::size_t c = 0; c < images.images.size(); ++c) {
    if (images.images[c].v.size() != 2) return std::nullopt;
    if (!find_squares(images.images[c], result.squares.emplace_back(),
                      result.least.emplace_back()) &&
        result.occurs[c])
      return std::nullopt;
  }
  if (images.images.size() == 1 && images.images[0].index) {
    Known& known = known_[{images.images[0].index, integer_multiple(images.images[0].m)}];
    known.used = calls_;
    if (known.directions.dictionary.empty())
      known.directions = directions(state, images, result.occurs);
    result.directions = known.directions;
  } else {
    result.directions = directions(state, images, result.occurs);
  }
  return result;
}

void PlaneDirections::forget_older_than(std::uint64_t calls) {
  std::erase_if(known_, [&](const auto& kept) { return kept.second.used + calls < calls_; });
}

}  // namespace logdepth::inline runtime_columns
