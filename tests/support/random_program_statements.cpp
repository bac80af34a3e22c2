#include "tests/support/random_program_statements.hpp"

#include "compiler/rules/program_rules.hpp"

namespace logdepth::support {

void RandomStatements::add_statements(std::vector<Statement>& block, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto statement = random_statement();
    if (!statement) continue;
    block.push_back(*statement);
    apply(*statement);
  }
}

void RandomStatements::apply(const Statement& statement) {
  for (const CellId cell : cells_written(statement)) {
    const bool erased = std::holds_alternative<EraseStatement>(statement);
    holds_[cell] = erased ? Holds::blank : is<NumberType>(cell) ? Holds::number : Holds::typed;
    certain_.erase(cell);
    if (reflexive_ && (cell == reflexive_->label ||
                       std::count(reflexive_->flags.begin(), reflexive_->flags.end(), cell)))
      reflexive_.reset();
  }
  if (const auto* fetch = std::get_if<FetchStatement>(&statement))
    for (const HeadWrite& write : fetch->writes)
      if (const auto* set = std::get_if<SetWrite>(&write)) certain_[set->cell] = set->value;
}

std::optional<Statement> RandomStatements::random_statement() {
  switch (below(13)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return random_fetch();
    case 5:
    case 6:
    case 7:
      return random_lookup();
    case 8:
      return random_move();
    case 9:
      return random_erase();
    case 10:
      return chance(1, 2) ? random_set() : random_direction_fetch();
    case 11:
      return random_test();
    default:
      return random_normalise();
  }
}

LinearForm RandomStatements::random_form(const std::vector<CellId>& from, std::size_t most) {
  LinearForm form;
  if (from.empty()) return form;
  for (std::size_t i = 0, n = below(most + 1); i < n; ++i) {
    const CellId cell = pick(from);
    std::int64_t factor = static_cast<std::int64_t>(below(9)) - 4;
    if (factor == 0) factor = 5;
    form.push_back({{cell, static_cast<std::uint32_t>(below(size_of(type(cell))))},
                    Rational(factor, small(1, 3))});
  }
  return form;
}

// --- selectors -----------------------------------------------------------------------------------

std::optional<Selector> RandomStatements::random_match(const std::vector<CellId>& keys) {
  if (keys.empty()) return std::nullopt;
  SelectPointed s;
  s.key = pick(keys);
  const auto pointers = cells([&](CellId c) {
    const auto* pointer = std::get_if<PointerType>(&type(c));
    return typed(c) && (is<KeyType>(c) ? type(c) == type(s.key) : pointer && fits(c, s.key));
  });
  s.pointer = pick(pointers);
  if (is_phi_code(type(s.key))) s.back = small(0, 3);
  return s;
}

/// A shifted pointer or, rarely, a direction that may turn out rational; among fine codes, where
/// these could tie, what a pointer codes.
std::optional<Selector> RandomStatements::random_nearest() {
  const auto fine = [&](CellId c) {
    const auto code = held_code(type(c));
    return code && code->kind == PositionCode::Kind::fine;
  };
  const auto keys = cells(
      [&](CellId c) { return typed(c) && is<KeyType>(c) && (is_phi_code(type(c)) || fine(c)); });
  if (keys.empty()) return std::nullopt;
  SelectNearest s;
  s.key = pick(keys);
  const auto targets = cells([&](CellId c) {
    return typed(c) && (held_code(type(c)) == held_code(type(s.key)) ||
                        (!fine(s.key) && type(c) == CellType(DirectionType{2})));
  });
  const CellId target = pick(targets);
  if (fine(s.key)) {
    s.target = {{{{target, 0}, Rational(1)}}, {{{target, 1}, Rational(1)}}};
    return s;
  }
  s.target.numerator = {{{target, 0}, Rational(small(1, 3), small(1, 3))}};
  if (chance(1, 2))
    s.target.numerator.push_back(
        {{target, 1}, Rational(static_cast<std::int64_t>(below(9)) - 6, 2)});
  s.target.denominator = {{{target, 1}, Rational(chance(1, 2) ? 1 : 2)}};
  std::erase_if(s.target.numerator, [](const Term& t) { return t.factor.is_zero(); });
  return s;
}

/// A match exists at every token: a pointer finds its position, and a token finds itself by cells
/// that are looked for as they are. The margin is below every mismatch of so few positions.
std::optional<Selector> RandomStatements::random_found() {
  const auto ratio = [](CellId cell, const Rational& scale) {
    return Ratio{{{{cell, 0}, scale}}, {{{cell, 1}, scale}}};
  };
  const auto keys = cells([&](CellId c) {
    return typed(c) && size_of(type(c)) == 2 &&
           (is<KeyType>(c) || is<PointerType>(c) || is<DirectionType>(c));
  });
  if (keys.empty()) return std::nullopt;
  const auto flags = cells([&](CellId c) { return finite(c) && typed(c); });
  SelectFound s;
  if (one_ && !flags.empty() && chance(1, 2)) {
    const CellId flag = pick(flags);
    s.prefer = Preference{{flag, value_of(flag)}, {{*one_, 0}, Rational(1, 1000000000000)}};
  }
  const Rational scale = small(1, 2);
  const CellId key = pick(keys);
  const auto pointers =
      cells([&](CellId c) { return typed(c) && is<PointerType>(c) && fits(c, key); });
  if (is<KeyType>(key) && !pointers.empty() && chance(1, 2)) {
    s.terms = {{ratio(pick(pointers), scale), key}};
  } else {
    s.terms = {{ratio(key, scale), key}};
    for (const CellId other : some(keys, 2)) s.terms.push_back({ratio(other, scale), other});
  }
  s.one = is<KeyType>(key) && chance(1, 2);  // own codes are all different
  return s;
}

/// The rows of a graph, or flags that are true at all tokens and relate every position to every
/// other: in both cases a token to itself.
std::optional<Selector> RandomStatements::random_related() {
  const auto certain = cells([&](CellId c) {
    const auto known = certain_.find(c);
    return is<FlagType>(c) && typed(c) && known != certain_.end() && known->second == 1;
  });
  const auto labels = cells([&](CellId c) {
    return is<OneHotType>(c) && typed(c) && size_of(type(c)) <= certain.size();
  });
  // The next loop may find other flags.
  if (!one_ || (labels.empty() && !reflexive_) || looping_) return std::nullopt;
  SelectRelated s;
  if (reflexive_) {
    s = *reflexive_;
  } else {
    s.label = pick(labels);
    s.flags.assign(certain.begin(), certain.begin() + size_of(type(s.label)));
  }
  s.prefer.cell = pick(cells([&](CellId c) { return finite(c) && typed(c); }));
  s.prefer.value = value_of(s.prefer.cell);
  return s;
}

std::optional<Selector> RandomStatements::random_selector() {
  const auto keys = cells([&](CellId c) { return is<KeyType>(c) && typed(c); });
  const auto flags = cells([&](CellId c) { return finite(c) && typed(c); });
  const auto literal = [&](CellId cell) { return Literal{cell, value_of(cell)}; };
  if (reflexive_ && chance(1, 3)) return random_related();
  switch (below(9)) {
    case 0:
      return SelectAll{};
    case 8:
      return random_related();
    case 1:
    case 2:
      return random_match(keys);
    case 3: {
      const auto known = cells([&](CellId c) { return typed(c); });
      if (known.empty()) return std::nullopt;
      return SelectSame{some(known, 3)};
    }
    case 4:
      return random_nearest();
    case 5: {
      if (flags.empty() || !one_) return std::nullopt;
      SelectFlagged s{literal(pick(flags)), std::nullopt};
      if (chance(1, 2)) s.when = literal(pick(flags));
      return s;
    }
    case 6:
      return random_found();
    default: {
      if (keys.empty() || flags.empty() || !one_) return std::nullopt;
      SelectRightmost s{{}, std::nullopt, pick(keys)};
      for (const CellId flag : some(flags, 2)) s.flags.push_back(literal(flag));
      const auto labelled = cells([&](CellId c) { return typed(c) && is<OneHotType>(c); });
      // Without a draw of its own, which would change all programs of a seed.
      if (!labelled.empty() && s.flags.front().cell % 3 == 0) {
        const bool alike = type(labelled.front()) == type(labelled.back());
        s.shared = {labelled.front(), alike ? labelled.back() : labelled.front()};
      }
      return s;
    }
  }
}

// --- fetches -------------------------------------------------------------------------------------

void RandomStatements::add_write(FetchStatement& s) {
  const auto known = cells([&](CellId c) { return typed(c); });
  const auto numbers = cells([&](CellId c) { return is<NumberType>(c) && may_write(c); });
  const auto* found = std::get_if<SelectFound>(&s.selector);
  const auto* related = std::get_if<SelectRelated>(&s.selector);
  const bool several = related || std::holds_alternative<SelectAll>(s.selector) ||
                       std::holds_alternative<SelectFlagged>(s.selector) || (found && !found->one);
  if (s.under.empty() && chance(2, 3)) {
    const auto* same = std::get_if<SelectSame>(&s.selector);
    std::optional<CellId> agreed;  // in what is preferred
    if (related) agreed = related->prefer.cell;
    if (found && found->prefer) agreed = found->prefer->flag.cell;
    if (several && !agreed) return;
    const CellId source = several ? *agreed : pick(same ? same->cells : known);
    const auto targets = cells([&](CellId c) {
      for (const HeadWrite& write : s.writes)
        if (const auto* copy = std::get_if<CopyWrite>(&write); copy && copy->target == c)
          return false;
      return blank(c) && fits(c, source) && !is<KeyType>(c) && (s.causal || !is<PointerType>(c));
    });
    if (!targets.empty()) s.writes.push_back(CopyWrite{pick(targets), source});
  } else if (!numbers.empty()) {
    const CellId target = pick(numbers);
    s.writes.push_back(SumWrite{{target, static_cast<std::uint32_t>(below(size_of(type(target))))},
                                random_form(s.under.empty() ? known : s.under, 3)});
  }
}

std::optional<Statement> RandomStatements::random_fetch() {
  const auto selector = random_selector();
  if (!selector) return std::nullopt;
  FetchStatement s;
  s.name = "f" + std::to_string(++names_);
  s.selector = *selector;
  s.causal = std::holds_alternative<SelectPointed>(*selector) || !chance(1, 3);
  const auto full = cells([&](CellId c) { return !blank(c); });
  if (std::holds_alternative<SelectAll>(*selector) && chance(1, 4)) s.under = some(full, 2);
  for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) add_write(s);
  if (s.writes.empty()) return std::nullopt;
  return s;
}

/// `same X` under X: the direction of X, read by attention.
std::optional<Statement> RandomStatements::random_direction_fetch() {
  const auto sources = cells([&](CellId c) { return !blank(c) && size_of(type(c)) > 1; });
  if (sources.empty()) return std::nullopt;
  const CellId source = pick(sources);
  FetchStatement s;
  s.name = "f" + std::to_string(++names_);
  s.causal = chance(1, 2);
  s.under = {source};
  s.selector = SelectSame{s.under};
  const auto targets = cells([&](CellId c) {
    return blank(c) && is<DirectionType>(c) && size_of(type(c)) == size_of(type(source));
  });
  const auto numbers = cells([&](CellId c) { return is<NumberType>(c) && may_write(c); });
  if (!targets.empty()) s.writes.push_back(CopyWrite{pick(targets), source});
  if (!numbers.empty() && (targets.empty() || chance(1, 3)))
    s.writes.push_back(SumWrite{{pick(numbers), 0}, random_form({source}, 2)});
  if (s.writes.empty()) return std::nullopt;
  return s;
}

std::optional<Statement> RandomStatements::random_set() {
  const auto keys = cells([&](CellId c) { return is<KeyType>(c) && typed(c); });
  auto targets = cells([&](CellId c) { return finite(c); });
  if (keys.empty() || targets.empty() || !one_) return std::nullopt;
  FetchStatement s;
  s.name = "f" + std::to_string(++names_);
  s.causal = chance(1, 2);
  const CellId key = pick(keys);
  s.selector = SelectPointed{key, key, 0};
  for (const CellId target : some(targets, 2))
    s.writes.push_back(SetWrite{target, value_of(target)});
  return s;
}

std::optional<Statement> RandomStatements::random_test() {
  const auto numbers = cells([&](CellId c) { return holds_[c] == Holds::number; });
  const auto flags = cells([&](CellId c) { return is<FlagType>(c) && certain_.contains(c); });
  if (numbers.empty() || flags.empty()) return std::nullopt;
  TestStatement s;
  s.flag = pick(flags);
  s.kind = certain_.at(s.flag) ? TestStatement::Kind::zero : TestStatement::Kind::positive;
  s.number.cell = pick(numbers);
  s.number.index = static_cast<std::uint32_t>(below(size_of(type(s.number.cell))));
  return s;
}

// --- feed-forward --------------------------------------------------------------------------------

/// The leaves of a random decision tree over the cells, or all combinations of their values.
std::vector<RandomStatements::Branch> RandomStatements::branches(
    const std::vector<CellId>& conditions, bool whole) {
  std::vector<Branch> leaves;
  const std::function<void(Branch, std::vector<CellId>)> split = [&](Branch path,
                                                                     std::vector<CellId> open) {
    if (open.empty() || (!whole && one_ && chance(1, 4))) {
      leaves.push_back(std::move(path));
      return;
    }
    const std::size_t at = below(open.size());
    const CellId cell = open[at];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    const std::uint32_t values = is<FlagType>(cell) ? 2 : size_of(type(cell));
    for (std::uint32_t value = 0; value < values; ++value) {
      path.push_back({cell, value});
      split(path, open);
      path.pop_back();
    }
  };
  split({}, conditions);
  std::shuffle(leaves.begin(), leaves.end(), random_);
  return leaves;
}

std::optional<Statement> RandomStatements::random_lookup(std::vector<CellId> targets) {
  // Without a constant cell a rule is one label of one one-hot cell.
  const auto usable =
      cells([&](CellId c) { return typed(c) && finite(c) && (one_ || is<OneHotType>(c)); });
  if (usable.empty()) return std::nullopt;
  if (targets.empty()) targets = some(cells([&](CellId c) { return finite(c); }), 3);
  LookupStatement s;
  s.name = "l" + std::to_string(++names_);
  const auto conditions = [&] { return some(usable, one_ ? 3 : 1); };
  if (chance(1, 2)) {  // one table for all targets
    for (Branch& when : branches(conditions(), chance(1, 2))) {
      Rule rule{std::move(when), {}};
      for (const CellId target : targets) rule.then.push_back({target, value_of(target)});
      s.rules.push_back(std::move(rule));
    }
    if (one_ && s.rules.size() > 1 && chance(1, 3)) {
      s.rules.pop_back();
      for (const CellId target : targets) s.otherwise.push_back({target, value_of(target)});
    }
  } else {  // a table of its own for each target
    for (const CellId target : targets)
      for (Branch& when : branches(conditions(), chance(1, 2)))
        s.rules.push_back({std::move(when), {{target, value_of(target)}}});
    std::shuffle(s.rules.begin(), s.rules.end(), random_);
  }
  return s;
}

std::optional<Statement> RandomStatements::random_move() {
  const auto sources = cells([&](CellId c) { return typed(c) && !is<ConstantType>(c); });
  if (sources.empty()) return std::nullopt;
  const CellId source = pick(sources);
  const auto targets = cells([&](CellId c) { return c != source && fits(c, source); });
  if (targets.empty()) return std::nullopt;
  MoveStatement s{pick(targets), source};
  const auto usable = cells([&](CellId c) { return typed(c) && finite(c); });
  if (one_ && typed(s.target) && !usable.empty() && chance(1, 2))
    s.when = branches(some(usable, 2), true).front();
  return s;
}

std::optional<Statement> RandomStatements::random_erase() {
  const auto full = cells([&](CellId c) {
    return typed(c) && !is<ConstantType>(c) && (!is<KeyType>(c) || chance(1, 6));
  });
  if (full.empty()) return std::nullopt;
  return EraseStatement{some(full, 2)};
}

std::optional<Statement> RandomStatements::random_normalise() {
  const auto targets = cells([&](CellId c) { return is<DirectionType>(c) && blank(c); });
  if (targets.empty()) return std::nullopt;
  NormaliseStatement s;
  s.targets = {pick(targets)};
  for (const CellId other : targets)
    if (other != s.targets[0] && type(other) == type(s.targets[0]) && chance(1, 2))
      s.targets.push_back(other);
  const std::uint32_t size = size_of(type(s.targets[0]));
  std::vector<Component> numbers;
  for (CellId cell = 0; cell < p_.cells.size(); ++cell)
    if (holds_[cell] == Holds::number || (typed(cell) && chance(1, 4) && !is<ConstantType>(cell)))
      for (std::uint32_t i = 0; i < size_of(type(cell)); ++i) numbers.push_back({cell, i});
  const auto add = [&](const Component& c) {
    s.group.push_back({c, chance(2, 3) ? Rational(1) : Rational(small(1, 16), small(1, 3))});
  };
  if (one_) add({*one_, 0});
  std::shuffle(numbers.begin(), numbers.end(), random_);
  while (s.group.size() < size && !numbers.empty()) {
    add(numbers.back());
    numbers.pop_back();
  }
  if (s.group.size() != size) return std::nullopt;
  std::shuffle(s.group.begin(), s.group.end(), random_);
  return s;
}

}  // namespace logdepth::support
