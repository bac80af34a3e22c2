#include "bench/direct_algorithms.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "logdepth/errors.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth {

DirectProducts::DirectProducts(const Action& action, ProductTable table)
    : points_(action.points), table_(table), letters_(action.generators) {
  if (points_ > std::numeric_limits<std::uint8_t>::max())
    throw SizeLimit("the direct scan holds at most 255 points");
  if (table == ProductTable::matrix) return;
  auto monoid = enumerate_monoid(action.generators, points_, 4096);
  if (!monoid) throw SizeLimit("the direct scan holds at most 4096 elements");
  elements_ = monoid->elements;
  letter_element_ = monoid->generator;
  element_product_ = monoid->product_table();
}

void DirectProducts::run_sequentially(const Word& word) {
  if (table_ == ProductTable::monoid) {
    codes_.resize(word.size());
    std::uint32_t product = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
      product = element_product_[product * elements_.size() + letter_element_[word[i]]];
      codes_[i] = static_cast<std::uint16_t>(product);
    }
    return;
  }
  images_.resize(word.size() * points_);
  std::vector<State> product = identity_transformation(points_);
  for (std::size_t i = 0; i < word.size(); ++i) {
    const Transformation& letter = letters_[word[i]];
    for (std::size_t q = 0; q < points_; ++q) {
      product[q] = letter[product[q]];
      images_[i * points_ + q] = static_cast<std::uint8_t>(product[q]);
    }
  }
}

template <std::size_t Points>
void DirectProducts::scan_matrices() {
  const std::size_t points = Points > 0 ? Points : points_;
  const std::size_t tokens = images_.size() / points;
  for (std::size_t back = 1; back < tokens; back *= 2) {
    std::copy_n(images_.begin(), back * points, next_images_.begin());
    for (std::size_t i = back; i < tokens; ++i) {
      const std::uint8_t* earlier = images_.data() + (i - back) * points;
      const std::uint8_t* own = images_.data() + i * points;
      std::uint8_t* product = next_images_.data() + i * points;
      for (std::size_t q = 0; q < points; ++q) product[q] = own[earlier[q]];
    }
    images_.swap(next_images_);
  }
}

void DirectProducts::run_scan(const Word& word) {
  if (table_ == ProductTable::monoid) {
    codes_.resize(word.size());
    next_codes_.resize(word.size());
    for (std::size_t i = 0; i < word.size(); ++i)
      codes_[i] = static_cast<std::uint16_t>(letter_element_[word[i]]);
    const std::size_t size = elements_.size();
    for (std::size_t back = 1; back < word.size(); back *= 2) {
      std::copy_n(codes_.begin(), back, next_codes_.begin());
      for (std::size_t i = back; i < word.size(); ++i)
        next_codes_[i] =
            static_cast<std::uint16_t>(element_product_[codes_[i - back] * size + codes_[i]]);
      codes_.swap(next_codes_);
    }
    return;
  }
  images_.resize(word.size() * points_);
  next_images_.resize(images_.size());
  for (std::size_t i = 0; i < word.size(); ++i)
    std::copy(letters_[word[i]].begin(), letters_[word[i]].end(), &images_[i * points_]);
  // The point counts of the groups and automata that the benchmarks use, unrolled.
  if (points_ == 5)
    scan_matrices<5>();
  else
    scan_matrices<0>();
}

Transformation DirectProducts::product(std::size_t i) const {
  if (table_ == ProductTable::monoid) return elements_[codes_[i]];
  return {images_.begin() + static_cast<std::ptrdiff_t>(i * points_),
          images_.begin() + static_cast<std::ptrdiff_t>((i + 1) * points_)};
}

BooleanSquaring::BooleanSquaring(const Graph& graph)
    : size_(graph.size()), words_((size_ + 63) / 64), start_(size_ * words_) {
  for (Vertex i = 0; i < size_; ++i)
    for (Vertex j = 0; j < size_; ++j)
      if (i == j || graph.has_edge(i, j))
        start_[i * words_ + j / 64] |= std::uint64_t{1} << (j % 64);
}

void BooleanSquaring::run() {
  relation_ = start_;
  std::vector<std::uint64_t> square(relation_.size());
  for (std::size_t length = 1; length + 1 < size_; length *= 2) {
    std::fill(square.begin(), square.end(), 0);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t word = 0; word < words_; ++word)
        for (std::uint64_t left = relation_[i * words_ + word]; left != 0; left &= left - 1) {
          const std::size_t middle = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
          for (std::size_t k = 0; k < words_; ++k)
            square[i * words_ + k] |= relation_[middle * words_ + k];
        }
    relation_.swap(square);
  }
}

bool BooleanSquaring::reaches(Vertex source, Vertex target) const {
  return (relation_[source * words_ + target / 64] >> (target % 64)) & 1;
}

}  // namespace logdepth
