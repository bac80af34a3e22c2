#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace logdepth::inline learned_relit {

/// How many people and attributes there are to speak of.
inline constexpr std::uint32_t kRuleNames = 12, kRuleAttributes = 16;

/// What is not said: false (RuleTaker), or unknown (ProofWriter).
enum class RuleWorld { closed, open };

/// "kind" or "not kind", said of somebody.
struct RuleLiteral {
  std::uint32_t attribute = 0;
  bool negated = false;

  RuleLiteral opposite() const { return {attribute, !negated}; }
  bool operator==(const RuleLiteral&) const = default;
};

/// "Anne is not kind ."
struct RuleFact {
  std::uint32_t name = 0;
  RuleLiteral literal;
  bool operator==(const RuleFact&) const = default;
};

/// "If someone is kind and not young then they are smart .", of everybody.
struct ReasoningRule {
  std::vector<RuleLiteral> premises;
  RuleLiteral conclusion;
  bool conditional = true;  ///< told with "if"; else "All kind , young things are smart ."
  bool operator==(const ReasoningRule&) const = default;
};

struct RuleTheory {
  RuleWorld world = RuleWorld::closed;
  std::vector<RuleFact> facts;
  std::vector<ReasoningRule> rules;
};

/// What a theory says of one person, by forward chaining in rounds. In round 0 facts hold, and what
/// is told by no fact and no rule fails. A later round settles what the rounds before it decide: a
/// rule whose premises all hold makes its conclusion hold; what no fact tells fails when every rule
/// for it has a premise that fails. In a closed world "not kind" also holds where "kind" fails, and
/// either fails where the other holds. The depth of what is settled is its round: of what
/// holds the least depth of a proof, of what fails the least depth of the search that finds none.
class RuleConclusions {
 public:
  enum class Status : std::uint8_t { open, holds, fails };

  RuleConclusions(const RuleTheory& theory, std::uint32_t name);

  Status status(RuleLiteral literal) const { return entries_[index(literal)].status; }
  /// Precondition: the literal is settled.
  std::uint32_t depth(RuleLiteral literal) const { return entries_[index(literal)].depth; }
  /// Everything is settled (a cycle may not be), and nothing both holds and does not: no fact and
  /// no rule contradicts what holds.
  bool sound() const { return sound_; }

 private:
  struct Entry {
    Status status = Status::open;
    std::uint8_t depth = 0;
  };

  static std::size_t index(RuleLiteral literal) {
    return 2 * literal.attribute + static_cast<std::size_t>(literal.negated);
  }
  bool all_hold(const ReasoningRule& rule) const;
  bool one_fails(const ReasoningRule& rule) const;
  /// Whether anything was settled in this round.
  bool settle(const RuleTheory& theory, std::uint32_t round);

  Entry entries_[2 * std::size_t{kRuleAttributes}];
  bool told_[2 * std::size_t{kRuleAttributes}] = {};  ///< by a fact
  bool sound_ = true;
};

/// The words of theories, as a list of sentences.
const char* rule_name(std::uint32_t name);
const char* rule_attribute(std::uint32_t attribute);
std::string rule_text(const RuleFact& fact);
std::string rule_text(const ReasoningRule& rule);

}  // namespace logdepth::inline learned_relit
