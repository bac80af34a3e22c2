#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/overload.hpp"
#include "compiler/lemmas/head_schema.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/rules/program_rules.hpp"

namespace logdepth { inline namespace compiler_passes {
namespace {

/// Sublayers are numbered attention 0, feed-forward 1, attention 2, ...
std::vector<ScheduledLayer> schedule_block(const Program& program,
                                           const std::vector<Statement>& statements) {
  std::unordered_map<CellId, std::size_t> last_write, last_read;
  std::map<std::size_t, std::vector<Term>> group_of_slot;
  std::vector<ScheduledLayer> layers;
  for (const Statement& statement : statements) {
    const auto reads = cells_read(program, statement);
    const auto writes = cells_written(statement);
    std::size_t slot = is_attention(statement) ? 0 : 1;
    const auto not_before = [&](std::size_t bound) {
      while (slot < bound) slot += 2;
    };
    for (const CellId cell : reads)
      if (const auto found = last_write.find(cell); found != last_write.end())
        not_before(found->second + 1);
    for (const CellId cell : writes) {
      if (const auto found = last_read.find(cell); found != last_read.end())
        not_before(found->second);
      if (const auto found = last_write.find(cell); found != last_write.end())
        not_before(found->second);
    }
    const std::vector<Term> group = mask_group(program, statement);
    while (group_of_slot.contains(slot) && group_of_slot.at(slot) != group) slot += 2;
    group_of_slot.emplace(slot, group);
    for (const CellId cell : reads) {
      auto& last = last_read[cell];
      last = std::max(last, slot);
    }
    for (const CellId cell : writes) {
      auto& last = last_write[cell];
      last = std::max(last, slot);
    }
    if (layers.size() <= slot / 2) layers.resize(slot / 2 + 1);
    ScheduledLayer& layer = layers[slot / 2];
    (slot % 2 == 0 ? layer.attention : layer.feedforward).push_back(&statement);
  }
  return layers;
}

}  // namespace

Schedule schedule_layers(const Program& program) {
  return {schedule_block(program, program.initial), schedule_block(program, program.repeated),
          schedule_block(program, program.final)};
}

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

/// The smallest width by the rules above for `cells` logical coordinates, `heads` heads in the
/// largest sublayer and `dimension` the largest score or value dimension.
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

}}  // namespace logdepth::compiler_passes
