#include "oracle/rule_oracle.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline oracle {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

[[noreturn]] void refuse(const std::vector<std::string>& words) {
  throw InputError("expected a fact, a rule or a question, found " + in_quotes(joined(words)));
}

void expect(const std::vector<std::string>& words, std::size_t& at, const std::string& text) {
  std::istringstream expected(text);
  for (std::string word; expected >> word; ++at)
    if (at >= words.size() || words[at] != word) refuse(words);
}

}  // namespace

RuleOracle::RuleOracle(const std::string& prompt, bool open_world) : open_world_(open_world) {
  std::istringstream in(prompt);
  std::vector<std::string> sentence;
  for (std::string word; in >> word;) {
    if (word != ".") {
      sentence.push_back(word);
      continue;
    }
    read(sentence);
    sentence.clear();
  }
  if (joined(sentence) != "answer :" || person_.empty()) refuse(sentence);
  decide_question();
}

RuleOracle::Claim RuleOracle::claim(const std::vector<std::string>& words, std::size_t& at) const {
  Claim claim;
  if (at < words.size() && words[at] == "not") {
    claim.negated = true;
    ++at;
  }
  if (at == words.size() || words[at] == "," || words[at] == "and") refuse(words);
  claim.attribute = words[at++];
  return claim;
}

void RuleOracle::read(const std::vector<std::string>& words) {
  if (words.empty() || !person_.empty()) refuse(words);
  std::size_t at = 0;
  const bool conditional = words[0] == "If";
  if (conditional || words[0] == "All") {
    expect(words, at, conditional ? "If someone is" : "All");
    Implication rule;
    rule.premises.push_back(claim(words, at));
    while (at < words.size() && words[at] == (conditional ? "and" : ",")) {
      ++at;
      rule.premises.push_back(claim(words, at));
    }
    expect(words, at, conditional ? "then they are" : "things are");
    rule.conclusion = claim(words, at);
    rules_.push_back(std::move(rule));
  } else {
    const bool asked = words[0] == "question";
    if (asked) expect(words, at, "question :");
    if (at == words.size()) refuse(words);
    const std::string person = words[at++];
    expect(words, at, "is");
    const Claim said = claim(words, at);
    if (asked) {
      person_ = person;
      question_ = said;
    } else {
      facts_[person].push_back(said);
    }
  }
  if (at != words.size()) refuse(words);
}

RuleOracle::Verdict RuleOracle::search(const Claim& goal) {
  const std::vector<Claim>& facts = facts_[person_];
  if (std::find(facts.begin(), facts.end(), goal) != facts.end()) return {true, 0};
  std::optional<std::uint32_t> proof;
  std::uint32_t vain = 0;
  for (const Implication& rule : rules_) {
    if (rule.conclusion != goal) continue;
    std::uint32_t deepest = 0;
    std::optional<std::uint32_t> quickest;
    for (const Claim& premise : rule.premises) {
      const Verdict verdict = decide(premise);
      if (verdict.proved) {
        deepest = std::max(deepest, verdict.depth);
      } else {
        quickest = std::min(quickest.value_or(verdict.depth), verdict.depth);
      }
    }
    if (quickest) {
      vain = std::max(vain, *quickest + 1);
    } else {
      proof = std::min(proof.value_or(deepest + 1), deepest + 1);
    }
  }
  return proof ? Verdict{true, *proof} : Verdict{false, vain};
}

RuleOracle::Verdict RuleOracle::decide(const Claim& goal) {
  if (!open_world_ && goal.negated) {
    const Verdict plain = decide({goal.attribute, false});
    return {!plain.proved, plain.depth};
  }
  if (const auto found = known_.find(goal); found != known_.end()) return found->second;
  if (std::find(pending_.begin(), pending_.end(), goal) != pending_.end())
    throw InputError("expected rules without a circle, found one through " +
                     in_quotes(goal.attribute));
  pending_.push_back(goal);
  Verdict verdict = search(goal);
  if (!open_world_) {
    // What says "not smart" may be quicker than finding nothing that says "smart".
    const Verdict opposite = search({goal.attribute, true});
    if (opposite.proved && verdict.proved)
      throw InputError("expected no contradiction, found one about " + in_quotes(goal.attribute));
    if (opposite.proved) verdict.depth = std::min(verdict.depth, opposite.depth);
  }
  pending_.pop_back();
  return known_[goal] = verdict;
}

void RuleOracle::decide_question() {
  const Verdict verdict = decide(question_);
  if (!open_world_) {
    answer_ = verdict.proved ? "yes" : "no";
    depth_ = verdict.depth;
    return;
  }
  const Verdict opposite = decide({question_.attribute, !question_.negated});
  if (verdict.proved && opposite.proved)
    throw InputError("expected no contradiction, found one about " +
                     in_quotes(question_.attribute));
  answer_ = verdict.proved ? "yes" : opposite.proved ? "no" : "unknown";
  depth_ = verdict.proved    ? verdict.depth
           : opposite.proved ? opposite.depth
                             : std::max(verdict.depth, opposite.depth);
}

}  // namespace logdepth::inline oracle
