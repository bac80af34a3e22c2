#include <algorithm>
#include <charconv>

#include "compiler/program_rules.hpp"
#include "objects/overload.hpp"

namespace logdepth {
namespace {

std::vector<CellId> sorted(std::vector<CellId> cells) {
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

bool needs_constant(const Program& program, const LookupStatement& lookup) {
  return std::any_of(lookup.rules.begin(), lookup.rules.end(), [&](const Rule& rule) {
    return rule.when.size() != 1 ||
           std::holds_alternative<FlagType>(program.cells[rule.when[0].cell].type);
  });
}

}  // namespace

bool is_attention(const Statement& statement) {
  return std::holds_alternative<FetchStatement>(statement);
}

std::optional<std::uint32_t> point_number(const std::string& label) {
  std::uint32_t value = 0;
  const char* const end = label.data() + label.size();
  const auto [next, error] = std::from_chars(label.data(), end, value);
  if (error != std::errc() || next != end || value >= (1u << 20) ||
      (label.size() > 1 && label[0] == '0'))
    return std::nullopt;
  return value;
}

std::optional<CellId> constant_cell(const Program& program) {
  for (CellId id = 0; id < program.cells.size(); ++id)
    if (std::holds_alternative<ConstantType>(program.cells[id].type)) return id;
  return std::nullopt;
}

std::vector<CellId> cells_read(const Program& program, const Statement& statement) {
  std::vector<CellId> cells;
  const auto add_constant = [&] {
    if (const auto one = constant_cell(program)) cells.push_back(*one);
  };
  std::visit(Overload{[&](const FetchStatement& s) {
                        std::visit(Overload{[](const SelectAll&) {},
                                            [&](const SelectPointed& x) {
                                              cells.insert(cells.end(), {x.pointer, x.key});
                                            },
                                            [&](const SelectSame& x) {
                                              cells.insert(cells.end(), x.cells.begin(),
                                                           x.cells.end());
                                            },
                                            [&](const SelectRightmost& x) {
                                              cells.insert(cells.end(), {x.flag.cell, x.key});
                                              add_constant();  // the query
                                            }},
                                   s.selector);
                        cells.insert(cells.end(), s.under.begin(), s.under.end());
                        for (const HeadWrite& write : s.writes) {
                          if (const auto* copy = std::get_if<CopyWrite>(&write)) {
                            cells.insert(cells.end(), {copy->source, copy->target});
                          } else {
                            for (const Term& term : std::get<SumWrite>(write).form)
                              cells.push_back(term.component.cell);
                          }
                        }
                      },
                      [&](const LookupStatement& s) {
                        for (const Rule& rule : s.rules) {
                          for (const Literal& literal : rule.when) cells.push_back(literal.cell);
                          for (const Assignment& a : rule.then) cells.push_back(a.cell);
                        }
                        if (needs_constant(program, s)) add_constant();
                      },
                      [&](const MoveStatement& s) {
                        cells.insert(cells.end(), {s.target, s.source});
                      },
                      [&](const EraseStatement& s) { cells = s.cells; },
                      [&](const NormaliseStatement& s) {
                        cells = s.targets;
                        for (const Component& c : s.group) cells.push_back(c.cell);
                      }},
             statement);
  return sorted(std::move(cells));
}

std::vector<CellId> cells_written(const Statement& statement) {
  std::vector<CellId> cells;
  std::visit(
      Overload{[&](const FetchStatement& s) {
                 for (const HeadWrite& write : s.writes) {
                   const auto* copy = std::get_if<CopyWrite>(&write);
                   cells.push_back(copy ? copy->target : std::get<SumWrite>(write).target.cell);
                 }
               },
               [&](const LookupStatement& s) {
                 for (const Rule& rule : s.rules)
                   for (const Assignment& a : rule.then) cells.push_back(a.cell);
               },
               [&](const MoveStatement& s) { cells.push_back(s.target); },
               [&](const EraseStatement& s) { cells = s.cells; },
               [&](const NormaliseStatement& s) { cells = s.targets; }},
      statement);
  return sorted(std::move(cells));
}

}  // namespace logdepth
