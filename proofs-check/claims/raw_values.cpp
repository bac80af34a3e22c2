#include "proofs-check/claims/raw_values.hpp"

#include "runtime/file/position_code.hpp"

namespace logdepth::inline proofs_check_claims {

std::vector<Real> phi_values(const Rational& z) {
  const auto code = phi_code(z);
  return {code.begin(), code.end()};
}

std::vector<Real> beside(std::initializer_list<std::vector<Real>> cells) {
  std::vector<Real> values;
  for (const std::vector<Real>& cell : cells) values.insert(values.end(), cell.begin(), cell.end());
  return values;
}

}  // namespace logdepth::inline proofs_check_claims
