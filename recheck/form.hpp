#pragma once

// Numbers and forms. A coordinate of the residual stream at a generic token is an affine form over atoms, with rational
// coefficients, and every statement of the proof is an identity of forms that holds for all values of the atoms:
//   T  component of the one-hot kind of the token at a position        X  component of the one-hot label of a product cell
//   K  component of the position code, in unit pairs (1 or 2 of them)   V  1/(p+1)
//   P  +1 where the position is even, -1 where it is odd
//   M  C/(p+1), where C counts letters up to the token by their weights
//   D  v/sqrt(w1 v1^2 + w2 v2^2 + ...) for one of the numbers v1, v2, ... of direction `id`
//   H  component of the code of position floor((p + id)/version)      Z  sign of a sum of counts: -1, 0 or +1
// and in the theorem of division, for the divisor m: N number `id`; K of another id, the code of another position; D of version
// kArgument, read at the argument; E +1 where m divides p, else -1; Y a sign, 0 where m divides p; W 1/((p mod m) + 1).
// and in the theorem of selections: U an unknown number with bounds; Q the sign of a form, -1, 0 or +1; K of id n, the code of some
// position up to the own one.
// and in the theorem of the tree: O one-hot, component 0 is the first token; flags A, B, G, J (tree.cpp).
// The position of an atom is max(p - b, 0), where p is the token and the shift b is a*s + c, with s >= 1 the stride of the
// loop. Shifts are never negative, so that reading shift c of what has shift b is shift b + c.

#include <gmpxx.h>

#include <algorithm>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace recheck {

struct Shift {
  std::int64_t strides = 0, constant = 0;
  auto operator<=>(const Shift&) const = default;
};

struct Cell {
  char kind = '1';
  int id = 0, version = 0;
  Shift at;
  auto operator<=>(const Cell&) const = default;
};

struct Atom {
  Cell cell;
  int part = 0;
  auto operator<=>(const Atom&) const = default;
};

inline const Atom kOne{};
inline Atom own(char kind, int part = 0) {
  return {{kind, 0, 0, {}}, part};
}  // at the own position
using Form = std::map<Atom, mpq_class>;  // without zeros
using Stream = std::map<int, Form>;      // coordinate to form; what is absent is zero
using Bilinear = std::map<Atom, Form>;   // atom at the key's token, to a form at the query's

/// What directions are made of: a count, by the number of its counter, or one of these: the position p, p mod m, the number of active
/// tokens up to p less 1, the stride s, the stride one loop before, m, 1.
enum : int { kPosition = 1 << 20, kRest, kLess, kStride, kBefore, kDivisor, kUnit };
/// Ids of K in the theorem of division: the position nearest to p/m, floor(p/m), the argument a, floor(a/m).
enum : int { kNear = 1, kQuotient, kArgument, kItsQuotient };
using Linear = std::map<int, mpq_class>;                  // such a number to its factor
using Weighted = std::vector<std::pair<int, mpq_class>>;  // the same, in order

Shift plus(Shift b, Shift c);               // Refused beyond 2^40
Shift times(Shift b, std::int64_t factor);  // likewise
std::string shown(Shift b);
std::string shown(const Form& form);
std::string shown(const mpq_class& number);

std::optional<mpq_class> rational_root(const mpq_class& x);
/// The number of an item in a list, to which it is added where it is new.
template <typename Item>
int number_in(std::vector<Item>& list, const Item& item) {
  const auto known = std::find(list.begin(), list.end(), item);
  const auto number = static_cast<int>(known - list.begin());
  if (known == list.end()) list.push_back(item);
  return number;
}
void add(Form& to, const Atom& atom, const mpq_class& value);
void add(Form& to, const Form& form, const mpq_class& factor = 1);
/// What a map has of a key; zero, or an empty form, without it.
template <typename Map>
typename Map::mapped_type value_in(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}
inline mpq_class constant_of(const Form& form) {
  return value_in(form, kOne);
}
bool is_constant(const Form& form);
inline Form at(const Stream& stream, int coordinate) {
  return value_in(stream, coordinate);
}
/// Sum of row[c] * stream[c].
template <typename Row>
Form combine(const Row& row, const Stream& stream) {
  Form sum;
  for (const auto& [c, factor] : row)
    if (const auto found = stream.find(c); found != stream.end()) add(sum, found->second, factor);
  return sum;
}

/// What is known of a number U: its bounds, and more.
struct Unknown {
  mpq_class low, high;
  bool above = false, below = false;  // it is not the lower bound; not the upper one
  bool rational = false;
  std::optional<mpq_class> first = {};  // its value at <begin>
  bool operator==(const Unknown&) const = default;
};

/// What atoms are known to be. One-hot: each component 0 or 1, one of them 1. Unit pairs: components 2i and 2i+1 have
/// x^2 + y^2 = 1. Flags: x^2 = 1.
struct Laws {
  std::function<int(const Cell&)> size_of;  // number of components of a one-hot cell
  std::vector<Weighted> directions = {};    // weights of the squares of the numbers, by id of D
  std::vector<Unknown> unknowns = {};       // by id of U

  static bool one_hot(const Cell& cell) {
    return cell.kind == 'T' || cell.kind == 'X' || cell.kind == 'O';
  }
  static bool flag(const Cell& cell) {
    return std::string("PEABGJ").find(cell.kind) != std::string::npos;
  }
  /// 1/(p+1) times a count.
  static bool mean(const Cell& cell) { return cell.kind == 'V' || cell.kind == 'M'; }
  /// Known at the own token only.
  static bool own_only(const Cell& cell) {
    return mean(cell) || cell.kind == 'D' || cell.kind == 'H' || cell.kind == 'Z';
  }
  /// A bound of the atoms of a cell: v/sqrt(w v^2 + ...) is at most 1/sqrt(w).
  mpq_class largest(const Cell& cell) const;
  /// Uses that the components of a one-hot sum to 1, where all of them occur. The form stays the same function.
  void simplify(Form& form) const;
  /// Whether the form is this number, whatever the atoms are.
  bool equals(const Form& form, const mpq_class& number) const;
  /// An interval that holds every value of the form.
  std::pair<mpq_class, mpq_class> bounds(const Form& form) const;
  /// Whether every value of the form is positive.
  bool positive(const Form& form) const;
  /// The square of the form summed into `sum`: atoms, and in `cross` products that no law reduces.
  void add_square(const Form& form, Form& sum,
                  std::map<std::pair<Atom, Atom>, mpq_class>& cross) const;
};

}  // namespace recheck
