#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "runtime/numbers/outcome.hpp"

namespace logdepth {

/// What came of an outcome. Errors: InputError with the reason of a refusal.
template <class T>
T demand(Outcome<T> outcome) {
  if (!outcome.has_value()) throw InputError(describe(outcome.refusal()));
  return std::move(outcome).value();
}

/// What the networks of word problems compute, written directly: the product of every non-empty prefix of a
/// word over an action's letters, letter by letter, as the images of all points. Precondition: at most 255
/// points.
class PrefixProducts {
 public:
  explicit PrefixProducts(const Action& action)
      : points_(action.points), letters_(action.generators) {}

  void run(const Word& word) {
    images_.resize(word.size() * points_);
    Transformation product = identity_transformation(points_);
    for (std::size_t i = 0; i < word.size(); ++i) {
      const Transformation& letter = letters_[word[i]];
      for (std::size_t q = 0; q < points_; ++q) {
        product[q] = letter[product[q]];
        images_[i * points_ + q] = static_cast<std::uint8_t>(product[q]);
      }
    }
  }
  /// Of letters 0 .. i of the word that was run.
  Transformation at(std::size_t i) const {
    const auto first = images_.begin() + static_cast<std::ptrdiff_t>(i * points_);
    return {first, first + static_cast<std::ptrdiff_t>(points_)};
  }

 private:
  std::size_t points_;
  std::vector<Transformation> letters_;
  std::vector<std::uint8_t> images_;  ///< token x point
};

}  // namespace logdepth
