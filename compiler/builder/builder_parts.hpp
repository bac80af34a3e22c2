#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/program.hpp"

namespace logdepth::cells {

// The compiler's side of what an author holds. All of it is built once and shared.
struct Cell::Declared {
  std::uint32_t id = 0;
  logdepth::Cell cell;
};
struct Selector::Hidden {
  logdepth::Selector selector;
};
struct Fetch::Hidden {
  FetchStatement fetch;
  bool selects = false;  ///< what it selects was said
};
struct Statements::Hidden {
  std::vector<Statement> list;
};

// The library exports what is in logdepth::cells, but for these.

/// Statements of an author, from those of the compiler.
[[gnu::visibility("hidden")]] Statements statements(std::vector<Statement> list);
[[gnu::visibility("hidden")]] LinearForm linear_form(const Form& form);

}  // namespace logdepth::cells

namespace logdepth { inline namespace compiler_builder {

/// Gives the cells of a program, or of a part of one, other numbers, everywhere where it names one.
class Renumbering {
 public:
  explicit Renumbering(std::function<CellId(CellId)> number) : number_(std::move(number)) {}

  void operator()(Program& program) const {
    apply(program.given, program.position, program.table, program.initial, program.repeated,
          program.final, program.prefix);
    for (auto& [kind, fills] : program.embedding) (*this)(fills);
    for (OutputRow& row : program.outputs) (*this)(row.form);
  }

  void operator()(CellId& cell) const { cell = number_(cell); }
  template <class T>
  void operator()(std::vector<T>& list) const {
    for (T& element : list) (*this)(element);
  }
  template <class T>
  void operator()(std::optional<T>& value) const {
    if (value) (*this)(*value);
  }
  template <class... Kinds>
  void operator()(std::variant<Kinds...>& value) const {
    std::visit(*this, value);
  }

  // Conditions, assignments, components, and all that fills a cell.
  template <class Part>
  requires requires(Part part) { part.cell; }
  void operator()(Part& part) const { (*this)(part.cell); }
  void operator()(Term& term) const { (*this)(term.component); }
  void operator()(Ratio& ratio) const { apply(ratio.numerator, ratio.denominator); }
  void operator()(Rule& rule) const { apply(rule.when, rule.then); }

  void operator()(SharedLabel& shared) const { apply(shared.own, shared.there); }
  void operator()(SelectAll&) const {}
  void operator()(SelectPointed& s) const { apply(s.pointer, s.key); }
  void operator()(SelectSame& s) const { (*this)(s.cells); }
  void operator()(SelectRightmost& s) const { apply(s.flags, s.shared, s.key); }
  void operator()(SelectNearest& s) const { apply(s.target, s.key); }
  void operator()(SelectFlagged& s) const { apply(s.flag, s.when); }
  void operator()(FindTerm& term) const { apply(term.wanted, term.key); }
  void operator()(Preference& prefer) const { apply(prefer.flag, prefer.margin); }
  void operator()(SelectFound& s) const { apply(s.terms, s.prefer); }
  void operator()(SelectRelated& s) const { apply(s.flags, s.label, s.prefer); }

  void operator()(CopyWrite& write) const { apply(write.target, write.source); }
  void operator()(SumWrite& write) const { apply(write.target, write.form); }
  void operator()(FetchStatement& s) const { apply(s.selector, s.under, s.writes); }
  void operator()(LookupStatement& s) const { (*this)(s.rules); }
  void operator()(MoveStatement& s) const { apply(s.target, s.source); }
  void operator()(EraseStatement& s) const { (*this)(s.cells); }
  void operator()(NormaliseStatement& s) const { apply(s.targets, s.group); }
  void operator()(TestStatement& s) const { apply(s.flag, s.number); }

  void operator()(std::monostate&) const {}
  void operator()(PrefixPoints& prefix) const { (*this)(prefix.points); }

 private:
  template <class... Parts>
  void apply(Parts&... parts) const {
    ((*this)(parts), ...);
  }

  std::function<CellId(CellId)> number_;
};

/// A part of a program as an author has said it, with the places of the cells in this program.
/// Errors: InputError for a cell that the program has not declared.
template <class Part>
Part placed(const cells::Program& program, Part part) {
  Renumbering([&](CellId cell) { return program.place(cell); })(part);
  return part;
}

}}  // namespace logdepth::compiler_builder
