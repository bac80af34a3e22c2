#include "oracle/crasp_oracle.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace logdepth::inline oracle {
namespace {

class CraspOracle : public LanguageOracle {
 public:
  CraspOracle(CraspProgram program, std::string name)
      : program_(std::move(program)), name_(std::move(name)) {}

  const Alphabet& alphabet() const override { return program_.alphabet; }
  std::string name() const override { return name_; }

  bool accepts(const Word& word) const override {
    std::vector<std::int64_t> values(program_.nodes.size(), 0), totals = values;
    std::vector<std::vector<bool>> past(program_.nodes.size());
    step(std::nullopt, values, totals, past);
    for (const Letter letter : word) step(letter, values, totals, past);
    return values[program_.decides] != 0;
  }

 private:
  /// The values at the next position; `totals` counts at positions of letters only, and `past` is
  /// where what `recent` counts has held at such positions.
  void step(std::optional<Letter> here, std::vector<std::int64_t>& values,
            std::vector<std::int64_t>& totals, std::vector<std::vector<bool>>& past) const {
    using enum CraspProgram::Operation;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const CraspProgram::Node& node = program_.nodes[i];
      const std::int64_t a = values[node.operands[0]], b = values[node.operands[1]],
                         c = values[node.operands[2]];
      switch (node.operation) {
        case letter:
          values[i] = here == node.number;
          break;
        case constant:
        case number:
          values[i] = node.number;
          break;
        case negation:
          values[i] = !a;
          break;
        case both:
          values[i] = a && b;
          break;
        case either:
          values[i] = a || b;
          break;
        case less:
          values[i] = a < b;
          break;
        case less_equal:
          values[i] = a <= b;
          break;
        case equal:
          values[i] = a == b;
          break;
        case count:
          values[i] = totals[i] += here && a;
          break;
        case recent: {
          past[i].push_back(here && a);
          const auto at = static_cast<std::int64_t>(past[i].size()) - 1;
          values[i] = 0;
          for (std::int64_t back = node.number; back <= node.farthest.value_or(at) && back <= at;
               ++back)
            values[i] += past[i][static_cast<std::size_t>(at - back)];
          break;
        }
        case position:
          values[i] = here ? (values[i] + 1) % node.number : 0;
          break;
        case sum:
          values[i] = a + b;
          break;
        case difference:
          values[i] = a - b;
          break;
        case multiple:
          values[i] = node.number * a;
          break;
        case minimum:
          values[i] = std::min(a, b);
          break;
        case maximum:
          values[i] = std::max(a, b);
          break;
        case choice:
          values[i] = a ? b : c;
          break;
      }
    }
  }

  CraspProgram program_;
  std::string name_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_crasp_oracle(CraspProgram program, std::string name) {
  return std::make_unique<CraspOracle>(std::move(program), std::move(name));
}

}  // namespace logdepth::inline oracle
