#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_passes {

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

/// The rule after this pass: cells lie side by side without overlap inside the width, and the width
/// obeys the model's rule. Errors: std::logic_error (a defect of the pass, not of the program).
void check_layout(const Program& program, const Layout& layout);

/// The smallest width by the rules above for `cells` logical coordinates, `heads` heads in the
/// largest sublayer and `dimension` the largest score or value dimension.
std::uint32_t padded_width(std::uint32_t cells, Norm norm);
std::uint32_t strict_width(std::uint32_t cells, Norm norm, std::uint32_t heads,
                           std::uint32_t dimension);

}  // namespace logdepth::inline compiler_passes
