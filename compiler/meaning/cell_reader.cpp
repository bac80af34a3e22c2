#include "compiler/meaning/cell_reader.hpp"

#include "runtime/file/position_code.hpp"

namespace logdepth::inline compiler_meaning {

std::vector<Real> code_of(PositionCode code, std::uint64_t position) {
  if (code.kind == PositionCode::Kind::phi) {
    const auto phi = phi_code({static_cast<std::int64_t>(position), code.parameter});
    return {phi[0], phi[1]};
  }
  const std::vector<Rational> values = rational_code(code, position);
  return {values.begin(), values.end()};
}

std::vector<Real> CellReader::cell(std::size_t token, CellId id) const {
  std::vector<Real> values;
  for (std::uint32_t i = 0; i < size(id); ++i) values.push_back(states_.at(token, {id, i}));
  return values;
}

bool CellReader::blank(std::size_t token, CellId id) const {
  for (std::uint32_t i = 0; i < size(id); ++i)
    if (!states_.at(token, {id, i}).is_zero()) return false;
  return true;
}

bool CellReader::holds(std::size_t token, const Literal& literal) const {
  if (std::holds_alternative<FlagType>(program_.cells[literal.cell].type))
    return states_.at(token, {literal.cell, 0}) == Real(literal.value ? 1 : -1);
  return states_.at(token, {literal.cell, literal.value}) == Real(1);
}

Real CellReader::value(std::size_t token, const LinearForm& form) const {
  Real sum;
  for (const Term& t : form) sum = sum + states_.at(token, t.component).scaled(t.factor);
  return sum;
}

}  // namespace logdepth::inline compiler_meaning
