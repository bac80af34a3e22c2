#include <algorithm>
#include <array>
#include <pugixml.hpp>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/automaton_reader.hpp"
#include "objects/automaton_writer.hpp"
#include "objects/label_dialects.hpp"
#include "objects/text_format.hpp"
#include "objects/xml_elements.hpp"

namespace logdepth::inline objects {

namespace {

/// The kinds of machines that JFLAP writes, but for finite automata.
constexpr std::array<std::pair<std::string_view, const char*>, 8> kJflapKinds = {{
    {"mealy", "a Mealy machine, which has outputs and accepts nothing"},
    {"moore", "a Moore machine, which has outputs and accepts nothing"},
    {"pda", "a pushdown automaton"},
    {"turing", "a Turing machine"},
    {"turing-with-blocks", "a Turing machine"},
    {"grammar", "a grammar"},
    {"re", "a regular expression, which --regex reads"},
    {"lsystem", "an L-system"},
}};

/// JFLAP shows one of these for an empty <read/>, and people type them.
bool is_greek_epsilon(std::string_view read) {
  return is_epsilon_word(read) && utf8_length(read) == read.size();
}

class JffReader {
 public:
  JffReader(const std::string& text, const std::string& source)
      : source_(source), file_(text, source, "an XML file of JFLAP") {}

  Nfa read() {
    const pugi::xml_node structure = file_.only_child(file_.document(), "structure");
    if (!structure) file_.fail(0, "expected a <structure> element, as JFLAP writes");
    const pugi::xml_node type_node = file_.only_child(structure, "type");
    const std::string type = file_.text_of(type_node);
    if (type != "fa") {
      const auto kind =
          std::ranges::find(kJflapKinds, type, &decltype(kJflapKinds)::value_type::first);
      file_.fail(type_node,
                 "expected <type>fa</type>, a finite automaton, found " + in_quotes(type) +
                     (kind == kJflapKinds.end() ? "" : std::string(", ") + kind->second));
    }
    // JFLAP before version 6 has the states directly below <structure>.
    const pugi::xml_node inner = file_.only_child(structure, "automaton");
    const pugi::xml_node automaton = inner ? inner : structure;
    for (const pugi::xml_node node : automaton.children("state")) read_state(node);
    for (const pugi::xml_node node : automaton.children("transition")) read_transition(node);
    if (!builder_.has_initial()) {
      file_.fail(automaton, "expected a <state> with <initial/>, but no state is initial");
    }
    if (builder_.initial_states() > 1)
      builder_.note(source_ + ": " + std::to_string(builder_.initial_states()) +
                    " states are initial, and a word is accepted from any of them; JFLAP has one");
    return std::move(builder_).finish(source_);
  }

 private:
  void read_state(const pugi::xml_node& node) {
    const std::string id = file_.attribute(node, "id");
    if (id.empty()) file_.fail(node, "expected an attribute id of <state>");
    if (!ids_.insert(id).second) {
      file_.fail(node, "state " + in_quotes(id) + " occurs twice; expected distinct ids");
    }
    const State state = builder_.state(id);
    const std::string name = file_.attribute(node, "name");
    if (!name.empty() && names_.insert(name).second) builder_.call(state, name);
    if (file_.only_child(node, "initial")) builder_.set_initial(state);
    if (file_.only_child(node, "final")) builder_.set_accepting(state);
  }

  State end_of(const pugi::xml_node& transition, const char* end) {
    const std::string id = file_.text_of(file_.only_child(transition, end));
    if (ids_.count(id) == 0) {
      file_.fail(transition, std::string("expected <") + end + "> to be the id of a state, found " +
                                 in_quotes(id));
    }
    return builder_.state(id);
  }

  void read_transition(const pugi::xml_node& node) {
    const State from = end_of(node, "from");
    const State to = end_of(node, "to");
    const pugi::xml_node read = file_.only_child(node, "read");
    if (!read) file_.fail(node, "expected a <read> element in the transition");
    const std::string word = file_.text_of(read);
    if (word.empty()) {
      builder_.arc(from, std::nullopt, to);
    } else if (is_greek_epsilon(word)) {
      builder_.note(source_ + ": " + in_quotes(word) +
                    " in <read> is read as epsilon, which JFLAP writes as an empty <read/>");
      builder_.arc(from, std::nullopt, to);
    } else {
      add_word(read, from, word, to);
    }
  }

  /// JFLAP reads [x-y] as a transition for each character from x to y, and so it is read here.
  bool add_range(const pugi::xml_node& read, State from, std::string_view word, State to) {
    constexpr char32_t most = 1024;
    if (word.front() != '[' || word.back() != ']' || word.find('-') == std::string_view::npos)
      return false;
    const std::string_view inside = word.substr(1, word.size() - 2);
    const std::size_t length = utf8_length(inside);
    const std::string_view rest = inside.substr(std::min(length + 1, inside.size()));
    const bool plain = length > 0 && length < inside.size() && inside[length] == '-' &&
                       !rest.empty() && utf8_length(rest) == rest.size();
    if (!plain)
      file_.fail(read, "expected letters or one range [x-y] in <read>, found " + in_quotes(word) +
                           "; write a transition per letter or range");
    const char32_t first = utf8_decode(inside), last = utf8_decode(rest);
    if (last < first || last - first >= most)
      file_.fail(read, "expected a range of 1 to " + std::to_string(most) +
                           " letters in <read>, found " + in_quotes(word));
    for (char32_t c = first; c <= last; ++c) {
      const std::string letter = utf8_encode(c);
      if (utf8_length(letter) == 0 || c == ' ' || disturbs_text(c))
        file_.fail(read, "expected letters in <read>, found the range " + in_quotes(word) +
                             " with white space or a control character, which is no letter here");
      builder_.arc(from, letter, to);
    }
    builder_.note(source_ + ": " + in_quotes(word) +
                  " in <read> is read as a range of letters, as JFLAP does");
    return true;
  }

  /// JFLAP reads a word in <read> letter by letter.
  void add_word(const pugi::xml_node& read, State from, const std::string& word, State to) {
    if (add_range(read, from, word, to)) return;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t length = utf8_length(std::string_view(word).substr(at));
      const std::string letter = word.substr(at, length);
      try {
        (void)Alphabet({letter});
      } catch (const InputError&) {
        file_.fail(read, "expected letters in <read>, found " + in_quotes(word) +
                             " with white space or a control character, which is no letter here; "
                             "epsilon is an empty <read/>, and another character can take the "
                             "place of a blank");
      }
      at += length;
      State next = to;
      if (at < word.size()) {
        const std::string name = " " + std::to_string(++words_);  // no id begins with a blank
        next = builder_.state(name);
        builder_.call(next, "inside" + name);
      }
      builder_.arc(from, letter, next);
      from = next;
    }
  }

  const std::string& source_;
  XmlFile file_;
  AutomatonBuilder builder_;
  std::unordered_set<std::string> ids_;
  std::unordered_set<std::string> names_;  ///< a second state of one name is called by its id
  std::size_t words_ = 0;                  ///< states inside words so far
};

}  // namespace

Nfa read_jff(const std::string& text, const std::string& source) {
  require_automaton_format(text, source, TextFormat::jflap);
  return JffReader(text, source).read();
}

std::string write_jff(const Nfa& given) {
  for (const std::string& letter : given.alphabet.names()) {
    if (utf8_length(letter) != letter.size()) {
      throw InputError("the letter " + in_quotes(letter) +
                       " cannot be written: JFLAP has letters of one character");
    }
    if (is_greek_epsilon(letter)) {
      throw InputError("the letter " + in_quotes(letter) +
                       " cannot be written: a JFLAP file reads it as epsilon");
    }
  }
  const Nfa nfa = with_every_letter_on_an_arc(with_one_initial_state(given));
  const std::vector<std::string> names = names_to_write(nfa);
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node structure = document.append_child("structure");
  structure.append_child("type").text() = "fa";
  pugi::xml_node automaton = structure.append_child("automaton");
  for (State q = 0; q < nfa.states(); ++q) {
    pugi::xml_node state = automaton.append_child("state");
    state.append_attribute("id") = q;
    state.append_attribute("name") = names[q].c_str();
    // JFLAP draws a state where the file says: rows of eight.
    state.append_child("x").text() = 100 + 120 * (q % 8);
    state.append_child("y").text() = 100 + 120 * (q / 8);
    if (q == nfa.initial.front()) state.append_child("initial");
    if (nfa.accepting[q]) state.append_child("final");
  }
  for (const Nfa::Arc& arc : nfa.arcs) {
    pugi::xml_node transition = automaton.append_child("transition");
    transition.append_child("from").text() = arc.from;
    transition.append_child("to").text() = arc.to;
    pugi::xml_node read = transition.append_child("read");
    if (arc.letter) read.text() = nfa.alphabet.name(*arc.letter).c_str();
  }
  std::ostringstream text;
  document.save(text, " ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(text).str();
}

}  // namespace logdepth::inline objects
