#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "learned/word_problems/labelling.hpp"
#include "objects/crasp.hpp"

namespace logdepth::inline learned_word_problems {

/// A C-RASP program that words are labelled by: its verdict on every beginning of a word.
struct OwnCrasp {
  std::string name;  ///< of the task: the file's, and digits of the text's hash
  std::string text;
  CraspProgram program;
};

/// Reads the program. Errors: InputError naming the setting, or with another prefix the option, also for an
/// alphabet of one letter.
OwnCrasp own_crasp(const std::string& file, const std::string& prefix = "task.");

/// Keeps a pointer to `own`.
Labelling labelling_of(const OwnCrasp& own);

/// As a result holds it, so that tables need no file again.
nlohmann::ordered_json crasp_to_json(const OwnCrasp& own);
/// Absent where `json` is not what crasp_to_json writes.
std::optional<CraspProgram> crasp_from_json(const nlohmann::ordered_json& json);

}  // namespace logdepth::inline learned_word_problems
