#include "proofs-check/check/failure.hpp"

#include <fmt/core.h>

#include <array>

#include "base/overload.hpp"
#include "base/phrases.hpp"

namespace logdepth { inline namespace proofs_check_check {
namespace {

std::string numbers_text(const NamedNumbers& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.values.size(); ++i)
    text += (i > 0 ? " " : "") + numbers.names[i] + "=" + numbers.values[i];
  return text;
}

std::string node_text(const NodeValue& node) {
  if (!node.value) return "none";
  return *node.value < node.prime    ? std::to_string(*node.value)
         : *node.value == node.prime ? "empty"
                                     : "n/a";
}

/// Without saying where.
std::string value_text(const FileAnswer& answer) {
  return std::visit(
      Overload{[](const Acceptance& a) { return std::string(a.accepted ? "accept" : "reject"); },
               [](const Connection& a) {
                 return std::string(a.connected ? "connected" : "not connected");
               },
               [](const PrefixValue& a) { return prefix_text(a.value); },
               [](const NamedNumbers& a) { return numbers_text(a); },
               [](const DividedNumber& a) { return a.value; },
               [](const NodeValue& a) { return node_text(a); },
               [](EveryToken what) {
                 return std::string(what == EveryToken::divisions ? "quotients and remainders"
                                    : what == EveryToken::outputs ? "outputs"
                                                                  : "a value at every token");
               }},
      answer);
}

const char* rule_text(BrokenCell::Rule rule) {
  constexpr std::array kTexts = {"a flag, 1 or -1, or 0 before it is written",
                                 "a one-hot vector, or 0 before it is written",
                                 "a unit vector, or 0 before it is written",
                                 "the same number at every token",
                                 "scratch, 0 at the end of every loop and of the run",
                                 "erased, 0 at the end of the run",
                                 "minus the coordinate that it mirrors",
                                 "0, being no cell's"};
  return kTexts[static_cast<std::size_t>(rule)];
}

}  // namespace

std::string answer_text(const FileAnswer& answer) {
  return std::visit(
      Overload{[&](const PrefixValue& a) {
                 return fmt::format("{} the first {} {}", a.state ? "state after" : "product of",
                                    counted(a.letters, "letter"), value_text(answer));
               },
               [&](const NamedNumbers& a) {
                 return (a.token ? fmt::format("token {}: ", *a.token) : "") + value_text(answer);
               },
               [](const DividedNumber& a) {
                 return fmt::format("token {}, {} by {}: {} = {}", a.token, a.dividend, a.divisor,
                                    a.name, a.value);
               },
               [&](const NodeValue& a) {
                 return fmt::format("{} at letter {} ({}) after {} iterations", value_text(answer),
                                    a.letter, a.name, a.iterations);
               },
               [&](const auto&) { return value_text(answer); }},
      answer);
}

TestedProperty property_of(const Failure& finding) {
  const auto of_answer = [](const FileAnswer& answer) {
    return std::holds_alternative<PrefixValue>(answer) ? TestedProperty::prefix
                                                       : TestedProperty::answer;
  };
  return std::visit(Overload{[&](const WrongAnswer& wrong) { return of_answer(wrong.expected); },
                             [&](const NoAnswer& none) { return of_answer(none.expected); },
                             [](const ProductOfTwoStates&) { return TestedProperty::prefix; },
                             [](const BrokenContract&) { return TestedProperty::contract; },
                             [](const OtherDepth&) { return TestedProperty::depth; },
                             [](const NotRefused&) { return TestedProperty::limit; },
                             [](const auto&) { return TestedProperty::cell; }},
                    finding);
}

std::string expected_text(const Failure& finding) {
  return std::visit(
      Overload{
          [](const WrongAnswer& wrong) { return answer_text(wrong.expected); },
          [](const NoAnswer& none) { return answer_text(none.expected); },
          [](const ProductOfTwoStates& two) {
            return fmt::format("a product of the first {} that no prefix to another state has",
                               counted(two.letters, "letter"));
          },
          [](const BrokenContract&) { return std::string("every selection contract fulfilled"); },
          [](const OtherDepth& depth) { return "the stated depth of " + depth.stated; },
          [](const NotRefused&) { return std::string("a refusal (hypothesis violated)"); },
          [](const BrokenCell& broken) {
            return fmt::format("{} {} is {}",
                               broken.rule >= BrokenCell::Rule::mirror ? "coordinate" : "cell",
                               broken.cell, rule_text(broken.rule));
          },
          [](const CellLeft& left) { return "cell " + left.cell + " is zero again"; }},
      finding);
}

std::string got_text(const Failure& finding) {
  return std::visit(
      Overload{[](const WrongAnswer& wrong) { return value_text(wrong.got); },
               [](const NoAnswer& none) { return describe(none.refusal); },
               [](const ProductOfTwoStates& two) { return prefix_text(two.product); },
               [](const BrokenContract& broken) { return broken.sentence; },
               [](const OtherDepth& depth) { return depth.counted; },
               [](const NotRefused& answered) {
                 return answered.refusal ? describe(*answered.refusal) : "an answer";
               },
               [](const BrokenCell& broken) {
                 return fmt::format(
                     "({}) at token {} after layer {}, {}", joined(broken.values, ", "),
                     broken.token, broken.step,
                     broken.sublayer == Sublayer::attention ? "attention" : "feed-forward");
               },
               [](const CellLeft& left) {
                 return fmt::format("{} at token {}", left.value, left.token);
               }},
      finding);
}

}}  // namespace logdepth::proofs_check_check
