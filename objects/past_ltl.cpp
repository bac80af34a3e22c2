#include "objects/past_ltl.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::past_formulas { namespace {

using Operation = PastFormula::Operation;

/// Deeper formulas would end the stack.
constexpr int kMostNested = 1000;
constexpr std::string_view kFuture = "XFGURWMN";

class Parser {
 public:
  Parser(const std::string& text, const std::optional<std::vector<std::string>>& alphabet)
      : text_(text), fixed_(alphabet.has_value()) {
    if (alphabet) letters_ = *alphabet;
  }

  PastFormula formula() {
    next();
    formula_.decides = equivalence();
    if (kind_ != Kind::end) fail("an operator or the end");
    formula_.alphabet = Alphabet::of_input(letters_);
    return std::move(formula_);
  }

 private:
  enum class Kind { end, sign, word, quoted };  // a sign: an operator or a bracket

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string place = fmt::format("formula, character {}: ", start_ + 1);
    if (kind_ == Kind::sign && kFuture.find(token_) != std::string_view::npos)
      throw InputError(place + in_quotes(token_) +
                       " is an operator of the future; a causal head sees no later position, "
                       "expected past operators: Y, O, H, S");
    throw InputError(place + "expected " + expected + ", found " +
                     (kind_ == Kind::end ? "the end" : in_quotes(token_)));
  }

  void next() {
    before_ = end_;
    start_ = text_.find_first_not_of(" \t\n", end_);
    if (start_ == std::string::npos) {
      start_ = end_ = text_.size();
      kind_ = Kind::end;
      return;
    }
    const auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    const char c = text_[start_];
    if (c == '"') {
      end_ = text_.find('"', start_ + 1);
      if (end_ == std::string::npos)
        throw InputError(
            fmt::format("formula, character {}: the quotation does not end", start_ + 1));
      token_ = text_.substr(start_ + 1, end_++ - start_ - 1);
      kind_ = Kind::quoted;
      return;
    }
    kind_ = in_word(c) ? Kind::word : Kind::sign;
    end_ = start_ + 1;
    if (kind_ == Kind::word) {
      while (end_ < text_.size() && in_word(text_[end_])) ++end_;
    } else {
      for (const std::string_view longer : {"<->", "->", "&&", "||"})
        if (std::string_view(text_).substr(start_).starts_with(longer))
          end_ = start_ + longer.size();
    }
    token_ = text_.substr(start_, end_ - start_);
  }

  bool accept(std::string_view sign) {
    if (kind_ != Kind::sign || token_ != sign) return false;
    next();
    return true;
  }

  std::uint32_t node(const PastFormula::Node& node) {
    const auto [found, added] = known_.try_emplace(node, formula_.nodes.size());
    if (added) formula_.nodes.push_back(node);
    return found->second;
  }
  std::uint32_t truth() { return node({Operation::truth, {}, 0}); }
  std::uint32_t negation(std::uint32_t a) {
    if (formula_.nodes[a].operation == Operation::negation) return formula_.nodes[a].operands[0];
    return node({Operation::negation, {a, 0}, 0});
  }
  std::uint32_t both(std::uint32_t a, std::uint32_t b) {
    return a == b ? a : node({Operation::both, {std::min(a, b), std::max(a, b)}, 0});
  }
  std::uint32_t either(std::uint32_t a, std::uint32_t b) {
    return negation(both(negation(a), negation(b)));
  }
  /// A node of the text from `begin` to here, or of its negation.
  std::uint32_t temporal(const PastFormula::Node& made, std::size_t begin, bool negated = false) {
    const std::string text = text_.substr(begin, before_ - begin);
    const std::uint32_t result = node(made);
    formula_.written.try_emplace(result, negated ? "!(" + text + ")" : text);
    return result;
  }

  /// What the parser calls itself for.
  template <class Parse>
  std::uint32_t nested(const Parse& parse) {
    if (++nested_ > kMostNested)
      throw InputError(
          fmt::format("formula, character {}: more than {} operators one inside the other",
                      start_ + 1, kMostNested));
    const std::uint32_t result = parse();
    --nested_;
    return result;
  }

  std::uint32_t equivalence() {
    std::uint32_t a = implication();
    while (accept("<->")) {
      const std::uint32_t b = implication();
      a = both(either(negation(a), b), either(negation(b), a));
    }
    return a;
  }
  std::uint32_t implication() {
    const std::uint32_t a = disjunction();
    if (!accept("->")) return a;
    return either(negation(a), nested([&] { return implication(); }));
  }
  std::uint32_t disjunction() {
    std::uint32_t a = conjunction();
    while (accept("|") || accept("||")) a = either(a, conjunction());
    return a;
  }
  std::uint32_t conjunction() {
    std::uint32_t a = since();
    while (accept("&") || accept("&&")) a = both(a, since());
    return a;
  }
  std::uint32_t since() {
    const std::size_t begin = start_;
    const std::uint32_t a = operand();
    if (!accept("S")) return a;
    const std::uint32_t b = nested([&] { return since(); });
    return temporal({Operation::since, {a, b}, 0}, begin);
  }

  std::uint32_t operand() {
    return nested([&] { return nested_operand(); });
  }
  std::uint32_t nested_operand() {
    const std::size_t begin = start_;
    if (accept("!")) return negation(operand());
    if (accept("Y")) return temporal({Operation::previous, {operand(), 0}, 0}, begin);
    if (accept("O")) {
      const std::uint32_t a = operand();
      return temporal({Operation::since, {truth(), a}, 0}, begin);
    }
    if (accept("H")) {
      const std::uint32_t never = negation(operand());
      return negation(temporal({Operation::since, {truth(), never}, 0}, begin, true));
    }
    if (accept("(")) {
      const std::uint32_t inside = equivalence();
      if (!accept(")")) fail("an operator or ')'");
      return inside;
    }
    if (kind_ != Kind::word && kind_ != Kind::quoted)
      fail("a letter (lower case, or in quotation marks), true, false, !, Y, O, H or '('");
    const bool constant = kind_ == Kind::word && (token_ == "true" || token_ == "false");
    const std::uint32_t result = !constant          ? letter()
                                 : token_ == "true" ? truth()
                                                    : negation(truth());
    next();
    return result;
  }
  std::uint32_t letter() {
    auto found = std::ranges::find(letters_, token_);
    if (found == letters_.end()) {
      if (fixed_)
        throw InputError(fmt::format("formula, character {}: letter {} is not in the alphabet",
                                     start_ + 1, in_quotes(token_)));
      found = letters_.insert(found, token_);
    }
    return node({Operation::letter, {}, static_cast<Letter>(found - letters_.begin())});
  }

  const std::string& text_;
  bool fixed_;  ///< the alphabet was given
  std::vector<std::string> letters_;
  PastFormula formula_;
  std::map<PastFormula::Node, std::uint32_t> known_;
  int nested_ = 0;
  Kind kind_ = Kind::end;
  std::size_t start_ = 0, end_ = 0;  ///< of the token
  std::size_t before_ = 0;           ///< end of the token before
  std::string token_;
};

}}  // namespace logdepth::past_formulas

namespace logdepth { inline namespace objects {

std::uint32_t PastFormula::depth(std::uint32_t node) const {
  std::vector<std::uint32_t> depths;
  for (std::uint32_t i = 0; i <= node; ++i) {
    const auto& [operation, operands, letter] = nodes[i];
    const bool temporal = operation == Operation::previous || operation == Operation::since;
    std::uint32_t below = 0;
    if (operation != Operation::truth && operation != Operation::letter)
      below = depths[operands[0]];
    if (operation == Operation::both || operation == Operation::since)
      below = std::max(below, depths[operands[1]]);
    depths.push_back(below + temporal);
  }
  return depths.back();
}

PastFormula parse_past_formula(const std::string& text,
                               const std::optional<std::vector<std::string>>& alphabet) {
  return past_formulas::Parser(text, alphabet).formula();
}

}}  // namespace logdepth::objects
