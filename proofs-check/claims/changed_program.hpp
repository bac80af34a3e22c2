#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/program.hpp"

namespace logdepth::inline proofs_check_claims {

/// A construction with a change to it, said by the names of what is changed:
///
///   ChangedProgram p(division_MS25_lem3_1());
///   const auto i = p.cell<Number>("i"), m = p.cell<Number>("m");
///   p.select("near", nearest(i[0] / m[0]).key(p.cell<Key>("I")));
///   return p.program();
///
/// Heads and lookups are called by their names, other statements as messages call them:
/// "normalise x". `times` is the number of places where the change is made: a level of the tree
/// stands in the repeated and in the final block. More cells and statements come as in any program.
///
/// Errors of all changes: std::logic_error when what is to be changed is not there exactly so often,
/// or when it is as it should become already: a change never does nothing.
class ChangedProgram : public cells::Program {
 public:
  explicit ChangedProgram(const logdepth::Program& program) : cells::Program(program) {}

  // --- heads
  ChangedProgram& select(const std::string& head, const cells::Selector& selector,
                         std::size_t times = 1);
  /// What the head adds to the component, instead of what it added.
  ChangedProgram& add(const std::string& head, const cells::Component& target,
                      const cells::Form& form);
  /// The head no longer writes to the cell.
  ChangedProgram& drop_write(const std::string& head, const cells::Cell& target);

  // --- lookups
  /// Rules that stand one after the other give way to others.
  ChangedProgram& replace_rules(const std::string& lookup, const cells::Rules& rules,
                                const cells::Rules& by, std::size_t times = 1);
  /// Every condition on `cell` becomes one on `instead`, which is of the same type.
  ChangedProgram& ask(const std::string& lookup, const cells::Cell& cell,
                      const cells::Cell& instead, std::size_t times = 1);

  // --- statements
  ChangedProgram& drop(const std::string& statement);
  ChangedProgram& replace(const std::string& statement, const cells::Statements& by);
  /// The statement comes later: right behind another one of its block.
  ChangedProgram& move_behind(const std::string& statement, const std::string& other);

  ChangedProgram& drop_block(Block block);

  // --- cells
  /// The cell, which nothing names, is taken away.
  ChangedProgram& drop_cell(const std::string& cell);
  /// The cell, declared here, stands behind another one, in the layout and in what is given.
  ChangedProgram& put_behind(const cells::Cell& cell, const std::string& other);

  /// The changed program. Errors: std::logic_error when something names a cell that was dropped.
  logdepth::Program program() const;

 private:
  struct Place {
    std::vector<Statement>* block;
    std::size_t index;
  };
  std::vector<Place> find_statement(const std::string& name, std::size_t times);
  template <class Kind>
  std::vector<Kind*> named(const std::string& name, std::size_t times);
  CellId id_of(const std::string& cell) const;

  std::set<CellId> dropped_;
  std::vector<std::pair<CellId, CellId>> behind_;
};

}  // namespace logdepth::inline proofs_check_claims
