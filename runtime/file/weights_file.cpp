#include "runtime/file/weights_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "logdepth/errors.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

constexpr std::array<std::string_view, 2> kOutsideTheHash{"derived", "sha256"};

std::string hash_of(const JsonTape& tape) {
  std::string text;
  tape.append_canonical(0, text, kOutsideTheHash);
  text += '\n';
  return sha256(text);
}

std::string too_large(const char* what) {
  return fmt::format("{} is larger than the limit of {} MiB", what, kMaxWeightsBytes >> 20);
}

/// What a text that is no JSON object looks like, and what makes weights of it; empty if unknown.
std::string origin_of(std::string_view text, const std::string& source) {
  const auto begins = [&](std::string_view word) {
    std::size_t at = 0;
    while (at < text.size() && (text[at] == '#' || text[at] == '/' || text[at] == '\n'))
      at = std::min(text.find('\n', at), text.size() - 1) + 1;
    return text.substr(std::min(at, text.size())).starts_with(word);
  };
  const auto ends = [&](const char* extension) { return source.ends_with(extension); };
  if (begins("logdepth-cells")) return "a program; `logdepth compile program` makes weights of it";
  if (ends(".dot") || ends(".gv") || begins("digraph") || begins("graph") || begins("strict"))
    return "Graphviz text; `logdepth compile regular --dot` makes weights of an automaton, and "
           "--graph takes a graph";
  if (ends(".fst"))
    return "an automaton in OpenFst's text; `logdepth compile regular --fst` makes weights of it";
  if (ends(".jff"))
    return "an automaton of JFLAP's; `logdepth compile regular --jff` makes weights of it";
  if (ends(".mata") || begins("@NFA"))
    return "an automaton of Mata's; `logdepth compile regular --mata` makes weights of it";
  if (begins("<")) return "XML";
  return "";
}

}  // namespace

std::string write_weights(const CheckedModel& model) {
  JsonTape tape = model_to_json(model);
  tape.add_to_root("sha256", hash_of(tape));
  std::string text;
  tape.append_canonical(0, text);
  text += '\n';
  if (text.size() > kMaxWeightsBytes) throw SizeLimit(too_large("the weights file"));
  return text;
}

std::string weights_hash(const CheckedModel& model) {
  return hash_of(model_to_json(model));
}

CheckedModel parse_weights(std::string_view text, const std::string& source) {
  if (text.size() > kMaxWeightsBytes) throw InputError(source + ": " + too_large("the text"));
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError(source, 1, "the file is empty");
  }
  if (text[text.find_first_not_of(" \t\r\n")] != '{')
    if (const std::string origin = origin_of(text, source); !origin.empty())
      throw InputError(source + ": expected a weights file, found " + origin);
  const JsonTape tape = JsonTape::parse(text, source);
  CheckedModel model(model_from_json(tape, source), [&](const Violation& violation) {
    throw InputError(source, tape.line(tape.nearest(violation.path)), violation.text());
  });
  const auto stated = tape.nearest({std::string("sha256")});
  if (const std::string actual = hash_of(tape); tape.text(stated) != actual) {
    refuse(tape, stated, source,
           "the content hashes to " + actual +
               "; the file was changed after it was written, and writing that value here accepts "
               "the change");
  }
  return model;
}

CheckedModel read_weights(const std::string& path) {
  std::string bytes = read_whole_file(path, kMaxWeightsBytes);
  if (is_gzip(bytes)) bytes = unpacked(bytes, path, kMaxWeightsBytes);
  return parse_weights(bytes, path);
}

void save_weights(const CheckedModel& model, const std::string& path) {
  std::string bytes = write_weights(model);
  if (path.ends_with(".gz")) bytes = packed(bytes);
  write_whole_file(path, bytes);
}

}}  // namespace logdepth::runtime_file
