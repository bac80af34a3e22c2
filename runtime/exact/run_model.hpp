#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "objects/graph.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/readout.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace runtime_exact {

/// What the program gives an exact run where --memory does not say: 8 GiB, or 1 GiB where addresses have 32 bits.
constexpr std::size_t kRunMemory = std::size_t{8} << (sizeof(std::size_t) > 4 ? 30 : 27);

/// How many bytes an exact run may hold where who starts it does not say: kRunMemory, unless
/// set_run_memory() was called. One limit for the process, for each run on its own: a command runs
/// files in many places, and means the same by --memory in all of them. Nothing but that option
/// sets it, so that in the library it is always kRunMemory.
std::size_t run_memory();
void set_run_memory(std::size_t bytes);

/// What a user gives, as the model's tokens. Refused: OutsideHypotheses where the file says so.
/// Errors: InputError when the model takes another kind of input, for a letter outside its
/// alphabet, for a row without exactly one value per name.
Outcome<Tokens> tokens_of(const Model& model, const std::vector<std::string>& letters);
/// Precondition: source, target < graph.size(). Errors also: SizeLimit for a graph whose padding
/// would not fit in memory.
Outcome<Tokens> tokens_of(const Model& model, const Graph& graph, std::size_t source,
                          std::size_t target);
/// One row per token, its values in the order of the file's names.
Outcome<Tokens> tokens_of(const Model& model, std::vector<std::vector<Real>> rows);

/// Why these tokens are not an input of the model, if they are not: too many, or none.
std::optional<OutsideHypotheses> outside_hypotheses(const Model& model, const Tokens& tokens);

/// Logits of an exact run, for readout.hpp. Valid until the next are read.
struct ExactLogits {
  std::span<const ValueId> logits;
  const ValuePool& pool;

  std::size_t size() const { return logits.size(); }
  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) const {
    return strictly_largest(rows,
                            [&](auto i, auto j) { return pool[logits[i]] <=> pool[logits[j]]; });
  }
  int sign(std::size_t row) const { return pool.sign(logits[row]); }
  bool is(std::size_t row, const Real& number) const { return pool[logits[row]] == number; }
  std::string text(std::size_t row) const { return pool[logits[row]].text(); }
};

/// Runs inputs through a weights file, exactly. What was computed for one input is remembered for
/// the next, as long as memory lasts; a stream is to be read before the next input is run.
class Runner {
 public:
  using Observers = std::vector<ForwardObserver<ValueId>*>;

  /// Keeps a reference to the model. `memory`: how many bytes it may hold, beside the model.
  explicit Runner(const Model& model, std::size_t memory = run_memory());

  /// What it remembers of the inputs so far. More than half of the memory is forgotten, with the
  /// numbers of all streams, when the next input is run.
  std::size_t bytes() const { return forward_.bytes(); }

  /// The residual stream after the last layer. Errors: InputError for tokens that are not the
  /// model's; SizeLimit beyond `memory`.
  Outcome<Stream<ValueId>> run(const Tokens& tokens, const Observers& observers = {});
  /// The same of tokens_of(...).
  Outcome<Stream<ValueId>> run_word(const std::vector<std::string>& letters,
                                    const Observers& observers = {});

  /// Of one token.
  ExactLogits logits_of(const Stream<ValueId>& stream, std::size_t token);
  /// The verdict at one token (the last one decides the input). Errors: InputError when the output
  /// of the model is another.
  Outcome<bool> accepts(const Stream<ValueId>& stream, std::size_t token);
  /// Whether vertex `to` can be reached from vertex `from`, in a stream of the rows of a graph.
  /// Errors: InputError when the output of the model is another.
  Outcome<bool> relation(const Stream<ValueId>& stream, std::size_t from, std::size_t to);
  /// The answer for a graph: its verdict, or the pair (source, target) of its relation.
  Outcome<bool> connected(const Stream<ValueId>& stream, std::size_t source, std::size_t target);
  /// The prefix product, or the state, at one token. Precondition: reads_prefixes(model()).
  Outcome<PrefixAnswer> prefix(const Stream<ValueId>& stream, std::size_t token);
  /// All logits at one token: the named values of output kind `cells`, in the order of the names.
  std::vector<Real> logits(const Stream<ValueId>& stream, std::size_t token);

  const Model& model() const { return model_; }
  Exact& arithmetic() { return arithmetic_; }
  const Exact& arithmetic() const { return arithmetic_; }

 private:
  const Model& model_;
  std::size_t memory_;
  Exact arithmetic_;
  Forward<Exact> forward_;
};

}}  // namespace logdepth::runtime_exact
