#pragma once

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

/// A part of a program as an author has said it, with the places of the cells in this program.
/// Errors: InputError for a cell that the program has not declared.
template <class Part>
Part placed(const cells::Program& program, Part part) {
  Renumbering([&](CellId cell) { return program.place(cell); })(part);
  return part;
}

}}  // namespace logdepth::compiler_builder
