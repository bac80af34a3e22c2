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
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "objects/action.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"

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

/// "FirstFlag": for the names of tests.
std::string test_name(ScanPositions positions);

/// The options of the construction and the compiler that change the weights.
struct ScanForm {
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
  Norm norm = Norm::rms;
  bool strict = false;
  std::optional<std::uint64_t> unroll;
  std::string name() const;
};

Compiled compiled_scan(const Action& action, const ScanForm& form = {});
Model compile_scan(const Action& action, const ScanForm& form = {});  ///< its weights

/// Three position encodings, both tables, both norms: all twelve.
std::vector<ScanForm> scan_forms();

}  // namespace logdepth::support
