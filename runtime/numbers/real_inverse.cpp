#include "runtime/numbers/real_inverse.hpp"

#include <cstdint>
#include <vector>

namespace logdepth::inline runtime_numbers {
namespace {

/// Independent roots that all surds of a number are rational multiples of products of: their classes are
/// a basis, over the field of two elements, of what the classes of the surds generate.
class RootBasis {
 public:
  /// False when there are more than `most`.
  bool add(const Real& x, std::size_t most) {
    for (const Real::Surd& surd : x.surds())
      if (!products_of(surd)) {
        if (size_ == most) return false;
        ++size_;
        for (std::size_t i = 0, known = products_.size(); i < known; ++i)
          products_.push_back(products_[i] * surd.radicand);
      }
    return true;
  }
  std::size_t size() const { return size_; }

  /// The conjugate of x, which is not 0 where x is not: this root changes its sign.
  Real conjugate(const Real& x, std::size_t root) const {
    Real result = x.rational_part();
    for (const Real::Surd& surd : x.surds()) {
      const bool turned = (*products_of(surd) >> root) & 1;
      const Real term = Real::root(surd.radicand);
      result = (surd.sign > 0) != turned ? result + term : result - term;
    }
    return result;
  }

 private:
  /// Which roots the surd is a multiple of the product of, a bit each.
  std::optional<std::uint32_t> products_of(const Real::Surd& surd) const {
    for (std::uint32_t roots = 0; roots < products_.size(); ++roots)
      if ((surd.radicand * products_[roots]).square_root()) return roots;
    return std::nullopt;
  }

  std::size_t size_ = 0;
  std::vector<Rational> products_ = {Rational(1)};  // of the radicands of each set of roots
};

}  // namespace

std::optional<Real> inverse(const Real& x, std::size_t most) {
  RootBasis basis;
  if (!basis.add(x, most)) return std::nullopt;
  // x times its conjugate is free of the root.
  Real numerator(1), denominator = x;
  for (std::size_t root = 0; root < basis.size(); ++root) {
    const Real conjugate = basis.conjugate(denominator, root);
    numerator = numerator * conjugate;
    denominator = denominator * conjugate;
  }
  return numerator.scaled(denominator.rational_part().inverse());
}

}  // namespace logdepth::inline runtime_numbers
