#include "learned/relit/rule_theory.hpp"

#include <algorithm>
#include <array>

namespace logdepth::inline learned_relit {
namespace {

// Words that byte-pair vocabularies of English have as one token each, behind a blank.
constexpr std::array<const char*, kRuleNames> kNames = {"Anne",  "Bob",  "Charlie", "Dave",
                                                        "Erin",  "Gary", "Emma",    "Harry",
                                                        "Alice", "Jack", "Lucy",    "Paul"};
constexpr std::array<const char*, kRuleAttributes> kAttributes = {
    "big", "blue", "cold",  "green", "happy", "kind",   "nice", "quiet",
    "red", "rich", "rough", "round", "smart", "strong", "tall", "young"};

std::string literal_text(const RuleLiteral& literal) {
  return (literal.negated ? "not " : "") + std::string(kAttributes.at(literal.attribute));
}

}  // namespace

RuleConclusions::RuleConclusions(const RuleTheory& theory, std::uint32_t name) {
  for (const RuleFact& fact : theory.facts)
    if (fact.name == name) told_[index(fact.literal)] = true;
  std::uint32_t round = 0;
  while (settle(theory, round)) ++round;
  // What holds is derived once; what contradicts it may be derived later.
  for (std::uint32_t a = 0; a < kRuleAttributes; ++a) {
    const RuleLiteral plain{a, false};
    sound_ &= status(plain) != Status::open && status(plain.opposite()) != Status::open;
    sound_ &= status(plain) != Status::holds || status(plain.opposite()) != Status::holds;
    for (const RuleLiteral literal : {plain, plain.opposite()})
      sound_ &= !told_[index(literal)] || status(literal) == Status::holds;
  }
  for (const ReasoningRule& rule : theory.rules)
    sound_ &= !all_hold(rule) || status(rule.conclusion) == Status::holds;
}

bool RuleConclusions::all_hold(const ReasoningRule& rule) const {
  return std::all_of(rule.premises.begin(), rule.premises.end(),
                     [&](const RuleLiteral& premise) { return status(premise) == Status::holds; });
}

bool RuleConclusions::one_fails(const ReasoningRule& rule) const {
  return std::any_of(rule.premises.begin(), rule.premises.end(),
                     [&](const RuleLiteral& premise) { return status(premise) == Status::fails; });
}

bool RuleConclusions::settle(const RuleTheory& theory, std::uint32_t round) {
  bool holds[2 * std::size_t{kRuleAttributes}], fails[2 * std::size_t{kRuleAttributes}];
  for (std::size_t i = 0; i < std::size(holds); ++i) {
    holds[i] = told_[i];
    fails[i] = !told_[i];
  }
  for (const ReasoningRule& rule : theory.rules) {
    holds[index(rule.conclusion)] |= all_hold(rule);
    fails[index(rule.conclusion)] &= one_fails(rule);
  }
  // Only now, so that a round sees the rounds before it and nothing of itself.
  bool settled = false;
  const auto set = [&](std::size_t i, Status status) {
    if (entries_[i].status != Status::open) return;
    entries_[i] = {status, static_cast<std::uint8_t>(round)};
    settled = true;
  };
  for (std::size_t plain = 0; plain < std::size(holds); plain += 2) {
    const std::size_t negated = plain + 1;
    if (theory.world == RuleWorld::open) {
      for (const std::size_t i : {plain, negated}) {
        if (holds[i]) set(i, Status::holds);
        if (fails[i]) set(i, Status::fails);
      }
    } else if (holds[plain]) {
      set(plain, Status::holds);
      set(negated, Status::fails);
    } else if (holds[negated] || fails[plain]) {
      set(plain, Status::fails);
      set(negated, Status::holds);
    }
  }
  return settled;
}

const char* rule_name(std::uint32_t name) {
  return kNames.at(name);
}

const char* rule_attribute(std::uint32_t attribute) {
  return kAttributes.at(attribute);
}

std::string rule_text(const RuleFact& fact) {
  return std::string(kNames.at(fact.name)) + " is " + literal_text(fact.literal) + " .";
}

std::string rule_text(const ReasoningRule& rule) {
  std::string premises;
  for (const RuleLiteral& premise : rule.premises)
    premises += (premises.empty()   ? ""
                 : rule.conditional ? " and "
                                    : " , ") +
                literal_text(premise);
  const std::string conclusion = " are " + literal_text(rule.conclusion) + " .";
  return rule.conditional ? "If someone is " + premises + " then they" + conclusion
                          : "All " + premises + " things" + conclusion;
}

}  // namespace logdepth::inline learned_relit
