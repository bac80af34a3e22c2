#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "compiler/analysis/abstract_value.hpp"
#include "compiler/analysis/number_properties.hpp"
#include "compiler/meaning/interpret.hpp"

namespace logdepth::support {

/// gamma of the analysis (compiler/analysis/abstract_value.hpp), decided at the moments of one run
/// of the interpreter, exactly: every property that a state states, at every token.
class Concretisation {
 public:
  /// `start`: the cells before the first statement of the run.
  Concretisation(const Program& program, const CellStates& start)
      : p_(program), numbers_(program), start_(start) {}

  /// The first property of the state that the cells do not have; empty: they are in gamma(state).
  std::string violation(const AbstractState& state, const CellStates& cells);
  /// How often each kind of property was compared with numbers.
  const std::map<std::string, std::size_t>& compared() const { return compared_; }

 private:
  using Values = std::vector<Real>;  ///< one per token

  void expect(bool holds, CellId cell, const std::string& property);
  Values values(const Component& c) const;
  std::vector<Real> row(std::size_t token, CellId cell) const;

  void check(CellId cell, const AbstractValue& value);
  void check_type(CellId cell);
  void check_typed(CellId cell, const AbstractValue& value);
  void check_number(CellId cell, const AbstractValue& value);
  void check_sum(const Component& c, const std::vector<Summand>& sum);
  void check_summand(CellId cell, const Summand& s, const Values& values);
  Values taken_now(const Component& target, const Summand& s) const;

  void check_read_off(const AbstractState& state);
  void check_group(const std::vector<CellId>& group, const AbstractState& state);

  const Program& p_;
  const NumberProperties numbers_;
  const CellStates start_;
  const CellStates* cells_ = nullptr;  ///< of the moment that is looked at
  std::string violation_;
  std::map<std::string, std::size_t> compared_;
};

}  // namespace logdepth::support
