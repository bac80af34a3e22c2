#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/own_position.hpp"
#include "constructions/product_cells.hpp"
#include "objects/automaton.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"

/// Words to test with.
namespace logdepth::support {

/// Calls `visit` with every word of at most `longest` letters, shorter words first.
void for_each_word(std::size_t letters, std::size_t longest,
                   const std::function<void(const Word&)>& visit);

Word random_word(std::mt19937_64& random, std::size_t letters, std::size_t length);

/// `word` written `times` times.
Word repeated(const Word& word, std::size_t times);

/// 0, 1 and 2^k - 1, 2^k, 2^k + 1 for every k up to `exponent`, once each, increasing.
std::vector<std::size_t> lengths_around_powers(std::size_t exponent);

std::vector<std::string> letter_names(const Alphabet& alphabet, const Word& word);

}  // namespace logdepth::support

/// Languages to compile, each with a second way to decide it, and the comparison of a compiled
/// model with both.
namespace logdepth::support {

struct Language {
  std::string name;
  Action action;                            ///< what is compiled
  std::function<bool(const Word&)> member;  ///< decides a word without the action
};

/// The expression's minimal automaton, decided by derivatives of the expression.
Language regex_language(const std::string& expression, const std::string& letters);
/// Tomita's languages 1 to 7 over 0 and 1, decided by their definitions in words.
Language tomita(int number);
/// Brackets a (opens) and b (closes), balanced, never deeper than `depth`; decided by counting.
Language bounded_dyck(std::size_t depth);
/// The word problem of a named group or monoid, decided by multiplying the letters one by one.
Language word_problem(const std::string& name, bool all_letters = false);
/// Z_order, decided by the length of the word alone.
Language length_divisible_by(std::size_t order);
/// A random complete automaton, decided by following its states.
Language random_automaton(std::mt19937_64& random, std::size_t states, std::size_t letters);

/// Small languages over two letters, trivial and single-letter ones among them.
std::vector<Language> small_languages();

/// The products of all non-empty prefixes; the first letter acts first.
std::vector<Transformation> products(const Action& action, const Word& word);

/// What a model says about one word, with everything observed on the way.
struct Answer {
  std::optional<bool> accepts;  ///< absent: `refusal` says why
  std::string refusal;
  std::vector<Transformation> prefixes;      ///< none of a model without prefix products
  std::vector<std::optional<State>> states;  ///< of prefixes; none of a model without them
  std::size_t layers = 0;                    ///< executed
  std::size_t promises = 0;                  ///< rows at which a head's promise was checked
  std::optional<std::string> broken;         ///< the first broken contract
};

/// Runs words through a model that it owns.
class Recogniser {
 public:
  explicit Recogniser(Model model);
  Answer ask(const Word& word);
  const Model& model() const { return *model_; }
  Runner& runner() { return runner_; }

 private:
  std::unique_ptr<const Model> model_;  // the runner keeps a reference to it
  Runner runner_;
  ContractCheck contracts_;
  Alphabet alphabet_;
};

/// Verdict, every prefix product or the state of every prefix, every contract, executed layers as the
/// file says.
testing::AssertionResult agrees(Recogniser& recogniser, const Language& language, const Word& word);

enum class By { scan, tree, radix, uniform_radix };

/// A construction with the options of it and of the compiler that change the weights.
struct WordForm {
  By by = By::scan;
  unsigned radix = 2, block = 2;
  std::uint64_t max_length = 0;  ///< of `radix`
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
  Norm norm = Norm::rms;
  bool strict = false;
  std::optional<std::uint64_t> unroll = std::nullopt;
  std::string name() const;
};

Program program_of(const Action& action, const WordForm& form, const std::string& name);
ProductForecast forecast_of(const Action& action, const WordForm& form);
Compiled compiled_form(const Action& action, const WordForm& form = {});
Model compile_form(const Action& action, const WordForm& form = {});  ///< its weights

/// The form under each position encoding that its construction takes.
std::vector<WordForm> in_all_positions(const WordForm& form);
/// And with both tables and both norms.
std::vector<WordForm> all_forms(const WordForm& form);

/// How often 1 has to be multiplied by `factor` to reach at least `length`, counted.
std::size_t levels_to_reach(std::uint64_t factor, std::uint64_t length);

}  // namespace logdepth::support

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
