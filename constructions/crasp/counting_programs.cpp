// C-RASP: a layer for each comparison.
//
// Statement (Yang and Chiang 2024, "Counting Like Transformers: Compiling Temporal Counting Logic
//   Into Softmax Transformers"). What a C-RASP program decides, a future-masked soft attention
//   transformer decides, for words of every length.
//   Huang et al. 2024 ("A Formal Framework for Understanding Length Generalization in Transformers") add
//   periodic predicates of positions and counts at bounded distances.
// Here. A (0, 0, t + l + s)-universal transformer: t different comparisons decide, at l moments a
//   Boolean combination of what has been decided is counted next, or read off, and s layers find
//   positions.
//
// A count is an average. With a beginning token at position 0, #[P] at position p is p + 1 times the
//   average of [P] over positions 0 to p, less 1 if P holds at position 0; there all counts are 0,
//   so this is known beforehand. A number c is p + 1 times the average of c [position 0]. So one
//   uniform head yields F / (p + 1) for a linear form F of counts, exactly, at every p.
// A comparison is a sign. F is an integer, so F > 0 iff (F - 1/2) / (p + 1) > 0, and that is never 0;
//   F = 0 is asked as it is. A sign is read through a mask that keeps that number alone, and a
//   sublayer has one mask: hence a layer for each comparison, however few counts are nested.
// Invariant. After the tests and tables of level k, every formula that has a flag by then holds
//   exactly where its flag says so, at every token: level k counts what has a flag at level k - 1.
// Positions. A uniform head and one normalisation yield the direction of (p, 1). With fine position
//   codes over b >= m, a head `nearest` then selects position floor((p + s)/m) exactly, for s = 0 ...
//   m - 1 (compiler/lemmas/head_schema.cpp, exact floors); it is visible, since (p + m - 1)/m < p + 1.
//   The floors for s and s - 1 are equal or neighbours, and differ iff p = -s mod m; those for m - 1
//   and 0 are equal iff p = 0 mod m. So the parities of what two heads select decide, for all residues
//   and all m in one layer; for m = 2 the parity of the token itself does, without a layer. What held
//   d tokens to the left is fetched by the code of max(p - d, 0), beside the counts of its level.
// Read off. A combination of m formulas is the sum of m numbers +1 or -1, less m - 1.
#include "constructions/crasp/counting_programs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <vector>

#include "constructions/construction.hpp"
#include "constructions/crasp/normal_form.hpp"
#include "logdepth/program.hpp"

namespace logdepth::crasp { namespace {

/// The flags of formulas, and what is read of them.
class Flags {
 public:
  Flags(cells::Program& p, const NormalForm& normal, const Alphabet& alphabet)
      : p_(p), normal_(normal), alphabet_(alphabet) {}

  const cells::Flag& operator[](std::uint32_t id) const { return flags_.at(id); }
  const cells::Flag& declare(std::uint32_t id) {
    return flags_.emplace(id, p_.flag(name_of(normal_.formulas[id]))).first->second;
  }
  /// That the literal holds, as its flag says it.
  cells::Value operator()(Literal literal) const {
    return flags_.at(literal.formula) == says(literal);
  }
  /// +1 where the literal holds, else -1.
  cells::Form sign(Literal literal) const {
    const cells::Form flag = flags_.at(literal.formula);
    return says(literal) ? flag : -flag;
  }
  /// Positive where the formula that decides holds, or all that has to hold for it, else negative.
  cells::Form decides(const cells::Form& one) const {
    const Literal literal = normal_.decides;
    const Formula& formula = normal_.formulas[literal.formula];
    if (formula.kind != Formula::Kind::all) return sign(literal);
    cells::Form holds = one;
    for (const Literal& operand : formula.operands) holds += sign(operand) - one;
    return literal.negated ? -holds : holds;
  }

 private:
  /// Whether a true flag says that the literal holds.
  bool says(Literal literal) const {
    const Formula* formula = &normal_.formulas[literal.formula];
    if (formula->kind == Formula::Kind::earlier)  // a copy
      formula = &normal_.formulas[formula->operands[0].formula];
    return literal.negated == formula->name_negated;
  }

  /// The line that says it; else Q_a for a letter that can stand in a name, Q.0 for the first letter
  /// of an alphabet if it cannot; else the line that it is part of and a number.
  std::string name_of(const Formula& formula) {
    if (formula.name) return *formula.name;
    if (formula.kind == Formula::Kind::residue)
      return fmt::format("Q.mod{}.{}", formula.modulus, formula.number);
    if (formula.kind == Formula::Kind::earlier)
      return fmt::format("{}.back{}", flags_.at(formula.operands[0].formula).name(),
                         formula.number);
    const auto first = std::find(formula.letters.begin(), formula.letters.end(), true);
    if (std::count(first, formula.letters.end(), true) != 1)
      return fmt::format("{}.{}", formula.line, ++parts_[formula.line]);
    const auto letter = static_cast<Letter>(first - formula.letters.begin());
    const std::string& text = alphabet_.name(letter);
    const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
      return (c < 128 && std::isalnum(c)) || c == '_';
    });
    return plain ? "Q_" + text : fmt::format("Q.{}", letter);
  }

  cells::Program& p_;
  const NormalForm& normal_;
  const Alphabet& alphabet_;
  std::map<std::uint32_t, cells::Flag> flags_;
  std::map<std::string, int> parts_;  ///< of each line, that have a flag so far
};

/// The same form with one term for each cell; factors are quarters.
cells::Form collected(const cells::Form& form) {
  std::map<std::uint32_t, std::int64_t> quarters;
  for (const auto& [component, factor] : form.terms())
    quarters[component.cell] += factor.p * (4 / factor.q);
  cells::Form sum;
  for (const auto& [cell, factor] : quarters)
    sum += cells::Fraction(factor, 4) * cells::Form(cells::Component{cell, 0});
  return sum;
}

/// The cells by which a token knows where it is, declared as they are asked for.
class Positions {
 public:
  Positions(cells::Program& p, const NormalForm& normal, const DecisionPlan& plan)
      : p_(p), normal_(normal), plan_(plan) {
    for (const std::uint32_t id : plan.residues)
      largest_ = std::max(largest_, normal.formulas[id].modulus);
  }

  /// Decides the residues that are asked for; `first` is 1 at the beginning token and 0 elsewhere.
  void decide(Flags& flag, const cells::Form& one, const cells::Form& first) {
    using namespace cells;
    std::optional<Direction> N;  // of (p, 1)
    Statements floors, tables;
    std::map<std::pair<std::int64_t, std::int64_t>, Flag> parities;
    const auto parity = [&](std::int64_t m, std::int64_t s) {  // of floor((p + s)/m)
      const auto known = parities.find({m, s});
      if (known != parities.end()) return known->second;
      const Flag floor = p_.flag(fmt::format("Q.floor{}.{}", m, s));
      const Fraction shift(2 * s + m * (largest_ - 1), 2);
      floors += cells::fetch(floor.name())
                    .causal(nearest(((*N)[0] + shift * (*N)[1]) / (m * (*N)[1])).key(key()))
                    .copy(floor, even());
      return parities.emplace(std::pair(m, s), floor).first->second;
    };
    for (const std::uint32_t id : plan_.residues) {
      const std::int64_t m = normal_.formulas[id].modulus, r = normal_.formulas[id].number;
      if (m == 2) {
        p_.position_parity(flag.declare(id));
        key();
        continue;
      }
      if (!N) {
        const Number c = p_.number("Q.count", 2);  // (p, 1) / (p + 1)
        N = p_.integer_direction("Q.number");
        p_.final(cells::fetch("position").causal(uniform()).add(c[0], one - first).add(c[1], first),
                 normalise(*N).from(c[0], c[1]));
      }
      const Flag a = parity(m, r == 0 ? m - 1 : m - r), b = parity(m, r == 0 ? 0 : m - r - 1);
      const Flag decided = flag.declare(id);
      Rules rules;
      for (const bool x : {true, false})
        for (const bool y : {true, false})
          rules.push_back({{a == x, b == y}, {decided == ((x == y) == (r == 0))}});
      tables += lookup(decided.name(), rules);
    }
    if (N) p_.final(floors, tables);
  }

  /// target := what the flag is `back` tokens to the left, or at the beginning token.
  cells::Statements fetch(const cells::Flag& target, const cells::Flag& flag, std::int64_t back) {
    auto known = pointers_.find(back);
    if (known == pointers_.end()) {
      const cells::Pointer pointer = p_.pointer(fmt::format("Q.back{}", back), code());
      p_.position(pointer, static_cast<std::uint32_t>(back));
      known = pointers_.emplace(back, pointer).first;
    }
    return cells::fetch(target.name())
        .causal(cells::match(known->second).key(key()))
        .copy(target, flag);
  }

 private:
  PositionCode code() const { return PositionCode::fine(static_cast<std::uint32_t>(largest_)); }
  const cells::Key& key() {
    if (!key_) p_.position(key_.emplace(p_.key("Q.position", code())));
    return *key_;
  }
  const cells::Flag& even() {
    if (!even_) p_.position_parity(even_.emplace(p_.flag("Q.even")));
    return *even_;
  }

  cells::Program& p_;
  const NormalForm& normal_;
  const DecisionPlan& plan_;
  std::int64_t largest_ = 1;
  std::optional<cells::Key> key_;
  std::optional<cells::Flag> even_;
  std::map<std::int64_t, cells::Pointer> pointers_;
};

/// The program with its metadata: source, hypotheses, costs. Layers are added below.
cells::Program decider(const DecisionPlan& plan, const NormalForm& normal, const Alphabet& alphabet,
                       const std::string& name) {
  cells::Program p(name);
  p.construction("crasp").source("C-RASP (Yang and Chiang 2024), one layer per comparison");
  if (plan.positions()) {
    p.hypothesis(causal_network());
    p.hypothesis(clause(Assumption::position_encoding, kFine));
  } else {
    p.hypothesis("causal attention, uniform only; masked pre-norm without epsilon, exact numbers");
  }
  p.hypothesis(words_of_any_length());
  // Each is linear in the number that it chooses: normal_form.cpp.
  p.deviation("min, max and conditionals become comparisons of linear forms");
  p.parameter("comparisons", std::to_string(plan.comparisons()));
  p.parameter("table_layers", std::to_string(plan.table_layers()));
  if (plan.positions())
    p.parameter("position_layers", std::to_string(plan.position_layers(normal)));
  p.parameter("nesting", std::to_string(plan.stages.size()));
  p.alphabet(alphabet.names()).fixed_loops(0);
  return p;
}

}}  // namespace logdepth::crasp

namespace logdepth { inline namespace constructions_crasp {

Program counting_program(const CraspProgram& source, const std::string& name) {
  using namespace cells;
  const crasp::NormalForm normal = crasp::normal_form(source);
  const crasp::DecisionPlan plan = crasp::decision_plan(normal);
  const auto& formulas = normal.formulas;

  cells::Program p = crasp::decider(plan, normal, source.alphabet, name);
  const auto one = p.constant("Q.any");
  const auto begin = p.flag("Q.begin");  // at position 0
  crasp::Flags flag(p, normal, source.alphabet);
  for (const std::uint32_t id : plan.letters) flag.declare(id);

  // [P] - [position 0 and P], whose average is #[P] / (p + 1); formula 0 holds everywhere.
  const Form first = one / 2 + begin / 2;
  const auto counted = [&](std::uint32_t id) {
    const Form holds = id == 0 ? Form(one) : one / 2 + flag.sign({id, false}) / 2;
    return formulas[id].at_begin ? holds - first : holds;
  };

  const auto tabulate = [&](const crasp::Stage& stage) {
    for (const crasp::Table& table : stage.tables) {
      const auto& decided = flag.declare(table.formula);
      Rules rules;
      for (const crasp::Way& way : table.ways) {
        std::vector<Value> conditions;
        for (const crasp::Literal& literal : way.when) conditions.push_back(flag(literal));
        rules.push_back({conditions, {flag({table.formula, !way.holds})}});
      }
      p.final(lookup(decided.name(), rules));
    }
  };

  crasp::Positions positions(p, normal, plan);
  positions.decide(flag, one, first);
  tabulate(plan.start);

  std::vector<Value> before;  // what the flags of tests hold before them
  std::size_t level = 0;
  for (const crasp::Stage& stage : plan.stages) {
    Fetch count = fetch(fmt::format("count.{}", ++level)).causal(uniform());
    Statements fetched, tests;
    for (const std::uint32_t id : stage.earlier) {
      const cells::Flag& source = flag[formulas[id].operands[0].formula];
      fetched += positions.fetch(flag.declare(id), source, formulas[id].number);
    }
    for (const std::uint32_t id : stage.tests) {
      const crasp::Formula& formula = formulas[id];
      const bool zero = formula.kind == crasp::Formula::Kind::zero;
      const auto& decided = flag.declare(id);
      // F / (p + 1), or (F - 1/2) / (p + 1)
      const auto margin = p.number(decided.name() + ".margin");
      Form form = Fraction(formula.form.constant) * first;
      for (const auto& [part, factor] : formula.form.counts)
        form += Fraction(factor) * counted(part);
      if (!zero) form = form - first / 2;
      count = count.add(margin, crasp::collected(formula.name_negated ? -form : form));
      tests += zero ? test(decided).zero(margin) : test(decided).positive(margin);
      before.push_back(decided == zero);
    }
    if (!stage.tests.empty()) fetched += count;
    p.final(fetched, tests);
    tabulate(stage);
  }

  const auto embed = [&](const std::string& token, std::optional<Letter> letter) {
    std::vector<Value> filled = before;
    filled.push_back(begin == !letter);
    for (const std::uint32_t id : plan.letters)
      filled.push_back(flag({id, !letter || !formulas[id].letters[*letter]}));
    p.fill(token, filled);
  };
  embed(kBegin, std::nullopt);
  for (Letter letter = 0; letter < source.alphabet.size(); ++letter)
    embed(source.alphabet.name(letter), letter);

  p.output("accept", crasp::collected(flag.decides(one))).output("reject", {});
  return p.program();
}

}}  // namespace logdepth::constructions_crasp
