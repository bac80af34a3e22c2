#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "objects/automaton.hpp"

namespace logdepth::inline learned_word_problems {

/// States of a minimal automaton that words are labelled by.
inline constexpr std::size_t kMostStates = 1024;

/// The minimal complete automaton of a regular expression, or of a file in a format that its content says;
/// one of both is empty. Errors: InputError naming the setting, or with another prefix the option, also for
/// an automaton without letters, with one state, or with more than kMostStates.
Dfa own_automaton(const std::string& regex, const std::string& file,
                  const std::string& prefix = "task.");

/// "regex-1a2b3c4d", "stem-1a2b3c4d": what tables, figures and folders call the task. The digits are
/// those of the automaton itself, so that runs of different ones never stand in one row. `verdicts`: of
/// words labelled by acceptance.
std::string name_of_automaton(const Dfa& automaton, const std::string& file, bool verdicts = false);

/// "stem-1a2b3c4d": the file's name, fit for folders, and digits of the content's hash. Without a file "regex".
std::string name_with_digits(const std::string& file, const std::string& content);

/// As a result holds it, so that tables need no file again.
nlohmann::ordered_json automaton_to_json(const Dfa& automaton);
/// Absent where `json` is not what automaton_to_json writes.
std::optional<Dfa> automaton_from_json(const nlohmann::ordered_json& json);

}  // namespace logdepth::inline learned_word_problems
