#include "compiler/interpret.hpp"

#include "objects/input_error.hpp"
#include "objects/overload.hpp"
#include "runtime/position_code.hpp"
#include "runtime/unrolling.hpp"

namespace logdepth {
namespace {

/// The code of a position, component by component.
std::vector<Real> code_of(PositionCode code, std::uint64_t position) {
  if (code == PositionCode::phi) {
    const Rational p(static_cast<std::int64_t>(position));
    const Rational norm = p * p + Rational(1);
    return {Real(p).divided_by_root(norm), Real(1).divided_by_root(norm)};
  }
  std::vector<Real> values;
  for (const Rational& value :
       code == PositionCode::circle ? circle_code(position) : two_circle_code(position))
    values.emplace_back(value);
  return values;
}

class Step {
 public:
  Step(const Program& program, const CellStates& before, CellStates& after)
      : p_(program), before_(before), after_(after) {}

  void run(const Statement& statement) {
    statement_ = &statement;
    std::visit([&](const auto& s) { run_one(s); }, statement);
  }

 private:
  [[noreturn]] void broken(std::size_t token, const std::string& reason) const {
    throw BrokenProgram(statement_name(p_, *statement_) + ", token " + std::to_string(token) +
                        ": " + reason);
  }
  std::uint32_t size(CellId cell) const { return size_of(p_.cells[cell].type); }
  std::vector<Real> cell(std::size_t token, CellId id) const {
    std::vector<Real> values;
    for (std::uint32_t i = 0; i < size(id); ++i) values.push_back(before_.at(token, {id, i}));
    return values;
  }
  bool blank(std::size_t token, CellId id) const {
    for (std::uint32_t i = 0; i < size(id); ++i)
      if (!before_.at(token, {id, i}).is_zero()) return false;
    return true;
  }
  bool holds(std::size_t token, const Literal& literal) const {
    if (std::holds_alternative<FlagType>(p_.cells[literal.cell].type))
      return before_.at(token, {literal.cell, 0}) == Real(literal.value ? 1 : -1);
    return before_.at(token, {literal.cell, literal.value}) == Real(1);
  }

  /// Which position a pointer codes, looked up among the visible ones.
  std::size_t pointed(std::size_t token, const SelectPointed& s, std::size_t visible) const {
    const auto pointer = cell(token, s.pointer);
    const auto* key = std::get_if<KeyType>(&p_.cells[s.key].type);
    for (std::size_t e = 0; e < visible; ++e) {
      if (code_of(key->code, e) != pointer) continue;
      const std::size_t target = e >= s.back ? e - s.back : 0;
      const auto wanted = code_of(key->code, target);
      for (std::size_t j = 0; j < visible; ++j)
        if (cell(j, s.key) == wanted) return j;
      broken(token, "no visible position has the key of position " + std::to_string(target));
    }
    broken(token, "pointer " + p_.cells[s.pointer].name + " codes no visible position");
  }

  std::vector<std::size_t> selected(std::size_t token, const FetchStatement& s) const {
    const std::size_t visible = s.causal ? token + 1 : before_.tokens;
    std::vector<std::size_t> positions;
    std::visit(
        Overload{[&](const SelectAll&) {
                   for (std::size_t j = 0; j < visible; ++j) positions.push_back(j);
                 },
                 [&](const SelectPointed& x) { positions.push_back(pointed(token, x, visible)); },
                 [&](const SelectSame& x) {
                   for (std::size_t j = 0; j < visible; ++j) {
                     bool equal = true;
                     for (const CellId id : x.cells)
                       equal = equal && cell(j, id) == cell(token, id);
                     if (equal) positions.push_back(j);
                   }
                 },
                 [&](const SelectRightmost& x) {
                   std::size_t last = visible - 1;
                   for (std::size_t j = visible; j-- > 0;)
                     if (holds(j, x.flag)) {
                       last = j;
                       break;
                     }
                   positions.push_back(last);
                 }},
        s.selector);
    return positions;
  }

  void run_one(const FetchStatement& s) {
    // Under a joint norm every token's cells are divided by the norm of the listed ones.
    CellStates scaled;
    if (!s.under.empty()) {
      scaled = before_;
      for (std::size_t token = 0; token < scaled.tokens; ++token) {
        std::vector<Component> components;
        std::vector<Real> values;
        for (const CellId id : s.under)
          for (std::uint32_t i = 0; i < size(id); ++i) {
            components.push_back({id, i});
            values.push_back(before_.at(token, components.back()));
          }
        const auto unit = direction(values);
        if (!unit) broken(token, "the norm of the group is outside the field");
        for (std::size_t i = 0; i < components.size(); ++i)
          scaled.at(token, components[i]) = (*unit)[i];
      }
    }
    const CellStates& source = s.under.empty() ? before_ : scaled;
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      const auto positions = selected(token, s);
      const Rational share(1, static_cast<std::int64_t>(positions.size()));
      for (const HeadWrite& write : s.writes) {
        if (const auto* copy = std::get_if<CopyWrite>(&write)) {
          if (!blank(token, copy->target))
            broken(token, "cell " + p_.cells[copy->target].name + " is not blank");
          for (const std::size_t j : positions)
            if (cell(j, copy->source) != cell(positions.front(), copy->source))
              broken(token, "the selected positions differ in " + p_.cells[copy->source].name);
          for (std::uint32_t i = 0; i < size(copy->target); ++i)
            after_.at(token, {copy->target, i}) = source.at(positions.front(), {copy->source, i});
          continue;
        }
        const auto& sum = std::get<SumWrite>(write);
        Real total;
        for (const std::size_t j : positions)
          for (const Term& t : sum.form) total = total + source.at(j, t.component).scaled(t.factor);
        Real& target = after_.at(token, sum.target);
        target = target + total.scaled(share);
      }
    }
  }

  void run_one(const LookupStatement& s) {
    const auto targets = assigned(s);
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      std::map<CellId, std::uint32_t> result;
      for (const Rule& rule : s.rules) {
        bool all = true;
        for (const Literal& literal : rule.when) all = all && holds(token, literal);
        if (!all) continue;
        for (const Assignment& a : rule.then)
          if (!result.emplace(a.cell, a.value).second)
            broken(token, "two rules assign cell " + p_.cells[a.cell].name);
      }
      for (const CellId id : targets) {
        if (!result.contains(id)) broken(token, "no rule assigns cell " + p_.cells[id].name);
        const bool flag = std::holds_alternative<FlagType>(p_.cells[id].type);
        for (std::uint32_t i = 0; i < size(id); ++i)
          after_.at(token, {id, i}) =
              flag ? Real(result[id] ? 1 : -1) : Real(result[id] == i ? 1 : 0);
      }
    }
  }

  static std::vector<CellId> assigned(const LookupStatement& s) {
    std::map<CellId, bool> cells;
    for (const Rule& rule : s.rules)
      for (const Assignment& a : rule.then) cells[a.cell] = true;
    std::vector<CellId> ids;
    for (const auto& [id, yes] : cells) ids.push_back(id);
    return ids;
  }

  void run_one(const MoveStatement& s) {
    for (std::size_t token = 0; token < before_.tokens; ++token)
      for (std::uint32_t i = 0; i < size(s.target); ++i)
        after_.at(token, {s.target, i}) = before_.at(token, {s.source, i});
  }
  void run_one(const EraseStatement& s) {
    for (std::size_t token = 0; token < before_.tokens; ++token)
      for (const CellId id : s.cells)
        for (std::uint32_t i = 0; i < size(id); ++i) after_.at(token, {id, i}) = Real();
  }
  void run_one(const NormaliseStatement& s) {
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      std::vector<Real> values;
      for (const Component& c : s.group) values.push_back(before_.at(token, c));
      const auto unit = direction(values);
      if (!unit) broken(token, "the norm of the group is outside the field");
      for (const CellId target : s.targets) {
        if (!blank(token, target)) broken(token, "cell " + p_.cells[target].name + " is not blank");
        for (std::uint32_t i = 0; i < unit->size(); ++i) after_.at(token, {target, i}) = (*unit)[i];
      }
    }
  }

  const Program& p_;
  const CellStates& before_;
  CellStates& after_;
  const Statement* statement_ = nullptr;
};

}  // namespace

CellStates start_states(const Program& program, const std::vector<std::string>& letters) {
  std::vector<std::string> kinds;
  if (program.begin) kinds.emplace_back(kBeginToken);
  for (const std::string& letter : letters) {
    if (letter == kBeginToken || !program.embedding.contains(letter))
      throw InputError("'" + letter + "' is not a letter of this program");
    kinds.push_back(letter);
  }

  CellStates states;
  states.tokens = kinds.size();
  for (const Cell& cell : program.cells) {
    states.first.push_back(states.row_size);
    states.row_size += size_of(cell.type);
  }
  states.values.resize(states.tokens * states.row_size);
  for (std::size_t token = 0; token < kinds.size(); ++token) {
    for (CellId id = 0; id < program.cells.size(); ++id)
      if (std::holds_alternative<ConstantType>(program.cells[id].type))
        states.at(token, {id, 0}) = 1;
    for (const TokenFill& fill : program.embedding.at(kinds[token])) {
      const bool flag = std::holds_alternative<FlagType>(program.cells[fill.cell].type);
      states.at(token, {fill.cell, flag ? 0 : fill.value}) = flag && !fill.value ? -1 : 1;
    }
    for (const PositionFill& fill : program.position) {
      const CellType& type = program.cells[fill.cell].type;
      if (std::holds_alternative<FlagType>(type)) {
        states.at(token, {fill.cell, 0}) = token == 0 ? 1 : -1;
        continue;
      }
      const auto* key = std::get_if<KeyType>(&type);
      const PositionCode code = key ? key->code : std::get<PointerType>(type).code;
      const auto values = code_of(code, token >= fill.back ? token - fill.back : 0);
      for (std::uint32_t i = 0; i < values.size(); ++i)
        states.at(token, {fill.cell, i}) = values[i];
    }
  }
  return states;
}

void step(const Program& program, std::span<const Statement* const> statements,
          CellStates& states) {
  const CellStates before = states;
  Step run(program, before, states);
  for (const Statement* statement : statements) run.run(*statement);
}

CellStates interpret(const Program& program, const std::vector<std::string>& letters) {
  CellStates states = start_states(program, letters);
  const auto run_block = [&](const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      const Statement* const one = &statement;
      step(program, std::span(&one, 1), states);
    }
  };
  run_block(program.initial);
  for (std::uint64_t loop = loops_at(program.unroll, letters.size()); loop > 0; --loop)
    run_block(program.repeated);
  run_block(program.final);
  return states;
}

Real output_value(const CellStates& states, const OutputRow& row, std::size_t token) {
  Real value;
  for (const Term& t : row.form) value = value + states.at(token, t.component).scaled(t.factor);
  return value;
}

}  // namespace logdepth
