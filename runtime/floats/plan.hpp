#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/floats/number.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

/// A weights file as plain arrays of floating-point numbers: what a device needs, and nothing of
/// the exact world. Made by plan_maker.hpp.

/// Sparse, by rows. A product with `weight[e]` is off by at most `relative[e]` of itself: the
/// rounding of the weight and of the product, 0 for a power of two.
template <class Real>
struct PlanMatrix {
  std::vector<std::uint32_t> target;  ///< per row: where it goes
  std::vector<std::uint32_t> start;   ///< per row, and the end
  std::vector<std::uint32_t> column;
  std::vector<Real> weight;
  std::vector<double> relative;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(target.size()); }
};

/// z = norm(mask * h), on the coordinates that the mask keeps (or, if a mean has to be subtracted,
/// on all of them).
template <class Real>
struct PlanMask {
  enum class Kind : std::uint8_t {
    folded,   ///< the norm is known: scale and mask are in the matrices, which read h itself
    sign,     ///< one number (and its mirror) that is 0 or at least `least`: z = +-scale or 0
    measured  ///< z = scale * x / |x|, scale = sqrt(width)
  };
  Kind kind = Kind::measured;
  std::vector<std::uint32_t> at;  ///< coordinates
  std::vector<Real> weight;
  std::vector<double> relative;  ///< as in PlanMatrix
  Real scale{};
  double scale_error = 0;  ///< relative
  double least = 0;        ///< sign; 0: nothing is known
  bool subtract_mean = false;
  std::uint32_t width = 0;
};

/// A head. Score dimensions are ordered: first those scored by products, then block by block those
/// scored by distances.
template <class Real>
struct PlanHead {
  bool causal = true;
  bool compares = true;  ///< else every score is 0
  std::uint32_t products = 0;
  std::vector<std::uint32_t> block_end;  ///< dimensions, counted from `products`
  std::vector<Real> block_norm;          ///< of the keys
  /// Queries are scaled to the keys' norms: by the run (one block), or they have them (several).
  bool scaled = false;
  double gap = 0;  ///< least distance of a score from the largest, or 0: not known
  /// What the head promises of its scores alone: one position is selected, or every visible one.
  enum class Selects : std::uint8_t { anything, one, all };
  Selects selects = Selects::anything;
  /// Promised, and scored by distances alone: a selected key is at distance 0.
  bool matches = false;
  PlanMatrix<Real> query, key, value, output;
};

template <class Real>
struct PlanLayer {
  PlanMask<Real> attention_mask, feedforward_mask;
  std::vector<PlanHead<Real>> heads;
  /// Units, and what they add. Pairs of units that make up x = ReLU(x) - ReLU(-x) are in `linear`
  /// if the mask is folded: its rows replace h instead of adding to it, so that a cell that is
  /// erased is exactly 0 and one that is moved is copied bit by bit.
  PlanMatrix<Real> in, out, linear;
};

template <class Real>
struct Plan {
  std::vector<PlanLayer<Real>> layers;
  Rounding rounding;
};

/// How a run decides.
struct Choice {
  /// What a head takes for the maximum, and a test for zero.
  enum class Rule : std::uint8_t {
    bounded,  ///< all scores that the error bounds cannot tell from the largest; a number is zero
              ///< when its bound is below what a non-zero one has at least (PrecisionFacts)
    plain,    ///< equal floating-point scores; a number is zero when the computed one is
    snapped   ///< scores within `tolerance` of the largest, relative to |q||k|, and numbers within
              ///< `tolerance` of zero
  };
  Rule rule = Rule::bounded;
  double tolerance = 0;
  double temperature = 0;  ///< 0: averaging-hard attention
};

/// Rows of a head by what their scores say of its contract.
struct ContractCounts {
  std::uint64_t kept = 0, broken = 0;
  std::uint64_t open = 0;    ///< of a contract that scores could decide
  std::uint64_t unread = 0;  ///< of one that they cannot: which positions are selected
};

/// Of rows of heads, and of tests for zero.
struct Decisions {
  std::uint64_t single = 0;      ///< one score stands out
  std::uint64_t ties = 0;        ///< several, a tie by the head's separation
  std::uint64_t alike = 0;       ///< several that may or may not tie, but hold the same value
  std::uint64_t ambiguous = 0;   ///< several that hold different values
  std::uint64_t tests = 0;       ///< of single numbers
  std::uint64_t open_tests = 0;  ///< of these not decided
};

struct Counts : Decisions {
  std::vector<ContractCounts> promises;  ///< of the latest sublayer, by head
};

/// The forward pass on one device, layer by layer. Coordinate-major arrays: the value of
/// coordinate c at token t stands at c * tokens + t. No type of Thrust crosses this interface, so
/// that backends may be compiled against different versions of it.
template <class Real>
class Pass {
 public:
  virtual ~Pass() = default;
  virtual void load(std::size_t tokens, const std::vector<Real>& values,
                    const std::vector<double>& errors) = 0;
  virtual void attention(std::size_t layer) = 0;
  virtual void feedforward(std::size_t layer) = 0;
  virtual void store(std::vector<Real>& values, std::vector<double>& errors) const = 0;
  virtual const Counts& counts() const = 0;
};

/// Thrust's host backend, with `threads` threads.
template <class Real>
std::unique_ptr<Pass<Real>> host_pass(const Plan<Real>& plan, const Choice& choice,
                                      std::size_t threads);
/// Thrust's CUDA backend, on the first device.
template <class Real>
std::unique_ptr<Pass<Real>> cuda_pass(const Plan<Real>& plan, const Choice& choice);

/// CUDA devices that a driver shows; 0 without a driver. Asked before anything of the CUDA backend
/// is touched: without a driver its first allocation would end the program.
int count_cuda_devices();

}}}  // namespace logdepth::runtime_floats::float_pass
