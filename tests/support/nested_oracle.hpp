#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "runtime/numbers/nested_radical.hpp"
#include "tests/support/real_oracle.hpp"

namespace logdepth::laws {

/// An expression with roots of sums, that each number type evaluates for itself.
class Nested {
 public:
  enum class Kind { fraction, sum, difference, product, root, inverse };

  static Nested fraction(std::int64_t top, std::int64_t bottom = 1) {
    return Nested({Kind::fraction, top, bottom, nullptr, nullptr});
  }
  /// Of a positive number, or zero.
  static Nested root(const Nested& x) { return Nested({Kind::root, 0, 1, x.node_, nullptr}); }
  static Nested inverse(const Nested& x) { return Nested({Kind::inverse, 0, 1, x.node_, nullptr}); }
  friend Nested operator+(const Nested& a, const Nested& b) { return a.with(Kind::sum, b); }
  friend Nested operator-(const Nested& a, const Nested& b) { return a.with(Kind::difference, b); }
  friend Nested operator*(const Nested& a, const Nested& b) { return a.with(Kind::product, b); }

  /// `leaves` has fraction(top, bottom), root(number) and inverse(number).
  template <class Leaves>
  auto evaluate(Leaves& leaves) const {
    return evaluate(*node_, leaves);
  }
  std::string text() const { return text(*node_); }

 private:
  struct Node {
    Kind kind;
    std::int64_t top, bottom;
    std::shared_ptr<const Node> a, b;
  };
  explicit Nested(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}
  Nested with(Kind kind, const Nested& b) const { return Nested({kind, 0, 1, node_, b.node_}); }

  template <class Leaves>
  static typename Leaves::Number evaluate(const Node& node, Leaves& leaves) {
    switch (node.kind) {
      case Kind::fraction:
        return leaves.fraction(node.top, node.bottom);
      case Kind::sum:
        return leaves.sum(evaluate(*node.a, leaves), evaluate(*node.b, leaves));
      case Kind::difference:
        return leaves.difference(evaluate(*node.a, leaves), evaluate(*node.b, leaves));
      case Kind::product:
        return leaves.product(evaluate(*node.a, leaves), evaluate(*node.b, leaves));
      case Kind::root:
        return leaves.root(evaluate(*node.a, leaves));
      case Kind::inverse:
        return leaves.inverse(evaluate(*node.a, leaves));
    }
    std::abort();
  }
  static std::string text(const Node& node) {
    const auto two = [&](const char* sign) {
      return "(" + text(*node.a) + sign + text(*node.b) + ")";
    };
    switch (node.kind) {
      case Kind::fraction:
        return std::to_string(node.top) +
               (node.bottom == 1 ? "" : "/" + std::to_string(node.bottom));
      case Kind::sum:
        return two(" + ");
      case Kind::difference:
        return two(" - ");
      case Kind::product:
        return two("*");
      case Kind::root:
        return "sqrt(" + text(*node.a) + ")";
      case Kind::inverse:
        return "1/(" + text(*node.a) + ")";
    }
    std::abort();
  }

  std::shared_ptr<const Node> node_;
};

template <class T>
struct OperatorLeaves {
  using Number = T;
  static Number sum(const Number& a, const Number& b) { return a + b; }
  static Number difference(const Number& a, const Number& b) { return a - b; }
  static Number product(const Number& a, const Number& b) { return a * b; }
  static Number inverse(const Number& x) { return Number(1) / x; }
};
struct WideLeaves : OperatorLeaves<Wide> {
  static Wide fraction(std::int64_t top, std::int64_t bottom) { return Wide(top) / Wide(bottom); }
  static Wide root(const Wide& x) { return sign_of(x) == 0 ? Wide(0) : sqrt(x); }
};
#if LOGDEPTH_HAS_CORE
struct CoreLeaves : OperatorLeaves<CORE::Expr> {
  static CORE::Expr fraction(std::int64_t top, std::int64_t bottom) {
    return Leaves<CORE::Expr>::fraction(top, bottom);
  }
  static CORE::Expr root(const CORE::Expr& x) { return sqrt(x); }
};
#endif
/// Roots and inverses from what a tower has: sqrt(x) = x/sqrt(x), 1/x = x * (1/sqrt(x^2))^2.
struct TowerLeaves {
  using Number = NestedRadical;
  RadicalTower& tower;

  static Number fraction(std::int64_t top, std::int64_t bottom) {
    return Real(Rational(top, bottom));
  }
  static Number sum(const Number& a, const Number& b) { return a + b; }
  static Number difference(const Number& a, const Number& b) { return a - b; }
  Number product(const Number& a, const Number& b) const { return tower.product(a, b); }
  Number root(const Number& x) const {
    if (const auto real = x.real(); real && real->is_rational())
      return Real::root(real->rational_part());
    const auto inverse = tower.inverse_root(x);
    return inverse ? product(x, *inverse) : Number();
  }
  /// Of a number other than zero.
  Number inverse(const Number& x) const {
    const Number one = tower.inverse_root(product(x, x)).value();
    return product(x, product(one, one));
  }
};

/// Numbers as they occur where norms nest, and the degenerate ones around them.
class NestedExpressions {
 public:
  enum Family { random_sums, denested, units, dependent, near_zero, divided, families };

  /// `few_roots` for CORE, whose separation bound doubles its bits with every root.
  explicit NestedExpressions(std::uint64_t seed, bool few_roots = false)
      : random_(seed), few_roots_(few_roots) {}

  Nested of(int family) {
    switch (family) {
      case random_sums:
        return norm() * inner() - norm() * inner();
      case denested: {
        // sqrt(p + q + 2 sqrt(pq)) = sqrt(p) + sqrt(q), for roots p and q too.
        const Nested p = below(2) == 0 ? positive() : norm(), q = positive();
        const Nested two = Nested::fraction(2);
        return rest(Nested::root(p + q + two * Nested::root(p * q)) - Nested::root(p) -
                    Nested::root(q));
      }
      case units: {
        // A vector divided by its norm has the norm 1.
        const Nested x = inner(), y = inner();
        const Nested one = Nested::fraction(1);
        const Nested by = Nested::inverse(Nested::root(x * x + y * y + one));
        return rest(x * by * (x * by) + y * by * (y * by) + by * by - one);
      }
      case dependent: {
        // Cauchy and Schwarz with equality, of two vectors of one direction that do not show it.
        const Nested s = Nested::root(positive()), p = inner(), q = inner();
        const Nested n = Nested::root(p * p + q * q + Nested::fraction(1));
        const Nested m = Nested::root(s * p * (s * p) + s * q * (s * q) + s * s);
        return rest(n * m - s * (p * p + q * q + Nested::fraction(1)));
      }
      case near_zero: {
        // Between sqrt(x) and sqrt(x + tiny).
        const Nested x = norm() + positive();
        return below(2) == 0 ? Nested::root(x) - Nested::root(x + tiny())
                             : Nested::root(x + tiny()) - Nested::root(x);
      }
      default: {
        const Nested x = norm(), y = norm() + positive();
        return rest(x * Nested::inverse(y) * y - x);
      }
    }
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  Nested positive() { return Nested::fraction(below(9) + 1, below(3) + 1); }
  /// a + b sqrt(c), of any sign.
  Nested inner() {
    if (few_roots_) return Nested::fraction(below(13) - 6, 2);
    return Nested::fraction(below(7) - 3) +
           Nested::fraction(below(5) - 2, 2) * Nested::root(Nested::fraction(2 + below(4)));
  }
  /// sqrt(x^2 + 1), irrational under the root or not.
  Nested norm() {
    const Nested x = inner();
    return Nested::root(x * x + Nested::fraction(1));
  }
  Nested tiny() { return Nested::fraction(1, std::int64_t{1} << (20 + below(42))); }
  /// Sometimes with something small beside it.
  Nested rest(const Nested& zero) {
    switch (below(4)) {
      case 0:
        return zero + tiny();
      case 1:
        return zero - tiny();
      default:
        return zero;
    }
  }

  std::mt19937_64 random_;
  bool few_roots_;
};

}  // namespace logdepth::laws
