#include <algorithm>
#include <pugixml.hpp>
#include <unordered_set>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/automaton_reader.hpp"
#include "objects/utf8.hpp"

namespace logdepth {

namespace {

class JffReader {
 public:
  JffReader(const std::string& text, const std::string& source) : text_(text), source_(source) {}

  Nfa read() {
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
           "expected <type>fa</type>, a finite automaton, got " + in_quotes(type));
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
           std::string("expected <") + end + "> to be the id of a state, got " + in_quotes(id));
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
      fail(node, "expected one letter or nothing in <read>, got " + in_quotes(letter) +
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

}  // namespace logdepth
