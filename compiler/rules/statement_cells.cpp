#include <algorithm>

#include "base/overload.hpp"
#include "base/text_lines.hpp"
#include "compiler/rules/program_rules.hpp"

namespace logdepth { inline namespace compiler_rules {
namespace {

std::vector<CellId> sorted(std::vector<CellId> cells) {
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

bool needs_constant(const Program& program, const LookupStatement& lookup) {
  return !lookup.otherwise.empty() ||
         std::any_of(lookup.rules.begin(), lookup.rules.end(), [&](const Rule& rule) {
           return rule.when.size() != 1 ||
                  std::holds_alternative<FlagType>(program.cells[rule.when[0].cell].type);
         });
}

}  // namespace

bool is_attention(const Statement& statement) {
  return std::holds_alternative<FetchStatement>(statement);
}

std::optional<std::uint32_t> point_number(const std::string& label) {
  const auto value = whole_number(label);
  if (!value || *value >= (1u << 20) || (label.size() > 1 && label[0] == '0')) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<CellId> constant_cell(const Program& program) {
  for (CellId id = 0; id < program.cells.size(); ++id)
    if (std::holds_alternative<ConstantType>(program.cells[id].type)) return id;
  return std::nullopt;
}

namespace {

void add_constant(const Program& program, std::vector<CellId>& cells) {
  if (const auto one = constant_cell(program)) cells.push_back(*one);
}

}  // namespace

std::vector<CellId> cells_selecting(const Program& program, const Selector& selector) {
  std::vector<CellId> cells = cells_named(selector);
  // The constant is the query, turns flags into 0 and 1, or weighs the preference.
  const bool has_constant = std::holds_alternative<SelectRightmost>(selector) ||
                            std::holds_alternative<SelectFlagged>(selector) ||
                            std::holds_alternative<SelectRelated>(selector);
  if (has_constant) add_constant(program, cells);
  return sorted(std::move(cells));
}

std::vector<CellId> cells_read(const Program& program, const Statement& statement) {
  std::vector<CellId> cells;
  const auto add = [&](const std::vector<CellId>& more) {
    cells.insert(cells.end(), more.begin(), more.end());
  };
  if (const auto* fetch = std::get_if<FetchStatement>(&statement)) {
    add(cells_selecting(program, fetch->selector));
    add(fetch->under);
    for (const HeadWrite& write : fetch->writes) {
      const auto* sum = std::get_if<SumWrite>(&write);
      add(sum ? cells_named(sum->form) : cells_named(write));
      if (std::holds_alternative<SetWrite>(write)) add_constant(program, cells);
    }
  } else {
    add(cells_named(statement));
    const auto* lookup = std::get_if<LookupStatement>(&statement);
    const auto* move = std::get_if<MoveStatement>(&statement);
    if ((lookup && needs_constant(program, *lookup)) || (move && !move->when.empty()))
      add_constant(program, cells);
  }
  return sorted(std::move(cells));
}

std::vector<CellId> cells_written(const Statement& statement) {
  std::vector<CellId> cells;
  std::visit(Overload{[&](const FetchStatement& s) {
                        for (const HeadWrite& write : s.writes)
                          cells.push_back(
                              std::visit(Overload{[](const CopyWrite& w) { return w.target; },
                                                  [](const SumWrite& w) { return w.target.cell; },
                                                  [](const SetWrite& w) { return w.cell; }},
                                         write));
                      },
                      [&](const LookupStatement& s) {
                        for (const Rule& rule : s.rules)
                          for (const Assignment& a : rule.then) cells.push_back(a.cell);
                      },
                      [&](const MoveStatement& s) { cells.push_back(s.target); },
                      [&](const EraseStatement& s) { cells = s.cells; },
                      [&](const NormaliseStatement& s) { cells = s.targets; },
                      [&](const TestStatement& s) { cells.push_back(s.flag); }},
             statement);
  return sorted(std::move(cells));
}

std::vector<Term> norm_group(const Program& program, const std::vector<CellId>& under) {
  std::vector<Term> group;
  for (const CellId cell : under)
    for (std::uint32_t i = 0; i < size_of(program.cells[cell].type); ++i)
      group.push_back({{cell, i}, Rational(1)});
  return group;
}

std::vector<Term> mask_group(const Program& program, const Statement& statement) {
  if (const auto* normalise = std::get_if<NormaliseStatement>(&statement)) return normalise->group;
  if (const auto* test = std::get_if<TestStatement>(&statement))
    return {{test->number, Rational(1)}};
  if (const auto* fetch = std::get_if<FetchStatement>(&statement))
    return norm_group(program, fetch->under);
  return {};
}

std::vector<UsedCell> cell_uses(const Program& program, const Statement& statement) {
  std::vector<UsedCell> uses;
  const auto add = [&](CellId cell, CellUse use) { uses.push_back({cell, use}); };
  const auto one = constant_cell(program);
  std::visit(Overload{[&](const FetchStatement& s) {
                        for (const CellId cell : s.under) add(cell, CellUse::divided);
                        const bool exactly = s.under.empty();
                        if (exactly)
                          for (const CellId cell : cells_selecting(program, s.selector))
                            add(cell, CellUse::read);
                        for (const HeadWrite& write : s.writes)
                          std::visit(Overload{[&](const CopyWrite& w) {
                                                if (exactly) add(w.source, CellUse::read);
                                                add(w.target, CellUse::filled);
                                              },
                                              [&](const SumWrite& w) {
                                                if (exactly)
                                                  for (const Term& term : w.form)
                                                    add(term.component.cell, CellUse::read);
                                              },
                                              [&](const SetWrite& w) {
                                                add(*one, CellUse::read);
                                                add(w.cell, CellUse::overwritten);
                                              }},
                                     write);
                      },
                      [&](const LookupStatement& s) {
                        for (const Rule& rule : s.rules)
                          for (const Literal& literal : rule.when) add(literal.cell, CellUse::read);
                        for (const CellId cell : cells_written(statement))
                          add(cell, CellUse::overwritten);
                        if (one && needs_constant(program, s)) add(*one, CellUse::read);
                      },
                      [&](const MoveStatement& s) {
                        add(s.source, CellUse::read);
                        add(s.target, s.when.empty() ? CellUse::overwritten : CellUse::read);
                        for (const Literal& literal : s.when) add(literal.cell, CellUse::read);
                        if (one && !s.when.empty()) add(*one, CellUse::read);
                      },
                      [&](const EraseStatement& s) {
                        for (const CellId cell : s.cells) add(cell, CellUse::erased);
                      },
                      [&](const NormaliseStatement& s) {
                        for (const CellId cell : s.targets) add(cell, CellUse::filled);
                      },
                      [&](const TestStatement& s) { add(s.number.cell, CellUse::tested); }},
             statement);
  return uses;
}

}}  // namespace logdepth::compiler_rules
