#include "oracle/formula_oracle.hpp"

#include <utility>

#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace oracle {
namespace {

/// Arithmetic modulo m; with `boolean` the letters ! & | as well as 0 and 1, in place of + and *.
class FormulaOracle : public LanguageOracle {
 public:
  FormulaOracle(Alphabet alphabet, bool boolean, std::uint64_t m, std::string name)
      : alphabet_(std::move(alphabet)), boolean_(boolean), m_(m), name_(std::move(name)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  std::string name() const override { return name_; }
  bool accepts(const Word& word) const override {
    const auto result = value(word);
    return result && (!boolean_ || *result == 1);
  }

  std::optional<std::string> named_values(const Word& word) const override {
    if (boolean_) return std::nullopt;
    const auto result = value(word);
    std::string values = result ? "none=0" : "none=1";
    for (std::uint64_t x = 0; x < m_; ++x)
      values += " " + std::to_string(x) + (result == x ? "=1" : "=0");
    return values;
  }

 private:
  std::optional<std::uint64_t> value(const Word& word) const {
    std::vector<std::uint64_t> stack;
    for (const Letter letter : word) {
      const std::string& read = alphabet_.name(letter);
      if (const auto number = whole_number(read)) {
        stack.push_back(*number);
      } else if (read == "!") {
        if (stack.empty()) return std::nullopt;
        stack.back() = 1 - stack.back();
      } else {
        if (stack.size() < 2) return std::nullopt;
        const std::uint64_t right = stack.back();
        stack.pop_back();
        std::uint64_t& left = stack.back();
        if (read == "|") {
          left = std::max(left, right);
        } else {
          left = (read == "+" ? left + right : left * right) % m_;
        }
      }
    }
    if (stack.size() != 1) return std::nullopt;
    return stack.back();
  }

  Alphabet alphabet_;
  bool boolean_;
  std::uint64_t m_;
  std::string name_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_formula_oracle(Alphabet alphabet, const std::string& algebra) {
  const bool boolean = algebra == "boolean";
  const auto modulus =
      boolean ? 2 : whole_number(algebra.substr(std::min<std::size_t>(3, algebra.size())));
  const auto fail = [&](const std::string& expected) {
    throw InputError("formula:" + algebra + ": expected " + expected);
  };
  if (!boolean && (!algebra.starts_with("mod") || !modulus || *modulus < 2))
    fail("formula:boolean, or formula:mod and a number of at least 2");
  for (const std::string& letter : alphabet.names()) {
    const auto number = whole_number(letter);
    const std::string operators = boolean ? "!&|" : "+*";
    if (number ? *number >= *modulus
               : letter.size() != 1 || operators.find(letter) == std::string::npos)
      fail("letters of it, found " + letter + " in the alphabet");
  }
  return std::make_unique<FormulaOracle>(std::move(alphabet), boolean, *modulus,
                                         "formula:" + algebra);
}

}}  // namespace logdepth::oracle
