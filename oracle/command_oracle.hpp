#pragma once

#include <functional>
#include <memory>
#include <string>

#include "objects/graph.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth { inline namespace oracle {

/// Kills the programs that run: for handlers of signals, which leave no time for anything else.
void kill_line_programs() noexcept;

/// As the names of oracles begin that are programs of the user's: "command ./oracle.py".
inline constexpr const char* kCommandOracle = "command ";

/// A language, or named values of words, as a program of the user's has them. It
/// is asked a word per line, as `run --batch` reads them, the empty line for the empty word, and
/// answers `accept` or `reject` (also 1 and 0, true and false), or name=value for every named value.
/// Errors, when it is asked: InputError naming the command, the word and what was expected.
std::unique_ptr<LanguageOracle> make_command_oracle(const std::string& command, Alphabet alphabet);

/// Whether the target can be reached from the source, as a program has it. It is asked in numbers:
/// `VERTICES SOURCE TARGET FROM TO FROM TO ...`, an edge for each pair FROM TO, vertices from 0; and
/// answers `connected` or `not connected` (also 1 and 0, true and false). Errors as above.
using ReachabilityQuestion = std::function<bool(const Graph&, Vertex source, Vertex target)>;
ReachabilityQuestion make_command_reachability(const std::string& command);

}}  // namespace logdepth::oracle
