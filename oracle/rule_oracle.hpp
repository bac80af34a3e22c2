#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace logdepth::inline oracle {

/// Answers a question about facts and rules by backward chaining, from the text alone:
///
///   Anne is not quiet . If someone is kind and not young then they are smart . All big , red
///   things are not smart . question : Anne is smart . answer :
///
/// In a closed world what cannot be proved is false; in an open one, where "not smart" needs a
/// proof of its own, neither may be known. A fact proves at depth 0, a rule one deeper than the
/// deepest of its premises; that nothing proves a statement takes as long as the longest of its
/// rules, each given up at its quickest failing premise. Depths are the least ones.
class RuleOracle {
 public:
  /// Errors: InputError for any other text, naming the sentence; where a proof needs itself; where
  /// a statement and its opposite are both proved.
  RuleOracle(const std::string& prompt, bool open_world);

  /// "yes", "no" or "unknown".
  const std::string& answer() const { return answer_; }
  std::uint32_t depth() const { return depth_; }

 private:
  struct Claim {
    std::string attribute;
    bool negated = false;
    auto operator<=>(const Claim&) const = default;
  };
  struct Implication {
    std::vector<Claim> premises;
    Claim conclusion;
  };
  struct Verdict {
    bool proved = false;
    std::uint32_t depth = 0;
  };

  void read(const std::vector<std::string>& sentence);
  Claim claim(const std::vector<std::string>& words, std::size_t& at) const;
  /// What facts and rules prove of a claim, or how deep the search went in vain.
  Verdict search(const Claim& goal);
  Verdict decide(const Claim& goal);
  void decide_question();

  bool open_world_;
  std::map<std::string, std::vector<Claim>> facts_;  ///< of each person
  std::vector<Implication> rules_;
  std::string person_;
  Claim question_;
  std::map<Claim, Verdict> known_;
  std::vector<Claim> pending_;
  std::string answer_;
  std::uint32_t depth_ = 0;
};

}  // namespace logdepth::inline oracle
