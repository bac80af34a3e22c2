#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/floats/plan.hpp"

namespace logdepth::inline runtime_floats::float_pass {

/// How a run decides; the words of FloatOptions, for the device.
struct Choice {
  enum class Rule : std::uint8_t { bounded, plain, snapped };
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

/// Counts of rows and tests, as FloatStatistics.
struct Counts {
  std::uint64_t single = 0, ties = 0, alike = 0, ambiguous = 0, tests = 0, open_tests = 0;
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

}  // namespace logdepth::inline runtime_floats::float_pass
