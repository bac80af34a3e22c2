#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "compiler/line_words.hpp"
#include "compiler/program_text.hpp"
#include "runtime/weights_json.hpp"

namespace logdepth {
namespace {

class Parser : private LineWords {
 public:
  Parser(std::string_view text, const std::string& source) : LineWords(source), text_(text) {}

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
  CellId cell_named(const std::string& name) const {
    const auto found = cells_.find(name);
    if (found == cells_.end()) fail("'" + name + "' is not a declared cell");
    return found->second;
  }
  CellId cell(const char* expected) { return cell_named(take(expected)); }

  std::uint32_t label(CellId id, const std::string& text) const {
    const Cell& c = p_.cells[id];
    if (std::holds_alternative<FlagType>(c.type)) {
      if (text == "true") return 1;
      if (text == "false") return 0;
      fail("flag '" + c.name + "' is true or false, found '" + text + "'");
    }
    const auto* onehot = std::get_if<OneHotType>(&c.type);
    if (!onehot) fail("'" + c.name + "' is neither a flag nor one-hot and has no labels");
    const auto& index = labels_.at(id);
    const auto found = index.find(text);
    if (found == index.end()) fail("'" + text + "' is not a label of '" + c.name + "'");
    return found->second;
  }

  /// "cell=label"
  Literal literal(const std::string& text) const {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) fail("expected cell=label, found '" + text + "'");
    const CellId id = cell_named(text.substr(0, sign));
    return {id, label(id, text.substr(sign + 1))};
  }

  /// "cell" (of one component), "cell[index]" or "cell[label]"
  Component component(const std::string& text) const {
    const std::size_t bracket = text.find('[');
    if (bracket == std::string::npos) {
      const CellId id = cell_named(text);
      if (size_of(p_.cells[id].type) != 1)
        fail("'" + text + "' has " + std::to_string(size_of(p_.cells[id].type)) +
             " components: expected " + text + "[...]");
      return {id, 0};
    }
    if (text.back() != ']') fail("expected ']' at the end of '" + text + "'");
    const CellId id = cell_named(text.substr(0, bracket));
    const std::string inside = text.substr(bracket + 1, text.size() - bracket - 2);
    if (std::holds_alternative<OneHotType>(p_.cells[id].type)) return {id, label(id, inside)};
    std::uint32_t index = 0;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
    if (error != std::errc() || end != inside.data() + inside.size() ||
        index >= size_of(p_.cells[id].type))
      fail("'" + inside + "' is not a component of '" + p_.cells[id].name + "'");
    return {id, index};
  }

  /// "+ 1/2 one - fst", to the end of the line.
  LinearForm form() {
    LinearForm result;
    while (more()) {
      const bool minus = accept("-");
      if (!minus) expect("+");
      std::string text = take("a cell");
      Rational factor = 1;
      if (const auto value = Rational::parse(text)) {
        factor = *value;
        if (factor.sign() <= 0) fail("expected a positive factor after the sign");
        text = take("a cell");
      } else if (text[0] >= '0' && text[0] <= '9') {
        fail("'" + text + "' is neither a factor in lowest terms nor a cell");
      }
      result.push_back({component(text), minus ? -factor : factor});
    }
    return result;
  }

  PositionCode code() {
    const std::string text = take("phi, circle or two-circle");
    if (text == "phi") return PositionCode::phi;
    if (text == "circle") return PositionCode::circle;
    if (text == "two-circle") return PositionCode::two_circle;
    fail("expected phi, circle or two-circle, found '" + text + "'");
  }

  void declare_cell() {
    Cell c;
    c.name = take("the name of a cell");
    if (!is_cell_name(c.name))
      fail("'" + c.name +
           "' is not a name for a cell: expected a letter or _, then letters, digits, _ and ., and "
           "neither 'under' nor 'from'");
    if (cells_.contains(c.name)) fail("cell '" + c.name + "' is declared twice");
    if (accept("state"))
      c.lifetime = Lifetime::state;
    else if (accept("scratch"))
      c.lifetime = Lifetime::scratch;
    const auto id = static_cast<CellId>(p_.cells.size());
    if (accept("constant"))
      c.type = ConstantType{};
    else if (accept("flag"))
      c.type = FlagType{};
    else if (accept("key"))
      c.type = KeyType{code()};
    else if (accept("pointer"))
      c.type = PointerType{code()};
    else if (accept("direction"))
      c.type = DirectionType{small_number("a number of components")};
    else if (accept("number"))
      c.type = NumberType{small_number("a number of components")};
    else {
      expect("onehot");
      OneHotType type;
      while (more()) {
        type.labels.push_back(take("a label"));
        if (!labels_[id].emplace(type.labels.back(), type.labels.size() - 1).second)
          fail("label '" + type.labels.back() + "' stands twice");
      }
      if (type.labels.empty()) fail("expected labels after 'onehot'");
      c.type = std::move(type);
    }
    if (size_of(c.type) == 0) fail("cell '" + c.name + "' has no components");
    end_of_line();
    cells_.emplace(c.name, id);
    p_.cells.push_back(std::move(c));
  }

  void parse_unroll() {
    if (accept("fixed")) {
      p_.unroll.kind = Unroll::Kind::fixed;
      p_.unroll.loops = small_number("a number of loops");
    } else {
      expect("ceil_log2");
      if (accept("vertices")) {
        p_.unroll.kind = Unroll::Kind::ceil_log2_vertices;
      } else {
        expect("letters");
        p_.unroll.kind = Unroll::Kind::ceil_log2_letters;
      }
      expect("minus");
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
      expect("causal");
    if (accept("uniform")) {
      s.selector = SelectAll{};
    } else if (accept("match")) {
      SelectPointed x;
      x.pointer = cell("a pointer cell");
      if (accept("back")) x.back = small_number("a number of positions");
      expect("key");
      x.key = cell("a key cell");
      s.selector = x;
    } else if (accept("rightmost")) {
      SelectRightmost x;
      x.flag = literal(take("cell=label"));
      expect("key");
      x.key = cell("a key cell");
      s.selector = x;
    } else {
      if (!accept("same")) fail("expected uniform, match, same or rightmost");
      SelectSame x;
      while (more() && !at("under")) x.cells.push_back(cell("a cell"));
      if (x.cells.empty()) fail("expected cells after 'same'");
      s.selector = x;
    }
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
    while (more()) {
      const Literal l = literal(take("cell=label"));
      rule.then.push_back({l.cell, l.value});
    }
    lookup.rules.push_back(std::move(rule));
  }

  /// "[1,0,2]"
  std::vector<std::uint32_t> images(const std::string& text) const {
    std::vector<std::uint32_t> values;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto malformed = [&] {
      fail("expected a list of images as [1,0,2], found '" + text + "'");
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
    expect("points");
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
    if (accept("back")) fill.back = small_number("a number of positions");
    end_of_line();
    p_.position.push_back(fill);
  }

  void parse_token() {
    const std::string kind = take("a letter or <begin>");
    if (p_.embedding.contains(kind)) fail("token '" + kind + "' is described twice");
    auto& fills = p_.embedding[kind];
    while (more()) {
      const Literal l = literal(take("cell=label"));
      fills.push_back({l.cell, l.value});
    }
  }

  void parse_parameter() {
    const std::string name = take("a name");
    if (!p_.parameters.emplace(name, text_line("a value")).second)
      fail("parameter '" + name + "' stands twice");
  }

  void parse_normalise() {
    NormaliseStatement s;
    while (!accept("from")) s.targets.push_back(cell("a cell or 'from'"));
    while (more()) s.group.push_back(component(take("a component")));
    block().push_back(std::move(s));
  }

  void begin_block(std::vector<Statement>& statements) {
    end_of_line();
    block_ = &statements;
  }

  void set_begin(bool begin) {
    end_of_line();
    p_.begin = begin;
  }

  std::vector<CellId> cells_to_end() {
    std::vector<CellId> cells;
    while (more()) cells.push_back(cell("a cell"));
    return cells;
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
        {"begin", {[](P& x) { x.set_begin(true); }, true}},
        {"no-begin", {[](P& x) { x.set_begin(false); }, true}},
        {"unroll", {[](P& x) { x.parse_unroll(); }, true}},
        {"cell", {[](P& x) { x.declare_cell(); }}},
        {"position", {[](P& x) { x.parse_position(); }}},
        {"token", {[](P& x) { x.parse_token(); }}},
        {"initial", {[](P& x) { x.begin_block(x.p_.initial); }}},
        {"repeated", {[](P& x) { x.begin_block(x.p_.repeated); }}},
        {"final", {[](P& x) { x.begin_block(x.p_.final); }}},
        {"fetch", {[](P& x) { x.parse_fetch(); }}},
        {"copy", {[](P& x) {
           auto& fetch = x.inside<FetchStatement>("fetch");
           fetch.writes.push_back(x.cell_pair<CopyWrite>());
         }}},
        {"add", {[](P& x) {
           auto& fetch = x.inside<FetchStatement>("fetch");
           const Component target = x.component(x.take("a target component"));
           fetch.writes.push_back(SumWrite{target, x.form()});
         }}},
        {"lookup", {[](P& x) {
           x.block().push_back(LookupStatement{x.text_line("the name"), {}});
         }}},
        {"rule", {[](P& x) { x.parse_rule(); }}},
        {"move", {[](P& x) { x.block().push_back(x.cell_pair<MoveStatement>()); }}},
        {"erase", {[](P& x) { x.block().push_back(EraseStatement{x.cells_to_end()}); }}},
        {"normalise", {[](P& x) { x.parse_normalise(); }}},
        {"output", {[](P& x) {
           OutputRow row{x.take("the name of the output"), {}};
           row.form = x.form();
           x.p_.outputs.push_back(std::move(row));
         }}},
        {"prefix", {[](P& x) { x.parse_prefix(); }, true}},
    };
    const std::string key = take("a keyword");
    const auto line = kLines.find(key);
    if (line == kLines.end()) fail("'" + key + "' does not begin a line of a .cells file");
    // The two spellings of one fact count as one line.
    if (line->second.once && !seen_.insert(key == "no-begin" ? "begin" : key).second)
      fail("a second line '" + key + "'");
    line->second.parse(*this);
  }

  std::string_view text_;
  Program p_;
  std::vector<Statement>* block_ = nullptr;
  std::unordered_map<std::string, CellId> cells_;
  std::unordered_set<std::string> seen_;
  std::unordered_map<CellId, std::unordered_map<std::string, std::uint32_t>> labels_;
};

}  // namespace

Program parse_program(std::string_view text, const std::string& source) {
  return Parser(text, source).parse();
}

}  // namespace logdepth
