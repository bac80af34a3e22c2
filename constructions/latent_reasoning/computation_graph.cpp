// Arithmetic modulo a prime on a computation graph, one iteration per unit of depth.
//
// Statement (the task of "Unlocking Out-of-Distribution Generalization in Transformers via Latent
//   Space Reasoning", anonymous, under review). A word of equations, `x = X` for a value x and `X1 o X2 o X3 = X`
//   for operations o among + - *, read from left to right modulo p. A token of a variable holds
//   `empty` or a value. One iteration: the token after `=` of X gets the value of its expression,
//   as far as the definitions of the operands hold values; every other token of X gets what the
//   definition of X holds. From no values, the definition of a variable of depth d (a leaf has
//   depth 1) holds its value from iteration d on, its other tokens from d + 1 on, and iteration
//   D + 1 changes nothing in a graph of depth D. The paper trains blocks of 2 and 4 layers for it.
// Here. `compact`: a (1, 1, 0)-universal transformer, D + 1 layers for depth D: one layer per unit
//   of depth. `pairwise`: (1, 2, 0) with three operands, for tables of size p^2 instead of p^3.
//
// Hypotheses. Words as above behind a beginning token, with `;` between the equations: every name
//   is defined once, before it is used, by a value or an expression of at most `operands` names.
//   Any length; any values at the variables to begin with. Rational codes of the positions
//   p, p-1, ..., p-6; averaging-hard causal attention; masked pre-norm without epsilon; exact
//   numbers.
// Deviations.
//   - which tokens define, and what the operands are called, is found once, in the initial layer;
//     the paper's block takes only z(t) and has to find it in every iteration;
//   - z(t) goes from loop to loop in the stream. It is one-hot there, as an arg max would make it:
//     T loops of a file, and T times a file of one loop on its own output, are the same.
//
// Cells (r counts operands from the right: o0 stands before the last one, n0)
//   one        constant
//   I, P1..    key, pointers   codes of p, p-1, ..., of the positions that are read by distance
//   variable, value, equals    flags of the token's kind
//   op         one-hot         its operation, or none
//   name       one-hot         its variable; `begin` at the beginning token, else `none`
//   v          one-hot, state  its value: 0..p-1, `empty`, or `n/a`
//   defines    flag            the token before is `=`
//   leaf       flag            the token two before is a value, `given`
//   n.r, o.r   one-hot         name 2 + 2r before, operation 3 + 2r before
//   c          number 2        what K is the direction of; not read again
//   K          direction 2     of (k, M): k = 2i - names - 1 for name number i, one more if the
//                              token before is `=`; M = names + 2, so |k| <= M
//   f, f.r     scratch         value of the definition of `name`, of `n.r`
//   e.r        scratch         pairwise: value of the expression up to operand r, for 0 < r
// Loop. Head `own` and heads `operand.r` look for the key of the definition of the name, 2i -
//   names; where there is none (`none`, `begin`) they look for the beginning token's own, whose
//   value is `n/a`. The feed-forward network is one table of what follows from
//   kind, operations and fetched values.
// Head promises. Distances: exactly one position each. own, operand.r: exactly one position at
//   every token: keys are injective in (name, equals before), the beginning token is the only one
//   of its name, and an operand's definition is at or before the operand. A name that is used
//   before its definition or defined twice breaks the promise.
// Invariant. v after t loops is z(t). Where no operand stands, n.r is the name of whatever stands
//   there, whose definition is to the left as well: something is fetched, and not read, since o.r
//   says where the expression begins (in front of its first operand there is no operation).
// Any start. Values of leaves do not depend on z; so definitions of depth d are right from
//   iteration d on whatever values the variables hold at first, their other tokens from d + 1 on,
//   and as nothing names a variable of the largest depth D, everything is from iteration D on.
#include "constructions/latent_reasoning/computation_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "compiler/program/program_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

constexpr std::array<char, 3> kOperations = {'+', '-', '*'};

std::uint32_t apply(char operation, std::uint32_t a, std::uint32_t b, std::uint32_t prime) {
  return operation == '+'   ? (a + b) % prime
         : operation == '-' ? (a + prime - b) % prime
                            : a * b % prime;
}

/// When it holds (conditions of a rule), a variable's value is `value`; `prime` stands for empty.
struct Case {
  std::string when;
  std::uint32_t value = 0;
};
using Cases = std::vector<Case>;

class GraphText {
 public:
  explicit GraphText(const ComputationGraphOptions& options)
      : o_(options), bound_(options.names + 2) {
    for (std::uint32_t v = 0; v < o_.prime; ++v) values_.push_back(std::to_string(v));
    values_.insert(values_.end(), {"empty", "n/a"});
    for (std::uint32_t i = 0; i < o_.names; ++i) names_.push_back(fmt::format("x{}", i));
    names_.insert(names_.end(), {"begin", "none"});
  }

  std::string text() const {
    return head() + cells() + tokens() + "initial\n" + roles() + "repeated\n" + fetches() +
           tables() + outputs();
  }

 private:
  std::string head() const {
    return fmt::format(
        R"cells(logdepth-cells 1
program "computation graph"
construction {}
source "the task of Unlocking Out-of-Distribution Generalization in Transformers via Latent Space Reasoning (anonymous, under review)"
hypothesis "equations 'value = name' and 'name operation name ... = name', at most {} operands, read from left to right modulo {}"
hypothesis "every name is defined once, before it is used; any length; any values at the variables to begin with"
hypothesis "averaging-hard causal attention, masked pre-norm without epsilon, exact numbers"
deviation "definitions and names of operands are found once, in an initial layer, not in every iteration"
deviation "values go from loop to loop in the stream, one-hot, as discretisation would leave them"
parameter prime {}
parameter names {}
parameter operands {}
begin
unroll fixed {}
)cells",
        o_.form == GraphEvaluation::compact ? "compact" : "pairwise", o_.operands, o_.prime,
        o_.prime, o_.names, o_.operands, o_.depth);
  }

  std::string cells() const {
    const std::string value = onehot(values_), name = onehot(names_);
    const std::string operation = "onehot + - * none\n";
    std::string text = "cell one constant\ncell I key two-circle\nposition I\n";
    for (std::uint32_t back = 1; back <= 2 * o_.operands; ++back)
      text += fmt::format("cell P{0} pointer two-circle\nposition P{0} back {0}\n", back);
    text +=
        "cell variable flag\ncell value flag\ncell equals flag\ncell defines flag\n"
        "cell leaf flag\n";
    text += "cell op " + operation + "cell name " + name + "cell v state " + value;
    text += "cell given " + value + "cell c number 2\n";
    text += fmt::format("cell K direction 2 integers {}\n", bound_) + "cell f scratch " + value;
    for (std::uint32_t r = 0; r < o_.operands; ++r)
      text += fmt::format("cell n.{0} {1}cell f.{0} scratch {2}", r, name, value);
    for (std::uint32_t r = 0; r + 1 < o_.operands; ++r)
      text += fmt::format("cell o.{} {}", r, operation);
    for (const std::uint32_t r : partial_results())
      text += fmt::format("cell e.{} scratch {}", r, value);
    return text;
  }

  /// The alphabet, and what each letter fills.
  std::string tokens() const {
    std::string letters = "alphabet", fills;
    const auto fill = [&](const std::string& token, const char* kind, const std::string& name,
                          const std::string& value, const std::string& operation) {
      fills += "token " + token;
      for (const std::string flag : {"variable", "value", "equals"})
        fills += " " + flag + (flag == kind ? "=true" : "=false");
      fills += " op=" + operation + " name=" + name + " v=" + value + "\n";
    };
    const auto letter = [&](const std::string& token, auto... rest) {
      letters += " " + token;
      fill(token, rest...);
    };
    fill("<begin>", "none", "begin", "n/a", "none");
    for (std::uint32_t i = 0; i < o_.names; ++i) {
      letter(names_[i], "variable", names_[i], "empty", "none");
      for (std::uint32_t v = 0; v < o_.prime; ++v)
        letter(names_[i] + ":" + values_[v], "variable", names_[i], values_[v], "none");
    }
    for (std::uint32_t v = 0; v < o_.prime; ++v)
      letter(values_[v], "value", "none", values_[v], "none");
    for (const char o : kOperations)
      letter(std::string(1, o), "operation", "none", "n/a", std::string(1, o));
    letter("=", "equals", "none", "n/a", "none");
    letter(";", "separator", "none", "n/a", "none");
    return letters + "\n" + fills;
  }

  /// What never changes: which token defines, from what, and the keys.
  std::string roles() const {
    std::string text = "  fetch here causal match I key I\n    add c[0]" + keys("name", 0, false);
    text += fmt::format("\n    add c[1] + {} one\n", bound_);
    for (std::uint32_t back = 1; back <= 2 * o_.operands; ++back) {
      const std::uint32_t r = (back - 2) / 2;  // of the name at an even distance
      text += fmt::format("  fetch back.{0} causal match P{0} key I\n", back);
      if (back == 1)
        text += "    copy defines equals\n    add c[0] + 1/2 one + 1/2 equals\n";
      else if (back % 2 == 0)
        text += fmt::format("    copy n.{} name\n", r);
      else
        text += fmt::format("    copy o.{} op\n", r);
      if (back == 2) text += "    copy leaf value\n    copy given v\n";
    }
    return text + "  normalise K from c[0] c[1]\n";
  }

  std::string fetches() const {
    std::string text = fetch("own", "name", "f");
    for (std::uint32_t r = 0; r < o_.operands; ++r)
      text += fetch(fmt::format("operand.{}", r), fmt::format("n.{}", r), fmt::format("f.{}", r));
    return text;
  }

  std::string tables() const {
    std::string text, scratch = " f";
    for (std::uint32_t r = 0; r < o_.operands; ++r) scratch += fmt::format(" f.{}", r);
    for (const std::uint32_t r : partial_results()) {
      text += fmt::format("  lookup part.{}\n", r);
      for (const Case& c : expression(r)) text += rule(c.when, fmt::format("e.{}", r), c.value);
      scratch += fmt::format(" e.{}", r);
    }
    text += "  lookup iteration\n";
    for (std::uint32_t v = 0; v < values_.size(); ++v)
      text += rule("variable=false v=" + values_[v], "v", v);
    for (const Case& c : read("f"))
      text += rule("variable=true defines=false" + c.when, "v", c.value);
    const std::string defined = "variable=true defines=true leaf=";
    for (const Case& c : read("given")) text += rule(defined + "true" + c.when, "v", c.value);
    for (const Case& c : expression(0)) text += rule(defined + "false" + c.when, "v", c.value);
    return text + "  erase" + scratch + "\n";
  }

  std::string outputs() const {
    std::string text;
    for (const std::string& value : values_) text += "output " + value + " + v[" + value + "]\n";
    return text;
  }

  /// The value that a one-hot cell holds; where it should not matter (`n/a`), empty.
  Cases read(const std::string& cell) const {
    Cases cases;
    for (std::uint32_t v = 0; v < values_.size(); ++v)
      cases.push_back({fmt::format(" {}={}", cell, values_[v]), std::min(v, o_.prime)});
    return cases;
  }

  /// The value of an expression up to operand r: operand r alone if no operation stands before it.
  Cases expression(std::uint32_t r) const {
    const std::string operand = fmt::format("f.{}", r), operation = fmt::format(" o.{}=", r);
    if (r + 1 == o_.operands) return read(operand);
    Cases cases;
    for (Case& c : read(operand)) cases.push_back({operation + "none" + c.when, c.value});
    const bool stored = o_.form == GraphEvaluation::pairwise && r + 2 < o_.operands;
    const Cases left = stored ? read(fmt::format("e.{}", r + 1)) : expression(r + 1);
    for (const char o : kOperations)
      for (const Case& a : left) {
        const std::string when = operation + o + a.when;
        if (a.value == o_.prime) {
          cases.push_back({when, o_.prime});
          continue;
        }
        for (const Case& b : read(operand))
          cases.push_back({when + b.when,
                           b.value == o_.prime ? o_.prime : apply(o, a.value, b.value, o_.prime)});
      }
    return cases;
  }

  /// Operands up to which `pairwise` keeps the value, in the order in which they are computed.
  std::vector<std::uint32_t> partial_results() const {
    std::vector<std::uint32_t> all;
    if (o_.form == GraphEvaluation::pairwise)
      for (std::uint32_t r = o_.operands; r-- > 1;)
        if (r + 1 < o_.operands) all.push_back(r);
    return all;
  }

  std::string rule(const std::string& when, const std::string& cell, std::uint32_t value) const {
    return "    rule " + when + " -> " + cell + "=" + values_[value] + "\n";
  }

  std::string fetch(const std::string& head, const std::string& name,
                    const std::string& target) const {
    return fmt::format("  fetch {} causal find-one ({} : + {} one ) key K\n    copy {} v\n", head,
                       keys(name, 1, true), bound_, target);
  }

  /// The keys as a linear form of a name, plus what a definition adds. A query for no name asks for
  /// the beginning token.
  std::string keys(const std::string& cell, int definition, bool query) const {
    const auto key = [&](std::size_t i) {
      return 2 * static_cast<int>(i) - static_cast<int>(o_.names) - 1;
    };
    std::string form;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool variable = i < o_.names;
      const int k = variable ? key(i) + definition : key(query ? o_.names : i);
      if (k != 0)
        form += fmt::format(" {} {} {}[{}]", k < 0 ? '-' : '+', std::abs(k), cell, names_[i]);
    }
    return form;
  }

  static std::string onehot(const std::vector<std::string>& labels) {
    std::string text = "onehot";
    for (const std::string& label : labels) text += " " + label;
    return text + "\n";
  }

  const ComputationGraphOptions& o_;
  const std::uint32_t bound_;  ///< M
  std::vector<std::string> values_, names_;
};

/// Rules of the largest table, but for the few that are no operation.
std::uint64_t table_rules(const ComputationGraphOptions& options) {
  if (options.operands == 1) return options.prime;
  std::uint64_t left = options.prime;
  if (options.form == GraphEvaluation::compact && options.operands == 3)
    left += kOperations.size() * left * left;
  return kOperations.size() * left * (options.prime + 2);
}

bool is_prime(std::uint32_t p) {
  for (std::uint32_t d = 2; d * d <= p; ++d)
    if (p % d == 0) return false;
  return p >= 2;
}

void check_options(const ComputationGraphOptions& options) {
  if (!is_prime(options.prime) || options.prime > kMaxGraphPrime)
    throw InputError(
        fmt::format("--prime {}: expected a prime number up to {}", options.prime, kMaxGraphPrime));
  if (options.names < 1 || options.names > kMaxGraphNames)
    throw InputError(
        fmt::format("--names {}: expected a number from 1 to {}", options.names, kMaxGraphNames));
  if (options.operands < 1 || options.operands > kMaxGraphOperands)
    throw InputError(fmt::format("--operands {}: expected a number from 1 to {}", options.operands,
                                 kMaxGraphOperands));
  if (options.depth == 0)
    throw InputError("--depth 0: expected a number from 1 on, a leaf has depth 1");
  if (table_rules(options) > kMaxGraphRules)
    throw SizeLimit(
        fmt::format("expressions of {} operands modulo {} need a table of {} rules and the limit "
                    "is {}; try --construction pairwise",
                    options.operands, options.prime, table_rules(options), kMaxGraphRules));
}

}  // namespace

Program computation_graph(const ComputationGraphOptions& options) {
  check_options(options);
  return parse_program(GraphText(options).text(), "computation graph");
}

}  // namespace logdepth
