#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/file/model.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace library_runs {

/// A number as it was read off a run.
struct ReadNumber {
  std::string exact;  ///< its text; empty in floating point
  double value = 0;   ///< as computed; of an exact number near it, and 0 beyond the field
  double error = 0;   ///< in floating point: the exact number is at most so far away
};

/// What was read, and how sure it is; exact answers are certified.
template <class T>
using Read = Outcome<FloatAnswer<T>>;

/// How exact runs came to their answers.
struct ExactStatistics {
  AttentionStatistics attention;
  std::uint64_t promises = 0;  ///< rows checked
  std::size_t values = 0;      ///< distinct
  std::size_t bytes = 0;       ///< of tuples, numbers and what is remembered
  RadicalTower::Statistics nested;
  ColumnStatistics columns;  ///< what was run by columns; rows and contracts above count these too
};
/// How rounded runs did.
struct RoundedStatistics {
  FloatStatistics heads;
  std::optional<std::string> unproved;  ///< why nothing is proved of the file's numbers, if so
};

using RunStatistics = std::variant<ExactStatistics, RoundedStatistics>;

/// Runs inputs one after the other, in exact or floating-point arithmetic. Questions are about the latest run.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Why there are no answers, if there are none. Errors: SizeLimit.
  virtual std::optional<Refusal> run(const Tokens& tokens) = 0;
  /// Words that will be asked for, and that one of them is asked for now: the engine may run others of
  /// them with it. The words have to live as long as they are asked for.
  virtual void announce(const std::vector<std::vector<std::string>>& /*words*/) {}
  virtual std::optional<Refusal> run_announced(std::size_t /*word*/, const Tokens& tokens) {
    return run(tokens);
  }
  virtual std::size_t tokens() const = 0;
  virtual Read<bool> accepts(std::size_t token) = 0;
  virtual Read<bool> connected(std::size_t source, std::size_t target) = 0;
  /// The product of the letters 0 .. letter, or the state after them.
  virtual Read<PrefixAnswer> prefix(std::size_t letter) = 0;
  virtual Read<std::vector<ReadNumber>> numbers(std::size_t token) = 0;
  /// Exact runs: where the input left the field of sums of square roots, if it did.
  virtual std::optional<std::string> left_field() const { return std::nullopt; }
  /// The first promise that this input broke.
  virtual std::optional<std::string> broken_promise() const { return std::nullopt; }
  /// Of all inputs.
  virtual RunStatistics statistics() const = 0;
};

/// Looks on at every moment of exact runs: after the embedding, and after every sublayer.
class MomentObserver : public ForwardObserver<ValueId> {
 public:
  virtual void moment(std::size_t step, const char* sublayer, const Stream<ValueId>& stream) = 0;

  void before(const Location& location, const Stream<ValueId>& stream) override;
  void after(const Location& location, const Stream<ValueId>& stream) override;
  const Real& number(ValueId value) const { return arithmetic->pool()[value]; }
  const Exact* arithmetic = nullptr;  ///< of the engine, which says it
};

/// What is called during a run.
struct RunObservers {
  std::function<void(const Location&)> progress = {};  ///< called after every sublayer
  MomentObserver* moments = nullptr;                   ///< of exact runs
};

/// Tokens from which on an input, or a group of announced words of one length, is run by columns: on
/// shorter ones what is done once per file costs more than is gained.
constexpr std::size_t kLeastColumnTokens = 2048;

/// Words by columns where they are long enough, nobody looks at moments, and all certificates apply; the
/// rest, with the same answers, on interned exact numbers, with nested radicals where these do not do. Every
/// contract is checked, up to where the numbers leave the field. Keeps a reference.
std::unique_ptr<Engine> exact_engine(const Model& model, std::size_t threads = 1,
                                     const RunObservers& observers = {},
                                     std::size_t least_column_tokens = kLeastColumnTokens);
/// Floating point, with what is proved from the file's program. A contract that is not known to be kept
/// takes the certificate away: the program proves it, or the scores show it, or an exact run of the input
/// checks it. Errors: as FloatRunner.
std::unique_ptr<Engine> float_engine(const Model& model, const FloatOptions& options,
                                     const RunObservers& observers = {});

/// The automaton that a file for words follows, as its prefix readout numbers the states.
struct StateNumbers {
  std::uint32_t states = 0;              ///< numbered 0, 1, ...
  std::uint32_t initial = 0;             ///< after the empty word
  std::vector<std::uint32_t> accepting;  ///< ascending
  std::vector<std::string> names;        ///< of the states, where the file has them
};

/// Read from exact runs of a shortest word to each state and of its extensions by one letter: the
/// verdicts have to depend on the state alone. Where the file reads products, the state after a word
/// is the image of state 0. Absent where the file reads neither, where its points are no states (the
/// named groups, whose verdict is the identity), where the runs disagree, and for more than
/// kMostNumbered extensions.
inline constexpr std::size_t kMostNumbered = 1024;
std::optional<StateNumbers> state_numbers(const Model& model);

}}  // namespace logdepth::library_runs
