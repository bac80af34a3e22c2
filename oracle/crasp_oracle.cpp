#include "oracle/crasp_oracle.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace logdepth { inline namespace oracle {
namespace {

class CraspOracle : public LanguageOracle {
 public:
  CraspOracle(CraspProgram program, std::string name)
      : program_(std::move(program)), name_(std::move(name)) {}

  const Alphabet& alphabet() const override { return program_.alphabet; }
  std::string name() const override { return name_; }

  bool accepts(const Word& word) const override {
    CraspRun run(program_);
    for (const Letter letter : word) run.read(letter);
    return run.accepts();
  }

 private:
  CraspProgram program_;
  std::string name_;
};

}  // namespace

CraspRun::CraspRun(const CraspProgram& program)
    : program_(&program),
      values_(program.nodes.size(), 0),
      totals_(values_),
      past_(static_cast<std::size_t>(std::ranges::count(
          program.nodes, CraspProgram::Operation::recent, &CraspProgram::Node::operation))) {
  step(std::nullopt);
}

void CraspRun::read(Letter letter) {
  step(letter);
}

bool CraspRun::accepts() const {
  return values_[program_->decides] != 0;
}

std::vector<std::int64_t> CraspRun::memory() const {
  if (const std::optional<bool> verdict = settled()) return {*verdict};
  std::vector<std::int64_t> memory = {-1};
  auto past = past_.begin();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const CraspProgram::Node& node = program_->nodes[i];
    if (node.operation == CraspProgram::Operation::count) memory.push_back(totals_[i]);
    if (node.operation == CraspProgram::Operation::position) memory.push_back(values_[i]);
    if (node.operation != CraspProgram::Operation::recent) continue;
    // Of positions farther away than any that is looked at singly only the number counts.
    const auto singly = static_cast<std::size_t>(node.farthest.value_or(node.number));
    const auto first =
        past->begin() + static_cast<std::ptrdiff_t>(past->size() - std::min(past->size(), singly));
    memory.insert(memory.end(), first, past->end());
    if (!node.farthest) memory.push_back(std::count(past->begin(), first, true));
    ++past;
  }
  return memory;
}

void CraspRun::step(std::optional<Letter> here) {
  using enum CraspProgram::Operation;
  auto past = past_.begin();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const CraspProgram::Node& node = program_->nodes[i];
    const std::int64_t a = values_[node.operands[0]], b = values_[node.operands[1]],
                       c = values_[node.operands[2]];
    switch (node.operation) {
      case letter:
        values_[i] = here == node.number;
        break;
      case constant:
      case number:
        values_[i] = node.number;
        break;
      case negation:
        values_[i] = !a;
        break;
      case both:
        values_[i] = a && b;
        break;
      case either:
        values_[i] = a || b;
        break;
      case less:
        values_[i] = a < b;
        break;
      case less_equal:
        values_[i] = a <= b;
        break;
      case equal:
        values_[i] = a == b;
        break;
      case count:
        values_[i] = totals_[i] += here && a;
        break;
      case recent: {
        past->push_back(here && a);
        const auto at = static_cast<std::int64_t>(past->size()) - 1;
        values_[i] = 0;
        for (std::int64_t back = node.number; back <= node.farthest.value_or(at) && back <= at;
             ++back)
          values_[i] += (*past)[static_cast<std::size_t>(at - back)];
        ++past;
        break;
      }
      case position:
        values_[i] = here ? (values_[i] + 1) % node.number : 0;
        break;
      case sum:
        values_[i] = a + b;
        break;
      case difference:
        values_[i] = a - b;
        break;
      case multiple:
        values_[i] = node.number * a;
        break;
      case minimum:
        values_[i] = std::min(a, b);
        break;
      case maximum:
        values_[i] = std::max(a, b);
        break;
      case choice:
        values_[i] = a ? b : c;
        break;
    }
  }
}

std::unique_ptr<LanguageOracle> make_crasp_oracle(CraspProgram program, std::string name) {
  return std::make_unique<CraspOracle>(std::move(program), std::move(name));
}

// Verdicts that no further letter changes, from what counts can still become: they never fall.

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

}}  // namespace logdepth::oracle
