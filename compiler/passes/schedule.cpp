#include "compiler/passes/schedule.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "compiler/rules/program_rules.hpp"

namespace logdepth::inline compiler_passes {
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

void check_schedule(const Program& program, const Schedule& schedule) {
  for (const Block block : {Block::initial, Block::repeated, Block::final}) {
    std::unordered_map<const Statement*, std::size_t> slot_of;
    std::size_t slot = 0;
    for (const ScheduledLayer& layer : schedule.block(block)) {
      for (const auto* sublayer : {&layer.attention, &layer.feedforward}) {
        for (const Statement* statement : *sublayer) {
          if (is_attention(*statement) != (slot % 2 == 0))
            throw std::logic_error("schedule: a statement is in the wrong kind of sublayer");
          if (!slot_of.emplace(statement, slot).second)
            throw std::logic_error("schedule: duplicate statement");
          if (mask_group(program, *statement) != mask_group(program, *sublayer->front()))
            throw std::logic_error("schedule: two masks in one sublayer");
        }
        ++slot;
      }
    }
    const auto& statements = program.block(block);
    if (slot_of.size() != statements.size())
      throw std::logic_error("schedule: a statement is missing");
    // Per cell, in program order: reads after the last write, writes not before any earlier access.
    std::unordered_map<CellId, std::size_t> written, touched;
    for (const Statement& statement : statements) {
      const std::size_t at = slot_of.at(&statement);
      const auto reads = cells_read(program, statement);
      const auto writes = cells_written(statement);
      for (const CellId cell : reads)
        if (written.contains(cell) && at <= written[cell])
          throw std::logic_error("schedule: cell " + program.cells[cell].name +
                                 " is read before it is written");
      for (const CellId cell : writes)
        if (touched.contains(cell) && at < touched[cell])
          throw std::logic_error("schedule: cell " + program.cells[cell].name +
                                 " is written before an earlier use");
      for (const CellId cell : writes) written[cell] = std::max(written[cell], at);
      for (const auto* cells : {&reads, &writes})
        for (const CellId cell : *cells) touched[cell] = std::max(touched[cell], at);
    }
  }
}

}  // namespace logdepth::inline compiler_passes
