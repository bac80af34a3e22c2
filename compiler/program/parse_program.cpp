#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "base/json_tape.hpp"
#include "base/quoted_text.hpp"
#include "base/spelling.hpp"
#include "compiler/program/program_text.hpp"
#include "compiler/program/program_words.hpp"

namespace logdepth::inline compiler_program {
namespace {

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
    do {
      const Literal l = literal(take("cell=label"));
      rule.then.push_back({l.cell, l.value});
    } while (more());
    lookup.rules.push_back(std::move(rule));
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
        const char* first = text.data() + 7;
        const auto [end, error] = std::from_chars(first, text.data() + text.size(), point.image);
        if (error != std::errc() || end != text.data() + text.size())
          fail("expected a point after 'always:'");
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

  /// "TARGET SOURCE", the rest of a copy or move.
  template <class Write>
  Write cell_pair() {
    Write write;
    write.target = cell("a target cell");
    write.source = cell("a source cell");
    end_of_line();
    return write;
  }

  void parse_copy() {
    auto& fetch = inside<FetchStatement>("fetch");
    fetch.writes.push_back(cell_pair<CopyWrite>());
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
        {"move", {[](P& x) { x.block().push_back(x.cell_pair<MoveStatement>()); }}},
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

}  // namespace logdepth::inline compiler_program
