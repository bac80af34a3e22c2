#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth::support {

/// A random program under construction: its cells, and what each holds after the statements so far,
/// as far as the builder needs it.
class RandomCells {
 protected:
  enum class Holds { blank, typed, number };

  explicit RandomCells(std::mt19937_64& random) : random_(random) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(std::size_t part, std::size_t whole) { return below(whole) < part; }
  std::uint32_t small(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(below(most - least + 1));
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <class T>
  std::vector<T> some(std::vector<T> from, std::size_t most) {
    std::shuffle(from.begin(), from.end(), random_);
    from.resize(std::min(from.size(), 1 + below(most)));
    return from;
  }

  CellId declare(const std::string& name, CellType type, Holds holds) {
    p_.cells.push_back({name, std::move(type), Lifetime::permanent});
    holds_.push_back(holds);
    return static_cast<CellId>(p_.cells.size() - 1);
  }

  const CellType& type(CellId cell) const { return p_.cells[cell].type; }
  template <class T>
  bool is(CellId cell) const {
    return std::holds_alternative<T>(type(cell));
  }
  bool finite(CellId cell) const { return is<FlagType>(cell) || is<OneHotType>(cell); }
  bool typed(CellId cell) const { return holds_[cell] == Holds::typed; }
  bool blank(CellId cell) const { return holds_[cell] == Holds::blank; }
  bool fits(CellId target, CellId source) const {
    if (type(target) == type(source)) return true;
    const auto* key = std::get_if<KeyType>(&type(source));
    const auto* pointer = std::get_if<PointerType>(&type(target));
    return key && pointer && key->code == pointer->code;
  }
  std::uint32_t value_of(CellId cell) {
    return static_cast<std::uint32_t>(below(is<FlagType>(cell) ? 2 : size_of(type(cell))));
  }
  std::vector<CellId> cells(const std::function<bool(CellId)>& wanted) const {
    std::vector<CellId> found;
    for (CellId cell = 0; cell < p_.cells.size(); ++cell)
      if (wanted(cell)) found.push_back(cell);
    return found;
  }
  /// A number stays a number: inside the loop only cells that are numbers already may be added to.
  bool may_write(CellId cell) const { return !looping_ || holds_[cell] == Holds::number; }

  std::mt19937_64& random_;
  Program p_;
  std::vector<Holds> holds_;
  std::map<CellId, std::uint32_t> certain_;  ///< cells with one known value at all tokens
  std::optional<SelectRelated> reflexive_;   ///< a relation of every token to itself
  std::optional<CellId> one_;
  std::size_t names_ = 0;
  bool looping_ = false;
};

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
