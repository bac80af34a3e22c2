#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/claims/claim.hpp"

namespace logdepth::inline proofs_check_ledger {

/// Depth against the size of the input: one line of a figure, one column of a table.
struct DepthSeries {
  std::string name;  ///< "thm-4.1 claimed", "thm-4.1/scan-circle"
  bool claimed = false;
  Form form = Form::as_written;
  std::string formula;
  std::vector<std::optional<std::uint64_t>> depths;  ///< one per size; absent: no file that large
};

struct DepthCurve {
  std::string subject;               ///< "regular languages"
  std::string unit;                  ///< "letters"
  std::vector<std::uint64_t> sizes;  ///< n
  std::vector<DepthSeries> series;
};

/// The curves of these claims. Claimed depths come from the formulas at the paper's own n; the others
/// are counted on compiled files, one per claim, or one per n where a claim is about families.
std::vector<DepthCurve> depth_curves(const std::vector<const Claim*>& claims);

std::string depth_curve_markdown(const DepthCurve& curve);
std::string depth_curve_html(const DepthCurve& curve);
/// Depth over log2 n.
std::string depth_curve_svg(const DepthCurve& curve);

}  // namespace logdepth::inline proofs_check_ledger
