#include "compiler/passes/layout.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/overload.hpp"
#include "compiler/lemmas/head_schema.hpp"

namespace logdepth::inline compiler_passes {
namespace {

std::uint32_t value_dimension(const Program& program, const FetchStatement& fetch) {
  std::uint32_t size = 0;
  for (const HeadWrite& write : fetch.writes)
    size += std::visit(
        Overload{[&](const CopyWrite& w) { return size_of(program.cells[w.source].type); },
                 [](const SumWrite&) { return std::uint32_t{1}; },
                 [&](const SetWrite& w) { return size_of(program.cells[w.cell].type); }},
        write);
  return size;
}

std::uint32_t square_root_up(std::uint32_t n) {
  std::uint32_t root = 1;
  while (root * root < n) ++root;
  return root;
}

std::uint32_t width_of(std::uint32_t root, Norm norm) {
  return norm == Norm::rms ? root * root : 2 * root * root;
}

}  // namespace

std::uint32_t padded_width(std::uint32_t cells, Norm norm) {
  return width_of(square_root_up(cells), norm);
}

std::uint32_t strict_width(std::uint32_t cells, Norm norm, std::uint32_t heads,
                           std::uint32_t dimension) {
  heads = std::max<std::uint32_t>(heads, 1);
  std::uint32_t root = square_root_up(cells);
  while (width_of(root, norm) % heads != 0 || width_of(root, norm) / heads < dimension) ++root;
  return width_of(root, norm);
}

Layout allocate_cells(const Program& program, const Schedule& schedule, Norm norm, bool strict) {
  Layout layout;
  layout.norm = norm;
  std::uint32_t next = 0;
  const auto place = [&](CellId cell) {
    layout.first[cell] = next;
    next += size_of(program.cells[cell].type);
  };
  // What the input gives comes first: the file's k-th value is coordinate k.
  layout.first.assign(program.cells.size(), 0);
  std::vector<bool> placed(program.cells.size(), false);
  for (const GivenCell& given : program.given) {
    place(given.cell);
    placed[given.cell] = true;
  }
  for (CellId cell = 0; cell < program.cells.size(); ++cell)
    if (!placed[cell]) place(cell);
  std::uint32_t heads = 1;
  std::uint32_t dimension = 1;
  for (const Block block : {Block::initial, Block::repeated, Block::final})
    for (const ScheduledLayer& layer : schedule.block(block)) {
      heads = std::max(heads, static_cast<std::uint32_t>(layer.attention.size()));
      for (const Statement* statement : layer.attention) {
        const auto& fetch = std::get<FetchStatement>(*statement);
        dimension = std::max(dimension, value_dimension(program, fetch));
        dimension =
            std::max(dimension,
                     static_cast<std::uint32_t>(head_schema(program, fetch.selector).query.size()));
      }
    }
  layout.width = strict ? strict_width(next, norm, heads, dimension) : padded_width(next, norm);
  layout.root = square_root_up(norm == Norm::rms ? layout.width : layout.width / 2);
  // Sublayers with fewer heads than h keep the same head dimension width / h.
  if (strict) layout.head_dimension = layout.width / heads;
  return layout;
}

void check_layout(const Program& program, const Layout& layout) {
  if (layout.width != width_of(layout.root, layout.norm))
    throw std::logic_error("layout: the width is not a square (rms) or twice one (layernorm)");
  const std::uint32_t end = layout.norm == Norm::rms ? layout.width : layout.width / 2;
  std::vector<bool> taken(end, false);
  for (CellId cell = 0; cell < program.cells.size(); ++cell)
    for (std::uint32_t i = 0; i < size_of(program.cells[cell].type); ++i) {
      const std::uint32_t at = layout.at({cell, i});
      if (at >= end || taken[at])
        throw std::logic_error("layout: cell " + program.cells[cell].name +
                               " overlaps another one or the end of the stream");
      taken[at] = true;
    }
}

}  // namespace logdepth::inline compiler_passes
