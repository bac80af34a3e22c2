#include "runtime/file/weights_file.hpp"

#include <fmt/core.h>

#include <array>

#include "logdepth/errors.hpp"
#include "objects/text_format.hpp"
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

/// What a text that is no JSON object is, and what reads it; empty if unknown.
std::string origin_of(std::string_view text, const std::string& source) {
  if (text.starts_with("logdepth-cells ") || text.find("\nlogdepth-cells ") != std::string::npos)
    return "a program; `logdepth compile program` makes weights of it";
  const auto format = source.ends_with(".fst") ? TextFormat::fst : recognised(text);
  return format ? std::string(name_of(*format)) + advice_for(*format, source) : "";
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
