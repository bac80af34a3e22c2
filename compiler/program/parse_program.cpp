#include <fmt/core.h>

#include <charconv>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/json_tape.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "compiler/program/line_words.hpp"
#include "compiler/program/program.hpp"

namespace logdepth { inline namespace compiler_program {
namespace {

/// What a line of a `.cells` file is made of once cells have names: literals, components, forms,
/// ratios and selectors, read against the program declared so far.
class ProgramWords : protected LineWords {
 protected:
  using LineWords::LineWords;

  /// Declares a cell; its name and labels are new.
  void declare(Cell cell) {
    const auto id = static_cast<CellId>(p_.cells.size());
    if (const auto* onehot = std::get_if<OneHotType>(&cell.type))
      for (std::uint32_t i = 0; i < onehot->labels.size(); ++i)
        if (!labels_[id].emplace(onehot->labels[i], i).second)
          fail("duplicate label " + in_quotes(onehot->labels[i]));
    if (!cells_.emplace(cell.name, id).second)
      fail("cell " + in_quotes(cell.name) + " is declared twice");
    p_.cells.push_back(std::move(cell));
  }

  CellId cell_named(const std::string& name) const {
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

  CellId cell(const char* expected) { return cell_named(take(expected)); }

  std::vector<CellId> cells_to_end() {
    std::vector<CellId> cells;
    do cells.push_back(cell("a cell"));
    while (more());
    return cells;
  }

  /// "cell=label"
  Literal literal(const std::string& text) const {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos)
      fail("expected cell=label in one word, as in x=a or f=true, found " + in_quotes(text));
    const CellId id = cell_named(text.substr(0, sign));
    return {id, label(id, text.substr(sign + 1))};
  }

  /// "cell=label" or "direction=number"
  TableFill table_fill(const std::string& text) const {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) fail("expected cell=value, found " + in_quotes(text));
    const CellId id = cell_named(text.substr(0, sign));
    const std::string value = text.substr(sign + 1);
    if (!std::holds_alternative<DirectionType>(p_.cells[id].type) &&
        !std::holds_alternative<KeyType>(p_.cells[id].type))
      return {id, label(id, value)};
    const auto number = whole_number(value);
    if (!number || *number >= 1u << 20)
      fail("code " + in_quotes(p_.cells[id].name) + ": expected a number below 1048576, found " +
           in_quotes(value));
    return {id, static_cast<std::uint32_t>(*number)};
  }

  /// "cell", "cell[index]", "cell[label]"
  Component component(const std::string& text) const {
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
    const auto index = whole_number(inside);
    if (!index || *index >= size_of(p_.cells[id].type))
      fail(in_quotes(inside) + " is not a component of " + in_quotes(p_.cells[id].name));
    return {id, static_cast<std::uint32_t>(*index)};
  }

  /// "component" or "2/3*component"
  Term factor_and_component(const std::string& text) const {
    // A label may contain '*', a cell name cannot: only a '*' before the bracket ends a factor.
    const std::size_t star = text.find('*');
    if (star > text.find('[') || star == std::string::npos) return {component(text), Rational(1)};
    const auto factor = Rational::parse(text.substr(0, star));
    if (!factor || factor->sign() <= 0)
      fail("expected a positive factor in lowest terms before '*', found " + in_quotes(text));
    return {component(text.substr(star + 1)), *factor};
  }

  /// "+ 1/2 one - fst", to the end of the line or up to the word `end`.
  LinearForm form(const char* end = nullptr) {
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

  Selector selector() {
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
      while (!at("key") && !at("same"))
        x.flags.push_back(
            literal(take("cell=label, or 'same' and two cells, or 'key' and a cell")));
      if (accept("same")) {
        x.shared.emplace();
        x.shared->own = cell("a one-hot cell of the token");
        x.shared->there = cell("a one-hot cell of the position");
      }
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

  Program p_;

 private:
  std::uint32_t label(CellId id, const std::string& text) const {
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

  /// "key CELL"
  CellId key() {
    expect("key", "'key' and a cell, as in 'key I'");
    return cell("a key cell");
  }

  // "cell", "cell back 2" or "( form : form )"
  Ratio ratio() {
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

  SelectSame same() {
    SelectSame result;
    while (more() && !at("under")) result.cells.push_back(cell("a cell"));
    if (result.cells.empty()) fail("expected cells after 'same'");
    return result;
  }

  SelectFound found(bool one) {
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

  std::unordered_map<std::string, CellId> cells_;
  std::unordered_map<CellId, std::unordered_map<std::string, std::uint32_t>> labels_;
};

class Parser : private ProgramWords {
 public:
  Parser(std::string_view text, const std::string& source) : ProgramWords(source), text_(text) {}

  Program parse() {
    if (!is_utf8(text_)) {
      next_line("");
      fail("the text is not UTF-8");
    }
    std::size_t start = 0;
    bool header = false;
    while (start <= text_.size()) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      next_line(text_.substr(start, end - start));
      start = end + 1;
      if (!more()) continue;
      if (!header) {
        if (take_all("a word") != std::vector<std::string>{"logdepth-cells", "1"})
          fail("expected the first line 'logdepth-cells 1'");
        header = true;
        continue;
      }
      parse_line();
    }
    if (!header) fail("expected the first line 'logdepth-cells 1', found an empty file");
    return std::move(p_);
  }

 private:
  /// What `over` and `fine` stand before.
  std::uint32_t code_parameter() {
    const std::uint32_t parameter = small_number("a number of at least 1");
    if (parameter == 0) fail("expected a number of at least 1, found 0");
    return parameter;
  }

  PositionCode code() {
    const std::string text = take("phi, circle, two-circle or fine");
    if (text == kPhi) return PositionCode::phi_over(accept("over") ? code_parameter() : 1);
    if (text == kCircle) return PositionCode::circle;
    if (text == kTwoCircle) return PositionCode::two_circle;
    if (text == kFine) return PositionCode::fine(code_parameter());
    fail("expected phi, circle, two-circle or fine, found " + in_quotes(text));
  }

  DirectionType direction() {
    DirectionType type{small_number("a number of components")};
    if (accept("integers")) {
      type.integers = small_number("a factor");
      if (type.integers == 0u) fail("expected a factor of at least 1 after 'integers'");
    }
    return type;
  }

  CellType type() {
    if (accept("constant")) return ConstantType{};
    if (accept("flag")) return FlagType{};
    if (accept("key")) return KeyType{code()};
    if (accept("pointer")) return PointerType{code()};
    if (accept("direction")) return direction();
    if (accept("number")) return NumberType{small_number("a number of components")};
    expect("onehot", "constant, flag, onehot, key, pointer, direction or number");
    OneHotType type{take_all("a label")};
    if (type.labels.empty()) fail("expected labels after 'onehot'");
    return type;
  }

  void parse_cell() {
    Cell c;
    c.name = take("the name of a cell");
    if (!is_cell_name(c.name))
      fail(in_quotes(c.name) +
           " is not a name for a cell: expected a letter or _, then letters, digits, _ and ., and "
           "not 'under', 'from' or 'label'");
    if (accept("state"))
      c.lifetime = Lifetime::state;
    else if (accept("scratch"))
      c.lifetime = Lifetime::scratch;
    c.type = type();
    if (size_of(c.type) == 0) fail("cell " + in_quotes(c.name) + " has no components");
    end_of_line();
    declare(std::move(c));
  }

  // --- inputs --------------------------------------------------------------------------------

  /// `begin`, `no-begin` and `end` say more about words, so they stand beside no `input` line.
  WordInput& words() {
    end_of_line();
    auto* const word = std::get_if<WordInput>(&p_.input);
    if (!word) fail("only words have a beginning and an end token");
    return *word;
  }

  void parse_input() {
    if (seen_.contains("begin") || seen_.contains("end"))
      fail("only words have a beginning and an end token");
    if (accept("cells")) {
      p_.input = CellsInput{};
    } else {
      expect("graph", "cells or graph");
      GraphInput graph;
      if (accept("rows")) {
        graph.layout = GraphInput::Layout::rows;
      } else {
        expect("adjacency", "adjacency or rows");
        if (accept("n3")) {
          graph.padding = GraphPadding::n3;
        } else if (accept("n4-n2")) {
          graph.padding = GraphPadding::n4_minus_n2;
        } else {
          expect("n3-n2", "n3, n3-n2 or n4-n2");
        }
      }
      if (accept("size")) graph.size = small_number("a number of vertices");
      p_.input = graph;
    }
    end_of_line();
  }

  void parse_given() {
    GivenCell given;
    given.cell = cell("a cell");
    if (accept("position")) {
      given.holds = GivenCell::Holds::position;
    } else if (accept("natural")) {
      given.holds = GivenCell::Holds::natural;
    } else if (accept("ratio")) {
      given.holds = GivenCell::Holds::ratio;
    }
    end_of_line();
    p_.given.push_back(given);
  }

  void parse_at() {
    auto& row = p_.table.emplace_back();
    while (more()) row.push_back(table_fill(take("cell=value")));
  }

  void parse_unroll() {
    if (accept("fixed")) {
      p_.unroll.kind = Unroll::Kind::fixed;
      p_.unroll.loops = small_number("a number of loops");
    } else {
      if (accept("ceil_log")) {
        p_.unroll.base = small_number("a base of at least 3");
        if (p_.unroll.base < 3) fail("expected a base of at least 3; that of 2 is ceil_log2");
      } else {
        expect("ceil_log2", "fixed, ceil_log2 or ceil_log");
      }
      if (accept("vertices")) {
        p_.unroll.kind = Unroll::Kind::ceil_log2_vertices;
      } else {
        expect("letters", "letters or vertices");
        p_.unroll.kind = Unroll::Kind::ceil_log2_letters;
      }
      expect("minus", "'minus 0' or 'minus 1'");
      p_.unroll.minus = small_number("0 or 1");
    }
    if (accept("max")) p_.unroll.max_length = number("a length");
    end_of_line();
  }

  void parse_fetch() {
    FetchStatement s;
    s.name = take("the name of the fetch");
    if (accept("unmasked"))
      s.causal = false;
    else
      expect("causal", "causal or unmasked behind the name of the fetch");
    s.selector = selector();
    if (accept("under")) {
      s.under = cells_to_end();
      if (s.under.empty()) fail("expected cells after 'under'");
    }
    end_of_line();
    block().push_back(std::move(s));
  }

  template <class T>
  T& inside(const char* what) {
    auto& statements = block();
    T* statement = statements.empty() ? nullptr : std::get_if<T>(&statements.back());
    if (!statement) fail(std::string("this line belongs below a '") + what + "' line");
    return *statement;
  }

  std::vector<Statement>& block() {
    if (!block_) fail("expected 'initial', 'repeated' or 'final' before the first statement");
    return *block_;
  }

  void parse_rule() {
    auto& lookup = inside<LookupStatement>("lookup");
    Rule rule;
    while (!accept("->")) rule.when.push_back(literal(take("cell=label or ->")));
    rule.then = assignments();
    lookup.rules.push_back(std::move(rule));
  }
  void parse_else() {
    auto& lookup = inside<LookupStatement>("lookup");
    if (!lookup.otherwise.empty()) fail("a second line 'else' of one lookup");
    lookup.otherwise = assignments();
  }
  std::vector<Assignment> assignments() {
    std::vector<Assignment> all;
    do {
      const Literal l = literal(take("cell=label"));
      all.push_back({l.cell, l.value});
    } while (more());
    return all;
  }

  /// "[1,0,2]"
  std::vector<std::uint32_t> images(const std::string& text) const {
    std::vector<std::uint32_t> values;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto malformed = [&] {
      fail("expected a list of images as [1,0,2], found " + in_quotes(text));
    };
    if (at == end || *at++ != '[') malformed();
    while (true) {
      std::uint32_t value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc() || next == end) malformed();
      values.push_back(value);
      at = next;
      if (*at == ']' && at + 1 == end) return values;
      if (*at++ != ',') malformed();
    }
  }

  void parse_prefix() {
    if (accept("element")) {
      PrefixElement element;
      element.cell = cell("a one-hot cell");
      while (more()) element.elements.push_back(images(take("a list of images")));
      p_.prefix = std::move(element);
      return;
    }
    if (accept("state")) {
      PrefixState prefix;
      prefix.cell = cell("a one-hot cell");
      while (more()) prefix.states.push_back(small_number("the number of a state"));
      p_.prefix = std::move(prefix);
      return;
    }
    expect("points", "element, points or state");
    PrefixPoints points;
    while (more()) {
      const std::string text = take("a cell");
      PointReadout point;
      if (text.starts_with("always:")) {
        const auto image = whole_number(text.substr(7));
        if (!image || *image > UINT32_MAX) fail("expected a point after 'always:'");
        point.image = static_cast<std::uint32_t>(*image);
      } else {
        point.cell = cell_named(text);
      }
      points.points.push_back(point);
    }
    p_.prefix = std::move(points);
  }

  std::string text_line(const char* expected) {
    std::string text = take(expected);
    end_of_line();
    return text;
  }

  void parse_position() {
    PositionFill fill;
    fill.cell = cell("a cell");
    if (accept("parity")) {
      fill.parity = true;
    } else if (accept("back")) {
      fill.back = small_number("a number of positions");
    }
    end_of_line();
    p_.position.push_back(fill);
  }

  void parse_token() {
    const std::string kind = take("a letter or a token");
    if (p_.embedding.contains(kind)) fail("token " + in_quotes(kind) + " is described twice");
    auto& fills = p_.embedding[kind];
    while (more()) {
      const Literal l = literal(take("cell=label"));
      fills.push_back({l.cell, l.value});
    }
  }

  void parse_parameter() {
    const std::string name = take("a name");
    if (!p_.parameters.emplace(name, text_line("a value")).second)
      fail("duplicate parameter " + in_quotes(name));
  }

  void parse_normalise() {
    NormaliseStatement s;
    while (!accept("from")) s.targets.push_back(cell("a cell or 'from'"));
    while (more()) s.group.push_back(factor_and_component(take("a component")));
    block().push_back(std::move(s));
  }

  void parse_test() {
    TestStatement s;
    s.flag = cell("a flag");
    if (accept("positive")) {
      s.kind = TestStatement::Kind::positive;
    } else {
      expect("zero", "zero or positive");
    }
    s.number = component(take("a component"));
    end_of_line();
    block().push_back(s);
  }

  void begin_block(std::vector<Statement>& statements) {
    end_of_line();
    block_ = &statements;
  }

  void parse_copy() {
    auto& fetch = inside<FetchStatement>("fetch");
    const CellId target = cell("a target cell");
    fetch.writes.push_back(CopyWrite{target, cell("a source cell")});
    end_of_line();
  }
  void parse_move() {
    MoveStatement s;
    s.target = cell("a target cell");
    s.source = cell("a source cell");
    if (accept("when")) {
      do s.when.push_back(literal(take("cell=label")));
      while (more());
    }
    end_of_line();
    block().push_back(std::move(s));
  }
  void parse_add() {
    auto& fetch = inside<FetchStatement>("fetch");
    const Component target = component(take("a target component"));
    fetch.writes.push_back(SumWrite{target, form()});
  }
  void parse_set() {
    auto& fetch = inside<FetchStatement>("fetch");
    const Literal l = literal(take("cell=label"));
    end_of_line();
    fetch.writes.push_back(SetWrite{l.cell, l.value});
  }
  void parse_output() {
    OutputRow row{take("the name of the output"), {}};
    row.form = form();
    p_.outputs.push_back(std::move(row));
  }
  void parse_relation() {
    end_of_line();
    p_.relation = true;
  }

  struct Line {
    void (*parse)(Parser&);
    bool once = false;
  };

  void parse_line() {
    using P = Parser;
    static const std::unordered_map<std::string, Line> kLines = {
        {"program", {[](P& x) { x.p_.name = x.text_line("a name"); }, true}},
        {"construction", {[](P& x) { x.p_.construction = x.text_line("a name"); }, true}},
        {"source", {[](P& x) { x.p_.source = x.text_line("a source"); }, true}},
        {"hypothesis", {[](P& x) { x.p_.hypotheses.push_back(x.text_line("a sentence")); }}},
        {"deviation", {[](P& x) { x.p_.deviations.push_back(x.text_line("a sentence")); }}},
        {"parameter", {[](P& x) { x.parse_parameter(); }}},
        {"alphabet", {[](P& x) { x.p_.alphabet = x.take_all("a letter"); }, true}},
        {"begin", {[](P& x) { x.words().begin = true; }, true}},
        {"no-begin", {[](P& x) { x.words().begin = false; }, true}},
        {"end", {[](P& x) { x.words().end = true; }, true}},
        {"input", {[](P& x) { x.parse_input(); }, true}},
        {"unroll", {[](P& x) { x.parse_unroll(); }, true}},
        {"cell", {[](P& x) { x.parse_cell(); }}},
        {"given", {[](P& x) { x.parse_given(); }}},
        {"position", {[](P& x) { x.parse_position(); }}},
        {"at", {[](P& x) { x.parse_at(); }}},
        {"token", {[](P& x) { x.parse_token(); }}},
        {"initial", {[](P& x) { x.begin_block(x.p_.initial); }}},
        {"repeated", {[](P& x) { x.begin_block(x.p_.repeated); }}},
        {"final", {[](P& x) { x.begin_block(x.p_.final); }}},
        {"fetch", {[](P& x) { x.parse_fetch(); }}},
        {"copy", {[](P& x) { x.parse_copy(); }}},
        {"add", {[](P& x) { x.parse_add(); }}},
        {"set", {[](P& x) { x.parse_set(); }}},
        {"lookup", {[](P& x) {
           x.block().push_back(LookupStatement{x.text_line("the name"), {}});
         }}},
        {"rule", {[](P& x) { x.parse_rule(); }}},
        {"else", {[](P& x) { x.parse_else(); }}},
        {"move", {[](P& x) { x.parse_move(); }}},
        {"erase", {[](P& x) { x.block().push_back(EraseStatement{x.cells_to_end()}); }}},
        {"normalise", {[](P& x) { x.parse_normalise(); }}},
        {"test", {[](P& x) { x.parse_test(); }}},
        {"relation", {[](P& x) { x.parse_relation(); }, true}},
        {"output", {[](P& x) { x.parse_output(); }}},
        {"prefix", {[](P& x) { x.parse_prefix(); }, true}},
    };
    const std::string key = take("a keyword");
    const auto line = kLines.find(key);
    if (line == kLines.end()) {
      std::vector<std::string> keywords;
      for (const auto& [keyword, parsed] : kLines) keywords.push_back(keyword);
      const auto name = meant(key, keywords);
      fail(in_quotes(key) + " does not begin a line of a .cells file" +
           (name ? "; did you mean " + *name + "?"
                 : ": expected cell, token, initial, repeated, final, fetch, lookup, output or "
                   "another of its keywords"));
    }
    // The two spellings of one fact count as one line.
    if (line->second.once && !seen_.insert(key == "no-begin" ? "begin" : key).second)
      fail("a second line " + in_quotes(key));
    line->second.parse(*this);
  }

  std::string_view text_;
  std::vector<Statement>* block_ = nullptr;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Program parse_program(std::string_view text, const std::string& source) {
  return Parser(text, source).parse();
}

}}  // namespace logdepth::compiler_program
