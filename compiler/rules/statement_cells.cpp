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
  const auto value = whole_number(label);
  if (!value || *value >= (1u << 20) || (label.size() > 1 && label[0] == '0')) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<CellId> constant_cell(const Program& program) {
  for (CellId id = 0; id < program.cells.size(); ++id)
    if (std::holds_alternative<ConstantType>(program.cells[id].type)) return id;
  return std::nullopt;
}

std::vector<CellId> cells_selecting(const Program& program, const Selector& selector) {
  std::vector<CellId> cells;
  const auto add_form = [&](const LinearForm& form) {
    for (const Term& term : form) cells.push_back(term.component.cell);
  };
  const auto add_constant = [&] {
    if (const auto one = constant_cell(program)) cells.push_back(*one);
  };
  std::visit(
      Overload{
          [](const SelectAll&) {},
          [&](const SelectPointed& s) {
            cells.insert(cells.end(), {s.pointer, s.key});
          },
          [&](const SelectSame& s) { cells = s.cells; },
          [&](const SelectRightmost& s) {
            for (const Literal& flag : s.flags) cells.push_back(flag.cell);
            if (s.shared) cells.insert(cells.end(), {s.shared->own, s.shared->there});
            cells.push_back(s.key);
            add_constant();  // the query
          },
          [&](const SelectNearest& s) {
            add_form(s.target.numerator);
            add_form(s.target.denominator);
            cells.push_back(s.key);
          },
          [&](const SelectFlagged& s) {
            cells.push_back(s.flag.cell);
            if (s.when) cells.push_back(s.when->cell);
            add_constant();  // turns flags into 0 and 1
          },
          [&](const SelectFound& s) {
            for (const FindTerm& term : s.terms) {
              add_form(term.wanted.numerator);
              add_form(term.wanted.denominator);
              cells.push_back(term.key);
            }
            if (s.prefer)
              cells.insert(cells.end(), {s.prefer->flag.cell, s.prefer->margin.component.cell});
          },
          [&](const SelectRelated& s) {
            cells = s.flags;
            cells.insert(cells.end(), {s.label, s.prefer.cell});
            add_constant();  // weighs the preference
          }},
      selector);
  return sorted(std::move(cells));
}

std::vector<CellId> cells_read(const Program& program, const Statement& statement) {
  std::vector<CellId> cells;
  const auto add_constant = [&] {
    if (const auto one = constant_cell(program)) cells.push_back(*one);
  };
  std::visit(Overload{[&](const FetchStatement& s) {
                        cells = cells_selecting(program, s.selector);
                        cells.insert(cells.end(), s.under.begin(), s.under.end());
                        for (const HeadWrite& write : s.writes)
                          std::visit(Overload{[&](const CopyWrite& w) {
                                                cells.insert(cells.end(), {w.source, w.target});
                                              },
                                              [&](const SumWrite& w) {
                                                for (const Term& term : w.form)
                                                  cells.push_back(term.component.cell);
                                              },
                                              [&](const SetWrite& w) {
                                                cells.push_back(w.cell);
                                                add_constant();
                                              }},
                                     write);
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
                        for (const Term& t : s.group) cells.push_back(t.component.cell);
                      },
                      [&](const TestStatement& s) {
                        cells.insert(cells.end(), {s.flag, s.number.cell});
                      }},
             statement);
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
                        add(s.target, CellUse::overwritten);
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
