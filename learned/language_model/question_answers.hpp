#pragma once

#include <string>
#include <vector>

namespace logdepth::inline learned_language_model {

struct QuestionAnswer {
  std::string question, answer;
  std::string kind;    ///< of question, where the line says one
  int difficulty = 0;  ///< of the question within its kind
};

/// JSON lines: objects with `question` and `answer`, texts that are not empty, and perhaps `kind`
/// and `difficulty`; other keys are passed over, and so are blank lines. Errors: InputError
/// "FILE:LINE: expected ..., found ..."; a file without questions is one.
std::vector<QuestionAnswer> read_question_answers(const std::string& file);

}  // namespace logdepth::inline learned_language_model
