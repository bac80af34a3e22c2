#pragma once

#include <span>

#include "compiler/analysis/abstract_value.hpp"
#include "compiler/analysis/number_properties.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_analysis {

/// The abstract meaning of statements, beside their meaning (`step`, compiler/meaning): moments in
/// gamma(before) that obey ProofObligations are taken into gamma(after). Refuses nothing.
class Transfer {
 public:
  Transfer(const Program& program, const NumberProperties& numbers)
      : p_(program), numbers_(numbers) {}

  /// The state after statements that run at once, each reading `before`: one, or a sublayer.
  AbstractState after(std::span<const Statement* const> statements,
                      const AbstractState& before) const;

 private:
  void apply(const FetchStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const LookupStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const MoveStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const EraseStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const NormaliseStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const TestStatement& s, const AbstractState& before, AbstractState& state) const;
  void add(const FetchStatement& s, const SumWrite& write, const AbstractState& before,
           AbstractValue& target) const;
  AbstractValue copied(const FetchStatement& s, CellId source, const AbstractState& before) const;
  AbstractValue direction_of(std::span<const Term> group, const AbstractState& before) const;
  void forget_averages_of(const std::vector<CellId>& written, AbstractState& state) const;

  const Program& p_;
  const NumberProperties& numbers_;
};

}  // namespace logdepth::inline compiler_analysis
