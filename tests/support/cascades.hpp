#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/KR65/regular_language_cascade.hpp"
#include "objects/automaton.hpp"
#include "runtime/file/model.hpp"
#include "tests/support/languages.hpp"

/// Automata for cascades, and the files of the construction.
namespace logdepth::support {

/// The options of the construction and the compiler that change the weights.
struct CascadeForm {
  ScanPositions positions = ScanPositions::first_flag;
  Norm norm = Norm::rms;
  ScanTable table = ScanTable::automatic;
  std::string name() const;
};
/// Both position encodings, both norms.
std::vector<CascadeForm> cascade_forms();

Compiled compiled_cascade(const Action& action, const CascadeForm& form = {});
Model compile_cascade(const Action& action, const CascadeForm& form = {});  ///< its weights

/// Letters a, b, ... acting on the states 0, 1, ...; state 0 alone is accepting.
Dfa automaton_of(const std::vector<Transformation>& letters, State initial = 0);
/// Decided by following its states.
Language language_of(const Dfa& dfa);

/// The states (p, q) of two automata, numbered q + p times the states of the second. `first` reads
/// the letter, `second` the letter of its own that p, before the letter, and the letter say.
Dfa dependent_product(const Dfa& first, const Dfa& second,
                      const std::function<Letter(State p, Letter letter)>& below);

/// The last `letters` letters, of two: a state is their number in base 2, the last in its lowest
/// digit.
Dfa memory_of(std::size_t letters);

}  // namespace logdepth::support
