#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

constexpr std::size_t kMostBits = 20;
constexpr std::size_t kMostBitLetters = 256;  // all of them are letters
constexpr std::size_t kMostMinterms = 4096;
constexpr std::size_t kMostBitWork = std::size_t{1} << 28;  // truth values of formulas
constexpr int kMostFormulaNesting = 300;

/// Letters that are the values of bits, as transitions of Mata's `@NFA-bits` name sets of them by
/// formulas: `a0 & !a1`, `\true`.
class BitLetters {
 public:
  /// The bits in the order of a letter's characters; without this call that of their names, a
  /// shorter one first. Errors of `formula`: InputError for a bit that is not among them.
  void name_bits(const std::vector<std::string>& names) {
    for (const std::string& name : names) (void)bit(name);
    fixed_ = true;
  }

  /// A number for the formula, the same for the same words. `words`: names, `&`, `|`, `!`, `(`, `)`,
  /// `\true`, `\false`. Errors: InputError with the sentence alone.
  std::size_t formula(const std::vector<std::string>& words) {
    std::string key;
    for (const std::string& word : words) key += word + '\n';
    const auto [entry, is_new] = formulas_.emplace(key, ends_.size());
    if (is_new) {
      Parser(*this, words).read();
      ends_.push_back(nodes_.size());
    }
    return entry->second;
  }

  struct Letters {
    std::vector<std::string> names;                    ///< "00", "01", ... in this order
    std::vector<std::vector<std::size_t>> of_formula;  ///< letters for which it holds
    bool minterms = false;  ///< letters that no formula distinguishes are one, called by its first
  };
  /// When all formulas are known. Errors: InputError without a bit; SizeLimit for more than 20 bits,
  /// or for more than 4096 letters that formulas distinguish.
  Letters letters() const {
    if (names_.empty())
      throw InputError("no bit occurs; expected at least one transition with a bit");
    if (names_.size() > kMostBits)
      throw SizeLimit(fmt::format("{} bits make 2^{} letters; the limit is {} bits; try fewer",
                                  names_.size(), names_.size(), kMostBits));
    const std::size_t all = std::size_t{1} << names_.size();
    if (nodes_.size() > kMostBitWork / all)
      throw SizeLimit(
          fmt::format("{} parts of formulas over 2^{} letters are more than the limit of "
                      "{} truth values; try fewer bits",
                      nodes_.size(), names_.size(), kMostBitWork));
    const std::vector<std::size_t> places = this->places();
    std::vector<Truth> truths;
    for (std::size_t formula = 0; formula < ends_.size(); ++formula) {
      truths.push_back(truth(formula, places));
      if (truths.size() * truths.front().size() > kMostBitWork / 32)
        throw SizeLimit(
            fmt::format("{} formulas over 2^{} letters are more than the limit; try fewer "
                        "bits",
                        ends_.size(), names_.size()));
    }
    const auto holds = [&](std::size_t formula, std::size_t letter) {
      return (truths[formula][letter / 64] >> letter % 64 & 1) != 0;
    };
    std::vector<std::uint32_t> classes(all);
    std::size_t count = 1;
    Letters result;
    result.minterms = all > kMostBitLetters;
    if (!result.minterms) {
      std::iota(classes.begin(), classes.end(), 0u);
      count = all;
    }
    for (std::size_t formula = 0; result.minterms && formula < truths.size(); ++formula) {
      std::map<std::pair<std::uint32_t, bool>, std::uint32_t> split;
      for (std::size_t letter = 0; letter < all; ++letter)
        classes[letter] = split
                              .emplace(std::pair(classes[letter], holds(formula, letter)),
                                       static_cast<std::uint32_t>(split.size()))
                              .first->second;
      count = split.size();
      if (count > kMostMinterms)
        throw SizeLimit(
            fmt::format("2^{} letters by bits, and the formulas distinguish more than {} "
                        "of them, the limit; try fewer bits",
                        names_.size(), kMostMinterms));
    }
    std::vector<bool> met(count);
    std::vector<std::size_t> firsts;
    for (std::size_t letter = 0; letter < all; ++letter) {
      if (met[classes[letter]]) continue;
      met[classes[letter]] = true;
      firsts.push_back(letter);
      std::string& name = result.names.emplace_back();
      for (std::size_t i = names_.size(); i-- > 0;) name += letter >> i & 1 ? '1' : '0';
    }
    for (std::size_t formula = 0; formula < truths.size(); ++formula) {
      std::vector<std::size_t>& of = result.of_formula.emplace_back();
      for (std::size_t i = 0; i < firsts.size(); ++i)
        if (holds(formula, firsts[i])) of.push_back(i);
    }
    return result;
  }

 private:
  /// Of a formula in postfix order: operands stand before what uses them.
  struct Node {
    char operation = 0;  ///< '&', '|', '!', '1', '0', or 'b' for a bit
    std::size_t bit = 0;
  };

  /// From what binds least: `|`, `&`, `!`.
  class Parser {
   public:
    Parser(BitLetters& letters, const std::vector<std::string>& words)
        : letters_(letters), words_(words) {}

    void read() {
      either();
      if (at_ < words_.size())
        throw InputError("expected the end of the formula, found " + in_quotes(words_[at_]));
    }

   private:
    void add(char operation, std::size_t bit = 0) { letters_.nodes_.push_back({operation, bit}); }

    bool taken(std::string_view word) {
      if (at_ == words_.size() || words_[at_] != word) return false;
      ++at_;
      return true;
    }

    void either() {
      both();
      while (taken("|")) {
        both();
        add('|');
      }
    }

    void both() {
      unary();
      while (taken("&")) {
        unary();
        add('&');
      }
    }

    void unary() {
      if (++nesting_ > kMostFormulaNesting)
        throw InputError(
            fmt::format("expected a formula nested at most {} deep", kMostFormulaNesting));
      if (taken("!")) {
        unary();
        add('!');
      } else if (taken("(")) {
        either();
        if (!taken(")")) throw InputError("expected ')' in the formula");
      } else if (taken("\\true")) {
        add('1');
      } else if (taken("\\false")) {
        add('0');
      } else {
        if (at_ == words_.size()) throw InputError("expected a bit, found the end of the formula");
        const std::string& name = words_[at_++];
        if (std::string_view("&|!()@%\\").find(name.front()) != std::string_view::npos)
          throw InputError("expected a bit, found " + in_quotes(name));
        add('b', letters_.bit(name));
      }
      --nesting_;
    }

    BitLetters& letters_;
    const std::vector<std::string>& words_;
    std::size_t at_ = 0;
    int nesting_ = 0;
  };

  using Truth = std::vector<std::uint64_t>;  ///< a bit per letter, the first one lowest

  std::size_t bit(const std::string& name) {
    const auto known = bits_.find(name);
    if (known != bits_.end()) return known->second;
    if (fixed_) throw InputError("expected a bit of %Alphabet-enum, found " + in_quotes(name));
    bits_.emplace(name, names_.size());
    names_.push_back(name);
    return names_.size() - 1;
  }

  /// Of each bit in the names of letters.
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> order(names_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!fixed_)
      std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(names_[a].size(), names_[a]) < std::pair(names_[b].size(), names_[b]);
      });
    std::vector<std::size_t> places(names_.size());
    for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
    return places;
  }

  Truth truth(std::size_t formula, const std::vector<std::size_t>& places) const {
    const std::size_t letters = std::size_t{1} << names_.size();
    std::vector<Truth> stack;
    for (std::size_t i = formula == 0 ? 0 : ends_[formula - 1]; i < ends_[formula]; ++i) {
      const Node& node = nodes_[i];
      if (node.operation == '!') {
        for (std::uint64_t& word : stack.back()) word = ~word;
      } else if (node.operation == '&' || node.operation == '|') {
        const Truth right = std::move(stack.back());
        stack.pop_back();
        for (std::size_t k = 0; k < right.size(); ++k)
          stack.back()[k] =
              node.operation == '&' ? stack.back()[k] & right[k] : stack.back()[k] | right[k];
      } else {
        stack.emplace_back((letters + 63) / 64, node.operation == '1' ? ~std::uint64_t{0} : 0);
        if (node.operation != 'b') continue;
        const std::size_t shift = names_.size() - 1 - places[node.bit];
        for (std::size_t letter = 0; letter < letters; ++letter)
          if (letter >> shift & 1) stack.back()[letter / 64] |= std::uint64_t{1} << letter % 64;
      }
    }
    return std::move(stack.back());
  }

  std::vector<Node> nodes_;
  std::vector<std::size_t> ends_;  ///< of the formulas in nodes_
  std::unordered_map<std::string, std::size_t> formulas_, bits_;
  std::vector<std::string> names_;  ///< of the bits
  bool fixed_ = false;              ///< by name_bits
};

constexpr std::string_view kMataSection = "@NFA-explicit";
constexpr std::string_view kMataBitsSection = "@NFA-bits";
/// What ends a bare word, or is not one: of these a name is in quotes.
constexpr std::string_view kMataMarks = "&|!@()%\"\\#[]^ \t";
constexpr std::string_view kMataOperators = "&|!()";

/// A name, or with `bare` a word that stands without quotes and may be an operator or a key.
struct MataToken {
  std::string text;
  bool bare = true;
  std::size_t at = 0;  ///< in the text
};

using MataLine = std::vector<MataToken>;

/// The tokens of a line up to its comment. In quotes \" is a quotation mark and \\ a backslash.
MataLine mata_tokens(std::string_view line, const std::string& text, const std::string& source) {
  MataLine tokens;
  const auto begin = static_cast<std::size_t>(line.data() - text.data());
  for (std::size_t i = 0; i < line.size() && line[i] != '#';) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
    } else if (line[i] == '"') {
      MataToken token{"", false, begin + i};
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        const bool escape =
            i + 1 < line.size() && line[i] == '\\' && (line[i + 1] == '"' || line[i + 1] == '\\');
        if (escape) ++i;
        token.text += line[i];
      }
      if (i == line.size()) throw error_at(text, source, token.at, "expected '\"' to end the name");
      ++i;
      tokens.push_back(std::move(token));
    } else if (kMataOperators.find(line[i]) != std::string_view::npos) {
      tokens.push_back({std::string(1, line[i]), true, begin + i});
      ++i;
    } else {
      const std::size_t end = std::min(line.find_first_of("&|!()\"# \t", i), line.size());
      tokens.push_back({std::string(line.substr(i, end - i)), true, begin + i});
      i = end;
    }
  }
  return tokens;
}

class MataReader {
 public:
  MataReader(const std::string& text, const std::string& source) : text_(text), source_(source) {}

  Nfa read() {
    for (const MataLine& line : lines_with_tokens()) {
      if (line.front().bare && line.front().text.front() == '%') {
        read_key(line);
      } else {
        transitions_.push_back(line);
      }
    }
    for (const MataLine& line : initial_)
      for_each_state(line, [&](State state) { builder_.set_initial(state); });
    if (bits_) {
      read_transitions_of_bits();
    } else {
      for (const MataLine& line : transitions_) read_transition(line);
    }
    for (const MataLine& line : final_)
      for_each_state(line, [&](State state) { builder_.set_accepting(state); });
    if (!letters_) return std::move(builder_).finish(source_);
    std::erase_if(*letters_, [&](const std::string& name) { return epsilon_.count(name) > 0; });
    return std::move(builder_).finish(source_, alphabet_of_file(*letters_, source_));
  }

 private:
  [[noreturn]] void fail(const MataToken& token, const std::string& sentence) const {
    throw error_at(text_, source_, token.at, sentence);
  }

  /// The lines of the section that have tokens; a backslash at the end of a line joins the next.
  std::vector<MataLine> lines_with_tokens() {
    std::vector<MataLine> result;
    bool in_section = false, joined = false;
    for (std::string_view line : lines_of(text_)) {
      const bool joins_next = line.ends_with('\\');
      if (joins_next) line.remove_suffix(1);
      MataLine tokens = mata_tokens(line, text_, source_);
      if (tokens.empty()) continue;
      const MataToken& first = tokens.front();
      const bool begins = !std::exchange(joined, joins_next);
      if (begins && first.bare && first.text.front() == '@') {
        if (in_section) fail(first, "expected one automaton, found a second");
        bits_ = first.text == kMataBitsSection;
        const bool plain = first.text == kMataSection || first.text == "@NFA";
        if ((!bits_ && !plain) || tokens.size() > 1) {
          fail(first, fmt::format("expected a section {} or {}, found {}", kMataSection,
                                  kMataBitsSection, in_quotes(line)));
        }
        in_section = true;
      } else if (!in_section) {
        fail(first, fmt::format("expected {} first, found {}", kMataSection, in_quotes(line)));
      } else if (begins) {
        result.push_back(std::move(tokens));
      } else if (result.empty()) {
        fail(first, fmt::format("expected {} on a line of its own, found {} behind it",
                                kMataSection, in_quotes(line)));
      } else {
        result.back().insert(result.back().end(), tokens.begin(), tokens.end());
      }
    }
    if (!in_section) {
      throw InputError(source_, 1, fmt::format("the file is empty; expected {}", kMataSection));
    }
    return result;
  }

  void read_key(const MataLine& line) {
    const std::string& key = line.front().text;
    if (key == "%Initial") {
      initial_.push_back(line);
    } else if (key == "%Final") {
      final_.push_back(line);
    } else if (key == "%Epsilon") {
      for (const std::string& name : names_behind_key(line)) epsilon_.insert(name);
    } else if (key == "%Alphabet-enum" || key == "%Alphabet") {
      const auto names = names_behind_key(line);
      if (!letters_) letters_.emplace();
      letters_->insert(letters_->end(), names.begin(), names.end());
      known_letters_.insert(names.begin(), names.end());
    } else if (key == "%States-enum" || key == "%States") {
      has_states_ = true;
      for (const std::string& name : names_behind_key(line)) {
        known_states_.insert(name);
        builder_.state(name);
      }
    } else if (!key.starts_with("%Alphabet-") && !key.starts_with("%States-")) {
      fail(line.front(),
           "expected %Initial, %Final, %Alphabet-..., %States-... or %Epsilon, found " +
               in_quotes(key));
    }
  }

  /// The text of a token that is a name.
  const std::string& name_of(const MataToken& token) const {
    const bool is_mark =
        token.bare && kMataMarks.find(token.text.front()) != std::string_view::npos;
    if (is_mark) {
      fail(token,
           "expected a name, found " + in_quotes(token.text) + "; in quotes it would be one");
    }
    if (!is_plain_name(token.text)) {
      fail(token,
           "expected a name in UTF-8 without control characters, found " + in_quotes(token.text));
    }
    return token.text;
  }

  std::vector<std::string> names_behind_key(const MataLine& line) const {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < line.size(); ++i) names.push_back(name_of(line[i]));
    return names;
  }

  State state_of(const MataToken& token) {
    const std::string& name = name_of(token);
    if (has_states_ && known_states_.count(name) == 0) {
      fail(token, "expected a state of %States-enum, found " + in_quotes(name));
    }
    return builder_.state(name);
  }

  /// The states of a line %Initial or %Final, which may have | between them.
  template <typename Use>
  void for_each_state(const MataLine& line, Use use) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const MataToken& token = line[i];
      const bool between = token.bare && token.text == "|" && i > 1 && i + 1 < line.size();
      if (!between) use(state_of(token));
    }
  }

  /// Lines 'state formula state'.
  void read_transitions_of_bits() {
    if (!epsilon_.empty())
      throw InputError(source_ + ": %Epsilon names a letter; expected none in " +
                       std::string(kMataBitsSection));
    BitLetters bits;
    if (letters_) bits.name_bits(*letters_);
    std::vector<std::size_t> formulas;
    for (const MataLine& line : transitions_) {
      std::vector<std::string> words;
      if (line.size() < 3)
        fail(line.front(), fmt::format("expected a transition 'state formula state', found {}",
                                       counted(line.size(), "word")));
      for (std::size_t i = 1; i + 1 < line.size(); ++i) words.push_back(line[i].text);
      if (words.size() > 1 && words.front() == "&") words.erase(words.begin());
      if (std::ranges::find(words, "") != words.end())
        fail(line.front(), "expected a bit, found ''");
      try {
        formulas.push_back(bits.formula(words));
      } catch (const InputError& error) {
        fail(line[1], error.what());
      }
    }
    const BitLetters::Letters letters = letters_of(bits);
    for (std::size_t i = 0; i < transitions_.size(); ++i) {
      const MataLine& line = transitions_[i];
      const State from = state_of(line.front());
      const State to = state_of(line.back());
      for (const std::size_t letter : letters.of_formula[formulas[i]])
        builder_.arc(from, letters.names[letter], to);
    }
    if (letters.minterms)
      builder_.note(
          fmt::format("{}: {} letters represent all values of the bits: values that no "
                      "formula distinguishes are one letter, called by the first of them",
                      source_, letters.names.size()));
    letters_ = letters.names;
  }

  BitLetters::Letters letters_of(const BitLetters& bits) const {
    try {
      return bits.letters();
    } catch (const InputError& error) {
      throw InputError(source_ + ": " + error.what());
    } catch (const SizeLimit& limit) {
      throw SizeLimit(source_ + ": " + limit.what());
    }
  }

  void read_transition(const MataLine& line) {
    MataLine tokens = line;
    if (tokens.size() == 4 && tokens[2].bare && tokens[2].text == "&") {
      tokens.erase(tokens.begin() + 2);
    }
    if (tokens.size() != 3) {
      fail(tokens.front(), fmt::format("expected a transition 'state letter state', found {} words",
                                       tokens.size()));
    }
    const State from = state_of(tokens[0]);
    const std::string& letter = name_of(tokens[1]);
    const State to = state_of(tokens[2]);
    if (epsilon_.count(letter) > 0) {
      builder_.arc(from, std::nullopt, to);
    } else if (letters_ && known_letters_.count(letter) == 0) {
      fail(tokens[1], "expected a letter of %Alphabet-enum, found " + in_quotes(letter));
    } else {
      builder_.arc(from, letter, to);
    }
  }

  const std::string& text_;
  const std::string& source_;
  AutomatonBuilder builder_;
  std::vector<MataLine> initial_, final_, transitions_;
  std::optional<std::vector<std::string>> letters_;  ///< of %Alphabet-enum
  std::unordered_set<std::string> known_letters_, known_states_, epsilon_;
  bool has_states_ = false;
  bool bits_ = false;  ///< the section is @NFA-bits
};

std::string mata_name(const std::string& name) {
  if (name.find_first_of(kMataMarks) == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

Nfa read_mata(const std::string& text, const std::string& source) {
  require_automaton_format(text, source, TextFormat::mata);
  return MataReader(text, source).read();
}

std::string write_mata(const Nfa& given) {
  const Nfa nfa = without_epsilon(given);
  std::vector<std::string> names;
  for (const std::string& name : names_to_write(nfa)) names.push_back(mata_name(name));
  std::string states = "%States-enum", letters = "%Alphabet-enum", initial = "%Initial",
              final = "%Final";
  for (State q = 0; q < nfa.states(); ++q) {
    states += " " + names[q];
    if (nfa.accepting[q]) final += " " + names[q];
  }
  std::vector<std::string> letter_names;
  for (const std::string& name : nfa.alphabet.names()) {
    letter_names.push_back(mata_name(name));
    letters += " " + letter_names.back();
  }
  for (const State q : std::set<State>(nfa.initial.begin(), nfa.initial.end()))
    initial += " " + names[q];
  std::string text(kMataSection);
  for (const std::string& line : {states, letters, initial, final}) text += "\n" + line;
  for (const Nfa::Arc& arc : nfa.arcs) {
    text += fmt::format("\n{} {} {}", names[arc.from], letter_names[*arc.letter], names[arc.to]);
  }
  return text + "\n";
}

}}  // namespace logdepth::objects
