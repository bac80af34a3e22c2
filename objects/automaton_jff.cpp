#include <algorithm>
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

namespace logdepth::inline objects {

namespace {

/// Of the file: its tree takes up to twenty times as much memory.
constexpr std::size_t kMostXml = std::size_t{1} << 26;

class JffReader {
 public:
  JffReader(const std::string& text, const std::string& source) : text_(text), source_(source) {}

  Nfa read() {
    if (text_.size() > kMostXml)
      throw SizeLimit(source_ + ": the file has " + std::to_string(text_.size()) +
                      " bytes of XML; the limit is " + std::to_string(kMostXml) +
                      "; larger automata are read as .fst");
    const pugi::xml_parse_result result =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
      fail(result.offset,
           std::string("expected an XML file of JFLAP, but found: ") + result.description());
    }
    const pugi::xml_node structure = document_.child("structure");
    if (!structure) fail(0, "expected a <structure> element, as JFLAP writes");
    const std::string type = structure.child("type").text().as_string();
    if (type != "fa") {
      fail(structure.child("type"),
           "expected <type>fa</type>, a finite automaton, found " + in_quotes(type));
    }
    // JFLAP before version 6 has the states directly below <structure>.
    const pugi::xml_node automaton =
        structure.child("automaton") ? structure.child("automaton") : structure;
    for (const pugi::xml_node node : automaton.children("state")) read_state(node);
    for (const pugi::xml_node node : automaton.children("transition")) read_transition(node);
    if (!builder_.has_initial()) {
      fail(automaton, "expected a <state> with <initial/>, but no state is initial");
    }
    return std::move(builder_).finish(source_);
  }

 private:
  [[noreturn]] void fail(std::ptrdiff_t offset, const std::string& sentence) const {
    const std::size_t end =
        std::min(text_.size(), static_cast<std::size_t>(std::max(offset, std::ptrdiff_t{0})));
    const auto newlines =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw InputError(source_, static_cast<std::size_t>(newlines) + 1, sentence);
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& sentence) const {
    fail(node.offset_debug(), sentence);
  }

  void read_state(const pugi::xml_node& node) {
    const std::string id = node.attribute("id").as_string();
    if (id.empty()) fail(node, "expected an attribute id of <state>");
    if (!ids_.insert(id).second) {
      fail(node, "state " + in_quotes(id) + " occurs twice; expected distinct ids");
    }
    const State state = builder_.state(id);
    const std::string name = node.attribute("name").as_string();
    if (!name.empty() && names_.insert(name).second) builder_.call(state, name);
    if (node.child("initial")) builder_.set_initial(state);
    if (node.child("final")) builder_.set_accepting(state);
  }

  State end_of(const pugi::xml_node& transition, const char* end) {
    const std::string id = transition.child(end).text().as_string();
    if (ids_.count(id) == 0) {
      fail(transition,
           std::string("expected <") + end + "> to be the id of a state, found " + in_quotes(id));
    }
    return builder_.state(id);
  }

  void read_transition(const pugi::xml_node& node) {
    const State from = end_of(node, "from");
    const State to = end_of(node, "to");
    if (!node.child("read")) fail(node, "expected a <read> element in the transition");
    const std::string letter = node.child("read").text().as_string();
    if (letter.empty()) {
      builder_.arc(from, std::nullopt, to);
    } else if (utf8_length(letter) == letter.size()) {
      builder_.arc(from, letter, to);
    } else {
      fail(node, "expected one letter or nothing in <read>, found " + in_quotes(letter) +
                     "; split the transition");
    }
  }

  const std::string& text_;
  const std::string& source_;
  pugi::xml_document document_;
  AutomatonBuilder builder_;
  std::unordered_set<std::string> ids_;
  std::unordered_set<std::string> names_;  ///< a second state of one name is called by its id
};

}  // namespace

Nfa read_jff(const std::string& text, const std::string& source) {
  return JffReader(text, source).read();
}

std::string write_jff(const Nfa& given) {
  for (const std::string& letter : given.alphabet.names()) {
    if (utf8_length(letter) != letter.size()) {
      throw InputError("the letter " + in_quotes(letter) +
                       " cannot be written: JFLAP has letters of one character");
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
