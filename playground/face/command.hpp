#pragma once

#include <string>
#include <vector>

namespace logdepth { inline namespace playground_face {

/// Runs a command of `logdepth` on texts. The question is a JSON object: `arguments`, as after the name of the program, and `files`,
/// the texts by name that the command can read. The answer: exit `status`, `output` (standard output), `messages` (standard error)
/// and `files`, the texts that the command wrote.
/// Never throws; a question that is no such object is answered with status 2.
std::string answer_question(const std::string& question);

/// The parts of the command-line program that this one lacks.
std::vector<std::string> left_out();
/// Commands that this one lacks as a whole.
const std::vector<std::string>& other_commands();

/// The sentence that refuses `what`, a part that is left out.
std::string is_left_out(const std::string& what);

}}  // namespace logdepth::playground_face
