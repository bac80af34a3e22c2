// Verdicts that no further letter changes, from what counts can still become: they never fall.
#include <algorithm>
#include <cstdlib>

#include "oracle/crasp_oracle.hpp"

namespace logdepth::inline oracle {
namespace {

/// Beyond every count of a word that fits into memory; sums of two do not overflow.
constexpr std::int64_t kFar = std::int64_t{1} << 61;

std::int64_t bounded(std::int64_t value) {
  return std::clamp(value, -kFar, kFar);
}

std::int64_t times(std::int64_t factor, std::int64_t value) {
  if (factor == 0 || value == 0) return 0;
  const bool far = std::abs(value) > kFar / std::abs(factor);
  return far ? ((factor < 0) == (value < 0) ? kFar : -kFar) : factor * value;
}

/// What a node may be at some later position; of truth values 0 and 1.
struct Range {
  std::int64_t least = 0, most = 1;
};

Range holds(bool surely, bool possibly) {
  return {surely, possibly};
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

}  // namespace

std::optional<bool> CraspRun::settled() const {
  using enum CraspProgram::Operation;
  std::vector<Range> later(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const CraspProgram::Node& node = program_->nodes[i];
    const Range a = later[node.operands[0]], b = later[node.operands[1]],
                c = later[node.operands[2]];
    Range& here = later[i];
    switch (node.operation) {
      case letter:
        break;
      case constant:
      case number:
        here = {node.number, node.number};
        break;
      case negation:
        here = {1 - a.most, 1 - a.least};
        break;
      case both:
      case minimum:
        here = {std::min(a.least, b.least), std::min(a.most, b.most)};
        break;
      case either:
      case maximum:
        here = {std::max(a.least, b.least), std::max(a.most, b.most)};
        break;
      case less:
        here = holds(a.most < b.least, a.least < b.most);
        break;
      case less_equal:
        here = holds(a.most <= b.least, a.least <= b.most);
        break;
      case equal:
        here = holds(a.least == a.most && a.least == b.least && b.least == b.most,
                     a.least <= b.most && b.least <= a.most);
        break;
      case count:
        here = {totals_[i] + a.least, a.most == 0 ? totals_[i] : kFar};
        break;
      case recent:
        here = node.farthest ? Range{0, *node.farthest - node.number + 1} : Range{values_[i], kFar};
        break;
      case position:
        here = {0, node.number - 1};
        break;
      case sum:
        here = {bounded(a.least + b.least), bounded(a.most + b.most)};
        break;
      case difference:
        here = {bounded(a.least - b.most), bounded(a.most - b.least)};
        break;
      case multiple: {
        const std::int64_t one = times(node.number, a.least), other = times(node.number, a.most);
        here = {std::min(one, other), std::max(one, other)};
        break;
      }
      case choice:
        here = a.least == 1 ? b : a.most == 0 ? c : hull(b, c);
        break;
    }
  }
  const Range& verdict = later[program_->decides];
  if (verdict.least == verdict.most) return verdict.least != 0;
  return std::nullopt;
}

}  // namespace logdepth::inline oracle
