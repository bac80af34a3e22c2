#include "objects/json_names.hpp"

namespace logdepth::inline objects {

std::map<std::string, JsonTape::Node> json_members(const JsonTape& tape, JsonTape::Node node,
                                                   const std::string& source,
                                                   const std::vector<std::string>& needed) {
  if (tape.kind(node) != JsonTape::Kind::object) refuse(tape, node, source, "expected an object");
  std::map<std::string, JsonTape::Node> members;
  for (auto key = tape.first_child(node); key != tape.end(node);) {
    const auto value = tape.next(key);
    members.emplace(tape.text(key), value);
    key = tape.next(value);
  }
  for (const std::string& key : needed) {
    if (!members.contains(key)) refuse(tape, node, source, "expected a key " + shown(key));
  }
  return members;
}

std::vector<JsonTape::Node> json_elements(const JsonTape& tape, JsonTape::Node node,
                                          const std::string& source) {
  if (tape.kind(node) != JsonTape::Kind::array) refuse(tape, node, source, "expected a list");
  std::vector<JsonTape::Node> elements;
  for (auto child = tape.first_child(node); child != tape.end(node); child = tape.next(child)) {
    elements.push_back(child);
  }
  return elements;
}

std::string json_name(const JsonTape& tape, JsonTape::Node node, const std::string& source) {
  if (tape.kind(node) == JsonTape::Kind::integer) return std::to_string(tape.integer(node));
  if (tape.kind(node) != JsonTape::Kind::string) {
    refuse(tape, node, source, "expected a name: a string or a whole number");
  }
  return std::string(tape.text(node));
}

}  // namespace logdepth::inline objects
