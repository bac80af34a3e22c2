#include "objects/crasp.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

using Operation = CraspProgram::Operation;
using NodeId = std::uint32_t;

constexpr int kMaxCraspNesting = 300;  // expressions are read recursively
constexpr std::string_view kReserved[] = {"and", "or",  "not",      "true", "false",
                                          "min", "max", "alphabet", "Q"};

struct CraspWord {
  enum class Kind { name, number, letter, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;       ///< of a letter as it is spelled, without Q_ and quotation marks
  std::string_view word = {};  ///< the spelling of ours, where the file has another one

  bool is(std::string_view other) const {
    return (kind == Kind::symbol || kind == Kind::name) && (word.empty() ? text : word) == other;
  }
};

/// Spellings of other languages and of papers, and ours.
constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"==", "="},       {"&&", "and"},    {"||", "or"},     {"!", "not"},     {"\u00AC", "not"},
    {"\u2227", "and"}, {"\u2228", "or"}, {"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="}};

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The line up to a `//` at the beginning of a word.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find("//"); at != std::string_view::npos; at = line.find("//", at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

/// A letter in quotation marks, and how many bytes it takes with them: \" and \\ are the characters behind the backslash.
std::optional<std::pair<std::string, std::size_t>> quoted_letter(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string letter;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"' && !letter.empty()) return {{std::move(letter), at + 1}};
    const std::string_view behind = text.substr(at + 1, 1);
    at += text[at] == '\\' && (behind == "\"" || behind == "\\");
    letter += text[at];  // a letter is not empty: the first character may be this mark
  }
  return std::nullopt;
}

class CraspReader {
 public:
  explicit CraspReader(const std::string& source) : source_(source) {}

  CraspProgram read(const std::string& text) {
    for (const std::string_view line : lines_of(text)) {
      ++line_;
      text_ = line;
      rest_ = without_comment(line);
      const auto fields = fields_of(rest_);
      if (fields.empty()) continue;
      token_ = {CraspWord::Kind::name, fields.front()};
      if (fields.front() == "alphabet") {
        read_alphabet(fields);
      } else if (!alphabet_) {
        refuse("expected a line 'alphabet LETTER...' first, found " + in_quotes(fields.front()));
      } else {
        read_line();
      }
    }
    ++line_;
    text_ = {};
    if (!alphabet_) refuse("expected a line 'alphabet LETTER...'");
    if (!decides_) refuse("expected a Boolean line, which decides, found none");
    program_.source = source_;
    program_.decides = *decides_;
    program_.alphabet = *std::move(alphabet_);
    return std::move(program_);
  }

 private:
  /// One level of an expression, for as long as it is read.
  struct Nested {
    explicit Nested(CraspReader& reader) : reader(reader) {
      if (++reader.nesting_ > kMaxCraspNesting)
        reader.refuse(
            fmt::format("expected an expression nested at most {} deep", kMaxCraspNesting));
    }
    ~Nested() { --reader.nesting_; }
    CraspReader& reader;
  };

  [[noreturn]] void refuse(const std::string& sentence) const {
    throw TextPlace{source_, line_, text_}.error(token_.text, sentence);
  }
  std::string found() const {
    return ", found " +
           (token_.kind == CraspWord::Kind::end ? "the end of the line" : in_quotes(token_.text));
  }

  // --- words of a line ---

  void next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    if (rest_.empty()) {
      token_ = {CraspWord::Kind::end, rest_};
    } else if (rest_.starts_with("Q_")) {
      rest_.remove_prefix(2);
      read_letter();
    } else if (std::isdigit(static_cast<unsigned char>(rest_.front()))) {
      take(CraspWord::Kind::number, length_of_name());
    } else if (is_name_character(rest_.front())) {
      take(CraspWord::Kind::name, length_of_name());
    } else {
      constexpr std::string_view kTwo[] = {":=", "<=", ">=", "==", "!=", "&&", "||"};
      const bool two = std::ranges::any_of(
          kTwo, [&](std::string_view symbol) { return rest_.starts_with(symbol); });
      take(CraspWord::Kind::symbol, two ? 2 : std::max<std::size_t>(1, utf8_length(rest_)));
      for (const auto& [spelling, word] : kSpellings)
        if (token_.text == spelling) token_.word = word;
    }
  }

  /// After Q_: letters, digits and _, or one other character, or any text in quotation marks.
  void read_letter() {
    if (rest_.starts_with('"')) {
      auto quoted = quoted_letter(rest_);
      if (!quoted) refuse("expected a second \" after Q_\"");
      letter_ = std::move(quoted->first);
      token_ = {CraspWord::Kind::letter, rest_.substr(1, quoted->second - 2)};
      rest_.remove_prefix(quoted->second);
    } else {
      take(CraspWord::Kind::letter, std::max(length_of_name(), utf8_length(rest_)));
      if (token_.text.empty() || token_.text.front() == ' ' || token_.text.front() == '\t')
        refuse("expected a letter after Q_");
      letter_ = token_.text;
    }
  }

  std::size_t length_of_name() const {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_name_character);
    return static_cast<std::size_t>(end - rest_.begin());
  }

  void take(CraspWord::Kind kind, std::size_t length) {
    token_ = {kind, rest_.substr(0, length)};
    rest_.remove_prefix(length);
  }

  bool taken(std::string_view word) {
    if (!token_.is(word)) return false;
    next();
    return true;
  }

  void expect(std::string_view symbol, const std::string& where) {
    if (!taken(symbol)) refuse(fmt::format("expected '{}' {}", symbol, where) + found());
  }

  // --- lines ---

  void read_alphabet(const std::vector<std::string_view>& fields) {
    if (alphabet_) refuse("expected one line 'alphabet', found a second one");
    if (fields.size() == 1) refuse("expected letters after 'alphabet'");
    std::vector<std::string> letters;
    for (const std::string_view field : std::span(fields).subspan(1)) {
      const auto quoted = quoted_letter(field);
      letters.emplace_back(quoted && quoted->second == field.size() ? quoted->first : field);
    }
    try {
      alphabet_ = Alphabet(std::move(letters));
    } catch (const InputError& error) {
      refuse(error.what());
    }
  }

  void read_line() {
    next();
    if (token_.kind != CraspWord::Kind::name) refuse("expected NAME := EXPRESSION" + found());
    const std::string name(token_.text);
    if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved))
      refuse("expected a name, found the word " + in_quotes(name));
    if (const auto known = names_.find(name); known != names_.end())
      refuse(fmt::format("expected a new name, found {}, which line {} defines", in_quotes(name),
                         known->second.second));
    next();
    at_position();
    expect(":=", "after the name " + in_quotes(name));
    const NodeId node = expression();
    if (token_.kind != CraspWord::Kind::end) refuse("expected the end of the line" + found());
    names_[name] = {node, line_};
    program_.lines.push_back({name, node, line_});
    if (!is_count(operation(node))) decides_ = node;
  }

  // --- expressions, from what binds least ---

  NodeId expression() {
    const Nested nested(*this);
    const NodeId condition = disjunction();
    if (!taken("?")) return condition;
    boolean(condition, "before '?'");
    const NodeId first = count(expression(), "after '?'");
    expect(":", "between the two counts of a conditional");
    return add(Operation::choice, {condition, first, count(expression(), "after ':'")});
  }

  NodeId disjunction() {
    NodeId left = conjunction();
    while (taken("or")) {
      boolean(left, "before 'or'");
      left = add(Operation::either, {left, boolean(conjunction(), "after 'or'")});
    }
    return left;
  }

  NodeId conjunction() {
    NodeId left = negation();
    while (taken("and")) {
      boolean(left, "before 'and'");
      left = add(Operation::both, {left, boolean(negation(), "after 'and'")});
    }
    return left;
  }

  NodeId negation() {
    const Nested nested(*this);
    if (!taken("not")) return comparison();
    return add(Operation::negation, {boolean(negation(), "after 'not'")});
  }

  NodeId comparison() {
    const NodeId left = sum();
    for (const std::string_view relation : {"<=", "<", ">=", ">", "=", "!="}) {
      const std::string word = in_quotes(relation);
      if (!taken(relation)) continue;
      count(left, "before " + word);
      const NodeId right = count(sum(), "after " + word);
      if (relation == "=") return add(Operation::equal, {left, right});
      if (relation == "!=") return add(Operation::negation, {add(Operation::equal, {left, right})});
      const auto compared = relation.ends_with('=') ? Operation::less_equal : Operation::less;
      return relation.front() == '<' ? add(compared, {left, right}) : add(compared, {right, left});
    }
    return left;
  }

  NodeId sum() {
    NodeId left = term();
    while (token_.is("+") || token_.is("-")) {
      const bool plus = token_.is("+");
      next();
      count(left, plus ? "before '+'" : "before '-'");
      const NodeId right = count(term(), plus ? "after '+'" : "after '-'");
      left = add(plus ? Operation::sum : Operation::difference, {left, right});
    }
    return left;
  }

  NodeId term() {
    const Nested nested(*this);
    if (taken("-")) return add(Operation::multiple, {count(term(), "after '-'")}, -1);
    const bool number = token_.kind == CraspWord::Kind::number;
    const NodeId left = primary();
    if (!taken("*")) return left;
    if (!number) refuse("expected a number before '*'");
    const std::int64_t factor = program_.nodes[left].number;
    return add(Operation::multiple, {count(term(), "after '*'")}, factor);
  }

  NodeId primary() {
    const CraspWord here = token_;
    if (here.kind == CraspWord::Kind::number) return number();
    if (here.kind == CraspWord::Kind::letter) return at_position(letter());
    if (taken("true") || taken("false")) return add(Operation::constant, {}, here.is("true"));
    if (taken("#")) {
      expect("[", "after '#'");
      if (token_.is("j") && !names_.contains("j")) return count_of_positions();
      const NodeId counted = boolean(expression(), "between '#[' and ']'");
      expect("]", "after what is counted");
      return add(Operation::count, {counted});
    }
    if (taken("(")) {
      const NodeId inside = expression();
      expect(")", "after an expression in parentheses");
      return inside;
    }
    if (taken("min") || taken("max")) {
      const std::string name(here.text);
      expect("(", "after " + in_quotes(name));
      const NodeId left = count(expression(), "in " + in_quotes(name));
      expect(",", "between the two counts of " + in_quotes(name));
      const NodeId right = count(expression(), "in " + in_quotes(name));
      expect(")", "after the two counts of " + in_quotes(name));
      return add(here.is("min") ? Operation::minimum : Operation::maximum, {left, right});
    }
    if (here.kind == CraspWord::Kind::name) {
      const auto known = names_.find(std::string(here.text));
      if (known == names_.end()) return position_or_refuse();
      next();
      return at_position(known->second.first);
    }
    refuse("expected an expression" + found());
  }

  // --- positions, as programs of papers name them ---

  bool is_position() const {
    return token_.is(position_) && !names_.contains(std::string(position_));
  }

  void expect_position(const std::string& where) {
    if (!is_position())
      refuse(fmt::format("expected the position '{}' {}", position_, where) + found());
    next();
  }

  /// P(i) is P, and in #[j <= i] P(j) so is P(j).
  NodeId at_position(NodeId node = 0) {
    if (!taken("(")) return node;
    expect_position("between parentheses after a name or letter");
    expect(")", "after the position");
    return node;
  }

  std::int64_t number_up_to(std::int64_t least, std::int64_t most, const std::string& where) {
    if (token_.kind != CraspWord::Kind::number) refuse("expected a number " + where + found());
    const std::string_view digits = token_.text;
    const std::int64_t value = value_of_number();
    if (value < least || value > most)
      refuse(fmt::format("expected a number from {} to {} {}, found '{}'", least, most, where,
                         digits));
    return value;
  }

  /// MOD(i, m) or i mod m.
  NodeId position_or_refuse() {
    const bool infix = is_position();
    if (infix) {
      next();
      if (!taken("mod") && !taken("MOD") && !taken("%"))
        refuse(fmt::format("expected 'mod' after the position '{}'", position_) + found());
    } else if (taken("MOD") || taken("mod")) {
      expect("(", "after 'MOD'");
      expect_position("after 'MOD('");
      expect(",", "between position and modulus");
    } else {
      refuse_name();
    }
    const std::int64_t modulus = number_up_to(1, kMaxCraspDistance, "as modulus of a position");
    if (!infix) expect(")", "after a modulus");
    return add(Operation::position, {}, modulus);
  }

  /// #[j REL i - c, ...] P(j), from j on: a count of positions at some distances to the left.
  NodeId count_of_positions() {
    if (position_ == "j")
      refuse("expected one '#[j ...]', found one inside another: give it a line");
    std::int64_t nearest = 0;
    std::optional<std::int64_t> farthest;
    do {
      if (!token_.is("j")) refuse("expected the position 'j' in '#[j ...]'" + found());
      next();
      const std::string relation = word_of_relation();
      next();
      expect_position("after " + in_quotes("j " + relation));
      std::int64_t distance = 0;
      if (token_.is("+")) refuse("expected positions up to i, found 'i +'");
      if (taken("-")) distance = number_up_to(0, kMaxCraspDistance, "after 'i -'");
      if (relation == "<") nearest = std::max(nearest, distance + 1);
      if (relation == "<=" || relation == "=") nearest = std::max(nearest, distance);
      const std::int64_t last = relation == ">" ? distance - 1 : distance;
      if (relation.front() != '<') farthest = std::min(farthest.value_or(last), last);
    } while (taken(","));
    expect("]", "after the positions that are counted");
    position_ = "j";
    const NodeId counted = counted_there();
    position_ = "i";
    const NodeId node = add(Operation::recent, {counted}, nearest);
    program_.nodes[node].farthest = farthest;
    return node;
  }

  std::string word_of_relation() const {
    for (const std::string_view relation : {"<=", "<", ">=", ">", "="})
      if (token_.is(relation)) return std::string(relation);
    refuse("expected '<', '<=', '=', '>=' or '>' after the position 'j'" + found());
  }

  NodeId counted_there() {
    const Nested nested(*this);
    if (taken("not")) return add(Operation::negation, {counted_there()});
    return boolean(primary(), "after '#[j ...]'");
  }

  [[noreturn]] void refuse_name() const {
    constexpr std::string_view kPositions[] = {"i", "j", "n", "pos"};
    const bool position =
        std::ranges::find(kPositions, token_.text) != std::ranges::end(kPositions);
    refuse("expected the name of an earlier line" + found() +
           (position
                ? fmt::format("; positions are written MOD({}, m) and #[j = i - 1] P(j)", position_)
                : ""));
  }

  std::int64_t value_of_number() {
    std::int64_t value = 0;
    for (const char digit : token_.text) {
      if (!std::isdigit(static_cast<unsigned char>(digit))) refuse("expected a number" + found());
      value = std::min(10 * value + (digit - '0'), kMaxCraspFactor + 1);
    }
    next();
    return value;
  }

  NodeId number() { return add(Operation::number, {}, value_of_number()); }

  NodeId letter() {
    const auto letter = alphabet_->find(letter_);
    if (!letter) refuse("expected a letter of the alphabet after Q_" + found());
    next();
    return add(Operation::letter, {}, *letter);
  }

  // --- nodes ---

  Operation operation(NodeId node) const { return program_.nodes[node].operation; }

  NodeId boolean(NodeId node, const std::string& where) const {
    if (is_count(operation(node))) refuse("expected a Boolean " + where + ", found a count");
    return node;
  }
  NodeId count(NodeId node, const std::string& where) const {
    if (!is_count(operation(node))) refuse("expected a count " + where + ", found a Boolean");
    return node;
  }

  NodeId add(Operation operation, std::array<NodeId, 3> operands, std::int64_t number = 0) {
    program_.nodes.push_back({operation, operands, number, line_});
    factors_.push_back(factor(program_.nodes.back()));
    if (factors_.back() > kMaxCraspFactor)
      refuse(fmt::format("expected counts of at most {} times the number of positions",
                         kMaxCraspFactor));
    return static_cast<NodeId>(program_.nodes.size() - 1);
  }

  /// A count is at most this many times the number of positions, the one before the word included.
  std::int64_t factor(const CraspProgram::Node& node) const {
    const auto of = [&](std::size_t i) { return factors_[node.operands[i]]; };
    switch (node.operation) {
      case Operation::number:
        return node.number;
      case Operation::count:
      case Operation::recent:
        return 1;
      case Operation::position:
        return node.number - 1;
      case Operation::sum:
      case Operation::difference:
        return of(0) + of(1);
      case Operation::multiple:
        return std::abs(node.number) * of(0);
      case Operation::minimum:
      case Operation::maximum:
        return std::max(of(0), of(1));
      case Operation::choice:
        return std::max(of(1), of(2));
      default:
        return 0;
    }
  }

  const std::string& source_;
  std::size_t line_ = 0;
  std::string_view text_;  ///< the present line
  std::string_view rest_;  ///< of it, behind token_
  std::string letter_;     ///< which token_ stands for
  CraspWord token_;
  std::string_view position_ = "i";  ///< what the position is called; j in #[j <= i] P(j)
  int nesting_ = 0;
  std::optional<Alphabet> alphabet_;
  CraspProgram program_;
  std::vector<std::int64_t> factors_;                            ///< of each node
  std::map<std::string, std::pair<NodeId, std::size_t>> names_;  ///< with the line of the file
  std::optional<NodeId> decides_;
};

}  // namespace

CraspProgram parse_crasp(const std::string& text, const std::string& source) {
  return CraspReader(source).read(text);
}

}}  // namespace logdepth::objects
