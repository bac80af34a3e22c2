#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/analysis/abstract_interpretation.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_rules.hpp"

namespace logdepth { inline namespace compiler_passes {

/// The statements that share one sublayer. All of them read the stream as it was before it.
using SublayerStatements = std::vector<const Statement*>;

struct ScheduledLayer {
  SublayerStatements attention, feedforward;
};

/// Where each statement runs. Points into the program, which must outlive it.
struct Schedule {
  std::vector<ScheduledLayer> initial, repeated, final;

  const std::vector<ScheduledLayer>& block(Block b) const {
    return b == Block::initial ? initial : b == Block::repeated ? repeated : final;
  }
};

/// Puts every statement into the earliest sublayer of its block that keeps the meaning: strictly
/// after the writers of what it reads (overwritten cells included), not before the readers of what
/// it writes, and only among statements that can share its mask (a sublayer has one mask: either it
/// reads typed cells exactly, or it reads one group's direction). Later passes may assume that the
/// statements of a sublayer, applied at once to the old stream, mean the same as one by one.
Schedule schedule_layers(const Program& program);

/// Where each cell lives in the residual stream, and how wide the stream is.
struct Layout {
  Norm norm = Norm::rms;
  std::uint32_t width = 0;
  std::uint32_t root = 0;            ///< width = root^2 (rms) or 2 root^2 (layernorm)
  std::vector<std::uint32_t> first;  ///< per cell: coordinate of component 0; the rest follow
  /// rows of every query, key and value matrix (MS25 Def. 2.2, width / heads); absent: as needed
  std::optional<std::uint32_t> head_dimension;

  std::uint32_t at(const Component& c) const { return first[c.cell] + c.index; }
  /// Under layernorm every coordinate x has a mirror -x, so that the mean is zero.
  std::optional<std::uint32_t> mirror(std::uint32_t coordinate) const {
    if (norm == Norm::rms) return std::nullopt;
    return coordinate + width / 2;
  }
};

/// Lays the cells one after the other, given ones first, else in declaration order, and pads to the
/// model's width rule: a perfect square (rms), twice a perfect square (layernorm). With `strict`,
/// the width is moreover divisible by the number of heads h of every attention sublayer, with width
/// / h at least every head's dimension.
Layout allocate_cells(const Program& program, const Schedule& schedule, Norm norm, bool strict);

std::uint32_t strict_width(std::uint32_t cells, Norm norm, std::uint32_t heads,
                           std::uint32_t dimension);

/// The type of one sublayer's mask (design: constant, direction, common), with what emission needs.
struct MaskPlan {
  enum class Type {
    empty,      ///< nothing is read
    constant,   ///< squared norm is root^2 at every token: components are read exactly
    direction,  ///< the group is read alone: the result is its unit vector
    common      ///< the group has one norm at all tokens of an input: read up to a common factor
  };
  Type type = Type::empty;
  std::vector<Term> components;  ///< what the mask keeps with its weights, the constant cell apart
  Rational constant_weight;      ///< mask weight of the constant cell; 0: not in the mask
  Rational root = 1;             ///< constant: S with S^2 the masked squared norm
  AbstractState before;          ///< what the cells hold when the sublayer reads them
};

struct LayerMasks {
  MaskPlan attention, feedforward;
  std::vector<CellId> reset;        ///< cells that attention sets and that were not blank
  std::vector<CellId> overwritten;  ///< cells the feed-forward overwrites that were not blank
};

struct MaskTypes {
  std::vector<LayerMasks> initial, repeated, final;
  std::vector<CellId> zero_at_end;  ///< cells that are 0 at every token after the last layer

  const std::vector<LayerMasks>& block(Block b) const {
    return b == Block::initial ? initial : b == Block::repeated ? repeated : final;
  }
};

/// Norm typing: walks the schedule on abstract states (compiler/analysis) and proves each mask's
/// type for every token (junk tokens included), that nothing is silently added to an occupied cell,
/// that scratch is zero at the end of the repeated block, and that the loop finds its cells as it
/// left them. Errors: ProgramRefused naming block, layer, sublayer, statement, cell and reason.
MaskTypes type_masks(const Program& program, const Schedule& schedule);

struct CompileOptions {
  Norm norm = Norm::rms;
  bool strict = false;  ///< pad so that every query, key and value has dimension width / heads
  /// The standard, non-looped transformer for all inputs up to this size; absent: looped.
  std::optional<std::uint64_t> unroll;
};

/// A compiled program.
struct [[nodiscard]] Compiled {
  CheckedModel model;  ///< exact rational weights, without `derived`
  Program program;
  PrecisionFacts facts;  ///< proved of the model's numbers, one entry per layer of the model
};
/// The transformer of a program. Errors: ProgramRefused.
Compiled compile(const Program& program, const CompileOptions& options = {});

/// The model as a weights file has it, with the program and the facts in `derived`.
/// Errors: ProgramRefused where the program's text breaks a rule of the format.
[[nodiscard]] CheckedModel with_derived(Compiled compiled);

/// Last pass: writes the weights. Every mask, matrix and embedding, from cells to coordinates.
[[nodiscard]] Model emit_weights(const Program& program, const Schedule& schedule,
                                 const MaskTypes& masks, const Layout& layout);

/// What is proved about the numbers of the compiled weights, at every token of every input, one
/// entry per scheduled layer: initial, repeated, final. What is not proved is absent. The proofs
/// are in the comments of prove_precision.cpp and head_schema.cpp; they rest on the norm types,
/// and on what the program declares of its directions (DirectionType).
PrecisionFacts prove_precision(const Program& program, const Schedule& schedule,
                               const MaskTypes& masks, const Layout& layout);

}}  // namespace logdepth::compiler_passes
