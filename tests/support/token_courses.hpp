#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"
#include "tests/support/token_ranges.hpp"
#include "tests/support/weight_rows.hpp"

/// Cells of two components whose numbers grow together with the position, and what follows for the
/// token that a head finds best.
namespace logdepth::support {

/// Such a cell, once it is written: a positive multiple of (x, 1) with x >= 0. Proved at the head of
/// the construction; held against runs in tests/properties/token_ranges.
struct Course {
  enum class Growth {
    unknown,
    never_falls,  ///< x at a later token is at least as large
    strict,       ///< and larger
    position      ///< x is the token's position
  };
  std::string cell;
  Growth growth = Growth::unknown;
  bool at_most_position = false;  ///< x is
  bool raw = false;               ///< (x, 1) itself; of norm 1 otherwise

  bool strict() const { return growth == Growth::strict || growth == Growth::position; }
};
using Courses = std::vector<Course>;

/// Of MS25 Lemma 3.1, and of the same steps in Theorem 5.1 (compact forms).
Courses courses_of_divisions();
Courses courses_of_connectivity();

/// No component of these cells is negative.
void bound_by_courses(Moments& moments, const Courses& courses, const Model& model);

/// What the scores of one attention sublayer are for tokens of growing positions. Scores are bilinear
/// forms over the stream behind the mask, (asking, asked) coordinates.
class TokenOrder {
 public:
  TokenOrder(const Program& program, const Model& model, const Courses& courses,
             const std::vector<bool>& live, const SparseVector& mask);

  /// Under a causal mask the best tokens are those that have the asking token's own x in some cell,
  /// and this is its course; null where none is known. Of a strict one: the asking token alone.
  const Course* own_is_best(const Bilinear& score) const;
  /// No token after the asking one is as good as that one.
  bool later_are_worse(const Bilinear& score) const;
  /// No two tokens are best, with a causal mask or without.
  bool one_is_best(const Bilinear& score) const;
  /// At a later token the form of the stream is at least as large.
  bool never_falls(const Coordinates& form) const;

 private:
  struct Place {
    const Course* course = nullptr;  ///< null: the constant
    std::uint32_t component = 0;
  };
  std::pair<std::uint32_t, Rational> unmirrored(std::uint32_t coordinate) const;
  Bilinear unmirrored(const Bilinear& form) const;
  bool norm_is_common(const Program& program, const SparseVector& mask);
  std::optional<Place> place(std::uint32_t coordinate) const;
  bool own_is_best(const Bilinear& score, const Course& of) const;

  const Model& model_;
  const std::vector<bool>& live_;
  std::map<std::uint32_t, Place> places_;
  std::set<std::uint32_t> common_numbers_;  ///< the same at all tokens of an input
  const Courses& courses_;
  bool common_ = false;
  const Course* raw_ = nullptr;  ///< behind a mask of it alone, where it has norm 1
};

}  // namespace logdepth::support
