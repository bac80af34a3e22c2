// Past linear temporal logic, one layer per temporal operator inside another.
//
// Statement (Yang, Chiang and Angluin, "Masked hard-attention transformers recognize exactly the
//   star-free languages", 2024, after Kamp 1968). Every formula of linear temporal logic has a
//   transformer of masked unique-hard attention that accepts the words at whose last letter it holds.
//   Formulas of the past alone define all star-free languages (Gabbay, Pnueli, Shelah and Stavi 1980).
// Here. Formulas of the past; depth at most the temporal depth, less where an operand is always true.
//
// Layer d. For each temporal operator of depth d, a flag:
//   Y a.   Head promise: the position before, exactly one. The flag is `from`: a, false at the beginning.
//   a S b. Head promise: the last position where `stop` holds: b, or not a, or the beginning. The flag
//          is `value` there: b, false at the beginning.
//   Its feed-forward network works out what the operators of depth d + 1 read, by one table each.
// Invariant. Behind layer d the flags of depth d are right at every letter. Y: the position before
//   the first letter is the beginning. S: let j be the last position up to i where b or not a. After j
//   there is a and no b, so the formula holds at i iff b holds at j: if it is not a alone that stopped.
//   If there is no such letter the head is on the beginning, where `value` is false; so is S.
// The empty word is decided at the beginning: no letter, no Y and no S holds there. Y: the head is on
//   the beginning itself. S: only the beginning is visible.
#include "constructions/YCA24/past_ltl.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "constructions/construction.hpp"
#include "constructions/decision_table.hpp"
#include "logdepth/program.hpp"

namespace logdepth::past_formulas { namespace {

using Operation = PastFormula::Operation;
using Node = PastFormula::Node;

bool is_temporal(const Node& node) {
  return node.operation == Operation::previous || node.operation == Operation::since;
}

/// Which nodes hold at a token, and whether it is a letter.
struct Here {
  std::vector<bool> holds;
  bool letter = false;
};

class Network {
 public:
  Network(cells::Program& p, const PastFormula& formula) : p_(p), formula_(formula) {
    std::vector<std::string> labels = {"begin"};
    for (std::size_t i = 0; i < formula.alphabet.size(); ++i)
      labels.push_back(fmt::format("letter{}", i));
    letter_.emplace(p.onehot("letter", labels));
    for (std::size_t i = 0; i < labels.size(); ++i) p.token(kind(i), *letter_ == labels[i]);
    p.position(I_).position(E_, 1);
  }

  void layers() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> operators;  // depth, node
    for (std::uint32_t n = 0; n < formula_.nodes.size(); ++n)
      if (is_temporal(formula_.nodes[n])) operators.emplace_back(formula_.depth(n), n);
    std::ranges::sort(operators);
    for (const auto& [depth, n] : operators) add_operator(n);
  }

  void decide() {
    const auto decides = formula_.decides;
    const auto known = temporal_.find(decides);
    const cells::Flag holds =
        known != temporal_.end()
            ? known->second
            : flag("holds", {decides}, [&](const Here& here) { return here.holds[decides]; });
    p_.output("accept", holds).output("reject", {});
  }

 private:
  /// Of label i.
  std::string kind(std::size_t i) const {
    return i == 0 ? cells::kBegin : formula_.alphabet.name(static_cast<Letter>(i - 1));
  }

  void add_operator(std::uint32_t n) {
    using namespace cells;
    const auto [operation, operands, letter] = formula_.nodes[n];
    const std::uint32_t a = operands[0], b = operands[1];
    const std::size_t number = temporal_.size() + 1;
    const auto named = [&](const char* role) { return fmt::format("{}{}", role, number); };
    p_.parameter(named("t"), formula_.written.at(n));
    const Fetch head = fetch(named("t"));
    if (operation == Operation::previous) {
      const Flag from =
          flag(named("from"), {a}, [&](const Here& here) { return here.letter && here.holds[a]; });
      const Flag result = temporal_.emplace(n, p_.flag(named("t"))).first->second;
      p_.initial(head.causal(match(E_).key(I_)).copy(result, from));
      return;
    }
    const Flag stop = flag(named("stop"), {a, b}, [&](const Here& here) {
      return !here.letter || here.holds[b] || !here.holds[a];
    });
    const Flag there =
        flag(named("value"), {b}, [&](const Here& here) { return here.letter && here.holds[b]; });
    const Flag result = temporal_.emplace(n, p_.flag(named("t"))).first->second;
    p_.initial(head.causal(rightmost(stop).key(I_)).copy(result, there));
  }

  /// A new flag of these nodes: filled at the tokens where no temporal operator is inside, else by a
  /// table over the letter and those operators.
  cells::Flag flag(const std::string& name, const std::vector<std::uint32_t>& nodes,
                   const std::function<bool(const Here&)>& holds) {
    const cells::Flag result = p_.flag(name);
    const std::vector<std::uint32_t> inside = operators_inside(nodes);
    std::vector<Digit> digits = {digit(*letter_)};
    for (const std::uint32_t n : inside) {
      const cells::Flag& operand = temporal_.at(n);
      digits.push_back({{{{operand == false}}, {{operand == true}}}});
    }
    const auto outcome = [&](const std::vector<std::uint32_t>& values) -> std::uint32_t {
      std::map<std::uint32_t, bool> temporal;
      for (std::size_t k = 0; k < inside.size(); ++k) temporal[inside[k]] = values[k + 1] != 0;
      return holds(here(values[0], temporal));
    };
    if (inside.empty()) {
      for (std::uint32_t i = 0; i < letter_->size(); ++i)
        p_.token(kind(i), result == (outcome({i}) != 0));
      return result;
    }
    if (most_rules(digits) > kMostFormulaRules)
      throw SizeLimit(
          fmt::format("{} temporal operators and {} letters in one Boolean combination need a "
                      "table of up to {} "
                      "rules and the limit is {}",
                      inside.size(), letter_->size() - 1, most_rules(digits), kMostFormulaRules));
    p_.initial(cells::lookup(name, decision_table(digits, outcome, [&](std::uint32_t yes) {
                               return Digit::Conditions{result == (yes != 0)};
                             })));
    return result;
  }

  /// The outermost temporal operators inside these nodes.
  std::vector<std::uint32_t> operators_inside(const std::vector<std::uint32_t>& nodes) const {
    std::vector<std::uint32_t> inside;
    std::vector<bool> reached(formula_.nodes.size());
    for (const std::uint32_t n : nodes) reached[n] = true;
    for (std::uint32_t n = static_cast<std::uint32_t>(formula_.nodes.size()); n-- > 0;) {
      const auto& [operation, operands, letter] = formula_.nodes[n];
      if (!reached[n]) continue;
      if (is_temporal(formula_.nodes[n])) {
        inside.push_back(n);
      } else if (operation == Operation::negation || operation == Operation::both) {
        reached[operands[0]] = true;
        if (operation == Operation::both) reached[operands[1]] = true;
      }
    }
    return inside;
  }

  /// Of a token with label number `label`; temporal operators that are not said hold nowhere.
  Here here(std::uint32_t label, const std::map<std::uint32_t, bool>& temporal) const {
    Here here{{}, label > 0};
    for (std::uint32_t n = 0; n < formula_.nodes.size(); ++n) {
      const auto& [operation, operands, letter] = formula_.nodes[n];
      bool holds = true;
      if (operation == Operation::letter) holds = label == letter + 1;
      if (operation == Operation::negation) holds = !here.holds[operands[0]];
      if (operation == Operation::both) holds = here.holds[operands[0]] && here.holds[operands[1]];
      if (const auto known = temporal.find(n); is_temporal(formula_.nodes[n]))
        holds = known != temporal.end() && known->second;
      here.holds.push_back(holds);
    }
    return here;
  }

  cells::Program& p_;
  const PastFormula& formula_;
  cells::Constant one_ = p_.constant();
  cells::Key I_ = p_.key("I", cells::circle);          // the position
  cells::Pointer E_ = p_.pointer("E", cells::circle);  // the position before
  std::optional<cells::OneHot> letter_;
  std::map<std::uint32_t, cells::Flag> temporal_;  // by node
};

}}  // namespace logdepth::past_formulas

namespace logdepth { inline namespace constructions_YCA24 {

Program past_ltl(const PastFormula& formula, const std::string& text) {
  cells::Program p("past LTL");
  p.construction("past LTL");
  p.source(
      "Yang, Chiang and Angluin, Masked hard-attention transformers recognize exactly the "
      "star-free "
      "languages, 2024");
  p.hypothesis(causal_network());
  p.deviation("formulas of the past alone, which define all star-free languages");
  p.parameter("formula", text);
  p.alphabet(formula.alphabet.names()).fixed_loops(0);
  past_formulas::Network network(p, formula);
  network.layers();
  network.decide();
  return p.program();
}

}}  // namespace logdepth::constructions_YCA24
