#include "proofs-check/claims/changed_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "compiler/builder/builder_parts.hpp"
#include "compiler/builder/renumbering.hpp"

namespace logdepth::inline proofs_check_claims {
namespace {

bool is_called(const Program& program, const Statement& statement, const std::string& name) {
  if (const auto* head = std::get_if<FetchStatement>(&statement)) return head->name == name;
  if (const auto* lookup = std::get_if<LookupStatement>(&statement)) return lookup->name == name;
  return statement_name(program, statement) == name;
}

void require_found(std::size_t found, std::size_t times, const std::string& what) {
  if (found != times)
    throw std::logic_error(
        fmt::format("a change finds {} {} times and not {} times", what, found, times));
}

template <class Value>
void assign(Value& value, Value changed, const std::string& where) {
  if (value == changed) throw std::logic_error("a change does nothing to " + where);
  value = std::move(changed);
}

std::vector<Rule> rules_of(const cells::Program& program, const cells::Rules& rules) {
  const cells::Statements table = cells::lookup("", rules);
  return placed(program, std::get<LookupStatement>(table.hidden().list.front()).rules);
}

/// The element at `from` comes to stand right behind that at `behind`.
template <class List>
void put_element_behind(List& list, std::size_t from, std::size_t behind) {
  const auto element = list.begin() + static_cast<std::ptrdiff_t>(from);
  const auto other = list.begin() + static_cast<std::ptrdiff_t>(behind);
  if (from < behind)
    std::rotate(element, element + 1, other + 1);
  else
    std::rotate(other + 1, element, element + 1);
}

}  // namespace

std::vector<ChangedProgram::Place> ChangedProgram::find_statement(const std::string& name,
                                                                  std::size_t times) {
  logdepth::Program& program = cells::Program::program();
  std::vector<Place> places;
  for (auto* block : {&program.initial, &program.repeated, &program.final})
    for (std::size_t i = 0; i < block->size(); ++i)
      if (is_called(program, (*block)[i], name)) places.push_back({block, i});
  require_found(places.size(), times, fmt::format("the statement '{}'", name));
  return places;
}

template <class Kind>
std::vector<Kind*> ChangedProgram::named(const std::string& name, std::size_t times) {
  std::vector<Kind*> found;
  for (const auto& [block, index] : find_statement(name, times))
    if (auto* statement = std::get_if<Kind>(&(*block)[index])) found.push_back(statement);
  require_found(found.size(), times, fmt::format("'{}' as a statement of this kind", name));
  return found;
}

ChangedProgram& ChangedProgram::select(const std::string& head, const cells::Selector& selector,
                                       std::size_t times) {
  for (FetchStatement* fetch : named<FetchStatement>(head, times))
    assign(fetch->selector, placed(*this, selector.hidden().selector), head);
  return *this;
}

ChangedProgram& ChangedProgram::add(const std::string& head, const cells::Component& target,
                                    const cells::Form& form) {
  const auto wanted = placed(*this, SumWrite{{target.cell, target.index}, linear_form(form)});
  std::size_t found = 0;
  for (HeadWrite& write : named<FetchStatement>(head, 1).front()->writes) {
    auto* sum = std::get_if<SumWrite>(&write);
    if (!sum || sum->target != wanted.target) continue;
    ++found;
    assign(sum->form, wanted.form, head);
  }
  require_found(found, 1, fmt::format("what '{}' adds to the component", head));
  return *this;
}

ChangedProgram& ChangedProgram::drop_write(const std::string& head, const cells::Cell& target) {
  const auto dropped =
      std::erase_if(named<FetchStatement>(head, 1).front()->writes, [&](const HeadWrite& write) {
        const auto* copy = std::get_if<CopyWrite>(&write);
        const auto* sum = std::get_if<SumWrite>(&write);
        const auto* set = std::get_if<SetWrite>(&write);
        return (copy ? copy->target : sum ? sum->target.cell : set->cell) == place(target.id());
      });
  require_found(dropped, 1, fmt::format("what '{}' writes to {}", head, target.name()));
  return *this;
}

ChangedProgram& ChangedProgram::replace_rules(const std::string& lookup, const cells::Rules& rules,
                                              const cells::Rules& by, std::size_t times) {
  const std::vector<Rule> before = rules_of(*this, rules), after = rules_of(*this, by);
  for (LookupStatement* table : named<LookupStatement>(lookup, times)) {
    auto& list = table->rules;
    const auto begin = std::search(list.begin(), list.end(), before.begin(), before.end());
    require_found(begin == list.end() ? 0 : 1, 1, fmt::format("the rules in '{}'", lookup));
    std::vector<Rule> changed(list.begin(), begin);
    changed.insert(changed.end(), after.begin(), after.end());
    changed.insert(changed.end(), begin + static_cast<std::ptrdiff_t>(before.size()), list.end());
    assign(list, std::move(changed), lookup);
  }
  return *this;
}

ChangedProgram& ChangedProgram::ask(const std::string& lookup, const cells::Cell& cell,
                                    const cells::Cell& instead, std::size_t times) {
  if (cell.declared().cell.type != instead.declared().cell.type)
    throw std::logic_error(cell.name() + " and " + instead.name() + " are not of the same type");
  for (LookupStatement* table : named<LookupStatement>(lookup, times)) {
    std::vector<Rule> changed = table->rules;
    for (Rule& rule : changed)
      for (Literal& literal : rule.when)
        if (literal.cell == place(cell.id())) literal.cell = place(instead.id());
    assign(table->rules, std::move(changed), lookup);
  }
  return *this;
}

ChangedProgram& ChangedProgram::drop(const std::string& statement) {
  return replace(statement, {});
}

ChangedProgram& ChangedProgram::replace(const std::string& statement, const cells::Statements& by) {
  const auto [block, index] = find_statement(statement, 1).front();
  const auto at = block->begin() + static_cast<std::ptrdiff_t>(index);
  std::vector<Statement> changed(block->begin(), at);
  const std::vector<Statement> list = placed(*this, by.hidden().list);
  changed.insert(changed.end(), list.begin(), list.end());
  changed.insert(changed.end(), at + 1, block->end());
  assign(*block, std::move(changed), statement);
  return *this;
}

ChangedProgram& ChangedProgram::move_behind(const std::string& statement,
                                            const std::string& other) {
  const auto [block, index] = find_statement(statement, 1).front();
  const auto [there, behind] = find_statement(other, 1).front();
  if (block != there || behind <= index)
    throw std::logic_error(statement + " is not before " + other + " in one block");
  put_element_behind(*block, index, behind);
  return *this;
}

ChangedProgram& ChangedProgram::drop_block(Block block) {
  logdepth::Program& program = cells::Program::program();
  auto& statements = block == Block::initial    ? program.initial
                     : block == Block::repeated ? program.repeated
                                                : program.final;
  assign(statements, {}, "the " + block_name(block) + " block");
  return *this;
}

CellId ChangedProgram::id_of(const std::string& cell) const {
  const auto id = cells::Program::program().find(cell);
  if (!id) throw std::logic_error("a change finds no cell " + cell);
  return *id;
}

ChangedProgram& ChangedProgram::drop_cell(const std::string& cell) {
  dropped_.insert(id_of(cell));
  return *this;
}

ChangedProgram& ChangedProgram::put_behind(const cells::Cell& cell, const std::string& other) {
  behind_.emplace_back(place(cell.id()), id_of(other));
  return *this;
}

logdepth::Program ChangedProgram::program() const {
  logdepth::Program changed = cells::Program::program();
  std::vector<CellId> order(changed.cells.size());
  std::iota(order.begin(), order.end(), CellId{0});
  const auto is = [](CellId cell) {
    return [cell](const auto& place) { return place.cell == cell; };
  };
  for (const auto& [cell, other] : behind_) {
    const auto at = std::find(order.begin(), order.end(), cell),
               behind = std::find(order.begin(), order.end(), other);
    if (at == behind + 1) throw std::logic_error("the place already holds a cell");
    put_element_behind(order, static_cast<std::size_t>(at - order.begin()),
                       static_cast<std::size_t>(behind - order.begin()));
    auto& given = changed.given;
    const auto input = std::find_if(given.begin(), given.end(), is(cell)),
               after = std::find_if(given.begin(), given.end(), is(other));
    if (input != given.end() && after != given.end())
      put_element_behind(given, static_cast<std::size_t>(input - given.begin()),
                         static_cast<std::size_t>(after - given.begin()));
  }
  std::erase_if(order, [&](CellId cell) { return dropped_.contains(cell); });

  std::vector<std::optional<CellId>> numbers(changed.cells.size());
  std::vector<Cell> declared;
  for (const CellId cell : order) {
    numbers[cell] = static_cast<CellId>(declared.size());
    declared.push_back(std::move(changed.cells[cell]));
  }
  changed.cells = std::move(declared);
  Renumbering([&](CellId cell) {
    if (!numbers[cell]) throw std::logic_error("a cell that was dropped is still named");
    return *numbers[cell];
  })(changed);
  return changed;
}

}  // namespace logdepth::inline proofs_check_claims
