#include "learned/language_model/question_answers.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_language_model {
namespace {

/// One line of a file, with errors that name both.
struct QuestionLine {
  const std::string& file;
  std::size_t number;
  nlohmann::json json;

  InputError expected(const char* key, const char* what) const {
    const auto found = json.find(key);
    return InputError(file, number,
                      fmt::format("expected '{}' to be {}, found {}", key, what,
                                  found == json.end()      ? "none"
                                  : found->is_structured() ? found->type_name()
                                                           : printable(found->dump())));
  }
  std::string text(const char* key) const {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string() || found->get<std::string>().empty())
      throw expected(key, "a text that is not empty");
    return found->get<std::string>();
  }
  int difficulty() const {
    const auto found = json.find("difficulty");
    if (found == json.end()) return 0;
    if (!found->is_number_unsigned() ||
        found->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<int>::max()})
      throw expected("difficulty", "a whole number of at least 0");
    return found->get<int>();
  }
};

}  // namespace

std::vector<QuestionAnswer> read_question_answers(const std::string& file) {
  const std::string content = read_whole_file(file);
  std::vector<QuestionAnswer> questions;
  std::size_t number = 0;
  for (const std::string_view text : lines_of(content)) {
    ++number;
    if (fields_of(text).empty()) continue;
    require_shallow_json(text, file);
    const QuestionLine line{file, number, nlohmann::json::parse(text, nullptr, false)};
    if (!line.json.is_object())
      throw InputError(
          file, number,
          "expected a JSON object with 'question' and 'answer', found " + in_quotes(text));
    questions.push_back({line.text("question"), line.text("answer"),
                         line.json.contains("kind") ? line.text("kind") : "", line.difficulty()});
  }
  if (questions.empty()) throw InputError(file + ": expected questions, found none");
  return questions;
}

}  // namespace logdepth::inline learned_language_model
