#include "tests/support/random_program_builder.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/program_rules.hpp"

namespace logdepth::support {
namespace {

/// What a cell holds after the statements built so far, as far as the builder needs it.
enum class Holds { blank, typed, number };

class Builder {
 public:
  explicit Builder(std::mt19937_64& random) : random_(random) {}

  Program build() {
    p_.name = "random";
    p_.construction = "random";
    p_.source = "tests/support";
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i)
      p_.alphabet.push_back(std::string(1, static_cast<char>('a' + i)));
    p_.begin = !chance(1, 4);
    if (!chance(1, 8)) one_ = declare("one", ConstantType{}, Holds::typed);
    declare_positions();
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) fill_by_tokens(declare_finite("x", i));
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) declare_finite("y", i);
    for (std::size_t i = 0, n = below(3); i < n; ++i)
      declare("n" + std::to_string(i), NumberType{small(1, 3)}, Holds::blank);
    for (std::size_t i = 0, n = below(3); i < n; ++i)
      declare("u" + std::to_string(i), DirectionType{small(2, 4)}, Holds::blank);

    add_statements(p_.initial, below(5));
    if (!chance(1, 4)) build_loop();
    add_statements(p_.final, below(4));
    add_outputs();
    for (auto& [kind, fills] : p_.embedding) std::shuffle(fills.begin(), fills.end(), random_);
    return std::move(p_);
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(std::size_t part, std::size_t whole) { return below(whole) < part; }
  std::uint32_t small(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(below(most - least + 1));
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  // --- cells ---------------------------------------------------------------------------------

  CellId declare(const std::string& name, CellType type, Holds holds) {
    p_.cells.push_back({name, std::move(type), Lifetime::permanent});
    holds_.push_back(holds);
    return static_cast<CellId>(p_.cells.size() - 1);
  }

  CellId declare_finite(const std::string& prefix, std::size_t i) {
    const std::string name = prefix + std::to_string(i);
    if (chance(1, 3)) return declare(name, FlagType{}, Holds::blank);
    OneHotType type;
    for (std::uint32_t k = 0, n = small(1, 4); k < n; ++k) type.labels.push_back(std::to_string(k));
    return declare(name, type, Holds::blank);
  }

  void fill_by_tokens(CellId cell) {
    holds_[cell] = Holds::typed;
    if (p_.begin) p_.embedding[kBeginToken].push_back({cell, value_of(cell)});
    for (const std::string& letter : p_.alphabet)
      p_.embedding[letter].push_back({cell, value_of(cell)});
  }

  void declare_positions() {
    if (p_.begin) p_.embedding[kBeginToken];
    for (const std::string& letter : p_.alphabet) p_.embedding[letter];
    const std::size_t kind = below(8);
    if (kind == 0) return;
    if (kind <= 3 && one_) {  // first-flag, and phi from it
      const CellId fst = declare("fst", FlagType{}, Holds::typed);
      p_.position = {{fst, 0}};
      const CellId a = declare("a", NumberType{2}, Holds::number);
      const PositionCode code = PositionCode::phi;
      const CellId key = declare("I", KeyType{code}, Holds::typed);
      const CellId pointer = declare("E", PointerType{code}, Holds::typed);
      if (chance(1, 2)) declare("F", PointerType{code}, Holds::blank);
      const Rational half(1, 2);
      FetchStatement count;
      count.name = "count";
      count.selector = SelectAll{};
      count.writes = {SumWrite{{a, 0}, {{{*one_, 0}, half}, {{fst, 0}, -half}}},
                      SumWrite{{a, 1}, {{{*one_, 0}, half}, {{fst, 0}, half}}}};
      p_.initial.push_back(std::move(count));
      p_.initial.push_back(NormaliseStatement{{key, pointer}, {{a, 0}, {a, 1}}});
      return;
    }
    const PositionCode code = kind <= 5 ? PositionCode::circle : PositionCode::two_circle;
    const CellId key = declare("I", KeyType{code}, Holds::typed);
    const CellId pointer = declare("E", PointerType{code}, Holds::typed);
    p_.position = {{key, 0}, {pointer, small(0, 3)}};
    if (chance(1, 2)) p_.position.push_back({declare("G", KeyType{code}, Holds::typed), 0});
    if (chance(1, 2)) declare("F", PointerType{code}, Holds::blank);
  }

  const CellType& type(CellId cell) const { return p_.cells[cell].type; }
  template <class T>
  bool is(CellId cell) const {
    return std::holds_alternative<T>(type(cell));
  }
  bool finite(CellId cell) const { return is<FlagType>(cell) || is<OneHotType>(cell); }
  std::uint32_t value_of(CellId cell) {
    return static_cast<std::uint32_t>(below(is<FlagType>(cell) ? 2 : size_of(type(cell))));
  }
  std::vector<CellId> cells(const std::function<bool(CellId)>& wanted) const {
    std::vector<CellId> found;
    for (CellId cell = 0; cell < p_.cells.size(); ++cell)
      if (wanted(cell)) found.push_back(cell);
    return found;
  }
  bool typed(CellId cell) const { return holds_[cell] == Holds::typed; }
  bool fits(CellId target, CellId source) const {
    if (type(target) == type(source)) return true;
    const auto* key = std::get_if<KeyType>(&type(source));
    const auto* pointer = std::get_if<PointerType>(&type(target));
    return key && pointer && key->code == pointer->code;
  }
  std::vector<CellId> some(std::vector<CellId> from, std::size_t most) {
    std::shuffle(from.begin(), from.end(), random_);
    from.resize(std::min(from.size(), 1 + below(most)));
    return from;
  }

  // --- statements ----------------------------------------------------------------------------

  void add_statements(std::vector<Statement>& block, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto statement = random_statement();
      if (!statement) continue;
      block.push_back(*statement);
      apply(*statement);
    }
  }

  void apply(const Statement& statement) {
    if (const auto* erase = std::get_if<EraseStatement>(&statement)) {
      for (const CellId cell : erase->cells) holds_[cell] = Holds::blank;
      return;
    }
    for (const CellId cell : cells_written(statement))
      holds_[cell] = is<NumberType>(cell) ? Holds::number : Holds::typed;
  }

  std::optional<Statement> random_statement() {
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return random_fetch();
      case 4:
      case 5:
      case 6:
        return random_lookup();
      case 7:
        return random_move();
      case 8:
        return random_erase();
      default:
        return random_normalise();
    }
  }

  LinearForm random_form(const std::vector<CellId>& from, std::size_t most) {
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

  std::optional<Selector> random_selector() {
    const auto keys = cells([&](CellId c) { return is<KeyType>(c) && typed(c); });
    switch (below(4)) {
      case 0:
        return SelectAll{};
      case 1: {
        if (keys.empty()) return std::nullopt;
        SelectPointed s;
        s.key = pick(keys);
        const auto pointers = cells([&](CellId c) {
          const auto* pointer = std::get_if<PointerType>(&type(c));
          return typed(c) && (is<KeyType>(c) ? type(c) == type(s.key) : pointer && fits(c, s.key));
        });
        s.pointer = pick(pointers);
        if (std::get<KeyType>(type(s.key)).code == PositionCode::phi) s.back = small(0, 3);
        return s;
      }
      case 2: {
        const auto known = cells([&](CellId c) { return typed(c); });
        if (known.empty()) return std::nullopt;
        return SelectSame{some(known, 3)};
      }
      default: {
        const auto flags = cells([&](CellId c) { return finite(c) && typed(c); });
        if (keys.empty() || flags.empty() || !one_) return std::nullopt;
        SelectRightmost s;
        s.key = pick(keys);
        s.flag.cell = pick(flags);
        s.flag.value = value_of(s.flag.cell);
        return s;
      }
    }
  }

  std::optional<Statement> random_fetch() {
    const auto selector = random_selector();
    if (!selector) return std::nullopt;
    FetchStatement s;
    s.name = "f" + std::to_string(++names_);
    s.selector = *selector;
    s.causal = std::holds_alternative<SelectPointed>(*selector) || !chance(1, 3);
    const auto known = cells([&](CellId c) { return typed(c); });
    const auto numbers = cells([&](CellId c) { return is<NumberType>(c) && may_write(c); });
    const auto full = cells([&](CellId c) { return holds_[c] != Holds::blank; });
    if (std::holds_alternative<SelectAll>(*selector) && chance(1, 4)) s.under = some(full, 2);
    std::set<CellId> copied;
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) {
      if (s.under.empty() && chance(2, 3)) {
        const auto* same = std::get_if<SelectSame>(&s.selector);
        if (std::holds_alternative<SelectAll>(*selector)) continue;
        const CellId source = pick(same ? same->cells : known);
        const auto targets = cells([&](CellId c) {
          return holds_[c] == Holds::blank && fits(c, source) && !is<KeyType>(c) &&
                 !copied.contains(c) && (s.causal || !is<PointerType>(c));
        });
        if (targets.empty()) continue;
        const CellId target = pick(targets);
        copied.insert(target);
        s.writes.push_back(CopyWrite{target, source});
      } else if (!numbers.empty()) {
        const CellId target = pick(numbers);
        s.writes.push_back(
            SumWrite{{target, static_cast<std::uint32_t>(below(size_of(type(target))))},
                     random_form(s.under.empty() ? known : s.under, 3)});
      }
    }
    if (s.writes.empty()) return std::nullopt;
    return s;
  }

  /// A number stays a number: inside the loop only cells that are numbers already may be added to.
  bool may_write(CellId cell) const { return !looping_ || holds_[cell] == Holds::number; }

  using Branch = std::vector<Literal>;
  /// The leaves of a random decision tree over the cells, or all combinations of their values.
  std::vector<Branch> branches(const std::vector<CellId>& conditions, bool whole) {
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

  std::optional<Statement> random_lookup(std::vector<CellId> targets = {}) {
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
    } else {  // a table of its own for each target
      for (const CellId target : targets)
        for (Branch& when : branches(conditions(), chance(1, 2)))
          s.rules.push_back({std::move(when), {{target, value_of(target)}}});
      std::shuffle(s.rules.begin(), s.rules.end(), random_);
    }
    return s;
  }

  std::optional<Statement> random_move() {
    const auto sources = cells([&](CellId c) { return typed(c) && !is<ConstantType>(c); });
    if (sources.empty()) return std::nullopt;
    const CellId source = pick(sources);
    const auto targets = cells([&](CellId c) { return c != source && fits(c, source); });
    if (targets.empty()) return std::nullopt;
    return MoveStatement{pick(targets), source};
  }

  std::optional<Statement> random_erase() {
    const auto full = cells([&](CellId c) {
      return typed(c) && !is<ConstantType>(c) && (!is<KeyType>(c) || chance(1, 6));
    });
    if (full.empty()) return std::nullopt;
    return EraseStatement{some(full, 2)};
  }

  std::optional<Statement> random_normalise() {
    const auto targets =
        cells([&](CellId c) { return is<DirectionType>(c) && holds_[c] == Holds::blank; });
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
    if (one_) s.group.push_back({*one_, 0});
    std::shuffle(numbers.begin(), numbers.end(), random_);
    while (s.group.size() < size && !numbers.empty()) {
      s.group.push_back(numbers.back());
      numbers.pop_back();
    }
    if (s.group.size() != size) return std::nullopt;
    std::shuffle(s.group.begin(), s.group.end(), random_);
    return s;
  }

  // --- loop and outputs ----------------------------------------------------------------------

  void build_loop() {
    const std::vector<Holds> entry = holds_;
    looping_ = true;
    add_statements(p_.repeated, 1 + below(6));
    // Put back what the loop must find again: fill what it emptied, empty what it filled.
    std::vector<CellId> filled;
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
      if (entry[cell] == Holds::blank && holds_[cell] != Holds::blank) filled.push_back(cell);
      if (entry[cell] != Holds::typed || typed(cell)) continue;
      std::optional<Statement> repair;
      if (finite(cell)) {
        repair = random_lookup({cell});
      } else {
        const auto sources = cells([&](CellId c) { return typed(c) && fits(cell, c); });
        if (!sources.empty()) repair = MoveStatement{cell, pick(sources)};
      }
      if (!repair) continue;
      p_.repeated.push_back(*repair);
      apply(*repair);
    }
    if (!filled.empty()) {
      p_.repeated.push_back(EraseStatement{filled});
      apply(p_.repeated.back());
    }
    looping_ = false;
    std::set<CellId> written;
    for (const Statement& statement : p_.repeated)
      for (const CellId cell : cells_written(statement)) written.insert(cell);
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
      if (is<ConstantType>(cell)) continue;
      const bool blank = entry[cell] == Holds::blank;
      if (written.contains(cell) || chance(1, 6))
        p_.cells[cell].lifetime = blank && chance(3, 4) ? Lifetime::scratch : Lifetime::state;
    }
    if (chance(1, 2)) {
      p_.unroll.kind = Unroll::Kind::fixed;
      p_.unroll.loops = small(0, 3);
    } else {
      p_.unroll.minus = small(0, 1);
    }
    if (chance(1, 4)) p_.unroll.max_length = 20 + below(20);
  }

  void add_outputs() {
    const auto full = cells([&](CellId c) { return holds_[c] != Holds::blank; });
    const bool decides = chance(1, 2);
    std::vector<std::string> names = {"accept", "reject"};
    if (!decides) {
      names.clear();
      for (std::size_t i = 0, n = 1 + below(3); i < n; ++i)
        names.push_back("o" + std::to_string(i));
    }
    for (const std::string& name : names) p_.outputs.push_back({name, random_form(full, 4)});
    if (!decides) return;
    const auto onehots = cells([&](CellId c) { return is<OneHotType>(c) && typed(c); });
    if (onehots.empty() || chance(1, 2)) return;
    const CellId cell = pick(onehots);
    const std::uint32_t size = size_of(type(cell));
    if (chance(1, 2)) {  // the constant maps, one per label
      PrefixElement element{cell, {}};
      for (std::uint32_t q = 0; q < size; ++q)
        element.elements.push_back(std::vector<std::uint32_t>(size, q));
      p_.prefix = std::move(element);
    } else {
      PrefixPoints points;
      for (std::uint32_t q = 0; q < 4; ++q)
        points.points.push_back(chance(1, 2) ? PointReadout{cell, 0}
                                             : PointReadout{std::nullopt, small(0, 3)});
      p_.prefix = std::move(points);
    }
  }

  std::mt19937_64& random_;
  Program p_;
  std::vector<Holds> holds_;
  std::optional<CellId> one_;
  std::size_t names_ = 0;
  bool looping_ = false;
};

}  // namespace

Program build_random_program(std::mt19937_64& random) {
  return Builder(random).build();
}

}  // namespace logdepth::support
