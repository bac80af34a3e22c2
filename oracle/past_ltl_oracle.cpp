#include "oracle/past_ltl_oracle.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace logdepth::past_formulas { namespace {

using Operation = PastFormula::Operation;

class PastLtlOracle : public LanguageOracle {
 public:
  PastLtlOracle(PastFormula formula, std::string name)
      : formula_(std::move(formula)), name_(std::move(name)) {}

  const Alphabet& alphabet() const override { return formula_.alphabet; }
  std::string name() const override { return name_; }

  bool accepts(const Word& word) const override {
    const std::size_t positions = std::max<std::size_t>(word.size(), 1);
    std::vector<std::vector<bool>> holds(formula_.nodes.size(), std::vector<bool>(positions));
    for (std::size_t n = 0; n < formula_.nodes.size(); ++n) {
      const auto& [operation, operands, letter] = formula_.nodes[n];
      const std::vector<bool>&a = holds[operands[0]], &b = holds[operands[1]];
      for (std::size_t i = 0; i < positions; ++i) {
        bool here = true;
        if (operation == Operation::letter) here = i < word.size() && word[i] == letter;
        if (operation == Operation::negation) here = !a[i];
        if (operation == Operation::both) here = a[i] && b[i];
        if (operation == Operation::previous) here = i > 0 && a[i - 1];
        if (operation == Operation::since) here = !word.empty() && since(a, b, i);
        holds[n][i] = here;
      }
    }
    return holds[formula_.decides].back();
  }

 private:
  /// Some j <= i has b, and every position after j up to i has a.
  static bool since(const std::vector<bool>& a, const std::vector<bool>& b, std::size_t i) {
    for (std::size_t j = 0; j <= i; ++j) {
      bool all = b[j];
      for (std::size_t k = j + 1; k <= i; ++k) all = all && a[k];
      if (all) return true;
    }
    return false;
  }

  PastFormula formula_;
  std::string name_;
};

}}  // namespace logdepth::past_formulas

namespace logdepth { inline namespace oracle {

std::unique_ptr<LanguageOracle> make_past_ltl_oracle(PastFormula formula, std::string name) {
  return std::make_unique<past_formulas::PastLtlOracle>(std::move(formula), std::move(name));
}

}}  // namespace logdepth::oracle
