#include <sstream>

#include "compiler/program_text.hpp"
#include "objects/action.hpp"
#include "objects/overload.hpp"

namespace logdepth {
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

const char* code_name(PositionCode code) {
  return code == PositionCode::phi ? "phi" : code == PositionCode::circle ? "circle" : "two-circle";
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
    out_ << "alphabet";
    for (const std::string& letter : p_.alphabet) out_ << ' ' << quoted(letter);
    out_ << '\n' << (p_.begin ? "begin\n" : "no-begin\n");
    unroll();
    out_ << '\n';
    for (const Cell& cell : p_.cells) declare(cell);
    out_ << '\n';
    for (const PositionFill& fill : p_.position) {
      out_ << "position " << name(fill.cell);
      if (fill.back) out_ << " back " << fill.back;
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
                        }},
               p_.prefix);
    return out_.str();
  }

 private:
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }

  void line(const char* key, const std::string& text) {
    out_ << key << ' ' << quoted(text, true) << '\n';
  }

  void unroll() {
    if (p_.unroll.kind == Unroll::Kind::fixed) {
      out_ << "unroll fixed " << p_.unroll.loops;
    } else {
      out_ << "unroll ceil_log2 "
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
                        [&](const DirectionType& t) { out_ << " direction " << t.size; },
                        [&](const NumberType& t) { out_ << " number " << t.size; }},
               cell.type);
    out_ << '\n';
  }

  std::string literal(CellId cell, std::uint32_t value) const {
    std::string label;
    if (const auto* onehot = std::get_if<OneHotType>(&p_.cells[cell].type)) {
      label = quoted(onehot->labels[value]);
    } else {
      label = value ? "true" : "false";
    }
    return name(cell) + "=" + label;
  }

  std::string component(const Component& c) const {
    const CellType& type = p_.cells[c.cell].type;
    if (const auto* onehot = std::get_if<OneHotType>(&type))
      return name(c.cell) + "[" + quoted(onehot->labels[c.index]) + "]";
    if (size_of(type) == 1) return name(c.cell);
    return name(c.cell) + "[" + std::to_string(c.index) + "]";
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

  void print_statement(const FetchStatement& s) {
    out_ << "  fetch " << quoted(s.name) << (s.causal ? " causal" : " unmasked");
    std::visit(Overload{[&](const SelectAll&) { out_ << " uniform"; },
                        [&](const SelectPointed& x) {
                          out_ << " match " << name(x.pointer);
                          if (x.back) out_ << " back " << x.back;
                          out_ << " key " << name(x.key);
                        },
                        [&](const SelectSame& x) {
                          out_ << " same";
                          for (const CellId c : x.cells) out_ << ' ' << name(c);
                        },
                        [&](const SelectRightmost& x) {
                          out_ << " rightmost " << literal(x.flag.cell, x.flag.value) << " key "
                               << name(x.key);
                        }},
               s.selector);
    if (!s.under.empty()) {
      out_ << " under";
      for (const CellId c : s.under) out_ << ' ' << name(c);
    }
    out_ << '\n';
    for (const HeadWrite& write : s.writes)
      std::visit(Overload{[&](const CopyWrite& w) {
                            out_ << "    copy " << name(w.target) << ' ' << name(w.source) << '\n';
                          },
                          [&](const SumWrite& w) {
                            out_ << "    add " << component(w.target) << form(w.form) << '\n';
                          }},
                 write);
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
  }
  void print_statement(const MoveStatement& s) {
    out_ << "  move " << name(s.target) << ' ' << name(s.source) << '\n';
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
    for (const Component& c : s.group) out_ << ' ' << component(c);
    out_ << '\n';
  }

  const Program& p_;
  std::ostringstream out_;
};

}  // namespace

std::string print_program(const Program& program) {
  return Printer(program).print();
}

}  // namespace logdepth
