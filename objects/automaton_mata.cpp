#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

constexpr std::string_view kMataSection = "@NFA-explicit";
constexpr std::string_view kMataBits =
    "; letters as bits are not read; Mata can make them explicit";
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
    for (const MataLine& line : transitions_) read_transition(line);
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
        const bool known = first.text == kMataSection || first.text == "@NFA";
        if (!known || tokens.size() > 1) {
          fail(first, fmt::format("expected a section {}, found {}{}", kMataSection,
                                  in_quotes(line), first.text == "@NFA-bits" ? kMataBits : ""));
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
