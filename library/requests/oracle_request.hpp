#pragma once

#include <memory>
#include <optional>
#include <string>

#include "library/requests/automaton_request.hpp"
#include "oracle/command_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline library_requests {

/// What says what is right: `against`, as the option of this name has it, or an automaton.
struct OracleRequest {
  std::string against;
  AutomatonSource automaton;

  /// What a program of the user's is started by, for `command:PROGRAM`; absent for other oracles.
  std::optional<std::string> command() const;
};

struct NamedLanguage {
  std::unique_ptr<LanguageOracle> oracle;
  std::string name;
  std::vector<std::string> notes = {};  ///< on the file of the automaton, for standard error
};
/// What is right of the words of this model. Errors: InputError where the request says nothing, two
/// things, or what is right of graphs.
NamedLanguage load_language_oracle(const OracleRequest& request, const Model& model);

struct NamedReachability {
  ReachabilityQuestion program;  ///< none: searches in the graph say what is right
  bool undirected = false;       ///< only graphs with every edge both ways
  std::string name;
};
/// What is right of graphs. Errors: InputError where the request says something else.
NamedReachability load_reachability_oracle(const OracleRequest& request, const Model& model);

}  // namespace logdepth::inline library_requests
