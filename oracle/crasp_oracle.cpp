#include "oracle/crasp_oracle.hpp"

#include <algorithm>
#include <utility>

namespace logdepth::inline oracle {
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

}  // namespace logdepth::inline oracle
