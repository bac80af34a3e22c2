#include "compiler/program/program_words.hpp"

#include <fmt/core.h>

#include <charconv>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/spelling.hpp"

namespace logdepth::inline compiler_program {
namespace {

/// The whole text as a decimal number.
std::optional<std::uint32_t> decimal(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void ProgramWords::declare(Cell cell) {
  const auto id = static_cast<CellId>(p_.cells.size());
  if (const auto* onehot = std::get_if<OneHotType>(&cell.type))
    for (std::uint32_t i = 0; i < onehot->labels.size(); ++i)
      if (!labels_[id].emplace(onehot->labels[i], i).second)
        fail("duplicate label " + in_quotes(onehot->labels[i]));
  if (!cells_.emplace(cell.name, id).second)
    fail("cell " + in_quotes(cell.name) + " is declared twice");
  p_.cells.push_back(std::move(cell));
}

CellId ProgramWords::cell_named(const std::string& name) const {
  const auto found = cells_.find(name);
  if (found == cells_.end()) {
    std::vector<std::string> names;
    for (const Cell& cell : p_.cells) names.push_back(cell.name);
    // A name of one or two letters is near every other one.
    const auto near = name.size() > 2 ? meant(name, names) : std::nullopt;
    fail(in_quotes(name) + " is not a declared cell" +
         (near                 ? "; did you mean " + *near + "?"
          : is_cell_name(name) ? ": expected a line 'cell " + name + " ...' above"
                               : ""));
  }
  return found->second;
}

std::vector<CellId> ProgramWords::cells_to_end() {
  std::vector<CellId> cells;
  do cells.push_back(cell("a cell"));
  while (more());
  return cells;
}

std::uint32_t ProgramWords::label(CellId id, const std::string& text) const {
  const Cell& c = p_.cells[id];
  if (std::holds_alternative<FlagType>(c.type)) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    fail("flag " + in_quotes(c.name) + " is true or false, found " + in_quotes(text));
  }
  if (!std::holds_alternative<OneHotType>(c.type))
    fail(in_quotes(c.name) + " is neither a flag nor one-hot and has no labels");
  const auto& index = labels_.at(id);
  const auto found = index.find(text);
  if (found == index.end())
    fail(in_quotes(text) + " is not a label of " + in_quotes(c.name) + ": expected one of " +
         shortened(std::get<OneHotType>(c.type).labels));
  return found->second;
}

Literal ProgramWords::literal(const std::string& text) const {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos)
    fail("expected cell=label in one word, as in x=a or f=true, found " + in_quotes(text));
  const CellId id = cell_named(text.substr(0, sign));
  return {id, label(id, text.substr(sign + 1))};
}

TableFill ProgramWords::table_fill(const std::string& text) const {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos) fail("expected cell=value, found " + in_quotes(text));
  const CellId id = cell_named(text.substr(0, sign));
  const std::string value = text.substr(sign + 1);
  if (!std::holds_alternative<DirectionType>(p_.cells[id].type) &&
      !std::holds_alternative<KeyType>(p_.cells[id].type))
    return {id, label(id, value)};
  const auto number = decimal(value);
  if (!number || *number >= 1u << 20)
    fail("code " + in_quotes(p_.cells[id].name) + ": expected a number below 1048576, found " +
         in_quotes(value));
  return {id, *number};
}

Component ProgramWords::component(const std::string& text) const {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string::npos) {
    const CellId id = cell_named(text);
    if (size_of(p_.cells[id].type) != 1)
      fail(fmt::format("{} has {} components: expected {}[...]", in_quotes(text),
                       size_of(p_.cells[id].type), printable(text)));
    return {id, 0};
  }
  if (text.back() != ']') fail("expected ']' at the end of " + in_quotes(text));
  const CellId id = cell_named(text.substr(0, bracket));
  const std::string inside = text.substr(bracket + 1, text.size() - bracket - 2);
  if (std::holds_alternative<OneHotType>(p_.cells[id].type)) return {id, label(id, inside)};
  const auto index = decimal(inside);
  if (!index || *index >= size_of(p_.cells[id].type))
    fail(in_quotes(inside) + " is not a component of " + in_quotes(p_.cells[id].name));
  return {id, *index};
}

Term ProgramWords::factor_and_component(const std::string& text) const {
  // A label may contain '*', a cell name cannot: only a '*' before the bracket ends a factor.
  const std::size_t star = text.find('*');
  if (star > text.find('[') || star == std::string::npos) return {component(text), Rational(1)};
  const auto factor = Rational::parse(text.substr(0, star));
  if (!factor || factor->sign() <= 0)
    fail("expected a positive factor in lowest terms before '*', found " + in_quotes(text));
  return {component(text.substr(star + 1)), *factor};
}

LinearForm ProgramWords::form(const char* end) {
  LinearForm result;
  while (more() && !(end && at(end))) {
    const bool minus = accept("-");
    if (!minus) expect("+", "+ or - and a blank before every term, as in '+ 1/2 x - y'");
    std::string text = take("a cell");
    Rational factor = 1;
    if (const auto value = Rational::parse(text)) {
      factor = *value;
      if (factor.sign() <= 0) fail("expected a positive factor after the sign");
      text = take("a cell");
    } else if (text[0] >= '0' && text[0] <= '9') {
      fail("expected a factor in lowest terms and then a cell, as in '1/2 x', found " +
           in_quotes(text));
    }
    result.push_back({component(text), minus ? -factor : factor});
  }
  return result;
}

CellId ProgramWords::key() {
  expect("key", "'key' and a cell, as in 'key I'");
  return cell("a key cell");
}

// "cell", "cell back 2" or "( form : form )"
Ratio ProgramWords::ratio() {
  Ratio result;
  if (accept("(")) {
    result.numerator = form(":");
    expect(":");
    result.denominator = form(")");
    expect(")");
    return result;
  }
  const CellId id = cell("a cell or (");
  if (size_of(p_.cells[id].type) != 2)
    fail(in_quotes(p_.cells[id].name) +
         " has not two components: expected ( numerator : denominator )");
  result.numerator = {{{id, 0}, Rational(1)}};
  result.denominator = {{{id, 1}, Rational(1)}};
  if (accept("back"))
    if (const std::uint32_t back = small_number("a number of positions"))
      result.numerator.push_back({{id, 1}, Rational(-static_cast<std::int64_t>(back))});
  return result;
}

SelectSame ProgramWords::same() {
  SelectSame result;
  while (more() && !at("under")) result.cells.push_back(cell("a cell"));
  if (result.cells.empty()) fail("expected cells after 'same'");
  return result;
}

SelectFound ProgramWords::found(bool one) {
  SelectFound result;
  result.one = one;
  do {
    Ratio wanted = ratio();
    result.terms.push_back({std::move(wanted), key()});
  } while (accept("and"));
  if (accept("prefer")) {
    const Literal flag = literal(take("cell=label"));
    expect("margin");
    result.prefer = Preference{flag, factor_and_component(take("a component"))};
  }
  return result;
}

Selector ProgramWords::selector() {
  if (accept("uniform")) return SelectAll{};
  if (accept("same")) return same();
  if (accept("find")) return found(false);
  if (accept("find-one")) return found(true);
  if (accept("match")) {
    SelectPointed x;
    x.pointer = cell("a pointer cell");
    if (accept("back")) x.back = small_number("a number of positions");
    x.key = key();
    return x;
  }
  if (accept("rightmost")) {
    SelectRightmost x;
    while (!at("key")) x.flags.push_back(literal(take("cell=label or 'key' and a cell")));
    x.key = key();
    return x;
  }
  if (accept("nearest")) {
    SelectNearest x;
    x.target = ratio();
    x.key = key();
    return x;
  }
  if (accept("flagged")) {
    SelectFlagged x;
    x.flag = literal(take("cell=label"));
    if (accept("when")) x.when = literal(take("cell=label"));
    return x;
  }
  if (accept("related")) {
    SelectRelated x;
    while (!at("label")) x.flags.push_back(cell("a flag"));
    expect("label");
    x.label = cell("a one-hot cell");
    expect("prefer");
    x.prefer = literal(take("cell=label"));
    return x;
  }
  fail_expecting("uniform, match, same, rightmost, nearest, flagged, find, find-one or related");
}

}  // namespace logdepth::inline compiler_program
