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
// Loop. Head `own` and heads `operand.r` look for the key of the definition of the name; where there
//   is none (`none`, `begin`) they look for the beginning token's own, whose value is `n/a`. The
//   feed-forward network is one table of what follows from kind, operations and fetched values.
// Head promises. Distances: exactly one position each. own, operand.r: exactly one position at
//   every token: keys are injective in (name, equals before), the beginning token is the only one
//   of its name, and an operand's definition is at or before the operand. A name that is used
//   before its definition or defined twice breaks the contract.
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
#include <string>
#include <vector>

#include "constructions/construction.hpp"
#include "logdepth/program.hpp"
#include "objects/prime.hpp"

namespace logdepth { inline namespace constructions_latent_reasoning {
namespace {

constexpr std::array<char, 3> kOperations = {'+', '-', '*'};

std::uint32_t apply(char operation, std::uint32_t a, std::uint32_t b, std::uint32_t prime) {
  return operation == '+'   ? (a + b) % prime
         : operation == '-' ? (a + prime - b) % prime
                            : a * b % prime;
}

/// Where all conditions hold, a variable's value is `value`; `prime` stands for empty.
struct Case {
  std::vector<cells::Value> when;
  std::uint32_t value = 0;
};
using Cases = std::vector<Case>;

/// The value that a one-hot cell holds; where it should not matter (`n/a`), empty.
Cases read(const cells::OneHot& cell, std::uint32_t prime) {
  Cases cases;
  for (std::uint32_t v = 0; v < cell.size(); ++v)
    cases.push_back({{cell.at(v)}, std::min(v, prime)});
  return cases;
}

std::vector<cells::Value> both(std::vector<cells::Value> a, const std::vector<cells::Value>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The value of an expression up to `operand`: that of the operand alone if no operation stands
/// before it, else of the operation on what is to the left of it and the operand.
Cases expression(const Cases& left, const cells::OneHot& operation, const cells::OneHot& operand,
                 std::uint32_t prime) {
  Cases cases;
  for (const Case& b : read(operand, prime))
    cases.push_back({both({operation == "none"}, b.when), b.value});
  for (const char o : kOperations)
    for (const Case& a : left) {
      const auto when = both({operation == std::string(1, o)}, a.when);
      if (a.value == prime)
        cases.push_back({when, prime});
      else
        for (const Case& b : read(operand, prime))
          cases.push_back(
              {both(when, b.when), b.value == prime ? prime : apply(o, a.value, b.value, prime)});
    }
  return cases;
}

/// cell := its value in each of the cases.
cells::Rules assign(const cells::OneHot& cell, const Cases& cases) {
  cells::Rules rules;
  for (const Case& c : cases) rules.push_back({c.when, {cell.at(c.value)}});
  return rules;
}

/// Rules of the largest table, but for the few that are no operation.
std::uint64_t table_rules(const ComputationGraphOptions& options) {
  if (options.operands == 1) return options.prime;
  std::uint64_t left = options.prime;
  if (options.form == GraphEvaluation::compact && options.operands == 3)
    left += kOperations.size() * left * left;
  return kOperations.size() * left * (options.prime + 2);
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
  if (options.depth == 0) throw InputError("--depth 0: expected at least 1 (a leaf has depth 1)");
  if (table_rules(options) > kMaxGraphRules)
    throw SizeLimit(
        fmt::format("expressions of {} operands modulo {} need a table of {} rules and the limit "
                    "is {}; try --construction pairwise",
                    options.operands, options.prime, table_rules(options), kMaxGraphRules));
}

/// What both forms say of themselves.
cells::Program evaluation_program(const ComputationGraphOptions& options) {
  cells::Program p("computation graph");
  p.construction(options.form == GraphEvaluation::pairwise ? "pairwise" : "compact");
  p.source(
      "the task of Unlocking Out-of-Distribution Generalization in Transformers via Latent Space "
      "Reasoning (anonymous, under review)");
  // With `;` between the equations, behind a beginning token.
  p.hypothesis(
      fmt::format("equations 'value = name' and 'name operation name ... = name', at most {} "
                  "operands, read from left to right modulo {}",
                  options.operands, options.prime));
  p.hypothesis(
      "every name is defined once, before it is used; any length; any values at the variables to "
      "begin with");
  p.hypothesis(causal_network());
  // The paper's block takes only z(t) and has to find them in every iteration.
  p.deviation(
      "definitions and names of operands are found once, in an initial layer, not in every "
      "iteration");
  // As an arg max would make it: T loops of a file, and T times a file of one loop on its own
  // output, are the same.
  p.deviation(
      "values are carried from iteration to iteration in the stream, one-hot, as after "
      "discretisation");
  p.parameter("prime", std::to_string(options.prime))
      .parameter("names", std::to_string(options.names))
      .parameter("operands", std::to_string(options.operands));
  p.fixed_loops(options.depth);
  return p;
}

std::vector<std::string> numbered_and(std::uint32_t count, const std::string& prefix,
                                      const std::vector<std::string>& more) {
  std::vector<std::string> labels = cells::numbered(count, prefix);
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

/// Of an expression that ends two before; r counts its operands from the right.
struct Operand {
  cells::OneHot name;   // 2 + 2r before
  cells::OneHot value;  // of its definition
};

/// The cells, and the steps on them.
struct Evaluation {
  cells::Program& p;
  const ComputationGraphOptions& options;

  std::uint32_t prime = options.prime, names = options.names;
  std::vector<std::string> values = numbered_and(prime, "", {"empty", "n/a"});
  std::vector<std::string> variables = numbered_and(names, "x", {"begin", "none"});
  std::uint32_t M = names + 2;

  cells::Constant one = p.constant();
  cells::Key I = p.key("I", cells::two_circle);  // the position p
  std::vector<cells::Pointer> P = earlier();     // p-1, p-2, ...: read by distance
  cells::Flag variable = p.flag("variable"), value = p.flag("value"), equals = p.flag("equals");
  cells::Flag defines = p.flag("defines");  // the token before is `=`
  cells::Flag leaf = p.flag("leaf");        // the token two before is a value, `given`
  cells::OneHot op = p.onehot("op", {"+", "-", "*", "none"});  // the token's operation, or none
  cells::OneHot name = p.onehot("name", variables);            // `begin` of the beginning, or none
  cells::OneHot v = p.onehot("v", values, cells::state);  // its value: 0..p-1, `empty`, or `n/a`
  cells::OneHot given = p.onehot("given", values);        // see leaf
  cells::Number c = p.number("c", 2);  // what K is the direction of; not read again
  cells::Direction K = p.integer_direction("K", 2, cells::permanent, M);  // of (k, M); |k| <= M
  cells::OneHot f = p.onehot("f", values, cells::scratch);  // value of the definition of `name`
  std::vector<Operand> operands = declare_operands();
  std::vector<cells::OneHot> o = declare_operations();  // 3 + 2r before

  std::vector<cells::Pointer> earlier() const {
    std::vector<cells::Pointer> pointers;
    p.position(I);
    for (std::uint32_t back = 1; back <= 2 * options.operands; ++back) {
      pointers.push_back(p.pointer(fmt::format("P{}", back), cells::two_circle));
      p.position(pointers.back(), back);
    }
    return pointers;
  }

  std::vector<Operand> declare_operands() const {
    std::vector<Operand> declared;
    for (std::uint32_t r = 0; r < options.operands; ++r)
      declared.push_back({p.onehot(fmt::format("n.{}", r), variables),
                          p.onehot(fmt::format("f.{}", r), values, cells::scratch)});
    return declared;
  }

  std::vector<cells::OneHot> declare_operations() const {
    std::vector<cells::OneHot> declared;
    for (std::uint32_t r = 0; r + 1 < options.operands; ++r)
      declared.push_back(p.onehot(fmt::format("o.{}", r), op.labels()));
    return declared;
  }

  void tokens() const {
    std::vector<std::string> alphabet;
    const auto letter = [&](const std::string& token, const std::string& kind, const std::string& x,
                            const std::string& holds, const std::string& operation) {
      if (token != cells::kBegin) alphabet.push_back(token);
      p.token(token, variable == (kind == "variable"), value == (kind == "value"),
              equals == (kind == "equals"), op == operation, name == x, v == holds);
    };
    letter(cells::kBegin, "begin", "begin", "n/a", "none");
    for (std::uint32_t i = 0; i < names; ++i) {
      letter(variables[i], "variable", variables[i], "empty", "none");
      for (std::uint32_t x = 0; x < prime; ++x)
        letter(variables[i] + ":" + values[x], "variable", variables[i], values[x], "none");
    }
    for (std::uint32_t x = 0; x < prime; ++x) letter(values[x], "value", "none", values[x], "none");
    for (const char x : kOperations)
      letter(std::string(1, x), "operation", "none", "n/a", std::string(1, x));
    letter("=", "equals", "none", "n/a", "none");
    letter(";", "separator", "none", "n/a", "none");
    p.alphabet(alphabet);
  }

  /// Name number i has the key k = 2i - names - 1, and one more where the token before is `=`.
  std::int64_t key(std::int64_t name_number) const { return 2 * name_number - names - 1; }

  /// What never changes: which token defines, from what, and the keys.
  void definitions() const {
    using namespace cells;
    Form own_key;
    for (std::uint32_t i = 0; i < name.size(); ++i) own_key += key(i) * name[variables[i]];
    const auto back = [&](std::uint32_t by) {
      return fetch(fmt::format("back.{}", by)).causal(match(P[by - 1]).key(I));
    };
    p.initial(fetch("here").causal(match(I).key(I)).add(c[0], own_key).add(c[1], M * one),
              back(1).copy(defines, equals).add(c[0], (one + equals) / 2));
    for (std::uint32_t r = 0; r < operands.size(); ++r) {
      const Fetch named = back(2 + 2 * r).copy(operands[r].name, name);
      p.initial(r == 0 ? named.copy(leaf, value).copy(given, v) : named);
      if (r < o.size()) p.initial(back(3 + 2 * r).copy(o[r], op));
    }
    p.initial(normalise(K).from(c[0], c[1]));
  }

  /// The value of a name's definition; of no name, that of the beginning token.
  void look_up(const std::string& head, const cells::OneHot& named,
               const cells::OneHot& into) const {
    using namespace cells;
    Form wanted;
    for (std::uint32_t i = 0; i < named.size(); ++i)
      wanted += (i < names ? key(i) + 1 : key(names)) * named[variables[i]];
    p.repeated(fetch(head).causal(find_one(wanted / (M * one)).key(K)).copy(into, v));
  }

  cells::CellList fetch_values() const {
    look_up("own", name, f);
    cells::CellList fetched = f;
    for (std::size_t r = 0; r < operands.size(); ++r) {
      look_up(fmt::format("operand.{}", r), operands[r].name, operands[r].value);
      fetched += operands[r].value;
    }
    return fetched;
  }

  /// The value of the expression; what a layer of its own keeps joins `fetched`.
  Cases evaluate(cells::CellList& fetched) const {
    Cases result = read(operands.back().value, prime);  // of the expression up to operand r
    for (std::size_t r = o.size(); r-- > 0;) {
      result = expression(result, o[r], operands[r].value, prime);
      if (options.form == GraphEvaluation::pairwise && r > 0) {
        const auto e = p.onehot(fmt::format("e.{}", r), values, cells::scratch);
        p.repeated(cells::lookup(fmt::format("part.{}", r), assign(e, result)));
        fetched += e;
        result = read(e, prime);
      }
    }
    return result;
  }

  void iterate() const {
    using namespace cells;
    CellList fetched = fetch_values();
    const Cases result = evaluate(fetched);
    Rules iteration;
    const auto where = [&](const std::vector<Value>& conditions, const Rules& then) {
      const Rules added = under(conditions, then);
      iteration.insert(iteration.end(), added.begin(), added.end());
    };
    for (std::uint32_t x = 0; x < v.size(); ++x) where({!variable}, {when(v.at(x)).then(v.at(x))});
    where({variable, !defines}, assign(v, read(f, prime)));
    where({variable, defines, leaf}, assign(v, read(given, prime)));
    where({variable, defines, !leaf}, assign(v, result));
    p.repeated(lookup("iteration", iteration), erase(fetched));
  }
};

}  // namespace

Program computation_graph(const ComputationGraphOptions& options) {
  check_options(options);
  cells::Program p = evaluation_program(options);
  const Evaluation graph{p, options};
  graph.tokens();
  graph.definitions();
  graph.iterate();
  for (const std::string& x : graph.values) p.output(x, graph.v[x]);
  return p.program();
}

namespace {

Construction record(GraphEvaluation form, const std::string& name, const std::string& help) {
  const ComputationGraphOptions usual;
  const auto count = [](const std::string& called, std::uint32_t otherwise,
                        const std::string& meaning) {
    return Option{called, CountOption{.otherwise = otherwise},
                  fmt::format("{} (default: {})", meaning, otherwise)};
  };
  return {
      .key = {"latent_reasoning", "task", name},
      .problem = Problem::computation_graphs,
      .help = help,
      .options = {count("prime", usual.prime, "prime modulus P: values are 0 to P-1"),
                  count("names", usual.names, "number K of variables, x0 to x<K-1>"),
                  count("operands", usual.operands,
                        fmt::format("largest number of operands of an expression: 1 to {}",
                                    kMaxGraphOperands)),
                  count("depth", usual.depth, "number of iterations, the largest depth of a graph"),
                  {"unroll", RefusedOption{": iterations on a computation graph do not grow with "
                                           "its length, expected --depth D for graphs up to "
                                           "that depth"}}},
      .program = [form](const Request& r) {
        const auto number = [&](const char* option) {
          return static_cast<std::uint32_t>(number_of(r.values, option));
        };
        return computation_graph(
            {form, number("prime"), number("names"), number("operands"), number("depth")});
      }};
}

}  // namespace

Construction compact_computation_graph_record() {
  return record(GraphEvaluation::compact, "compact", "one layer per unit of depth");
}

Construction pairwise_computation_graph_record() {
  return record(GraphEvaluation::pairwise, "pairwise",
                "an operation in each layer, with smaller tables");
}

}}  // namespace logdepth::constructions_latent_reasoning
