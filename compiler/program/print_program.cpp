#include <fmt/core.h>

#include <sstream>
#include <utility>

#include "base/overload.hpp"
#include "compiler/program/line_words.hpp"
#include "compiler/program/program.hpp"
#include "objects/automaton.hpp"

namespace logdepth { inline namespace compiler_program {
namespace {

std::string quoted(const std::string& text, bool always = false) {
  if (!always && !text.empty() && text.find_first_of("\"\\# \t\n\r") == std::string::npos)
    return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

class Printer {
 public:
  explicit Printer(const Program& program) : p_(program) {}

  std::string print() {
    out_ << "logdepth-cells 1\n";
    line("program", p_.name);
    line("construction", p_.construction);
    line("source", p_.source);
    for (const std::string& text : p_.hypotheses) line("hypothesis", text);
    for (const std::string& text : p_.deviations) line("deviation", text);
    for (const auto& [key, value] : p_.parameters)
      out_ << "parameter " << quoted(key) << ' ' << quoted(value, true) << '\n';
    input();
    unroll();
    out_ << '\n';
    for (const Cell& cell : p_.cells) declare(cell);
    out_ << '\n';
    for (const GivenCell& given : p_.given) {
      out_ << "given " << name(given.cell);
      if (given.holds == GivenCell::Holds::position) out_ << " position";
      if (given.holds == GivenCell::Holds::natural) out_ << " natural";
      if (given.holds == GivenCell::Holds::ratio) out_ << " ratio";
      out_ << '\n';
    }
    for (const PositionFill& fill : p_.position) {
      out_ << "position " << name(fill.cell);
      if (fill.parity) out_ << " parity";
      if (fill.back) out_ << " back " << fill.back;
      out_ << '\n';
    }
    for (const auto& row : p_.table) {
      out_ << "at";
      for (const TableFill& fill : row) out_ << ' ' << table_fill(fill);
      out_ << '\n';
    }
    for (const auto& [kind, fills] : p_.embedding) {
      out_ << "token " << quoted(kind);
      for (const TokenFill& fill : fills) out_ << ' ' << literal(fill.cell, fill.value);
      out_ << '\n';
    }
    for (const Block block : {Block::initial, Block::repeated, Block::final}) {
      if (p_.block(block).empty()) continue;
      out_ << '\n' << block_name(block) << '\n';
      for (const Statement& statement : p_.block(block))
        std::visit([&](const auto& s) { print_statement(s); }, statement);
    }
    out_ << '\n';
    if (p_.relation) out_ << "relation\n";
    for (const OutputRow& row : p_.outputs)
      out_ << "output " << quoted(row.name) << form(row.form) << '\n';
    std::visit(Overload{[](std::monostate) {},
                        [&](const PrefixElement& element) {
                          out_ << "prefix element " << name(element.cell);
                          for (const auto& images : element.elements)
                            out_ << ' ' << format_transformation(images);
                          out_ << '\n';
                        },
                        [&](const PrefixPoints& points) {
                          out_ << "prefix points";
                          for (const PointReadout& point : points.points) {
                            if (point.cell) {
                              out_ << ' ' << name(*point.cell);
                            } else {
                              out_ << " always:" << point.image;
                            }
                          }
                          out_ << '\n';
                        },
                        [&](const PrefixState& prefix) {
                          out_ << "prefix state " << name(prefix.cell);
                          for (const std::uint32_t state : prefix.states) out_ << ' ' << state;
                          out_ << '\n';
                        }},
               p_.prefix);
    return out_.str();
  }

 private:
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }

  void line(const char* key, const std::string& text) {
    out_ << key << ' ' << quoted(text, true) << '\n';
  }

  void input() {
    const auto* word = std::get_if<WordInput>(&p_.input);
    if (word || !p_.alphabet.empty()) {
      out_ << "alphabet";
      for (const std::string& letter : p_.alphabet) out_ << ' ' << quoted(letter);
      out_ << '\n';
    }
    if (word) {
      out_ << (word->begin ? "begin\n" : "no-begin\n");
      if (word->end) out_ << "end\n";
      return;
    }
    const auto* graph = std::get_if<GraphInput>(&p_.input);
    if (!graph) {
      out_ << "input cells\n";
      return;
    }
    out_ << "input graph "
         << (graph->layout == GraphInput::Layout::rows
                 ? "rows"
                 : fmt::format("adjacency {}", padding_name(graph->padding)));
    if (graph->size) out_ << " size " << *graph->size;
    out_ << '\n';
  }

  void unroll() {
    if (p_.unroll.kind == Unroll::Kind::fixed) {
      out_ << "unroll fixed " << p_.unroll.loops;
    } else {
      out_ << "unroll ceil_log"
           << (p_.unroll.base == 2 ? "2 " : fmt::format(" {} ", p_.unroll.base))
           << (p_.unroll.kind == Unroll::Kind::ceil_log2_letters ? "letters" : "vertices")
           << " minus " << p_.unroll.minus;
    }
    if (p_.unroll.max_length) out_ << " max " << *p_.unroll.max_length;
    out_ << '\n';
  }

  void declare(const Cell& cell) {
    out_ << "cell " << cell.name;
    if (cell.lifetime == Lifetime::state) out_ << " state";
    if (cell.lifetime == Lifetime::scratch) out_ << " scratch";
    std::visit(Overload{[&](const ConstantType&) { out_ << " constant"; },
                        [&](const FlagType&) { out_ << " flag"; },
                        [&](const OneHotType& t) {
                          out_ << " onehot";
                          for (const std::string& label : t.labels) out_ << ' ' << quoted(label);
                        },
                        [&](const KeyType& t) { out_ << " key " << code_name(t.code); },
                        [&](const PointerType& t) { out_ << " pointer " << code_name(t.code); },
                        [&](const DirectionType& t) {
                          out_ << " direction " << t.size;
                          if (t.integers) out_ << " integers " << *t.integers;
                        },
                        [&](const NumberType& t) { out_ << " number " << t.size; }},
               cell.type);
    out_ << '\n';
  }

  std::string literal(const Literal& l) const { return literal(l.cell, l.value); }
  std::string literal(CellId cell, std::uint32_t value) const {
    std::string label;
    if (const auto* onehot = std::get_if<OneHotType>(&p_.cells[cell].type)) {
      label = quoted(onehot->labels[value]);
    } else {
      label = value ? "true" : "false";
    }
    return name(cell) + "=" + label;
  }

  std::string table_fill(const TableFill& fill) const {
    const CellType& type = p_.cells[fill.cell].type;
    if (std::holds_alternative<FlagType>(type) || std::holds_alternative<OneHotType>(type))
      return literal(fill.cell, fill.value);
    return fmt::format("{}={}", name(fill.cell), fill.value);
  }

  std::string component(const Component& c) const {
    const CellType& type = p_.cells[c.cell].type;
    if (const auto* onehot = std::get_if<OneHotType>(&type))
      return name(c.cell) + "[" + quoted(onehot->labels[c.index]) + "]";
    if (size_of(type) == 1) return name(c.cell);
    return fmt::format("{}[{}]", name(c.cell), c.index);
  }

  /// " + 1/2 one - fst": every term with its sign, so an empty form is an empty text.
  std::string form(const LinearForm& terms) const {
    std::string text;
    for (const Term& term : terms) {
      text += term.factor.sign() < 0 ? " - " : " + ";
      if (const Rational size = term.factor.abs(); !size.is_one()) text += size.text() + " ";
      text += component(term.component);
    }
    return text;
  }

  /// The cell and shift N of "cell[0] - N cell[1] : cell[1]", where the ratio is exactly this.
  std::optional<std::pair<CellId, std::uint32_t>> short_ratio(const Ratio& ratio) const {
    const auto& [over, under] = ratio;
    if (over.empty() || over.size() > 2 || under.size() != 1) return std::nullopt;
    const CellId cell = over[0].component.cell;
    if (size_of(p_.cells[cell].type) != 2) return std::nullopt;
    const Term first{{cell, 0}, Rational(1)}, second{{cell, 1}, Rational(1)};
    if (over[0] != first || under[0] != second) return std::nullopt;
    if (over.size() == 1) return std::pair{cell, 0u};
    const Rational back = -over[1].factor;
    if (over[1].component != second.component || !back.is_integer() || back.sign() <= 0 ||
        back > Rational(LineWords::kLargestSmallNumber))
      return std::nullopt;
    return std::pair{cell, static_cast<std::uint32_t>(std::stoul(back.text()))};
  }

  std::string ratio(const Ratio& r) const {
    if (const auto cell = short_ratio(r))
      return name(cell->first) + (cell->second ? fmt::format(" back {}", cell->second) : "");
    return "(" + form(r.numerator) + " :" + form(r.denominator) + " )";
  }

  void print_selector(const SelectAll&) { out_ << " uniform"; }
  void print_selector(const SelectPointed& x) {
    out_ << " match " << name(x.pointer);
    if (x.back) out_ << " back " << x.back;
    out_ << " key " << name(x.key);
  }
  void print_selector(const SelectSame& x) {
    out_ << " same";
    for (const CellId c : x.cells) out_ << ' ' << name(c);
  }
  void print_selector(const SelectRightmost& x) {
    out_ << " rightmost";
    for (const Literal& flag : x.flags) out_ << ' ' << literal(flag);
    if (x.shared) out_ << " same " << name(x.shared->own) << ' ' << name(x.shared->there);
    out_ << " key " << name(x.key);
  }
  void print_selector(const SelectNearest& x) {
    out_ << " nearest " << ratio(x.target) << " key " << name(x.key);
  }
  void print_selector(const SelectFlagged& x) {
    out_ << " flagged " << literal(x.flag);
    if (x.when) out_ << " when " << literal(*x.when);
  }
  void print_selector(const SelectFound& x) {
    const char* before = x.one ? " find-one " : " find ";
    for (const FindTerm& term : x.terms) {
      out_ << before << ratio(term.wanted) << " key " << name(term.key);
      before = " and ";
    }
    if (x.prefer)
      out_ << " prefer " << literal(x.prefer->flag) << " margin " << weighted(x.prefer->margin);
  }
  void print_selector(const SelectRelated& x) {
    out_ << " related";
    for (const CellId flag : x.flags) out_ << ' ' << name(flag);
    out_ << " label " << name(x.label) << " prefer " << literal(x.prefer);
  }

  std::string weighted(const Term& term) const {
    return (term.factor.is_one() ? "" : term.factor.text() + "*") + component(term.component);
  }

  void print_write(const CopyWrite& w) {
    out_ << "    copy " << name(w.target) << ' ' << name(w.source) << '\n';
  }
  void print_write(const SumWrite& w) {
    out_ << "    add " << component(w.target) << form(w.form) << '\n';
  }
  void print_write(const SetWrite& w) { out_ << "    set " << literal(w.cell, w.value) << '\n'; }

  void print_statement(const FetchStatement& s) {
    out_ << "  fetch " << quoted(s.name) << (s.causal ? " causal" : " unmasked");
    std::visit([&](const auto& x) { print_selector(x); }, s.selector);
    if (!s.under.empty()) {
      out_ << " under";
      for (const CellId c : s.under) out_ << ' ' << name(c);
    }
    out_ << '\n';
    for (const HeadWrite& write : s.writes)
      std::visit([&](const auto& w) { print_write(w); }, write);
  }
  void print_statement(const LookupStatement& s) {
    out_ << "  lookup " << quoted(s.name) << '\n';
    for (const Rule& rule : s.rules) {
      out_ << "    rule";
      for (const Literal& l : rule.when) out_ << ' ' << literal(l.cell, l.value);
      out_ << " ->";
      for (const Assignment& a : rule.then) out_ << ' ' << literal(a.cell, a.value);
      out_ << '\n';
    }
    if (s.otherwise.empty()) return;
    out_ << "    else";
    for (const Assignment& a : s.otherwise) out_ << ' ' << literal(a.cell, a.value);
    out_ << '\n';
  }
  void print_statement(const MoveStatement& s) {
    out_ << "  move " << name(s.target) << ' ' << name(s.source);
    if (!s.when.empty()) out_ << " when";
    for (const Literal& l : s.when) out_ << ' ' << literal(l.cell, l.value);
    out_ << '\n';
  }
  void print_statement(const EraseStatement& s) {
    out_ << "  erase";
    for (const CellId c : s.cells) out_ << ' ' << name(c);
    out_ << '\n';
  }
  void print_statement(const NormaliseStatement& s) {
    out_ << "  normalise";
    for (const CellId c : s.targets) out_ << ' ' << name(c);
    out_ << " from";
    for (const Term& term : s.group) out_ << ' ' << weighted(term);
    out_ << '\n';
  }
  void print_statement(const TestStatement& s) {
    out_ << "  test " << name(s.flag)
         << (s.kind == TestStatement::Kind::zero ? " zero " : " positive ") << component(s.number)
         << '\n';
  }

  const Program& p_;
  std::ostringstream out_;
};

}  // namespace

std::string code_name(PositionCode code) {
  switch (code.kind) {
    case PositionCode::Kind::phi:
      return kPhi + (code.parameter == 1 ? "" : fmt::format(" over {}", code.parameter));
    case PositionCode::Kind::circle:
      return kCircle;
    case PositionCode::Kind::two_circle:
      return kTwoCircle;
    case PositionCode::Kind::fine:
      return fmt::format("{} {}", kFine, code.parameter);
  }
  return {};
}

std::string print_program(const Program& program) {
  return Printer(program).print();
}

}}  // namespace logdepth::compiler_program
