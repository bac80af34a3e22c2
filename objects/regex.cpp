#include "objects/regex.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {
namespace {

using Node = std::shared_ptr<const Regex>;

/// Syntax trees are walked recursively, here and elsewhere, so hostile text must not make them
/// deep.
constexpr std::size_t max_depth = 300;
constexpr std::size_t max_repeat = 1000;
constexpr std::size_t max_letters = 4096;

constexpr std::string_view special = "|*+?{}.[]()\\!&^$";

/// Recursive descent over the text. It runs twice when no alphabet is given: first to collect the
/// letters that occur, then, with these as alphabet, to build the tree ('.', negated classes and
/// complement depend on all of them).
class Parser {
 public:
  Parser(std::string_view text, const Alphabet* alphabet, bool alphabet_given = false)
      : text_(text), alphabet_(alphabet), alphabet_given_(alphabet_given) {
    if (alphabet_ == nullptr) return;
    for (Letter letter = 0; letter < alphabet_->size(); ++letter) {
      const std::string& name = alphabet_->name(letter);
      if (utf8_length(name) == name.size()) index_.emplace(utf8_decode(name), letter);
    }
  }

  Node parse() {
    Tree tree = alternation();
    if (!at_end()) {
      if (peek() == U')') fail("unmatched ')'; write \\) for the letter");
      fail("expected the end of the expression");
    }
    return tree.node;
  }

  const std::set<char32_t>& collected() const { return collected_; }

 private:
  struct Tree {
    Node node;
    std::size_t depth = 1;
  };

  [[noreturn]] void fail(const std::string& sentence) const { fail_at(column_, sentence); }
  [[noreturn]] void fail_at(std::size_t column, const std::string& sentence) const {
    throw InputError(fmt::format("regular expression, column {}: {}", column, sentence));
  }

  bool at_end() const { return position_ == text_.size(); }
  char32_t peek() const { return at_end() ? U'\0' : utf8_decode(text_.substr(position_)); }
  bool next_is(char32_t character) const { return !at_end() && peek() == character; }
  char32_t take() {
    const std::size_t length = utf8_length(text_.substr(position_));
    if (length == 0) fail("expected UTF-8 text");
    const char32_t character = peek();
    position_ += length;
    ++column_;
    return character;
  }
  bool take_if(char32_t character) {
    if (!next_is(character)) return false;
    take();
    return true;
  }

  Tree make(Regex::Kind kind, std::vector<Tree> operands) const {
    Regex node;
    node.kind = kind;
    std::size_t depth = 0;
    for (Tree& operand : operands) {
      depth = std::max(depth, operand.depth);
      node.parts.push_back(std::move(operand.node));
    }
    if (depth >= max_depth) {
      fail(fmt::format("the expression is nested more than {} deep; expected a flatter one",
                       max_depth));
    }
    return {std::make_shared<const Regex>(std::move(node)), depth + 1};
  }
  Tree empty_word() const { return make(Regex::Kind::empty_word, {}); }

  /// The tree of one of these characters; in the collecting run only their number matters.
  Tree letters(const std::vector<char32_t>& members, bool negated) const {
    Regex node;
    node.kind = Regex::Kind::letters;
    if (alphabet_ != nullptr) {
      node.letters.assign(alphabet_->size(), negated);
      for (const char32_t member : members) node.letters[index_.at(member)] = !negated;
    }
    return {std::make_shared<const Regex>(std::move(node)), 1};
  }

  void note_letter(char32_t character, std::size_t column) {
    if (character <= U' ' || character == 0x7F || is_unseen(character)) {
      fail_at(column, "white space and control characters cannot be letters, found " +
                          in_quotes(utf8_encode(character)));
    }
    if (alphabet_ == nullptr) {
      collected_.insert(character);
      if (collected_.size() > max_letters) {
        throw SizeLimit(fmt::format(
            "the regular expression names more than {} letters, the limit; try smaller classes",
            max_letters));
      }
    } else if (index_.count(character) == 0) {
      fail_at(column, "letter " + in_quotes(utf8_encode(character)) + " is not in the alphabet");
    }
  }

  Tree alternation() {
    if (++open_ > max_depth) {
      fail(fmt::format("the expression is nested more than {} deep; expected a flatter one",
                       max_depth));
    }
    std::vector<Tree> branches;
    branches.push_back(intersection());
    while (take_if(U'|')) branches.push_back(intersection());
    --open_;
    if (branches.size() == 1) return std::move(branches.front());
    return make(Regex::Kind::alternation, std::move(branches));
  }

  Tree intersection() {
    std::vector<Tree> operands;
    bool has_text = false;
    operands.push_back(concatenation(has_text));
    while (next_is(U'&')) {
      if (!has_text) fail("expected an expression before '&'; write () for the empty word");
      take();
      operands.push_back(concatenation(has_text));
      if (!has_text) fail("expected an expression after '&'; write () for the empty word");
    }
    if (operands.size() == 1) return std::move(operands.front());
    return make(Regex::Kind::intersection, std::move(operands));
  }

  Tree concatenation(bool& has_text) {
    std::vector<Tree> factors;
    while (!at_end() && !next_is(U'|') && !next_is(U'&') && !next_is(U')')) {
      factors.push_back(prefixed());
    }
    has_text = !factors.empty();
    if (factors.empty()) return empty_word();
    if (factors.size() == 1) return std::move(factors.front());
    return make(Regex::Kind::concatenation, std::move(factors));
  }

  Tree prefixed() {
    std::size_t complements = 0;
    while (take_if(U'!')) ++complements;
    if (complements > 0 && (at_end() || next_is(U'|') || next_is(U'&') || next_is(U')'))) {
      fail("expected an expression after '!'");
    }
    Tree tree = repeated();
    // Two complements cancel.
    if (complements % 2 == 1) tree = make(Regex::Kind::complement, {std::move(tree)});
    return tree;
  }

  Tree repeated() {
    Tree tree = atom();
    while (true) {
      if (take_if(U'*')) {
        tree = star(std::move(tree));
      } else if (take_if(U'+')) {
        Tree tail = star(tree);
        tree = make(Regex::Kind::concatenation, {std::move(tree), std::move(tail)});
      } else if (take_if(U'?')) {
        tree = optional(tree);
      } else if (next_is(U'{')) {
        tree = counted(std::move(tree));
      } else {
        return tree;
      }
    }
  }

  Tree star(const Tree& tree) const {
    if (tree.node->kind == Regex::Kind::star) return tree;
    return make(Regex::Kind::star, {tree});
  }
  Tree optional(const Tree& tree) const {
    return make(Regex::Kind::alternation, {tree, empty_word()});
  }

  Tree counted(Tree tree) {
    const std::size_t opening = column_;
    take();
    const std::size_t least = number();
    std::size_t most = least;
    bool unbounded = false;
    if (take_if(U',')) {
      unbounded = next_is(U'}');
      if (!unbounded) most = number();
    }
    if (!take_if(U'}')) fail("expected '}' to end the repeat");
    if (most < least) {
      fail_at(opening, fmt::format("expected {{m,n}} with m <= n, found {{{},{}}}", least, most));
    }
    std::vector<Tree> factors(least, tree);
    if (unbounded) factors.push_back(star(tree));
    if (most > least) factors.insert(factors.end(), most - least, optional(tree));
    if (factors.empty()) return empty_word();
    if (factors.size() == 1) return std::move(factors.front());
    return make(Regex::Kind::concatenation, std::move(factors));
  }

  std::size_t number() {
    if (at_end() || peek() < U'0' || peek() > U'9') {
      fail("expected a number: {m}, {m,} or {m,n}; write \\{ for the letter");
    }
    const std::size_t column = column_;
    std::size_t value = 0;
    while (!at_end() && peek() >= U'0' && peek() <= U'9') {
      value = std::min<std::size_t>(10 * value + (take() - U'0'), max_repeat + 1);
    }
    if (value > max_repeat) {
      fail_at(column, fmt::format("expected a repeat of at most {}", max_repeat));
    }
    return value;
  }

  Tree atom() {
    const std::size_t column = column_;
    const char32_t character = take();
    switch (character) {
      case U'(': {
        Tree tree = alternation();
        if (!take_if(U')')) fail(fmt::format("expected ')' for the '(' of column {}", column));
        return tree;
      }
      case U'.':
        return letters({}, true);
      case U'[':
        return character_class(column);
      case U'*':
      case U'+':
      case U'?':
      case U'{':
        fail_at(column, std::string("expected an expression before '") +
                            static_cast<char>(character) + "'; write \\" +
                            static_cast<char>(character) + " for the letter");
      case U'^':
      case U'$':
        fail_at(column, std::string("the whole word is matched, so '") +
                            static_cast<char>(character) + "' is not needed; write \\" +
                            static_cast<char>(character) + " for the letter");
      case U']':
      case U'}':
        fail_at(column, std::string("unmatched '") + static_cast<char>(character) + "'; write \\" +
                            static_cast<char>(character) + " for the letter");
      case U'\\': {
        const char32_t member = escaped(column);
        note_letter(member, column);
        return letters({member}, false);
      }
      default:
        note_letter(character, column);
        return letters({character}, false);
    }
  }

  /// The character after a backslash that was taken already.
  char32_t escaped(std::size_t column) {
    if (at_end()) fail("expected a letter after '\\'");
    const char32_t character = take();
    // Before a letter or digit a backslash means something else in every other dialect.
    if ((character >= U'0' && character <= U'9') || (character >= U'a' && character <= U'z') ||
        (character >= U'A' && character <= U'Z')) {
      fail_at(column, std::string("unknown escape '\\") + static_cast<char>(character) +
                          "'; expected a letter that needs one, of " + std::string(special));
    }
    return character;
  }

  Tree character_class(std::size_t opening) {
    const bool negated = take_if(U'^');
    std::vector<char32_t> members;
    bool first = true;
    while (!next_is(U']')) {
      const std::size_t column = column_;
      const char32_t low = class_member(opening);
      if (low == U'-' && !first && !next_is(U']') && text_[position_ - 2] != '\\') {
        fail_at(column, "expected a range such as a-z; write \\- for the letter");
      }
      first = false;
      char32_t high = low;
      if (next_is(U'-') && text_.substr(position_ + 1, 1) != "]") {
        take();
        high = class_member(opening);
        if (high < low) {
          fail_at(column, "expected a range in character order, found " + utf8_encode(low) + "-" +
                              utf8_encode(high));
        }
      }
      for (char32_t member = low; member <= high; ++member) {
        if (member >= 0xD800 && member <= 0xDFFF) continue;  // surrogates are no characters
        note_letter(member, column);
        members.push_back(member);
      }
    }
    take();
    if (members.empty()) fail_at(opening, "expected at least one letter in the class");
    // Over a given alphabet that is the empty set; over letters merely collected it is a slip.
    if (negated && alphabet_ && !alphabet_given_ &&
        std::set<char32_t>(members.begin(), members.end()).size() == alphabet_->size()) {
      fail_at(opening,
              "the negated class matches no letter of the alphabet; give more letters "
              "with --alphabet");
    }
    return letters(members, negated);
  }

  char32_t class_member(std::size_t opening) {
    if (at_end()) fail(fmt::format("expected ']' for the '[' of column {}", opening));
    const std::size_t column = column_;
    const char32_t character = take();
    if (character == U'\\') return escaped(column);
    if (character == U'[') fail_at(column, "expected a letter of the class; write \\[ for '['");
    return character;
  }

  std::string_view text_;
  const Alphabet* alphabet_;
  bool alphabet_given_;
  std::unordered_map<char32_t, Letter> index_;
  std::set<char32_t> collected_;
  std::size_t position_ = 0;
  std::size_t column_ = 1;
  std::size_t open_ = 0;
};

}  // namespace

ParsedRegex parse_regex(std::string_view text, const std::optional<Alphabet>& alphabet) {
  if (text.empty())
    throw InputError(
        "regular expression, column 1: expected an expression; write () for the empty word");
  ParsedRegex parsed;
  if (alphabet) {
    parsed.alphabet = *alphabet;
  } else {
    Parser collector(text, nullptr);
    collector.parse();
    std::vector<std::string> names;
    for (const char32_t character : collector.collected()) names.push_back(utf8_encode(character));
    parsed.alphabet = Alphabet(std::move(names));
  }
  if (parsed.alphabet.size() == 0) {
    throw InputError(
        "regular expression, column 1: no letter occurs; give the letters with --alphabet");
  }
  parsed.root = Parser(text, &parsed.alphabet, alphabet.has_value()).parse();
  return parsed;
}

namespace {

/// Arcs of one automaton; repeats of repeats multiply, so this is where they stop.
constexpr std::size_t max_arcs = 2000000;
constexpr std::size_t max_states = std::size_t{1} << 20;

class Thompson {
 public:
  explicit Thompson(const Alphabet& alphabet) { nfa_.alphabet = alphabet; }

  Nfa of(const Regex& regex) && {
    const Piece whole = build(regex);
    nfa_.initial = {whole.in};
    nfa_.accepting[whole.out] = true;
    return std::move(nfa_);
  }

 private:
  struct Piece {
    State in;
    State out;
  };

  State fresh() {
    nfa_.accepting.push_back(false);
    return static_cast<State>(nfa_.accepting.size() - 1);
  }

  void arc(State from, std::optional<Letter> letter, State to) {
    if (nfa_.arcs.size() == max_arcs) {
      throw SizeLimit(
          fmt::format("the automaton of the regular expression has more than {} arcs, the limit; "
                      "try smaller repeats",
                      max_arcs));
    }
    nfa_.arcs.push_back({from, letter, to});
  }

  Piece build(const Regex& regex) {
    const Piece piece{fresh(), fresh()};
    switch (regex.kind) {
      case Regex::Kind::empty_set:
        break;
      case Regex::Kind::empty_word:
        arc(piece.in, std::nullopt, piece.out);
        break;
      case Regex::Kind::letters:
        for (Letter letter = 0; letter < regex.letters.size(); ++letter) {
          if (regex.letters[letter]) arc(piece.in, letter, piece.out);
        }
        break;
      case Regex::Kind::concatenation: {
        State end = piece.in;
        for (const auto& part : regex.parts) {
          const Piece next = build(*part);
          arc(end, std::nullopt, next.in);
          end = next.out;
        }
        arc(end, std::nullopt, piece.out);
        break;
      }
      case Regex::Kind::alternation:
        for (const auto& part : regex.parts) {
          const Piece branch = build(*part);
          arc(piece.in, std::nullopt, branch.in);
          arc(branch.out, std::nullopt, piece.out);
        }
        break;
      case Regex::Kind::star: {
        const Piece body = build(*regex.parts.front());
        arc(piece.in, std::nullopt, body.in);
        arc(body.out, std::nullopt, piece.in);
        arc(piece.in, std::nullopt, piece.out);
        break;
      }
      case Regex::Kind::complement:
      case Regex::Kind::intersection:
        embed(deterministic(regex), piece);
        break;
    }
    return piece;
  }

  void embed(const Dfa& dfa, Piece piece) {
    const State offset = static_cast<State>(nfa_.states());
    nfa_.accepting.resize(nfa_.states() + dfa.states(), false);
    arc(piece.in, std::nullopt, offset + dfa.initial);
    for (State q = 0; q < dfa.states(); ++q) {
      if (dfa.accepting[q]) arc(offset + q, std::nullopt, piece.out);
      for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
        arc(offset + q, letter, offset + dfa.step(q, letter));
      }
    }
  }

  /// The minimal automaton of a part, remembered because repeats share their parts.
  const Dfa& deterministic(const Regex& regex) {
    const auto known = deterministic_.find(&regex);
    if (known != deterministic_.end()) return known->second;
    Dfa dfa = part(*regex.parts.front());
    if (regex.kind == Regex::Kind::complement) {
      dfa.accepting.flip();
    } else {
      for (std::size_t i = 1; i < regex.parts.size(); ++i) {
        dfa = minimise(product(dfa, part(*regex.parts[i])));
      }
    }
    return deterministic_.emplace(&regex, minimise(dfa)).first->second;
  }

  Dfa part(const Regex& regex) {
    if (regex.kind == Regex::Kind::complement || regex.kind == Regex::Kind::intersection) {
      return deterministic(regex);
    }
    Thompson inner(nfa_.alphabet);
    return minimise(determinise(std::move(inner).of(regex), max_states));
  }

  static Dfa product(const Dfa& left, const Dfa& right) {
    Dfa result;
    result.alphabet = left.alphabet;
    std::unordered_map<std::uint64_t, State> numbers;
    std::vector<std::pair<State, State>> pairs;
    const auto number_of = [&](State l, State r) {
      const auto [entry, is_new] =
          numbers.emplace(std::uint64_t{l} << 32 | r, static_cast<State>(pairs.size()));
      if (is_new) {
        if (pairs.size() == max_states) {
          throw SizeLimit(
              fmt::format("the intersection of automata of {} and {} states has more than {} "
                          "states, the limit; try smaller operands",
                          left.states(), right.states(), max_states));
        }
        pairs.emplace_back(l, r);
        result.accepting.push_back(left.accepting[l] && right.accepting[r]);
      }
      return entry->second;
    };
    result.initial = number_of(left.initial, right.initial);
    for (std::size_t current = 0; current < pairs.size(); ++current) {
      const auto [l, r] = pairs[current];
      for (Letter letter = 0; letter < left.alphabet.size(); ++letter) {
        result.next.push_back(number_of(left.step(l, letter), right.step(r, letter)));
      }
    }
    return result;
  }

  Nfa nfa_;
  std::map<const Regex*, Dfa> deterministic_;
};

}  // namespace

Nfa to_nfa(const ParsedRegex& regex) {
  return Thompson(regex.alphabet).of(*regex.root);
}

}}  // namespace logdepth::objects
