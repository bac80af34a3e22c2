#include "compiler/passes/norm_types.hpp"

#include <algorithm>

#include "compiler/analysis/loop_invariant.hpp"
#include "compiler/analysis/number_properties.hpp"
#include "compiler/analysis/transfer.hpp"
#include "compiler/passes/proof_obligations.hpp"
#include "compiler/passes/statement_place.hpp"

namespace logdepth::inline compiler_passes {
namespace {

/// One sublayer after the other: what its statements owe is checked against the state before it
/// (proof_obligations), its mask is planned from that state (mask_plan), and the state after it is
/// the transfer of that state (compiler/analysis).
class NormTyping {
 public:
  NormTyping(const Program& program, const Schedule& schedule)
      : p_(program),
        schedule_(schedule),
        numbers_(program),
        transfer_(program, numbers_),
        obligations_(program, numbers_),
        state_(initial_state(program)),
        place_{program} {}

  MaskTypes run() {
    MaskTypes types;
    types.initial = run_block(Block::initial);
    if (!p_.repeated.empty()) types.repeated = run_loop();
    types.final = run_block(Block::final);
    check_readers_at_the_end();
    for (CellId cell = 0; cell < p_.cells.size(); ++cell)
      if (is_zero(state_[cell])) types.zero_at_end.push_back(cell);
    return types;
  }

 private:
  MaskPlan run_sublayer(const SublayerStatements& statements, std::vector<CellId>& overwritten) {
    for (const Statement* statement : statements)
      obligations_.check_uses(*statement, state_, place_);
    MaskPlan plan = plan_mask(numbers_, statements, state_, place_);
    overwritten = overwritten_cells(p_, statements, state_);
    for (const Statement* statement : statements)
      obligations_.check_proofs(*statement, state_, place_);
    state_ = transfer_.after(statements, state_);
    return plan;
  }

  std::vector<LayerMasks> run_block(Block block) {
    place_.block = block;
    std::vector<LayerMasks> masks;
    for (const ScheduledLayer& layer : schedule_.block(block)) {
      place_.layer = masks.size();
      LayerMasks plan;
      place_.attention = true;
      plan.attention = run_sublayer(layer.attention, plan.reset);
      place_.attention = false;
      plan.feedforward = run_sublayer(layer.feedforward, plan.overwritten);
      masks.push_back(std::move(plan));
    }
    return masks;
  }

  /// The masks of a pass that begins in the loop's invariant serve every pass.
  std::vector<LayerMasks> run_loop() {
    place_.block = Block::repeated;
    check_scratch("when the loop begins");
    std::vector<LayerMasks> masks;
    state_ = loop_invariant(numbers_.bounds(), state_, [&](const AbstractState& entry) {
      state_ = entry;
      masks = run_block(Block::repeated);
      for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
        check_scratch(cell, "at the end of the block: erase it");
        if (state_[cell].kind != entry[cell].kind)
          place_.refuse_block(
              "cell " + p_.cells[cell].name + " is " + ProofObligations::describe(entry[cell]) +
              " when the loop begins and " + ProofObligations::describe(state_[cell]) +
              " when it ends: a second loop would read it differently");
      }
      return state_;
    });
    return masks;
  }
  void check_scratch(CellId cell, const std::string& when) const {
    if (p_.cells[cell].lifetime == Lifetime::scratch &&
        state_[cell].kind != AbstractValue::Kind::blank)
      place_.refuse_block("scratch cell " + p_.cells[cell].name + " is not zero " + when);
  }
  void check_scratch(const std::string& when) const {
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) check_scratch(cell, when);
  }

  /// Blank, or a number of which every part has been taken away again.
  static bool is_zero(const AbstractValue& value) {
    if (value.kind == AbstractValue::Kind::blank) return true;
    return value.kind == AbstractValue::Kind::number && !value.unknown && !value.given &&
           std::ranges::all_of(value.sums, [](const auto& sum) { return sum.empty(); });
  }

  void check_readers_at_the_end() const {
    const auto check = [&](const std::string& reader, CellId cell) {
      if (state_[cell].kind == AbstractValue::Kind::blank)
        place_.refuse_block(reader + " reads cell " + p_.cells[cell].name +
                            ", which is zero at the end: write it before, or leave it out");
    };
    for (const OutputRow& row : p_.outputs)
      for (const Term& term : row.form) check("output " + row.name, term.component.cell);
    if (const auto* element = std::get_if<PrefixElement>(&p_.prefix))
      check("prefix", element->cell);
    if (const auto* prefix = std::get_if<PrefixState>(&p_.prefix)) check("prefix", prefix->cell);
    if (const auto* points = std::get_if<PrefixPoints>(&p_.prefix))
      for (const PointReadout& point : points->points)
        if (point.cell) check("prefix", *point.cell);
  }

  const Program& p_;
  const Schedule& schedule_;
  const NumberProperties numbers_;
  const Transfer transfer_;
  const ProofObligations obligations_;
  AbstractState state_;
  StatementPlace place_;
};

}  // namespace

MaskTypes type_masks(const Program& program, const Schedule& schedule) {
  return NormTyping(program, schedule).run();
}

}  // namespace logdepth::inline compiler_passes
