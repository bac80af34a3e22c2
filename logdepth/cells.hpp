#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/vocabulary.hpp"

/// The cells of a program, and what statements read of them (program.hpp).
namespace logdepth::cells {

// Words of their own: `state`, `scratch`, `phi`, `fine(3)`, ...
using enum Lifetime;
inline constexpr PositionCode phi = PositionCode::phi, circle = PositionCode::circle,
                              two_circle = PositionCode::two_circle;
constexpr PositionCode phi_over(std::uint32_t L) {
  return PositionCode::phi_over(L);
}
constexpr PositionCode fine(std::uint32_t b) {
  return PositionCode::fine(b);
}

/// An exact number p/q, in lowest terms. Precondition: q > 0.
struct Fraction {
  template <std::floating_point Rounded>
  Fraction(Rounded) = delete;  ///< 0.5 is said exactly: Fraction(1, 2), or a form divided by 2
  Fraction(std::int64_t p = 0, std::int64_t q = 1);  // NOLINT: integers are fractions
  std::int64_t p, q;
};

/// A named value that every token holds. Belongs to the program that declared it.
class Cell {
 public:
  enum class Kind { constant, flag, onehot, key, pointer, direction, number };
  struct Declared;  ///< the compiler's side of a cell
  const std::string& name() const;
  std::uint32_t size() const;  ///< number of components
  std::uint32_t id() const;    ///< names it among the cells of all programs
  const Declared& declared() const { return *declared_; }

 protected:
  friend class Program;
  explicit Cell(std::shared_ptr<const Declared> declared) : declared_(std::move(declared)) {}
  std::shared_ptr<const Declared> declared_;
};

/// "cell = value": a condition of a rule, what a rule assigns, what a token's embedding fills.
struct Value {
  std::uint32_t cell = 0;
  std::uint32_t value = 0;  ///< index of the label; of a flag 1: true, 0: false
};

/// One number of a cell.
struct Component {
  std::uint32_t cell = 0;
  std::uint32_t index = 0;
};

/// The number 1 at every token; a program has at most one such cell.
class Constant : public Cell {
 public:
  using Cell::Cell;
  static constexpr Kind kKind = Kind::constant;
};
/// +1 (true) or -1 (false). As a value: true; `!f`: false.
class Flag : public Cell {
 public:
  using Cell::Cell;
  static constexpr Kind kKind = Kind::flag;
  operator Value() const { return {id(), 1}; }  // NOLINT: a flag is said by its name
  Value operator!() const { return {id(), 0}; }
  Value operator==(bool value) const { return {id(), value ? 1u : 0u}; }
};
/// 1 at one of its labels, 0 at the others.
class OneHot : public Cell {
 public:
  using Cell::Cell;
  static constexpr Kind kKind = Kind::onehot;
  Value operator==(const std::string& label) const;
  Component operator[](const std::string& label) const;
  Value at(std::uint32_t label) const;  ///< by index
  const std::vector<std::string>& labels() const;
};
/// Labels PREFIX0, PREFIX1, ...
std::vector<std::string> numbered(std::uint32_t count, const std::string& prefix = "");

/// A cell of several numbers.
class Vector : public Cell {
 public:
  using Cell::Cell;
  Component operator[](std::uint32_t index) const;
};
/// The code of the token's own position.
class Key : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::key;
};
/// The code of some position not after the token.
class Pointer : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::pointer;
};
/// A unit vector; with 2 components also the code of a rational x, the direction of (x, 1).
class Direction : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::direction;
};
/// Numbers of any size.
class Number : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::number;
};

/// A linear form of a token's cells: `one / 2 - 3 * letter["a"]`. Terms of factor 0 are left out.
class Form {
 public:
  struct Term {
    Component component;
    Fraction factor;
  };
  Form() = default;
  Form(const Component& component);  // NOLINT
  Form(const Constant& cell);        // NOLINT
  Form(const Flag& cell);            // NOLINT
  Form(const Number& cell);          // NOLINT: of one component
  const std::vector<Term>& terms() const { return terms_; }
  Form& operator+=(const Form& more);

  friend Form operator*(const Fraction& factor, Form form);

 private:
  std::vector<Term> terms_;
};
Form operator+(Form a, const Form& b);
Form operator*(const Fraction& factor, Form form);
Form operator-(const Form& form);
Form operator-(const Form& a, const Form& b);
/// Precondition: divisor > 0.
Form operator/(const Form& form, int divisor);
template <std::floating_point Rounded>
Form operator/(const Form& form, Rounded divisor) = delete;

/// numerator : denominator, a number that a head asks for.
struct Ratio {
  Form numerator, denominator;
  Ratio(Form p, Form q) : numerator(std::move(p)), denominator(std::move(q)) {}
  Ratio(const Vector& cell);  // NOLINT: of two components; the rational that it codes
  /// The number `by` below it.
  [[nodiscard]] Ratio back(std::uint32_t by) const;
};
Ratio operator/(const Form& numerator, const Form& denominator);

/// A value that several one-hot cells hold together, as a product of letters does, row by row.
class Product {
 public:
  void add(const OneHot& row) { rows_.push_back(row); }
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  const OneHot& operator[](std::size_t row) const { return rows_[row]; }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

 private:
  std::vector<OneHot> rows_;
};

/// Cells one after the other, however they are held.
class CellList {
 public:
  CellList() = default;
  CellList(const Cell& cell) : cells_{cell.id()} {}  // NOLINT
  CellList(const Product& product);                  // NOLINT
  CellList(const std::vector<Flag>& flags);          // NOLINT
  CellList(std::initializer_list<CellList> lists);
  CellList& operator+=(const CellList& more);
  const std::vector<std::uint32_t>& cells() const { return cells_; }

 private:
  std::vector<std::uint32_t> cells_;
};

}  // namespace logdepth::cells
