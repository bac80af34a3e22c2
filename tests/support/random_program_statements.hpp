#pragma once

#include <optional>
#include <vector>

#include "tests/support/random_program_cells.hpp"

namespace logdepth::support {

/// Random statements that mostly fit what the cells hold.
class RandomStatements : protected RandomCells {
 protected:
  using RandomCells::RandomCells;

  void add_statements(std::vector<Statement>& block, std::size_t count);
  /// What the cells hold after the statement.
  void apply(const Statement& statement);
  std::optional<Statement> random_lookup(std::vector<CellId> targets = {});
  LinearForm random_form(const std::vector<CellId>& from, std::size_t most);

 private:
  std::optional<Statement> random_statement();
  std::optional<Selector> random_selector();
  std::optional<Selector> random_match(const std::vector<CellId>& keys);
  std::optional<Selector> random_nearest();
  std::optional<Selector> random_found();
  std::optional<Selector> random_related();
  void add_write(FetchStatement& fetch);
  std::optional<Statement> random_fetch();
  std::optional<Statement> random_direction_fetch();
  std::optional<Statement> random_set();
  std::optional<Statement> random_test();
  std::optional<Statement> random_move();
  std::optional<Statement> random_erase();
  std::optional<Statement> random_normalise();

  using Branch = std::vector<Literal>;
  std::vector<Branch> branches(const std::vector<CellId>& conditions, bool whole);
};

}  // namespace logdepth::support
