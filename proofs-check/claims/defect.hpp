#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/program.hpp"
#include "objects/automaton.hpp"
#include "proofs-check/check/raw_streams.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace proofs_check_claims {

/// An input on which a network does not do what its claim says.
struct DefectCounterexample {
  std::string input, expected, got;
  std::size_t tried = 0;           ///< the number of inputs tried, this one included
  std::optional<Refusal> refusal;  ///< there was no answer, as `got` says in words
};

/// Where a search stops when it has found nothing.
struct SearchBounds {
  std::size_t size = 0;  ///< largest input, as the search counts: position, vertices, letters
  std::size_t inputs = std::numeric_limits<std::size_t>::max();  ///< so many inputs
};
/// Inputs by increasing size, each compared with an oracle; the first that fails.
using DefectSearch =
    std::function<std::optional<DefectCounterexample>(const Model& model, SearchBounds bounds)>;

/// One place where the text of a paper is wrong, as one change of the repaired construction back to
/// the text.
struct Defect {
  std::uint32_t number = 0;  ///< our numbering 1..26; one number may have several entries
  /// "lem-3.1/minus-in-the-score": before the slash the claim whose repaired construction is changed
  std::string id = {};
  std::string place = {}, quote = {};  ///< where in the paper, and its words
  std::string change = {};             ///< the one change back to the text
  std::string repair = {};             ///< what repairs it
  enum class Kind {
    runs,     ///< compiles, and an exact run gives a wrong answer
    refused,  ///< the compiler refuses it: no mask, matrix or norm says what the text says
    recorded  ///< there is nothing to run
  };
  Kind kind = Kind::runs;
  std::function<Program()> repaired = {};  ///< runs, refused: the construction without the change
  std::function<Program()> program = {};   ///< runs, refused: the changed program
  std::function<void(Model&)> edit = {};   ///< runs: where the program language cannot say it
  std::string reason = {};                 ///< recorded: why it cannot be executed
  Norm norm = Norm::rms;                   ///< runs: what to compile for
  DefectSearch search = {};                ///< runs
  std::size_t up_to = 0;                   ///< runs: the size at which the search gives up
  std::vector<std::string> refusal = {};   ///< refused: words of the message, held by a test

  // Filled in by all_defects().
  std::string paper = {};  ///< the folder of constructions/ that it stands in: "MS25"
  std::string file = {};   ///< where the change is made, from the root of the repository
};

/// What an entry that is executed leaves out is that of `common`, a program that it leaves out the
/// repaired one.
std::vector<Defect> with_common(const Defect& common, std::vector<Defect> entries);

struct [[nodiscard]] DefectOutcome {
  /// runs: a counterexample exists, and the repaired construction is right up to and on it;
  /// refused: the compiler refuses the change, and takes the repaired program;
  /// recorded: there is a reason.
  bool shown = false;
  std::optional<DefectCounterexample> counterexample;  ///< runs: the smallest
  /// refused: the compiler's message; recorded: the reason; runs: on which inputs the repaired
  /// construction is right, or what went wrong
  std::string note;
};

/// Compiles, runs and compares as the kind says.
DefectOutcome examine(const Defect& defect);
/// runs: the changed network, and the same of it.
Model model_as_written(const Defect& defect);
DefectOutcome examine(const Defect& defect, const Model& as_written);

// Changes of weights, by the names of cells, for what no program says (ChangedProgram for the
// rest). Each throws std::logic_error when what it should change is not there: an edit never does nothing.

std::uint32_t coordinate_of(const Model& model, const std::string& cell, std::uint32_t index = 0);
std::uint32_t mirror_of(const Model& model, std::uint32_t coordinate);  ///< layernorm

/// The `which`-th head (from 0, in the order of the file) that writes to the cell.
HeadPlace head_writing(const Model& model, const std::string& cell, std::size_t which = 0);
Head& head_at(Model& model, const HeadPlace& place);
/// The first layer whose feed-forward sublayer writes to the cell and keeps `read` in its mask.
std::size_t feedforward_of(const Model& model, const std::string& written, const std::string& read);

const Rational& entry(const SparseVector& vector, std::uint32_t index);
const Rational& entry(const SparseMatrix& matrix, std::uint32_t row, std::uint32_t column);
/// Sets an entry that is there, or with `absent` one that is not; 0 takes it away.
enum class Before { present, absent };
void set_entry(SparseVector& vector, std::uint32_t index, const Rational& value,
               Before before = Before::present);
void set_entry(SparseMatrix& matrix, std::uint32_t row, std::uint32_t column, const Rational& value,
               Before before = Before::present);
/// Multiplies all entries of a row; there must be some.
void scale_row(SparseMatrix& matrix, std::uint32_t row, const Rational& factor);
/// The row of `head.value` whose average goes to the coordinate.
std::uint32_t value_row(const Head& head, std::uint32_t coordinate);
/// A copy of the layer "where all signs are flipped" (MS25 Lemma A.5).
Layer negated(Layer layer);

/// MS25 Lemma 3.1 against / and %: positions i, divisors m <= i + 1, dividends a <= i from i down;
/// earlier positions divide themselves. The size of an input is i.
std::optional<DefectCounterexample> search_division(const Model& model, SearchBounds bounds);

/// MS25 Theorem 5.1 against breadth-first search: all graphs of n vertices, fewest edges first, all
/// sources and targets. The size of an input is n.
std::optional<DefectCounterexample> search_graphs(const Model& model, SearchBounds bounds);

/// MS25 Theorem 4.1 against the product of the letters, one by one: every word of the action's
/// letters, at the last token. The size of an input is its number of letters.
DefectSearch search_words(const Action& action);

/// Raw streams made up for one lemma, and the right values of all outputs at the last token.
struct RawCase {
  RawInput input;
  std::vector<Real> expected;
};
/// The cases of each size. `blank`: cells that are zero at the end, at every token; those that the file
/// has not do not count.
DefectSearch search_raw(std::function<std::vector<RawCase>(std::size_t size)> cases,
                        std::vector<std::string> blank = {});

/// Words of one letter, which a file answers with named numbers at the last token. The size of an
/// input is the number of its letters.
DefectSearch search_lengths(std::function<std::vector<Real>(std::size_t letters)> expected);

/// A construction with a change to it, said by the names of what is changed:
///
///   ChangedProgram p(division_MS25_lem3_1());
///   const auto i = p.cell<Number>("i"), m = p.cell<Number>("m");
///   p.select("near", nearest(i[0] / m[0]).key(p.cell<Key>("I")));
///   return p.program();
///
/// Heads and lookups are called by their names, other statements as messages call them:
/// "normalise x". `times` is the number of places where the change is made: a level of the tree
/// stands in the repeated and in the final block. More cells and statements come as in any program.
///
/// Errors of all changes: std::logic_error when what is to be changed is not there exactly so often,
/// or when it is as it should become already: a change never does nothing.
class ChangedProgram : public cells::Program {
 public:
  explicit ChangedProgram(const logdepth::Program& program) : cells::Program(program) {}

  // --- heads
  ChangedProgram& select(const std::string& head, const cells::Selector& selector,
                         std::size_t times = 1);
  /// What the head adds to the component, instead of what it added.
  ChangedProgram& add(const std::string& head, const cells::Component& target,
                      const cells::Form& form);
  /// The head no longer writes to the cell.
  ChangedProgram& drop_write(const std::string& head, const cells::Cell& target);

  // --- lookups
  /// Rules that stand one after the other give way to others.
  ChangedProgram& replace_rules(const std::string& lookup, const cells::Rules& rules,
                                const cells::Rules& by, std::size_t times = 1);
  /// Every condition on `cell` becomes one on `instead`, which is of the same type.
  ChangedProgram& ask(const std::string& lookup, const cells::Cell& cell,
                      const cells::Cell& instead, std::size_t times = 1);

  // --- statements
  ChangedProgram& drop(const std::string& statement);
  ChangedProgram& replace(const std::string& statement, const cells::Statements& by);
  /// The statement comes later: right behind another one of its block.
  ChangedProgram& move_behind(const std::string& statement, const std::string& other);

  ChangedProgram& drop_block(Block block);

  // --- cells
  /// The cell, which nothing names, is taken away.
  ChangedProgram& drop_cell(const std::string& cell);
  /// The cell, declared here, stands behind another one, in the layout and in what is given.
  ChangedProgram& put_behind(const cells::Cell& cell, const std::string& other);

  /// The changed program. Errors: std::logic_error when something names a cell that was dropped.
  logdepth::Program program() const;

 private:
  struct Place {
    std::vector<Statement>* block;
    std::size_t index;
  };
  std::vector<Place> find_statement(const std::string& name, std::size_t times);
  template <class Kind>
  std::vector<Kind*> named(const std::string& name, std::size_t times);
  CellId id_of(const std::string& cell) const;

  std::set<CellId> dropped_;
  std::vector<std::pair<CellId, CellId>> behind_;
};

}}  // namespace logdepth::proofs_check_claims
