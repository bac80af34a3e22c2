#pragma once

#include <string>
#include <unordered_map>

#include "compiler/program/line_words.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_program {

/// What a line of a `.cells` file is made of once cells have names: literals, components, forms,
/// ratios and selectors, read against the program declared so far.
class ProgramWords : protected LineWords {
 protected:
  using LineWords::LineWords;

  /// Declares a cell; its name and labels are new.
  void declare(Cell cell);

  CellId cell_named(const std::string& name) const;
  CellId cell(const char* expected) { return cell_named(take(expected)); }
  std::vector<CellId> cells_to_end();
  Literal literal(const std::string& text) const;       ///< "cell=label"
  TableFill table_fill(const std::string& text) const;  ///< "cell=label" or "direction=number"
  Component component(const std::string& text) const;   ///< "cell", "cell[index]", "cell[label]"
  Term factor_and_component(const std::string& text) const;  ///< "component" or "2/3*component"
  /// "+ 1/2 one - fst", to the end of the line or up to the word `end`.
  LinearForm form(const char* end = nullptr);
  Selector selector();

  Program p_;

 private:
  std::uint32_t label(CellId id, const std::string& text) const;
  CellId key();  ///< "key CELL"
  Ratio ratio();
  SelectSame same();
  SelectFound found(bool one);

  std::unordered_map<std::string, CellId> cells_;
  std::unordered_map<CellId, std::unordered_map<std::string, std::uint32_t>> labels_;
};

}  // namespace logdepth::inline compiler_program
