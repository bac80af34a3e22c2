#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace logdepth {

/// One head of MS25 in floating point: queries phi(i), keys phi(j) with phi(x) = (x, 1)/||(x, 1)||,
/// scores as dot products, 1 <= j <= i. In exact arithmetic token i selects itself alone.
struct PhiHead {
  std::optional<std::uint64_t> first_wrong;  ///< the first token that selects anything else
  std::uint64_t wrong = 0;                   ///< how many of them there are
};

/// Precondition: Number is float or double.
template <class Number>
PhiHead run_phi_head(std::uint64_t tokens, double tolerance);

}  // namespace logdepth
