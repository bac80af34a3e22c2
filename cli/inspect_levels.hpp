#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "library/requests/automaton_request.hpp"

namespace logdepth::inline cli {

/// What `inspect` is asked of the levels of an automaton.
struct LevelsOptions {
  std::string word, picture;
  CLI::Option* word_option = nullptr;

  void add_to(CLI::App& app);
};

/// What it answers.
struct LevelsAnswer {
  std::string line;     ///< beside the other lines
  std::string text;     ///< below it: the levels, then the word's table; or nothing
  nlohmann::json json;  ///< members "levels" and, with a word, "run"
};

/// The holonomy decomposition of the minimal automaton; of a word problem, of the action on its
/// points, or on its products where point 0 does not come to all points. The picture is written.
/// Errors: InputError for options that do not go together, a wrong word or name of a picture;
/// SizeLimit where a word is given and the decomposition is too large.
LevelsAnswer inspect_levels(const LoadedAutomaton& loaded, const LevelsOptions& options);

}  // namespace logdepth::inline cli
