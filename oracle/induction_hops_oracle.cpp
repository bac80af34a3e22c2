#include "oracle/induction_hops_oracle.hpp"

#include <utility>

#include "base/text_lines.hpp"

namespace logdepth { inline namespace oracle {
namespace {

class InductionHopsOracle : public LanguageOracle {
 public:
  InductionHopsOracle(Alphabet alphabet, std::optional<std::uint64_t> hops, std::string name)
      : alphabet_(std::move(alphabet)), hops_(hops), name_(std::move(name)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  std::string name() const override { return name_; }
  bool accepts(const Word& word) const override { return reached(word).has_value(); }

  std::optional<std::string> named_values(const Word& word) const override {
    const std::optional<Letter> letter = reached(word);
    std::string values = letter ? "none=0" : "none=1";
    for (Letter x = 0; x < alphabet_.size(); ++x)
      if (!number(x)) values += " " + alphabet_.name(x) + (letter == x ? "=1" : "=0");
    return values;
  }

 private:
  std::optional<std::uint64_t> number(Letter letter) const {
    return whole_number(alphabet_.name(letter));
  }

  /// The last place up to `place` behind an occurrence of the letter at `place`; places count from 1.
  std::size_t hop(const Word& word, std::size_t place) const {
    if (place == 0 || number(word[place - 1])) return 0;
    for (std::size_t j = place; j >= 2; --j)
      if (word[j - 2] == word[place - 1]) return j;
    return 0;
  }

  std::optional<Letter> reached(const Word& word) const {
    std::uint64_t hops = hops_.value_or(0);
    if (!hops_ && !word.empty()) hops = number(word.front()).value_or(0);
    std::size_t place = word.size();
    for (; hops > 0 && place > 0; --hops) place = hop(word, place);
    if (place == 0 || number(word[place - 1])) return std::nullopt;
    return word[place - 1];
  }

  Alphabet alphabet_;
  std::optional<std::uint64_t> hops_;
  std::string name_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_induction_hops_oracle(Alphabet alphabet,
                                                           std::optional<std::uint64_t> hops,
                                                           std::string name) {
  return std::make_unique<InductionHopsOracle>(std::move(alphabet), hops, std::move(name));
}

}}  // namespace logdepth::oracle
