#include "compiler/meaning/interpret.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/meaning/selected_positions.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline compiler_meaning {
namespace {

/// The largest absolute component of the least integer vector in the direction of `vector`, 0 of
/// the zero vector; absent where the components are not rational multiples of one number.
std::optional<Rational> largest_integer(const std::vector<Real>& vector) {
  const auto unit =
      std::find_if(vector.begin(), vector.end(), [](const Real& x) { return !x.is_zero(); });
  if (unit == vector.end()) return Rational(0);
  // One of the quotients is 1, so times their common denominator they have no common divisor.
  mpz_class denominator = 1;
  Rational largest;
  for (const Real& x : vector) {
    const auto part = rational_quotient(x, *unit);
    if (!part) return std::nullopt;
    largest = std::max(largest, part->abs());
    const mpz_class own = part->to_mpq().get_den();
    mpz_lcm(denominator.get_mpz_t(), denominator.get_mpz_t(), own.get_mpz_t());
  }
  return largest * Rational(mpq_class(denominator));
}

class Step {
 public:
  Step(const Program& program, const CellStates& before, CellStates& after)
      : p_(program), before_(before), after_(after), cells_(program, before) {}

  void run(const Statement& statement) {
    statement_ = &statement;
    std::visit([&](const auto& s) { run_one(s); }, statement);
  }

 private:
  [[noreturn]] void broken(std::size_t token, const std::string& reason) const {
    throw BrokenProgram(
        fmt::format("{}, token {}: {}", statement_name(p_, *statement_), token, reason));
  }
  std::uint32_t size(CellId cell) const { return cells_.size(cell); }
  void expect_blank(std::size_t token, CellId id) const {
    if (!cells_.blank(token, id)) broken(token, "cell " + p_.cells[id].name + " is not blank");
  }
  void write_finite(std::size_t token, CellId id, std::uint32_t value) {
    const bool flag = std::holds_alternative<FlagType>(p_.cells[id].type);
    for (std::uint32_t i = 0; i < size(id); ++i)
      after_.at(token, {id, i}) = flag ? (value ? 1 : -1) : (value == i ? 1 : 0);
  }

  void write_vector(std::size_t token, CellId id, const std::vector<Real>& value) {
    for (std::uint32_t i = 0; i < size(id); ++i) after_.at(token, {id, i}) = value[i];
    const auto* direction = std::get_if<DirectionType>(&p_.cells[id].type);
    if (!direction || !direction->integers) return;
    const auto largest = largest_integer(value);
    if (!largest || *largest > Rational(*direction->integers) * before_.size)
      broken(token, fmt::format("cell {} takes no direction of integers up to {} * {}",
                                p_.cells[id].name, *direction->integers, before_.size.text()));
  }

  /// Under a joint norm every token's cells are divided by the norm of the listed ones.
  CellStates under_norm(const std::vector<CellId>& under) const {
    CellStates scaled = before_;
    for (std::size_t token = 0; token < scaled.tokens; ++token) {
      std::vector<Component> components;
      std::vector<Real> values;
      for (const CellId id : under)
        for (std::uint32_t i = 0; i < size(id); ++i) {
          components.push_back({id, i});
          values.push_back(before_.at(token, components.back()));
        }
      const auto unit = direction(values);
      if (!unit) broken(token, "the norm of the group is outside the number field");
      for (std::size_t i = 0; i < components.size(); ++i)
        scaled.at(token, components[i]) = (*unit)[i];
    }
    return scaled;
  }

  void run_one(const FetchStatement& s) {
    const CellStates scaled = s.under.empty() ? CellStates{} : under_norm(s.under);
    const CellStates& source = s.under.empty() ? before_ : scaled;
    const SelectedPositions selected(p_, source, *statement_);
    const CellReader read(p_, source);
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      const auto positions = selected.at(token);
      for (const HeadWrite& write : s.writes)
        std::visit([&](const auto& w) { write_one(token, positions, read, w); }, write);
    }
  }

  void write_one(std::size_t token, const std::vector<std::size_t>& positions,
                 const CellReader& read, const CopyWrite& w) {
    expect_blank(token, w.target);
    const auto value = read.cell(positions.front(), w.source);
    for (const std::size_t j : positions)
      if (read.cell(j, w.source) != value)
        broken(token, "the selected positions differ in " + p_.cells[w.source].name);
    write_vector(token, w.target, value);
  }
  void write_one(std::size_t token, const std::vector<std::size_t>& positions,
                 const CellReader& read, const SumWrite& w) {
    Real total;
    for (const std::size_t j : positions) total = total + read.value(j, w.form);
    const Rational share(1, static_cast<std::int64_t>(positions.size()));
    Real& target = after_.at(token, w.target);
    target = target + total.scaled(share);
  }
  void write_one(std::size_t token, const std::vector<std::size_t>& positions, const CellReader&,
                 const SetWrite& w) {
    if (positions != std::vector<std::size_t>{token})
      broken(token, "the selected position is not the token itself");
    write_finite(token, w.cell, w.value);
  }

  void run_one(const LookupStatement& s) {
    const auto targets = assigned(s);
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      std::map<CellId, std::uint32_t> result;
      for (const Rule& rule : s.rules) {
        bool all = true;
        for (const Literal& literal : rule.when) all = all && cells_.holds(token, literal);
        if (!all) continue;
        for (const Assignment& a : rule.then)
          if (!result.emplace(a.cell, a.value).second)
            broken(token, "two rules assign cell " + p_.cells[a.cell].name);
      }
      for (const CellId id : targets) {
        if (!result.contains(id)) broken(token, "no rule assigns cell " + p_.cells[id].name);
        write_finite(token, id, result[id]);
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
      for (const Term& term : s.group)
        values.push_back(before_.at(token, term.component).scaled(term.factor));
      const auto unit = direction(values);
      if (!unit) broken(token, "the norm of the group is outside the number field");
      for (const CellId target : s.targets) {
        expect_blank(token, target);
        write_vector(token, target, *unit);
      }
    }
  }

  void run_one(const TestStatement& s) {
    const bool zero = s.kind == TestStatement::Kind::zero;
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      if (!cells_.holds(token, {s.flag, zero ? 1u : 0u}))
        broken(token, "flag " + p_.cells[s.flag].name + " is not " + (zero ? "true" : "false"));
      const int sign = before_.at(token, s.number).sign();
      write_finite(token, s.flag, zero ? sign == 0 : sign > 0);
    }
  }

  const Program& p_;
  const CellStates& before_;
  CellStates& after_;
  CellReader cells_;
  const Statement* statement_ = nullptr;
};

}  // namespace

void step(const Program& program, std::span<const Statement* const> statements,
          CellStates& states) {
  const CellStates before = states;
  Step run(program, before, states);
  for (const Statement* statement : statements) run.run(*statement);
}

CellStates interpret(const Program& program, const Tokens& tokens) {
  CellStates states = start_states(program, tokens);
  const auto run_block = [&](const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      const Statement* const one = &statement;
      step(program, std::span(&one, 1), states);
    }
  };
  run_block(program.initial);
  for (std::uint64_t loop = loops_at(program.unroll, tokens.size); loop > 0; --loop)
    run_block(program.repeated);
  run_block(program.final);
  return states;
}

Real output_value(const CellStates& states, const OutputRow& row, std::size_t token) {
  Real value;
  for (const Term& t : row.form) value = value + states.at(token, t.component).scaled(t.factor);
  return value;
}

}  // namespace logdepth::inline compiler_meaning
