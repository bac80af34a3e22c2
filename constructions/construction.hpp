#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/program/program.hpp"
#include "objects/automaton.hpp"
#include "runtime/file/hypotheses.hpp"

namespace logdepth { inline namespace constructions {

/// What a network is asked, which also says who knows the right answers.
enum class Problem { words, graphs, divisions, computation_graphs, hops, formulas };

/// What was given, by the names of options; a flag is 1.
using OptionValue = std::variant<std::uint64_t, std::string>;
using Values = std::map<std::string, OptionValue>;
/// 0 or "" where it was not given.
std::uint64_t number_of(const Values& values, const std::string& option);
std::string word_of(const Values& values, const std::string& option);

struct FlagOption {};
struct CountOption {
  std::uint64_t most = 10000000;             ///< that is read at all
  std::optional<std::uint64_t> otherwise{};  ///< if not given
  std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();
  std::string needed{};  ///< what it is, where it has to be given: "N, the number of vertices"
};
struct ChoiceOption {
  std::vector<std::string> words;
  std::string otherwise{};  ///< if not given; none: nothing
};
/// Not of this construction, with the reason: ", which has no padding".
struct RefusedOption {
  std::string reason;
};

/// An option of a construction: --NAME of the command, a setting of the library.
struct Option {
  std::string name;
  std::variant<FlagOption, CountOption, ChoiceOption, RefusedOption> type;
  std::string help{};
};

/// What a program is made of.
struct Request {
  Values values;                   ///< of all options that are given or have a default
  const Action* action = nullptr;  ///< of words
  std::string name{};              ///< of words: what the program is called
  std::function<void(const std::string&)> say{};
};

/// What cells hold, by their names up to the first digit, or to a dot and with it; `{}` is the rest.
struct HeldCell {
  std::string name, text;
};

/// A row of the table of depths (`compare depth`): networks of words or graphs.
struct DepthRow {
  bool repaired = false;  ///< the paper's own, or better than it
  std::string title;
  Values values{};
  /// Where there is a network per size: the option that says which, the size of the network that is
  /// tested, the depth as a formula, and the largest size that is counted.
  std::string per_size{};
  std::uint64_t tested = 0;
  std::string formula{};
  std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  /// Of words: whether the row speaks of this automaton; absent: of every one.
  std::function<bool(const Action&)> holds{};
};

/// A construction, as everybody who has to know it reads it: the command line, the library, `auto`,
/// tables and pages. The record stands below its program, in constructions/PAPER/NAME.cpp, and is
/// listed once, in catalogue/catalogue.cpp.
struct Construction {
  struct {
    std::string paper, statement, name;
  } key;
  Problem problem;
  /// What users type for it, said in half a sentence: its name, if there is nothing else here. Several
  /// may share a word; then `given` names the option by which one of them is meant.
  std::string word{}, help{}, given{};
  std::vector<Option> options{};
  /// Errors: InputError, SizeLimit.
  std::function<Program(const Request&)> program{};
  /// Of words, more than options say about values, before the automaton is read. Errors: InputError.
  std::function<void(const Values&)> check{};

  /// Its place in comparisons (`inspect`, `auto`); 0: it is not compared.
  unsigned compared = 0;
  bool multiplies = false;  ///< it holds the products that the scan holds, or more
  /// The values for words of at most `length` letters; absent where it cannot be called for them.
  /// `cheap`: tables are too large already, so they are not looked at. None: the values as asked.
  std::function<std::optional<Values>(const Action& action, Values asked, std::uint64_t length,
                                      bool cheap)>
      forecast{};
  std::vector<DepthRow> depths{};
  std::vector<HeldCell> cells{};  ///< of its networks, beyond what their types say

  const std::string& typed() const { return word.empty() ? key.name : word; }
  const Option* option(const std::string& called) const;
  /// Of its cells; empty where no row says what this one holds.
  std::string cell_text(const std::string& name) const;
  Values with_defaults(Values values) const;
  /// "scan", or with the numbers of its own options: "radix 4".
  std::string title(const Values& values) const;
  /// Its program, with the defaults of what was not given. Errors: as `program`.
  Program make(Request request) const;
};

using Catalogue = std::vector<Construction>;

/// Hypotheses that several constructions have.
inline std::string causal_network() {
  return clause(Assumption::causal_heads) + ", masked pre-norm without epsilon, exact numbers";
}
/// Neither is said of all heads.
inline std::string causal_and_unmasked_network() {
  return "averaging-hard attention, causal and unmasked heads, masked pre-norm without epsilon, "
         "exact "
         "numbers";
}
inline std::string words_of_any_length() {
  return clause(Assumption::begin_token) + ", then the letters; " + clause(Assumption::any_length) +
         ", the empty word included";
}

}}  // namespace logdepth::constructions
