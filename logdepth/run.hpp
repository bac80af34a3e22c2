#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/compile.hpp"
#include "logdepth/vocabulary.hpp"

namespace logdepth {

/// What becomes of an input. Nothing is guessed: what is not decided has a name.
enum class Decision {
  accepted,           ///< of a graph: connected
  rejected,           ///< of a graph: not connected
  computed,           ///< the transformer answers with named numbers, not with a verdict
  undecided,          ///< the two logits are equal
  outside_field,      ///< a norm is no sum of square roots, and named numbers are asked for, or a
                      ///< comparison was not decided beyond these numbers either
  outside_hypotheses  ///< the input is none that the file is made for, as a word too long for it
};

/// A rational, or a rational and square roots of rationals.
struct ExactNumber {
  std::string text;        ///< exactly: "3/5", "sqrt(2/5)", "1/2 - sqrt(3)"
  double approximate = 0;  ///< near it; infinite where a double has no room for it
  /// Exactly.
  bool operator==(const ExactNumber& other) const { return text == other.text; }
};

/// What an exact run has to say of an input.
struct Answer {
  Decision decision = Decision::undecided;  ///< what became of it
  std::string reason;                       ///< a sentence where nothing was decided
  /// Of `computed`: by name, a number for each token, the tokens that begin and end a word among
  /// them; the last of a list is the answer to the word.
  std::map<std::string, std::vector<ExactNumber>> numbers;
  /// The products of the first 1, 2, ... letters, each as the images of the points 0, 1, ...; absent
  /// where the file does not say how to read them, or where one of them is undecided.
  std::optional<std::vector<std::vector<std::uint32_t>>> products;
  /// The states after the first 1, 2, ... letters, where the file reads these in place of products.
  std::optional<std::vector<std::uint32_t>> states;
  /// The first place where a head did not select what it promises, as a sentence; then the file is
  /// not what it claims to be, whatever was decided.
  std::optional<std::string> broken_promise;
  /// Where the numbers left the sums of square roots, as a sentence; promises were checked up to there.
  /// What was decided all the same is exact.
  std::optional<std::string> left_field;
  std::uint64_t depth = 0;  ///< layers that were run

  /// False for all that is not decided as well.
  bool accepted() const { return decision == Decision::accepted; }
};

/// Runs a word through the transformer: exact numbers, ties found, every promise of every head
/// checked. Errors: InputError where it reads no words, and for a letter outside its alphabet;
/// SizeLimit for a word that needs more than 8 GiB.
Answer run(const Transformer& transformer, const Letters& word);
/// What is asked of many words.
struct BatchSettings {
  bool prefixes = true;     ///< `products` and `states` of the answers, too
  std::size_t threads = 1;  ///< used where it pays; the answers are the same
};
/// Many words. What was computed for one is remembered for the next, so this is faster.
std::vector<Answer> run_all(const Transformer& transformer, const std::vector<Letters>& words,
                            const BatchSettings& settings = {});

/// Vertices are 0, 1, ..., vertices - 1; an edge leads from its first to its second vertex.
struct DirectedGraph {
  std::uint32_t vertices = 0;                                  ///< their number
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< from, to; twice is once
};
/// Whether `target` can be reached from `source`. Errors: InputError where the transformer reads no
/// graphs, and for a vertex that is not there; SizeLimit as above.
Answer run(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
           std::uint32_t target);
/// Many questions about one graph, source and target each. A file that answers all pairs at once runs
/// once.
std::vector<Answer> run_all(const Transformer& transformer, const DirectedGraph& graph,
                            const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                            const BatchSettings& settings = {});

/// Raw streams: by name, an exact number for each token, as `numbers` of an Answer has them:
/// `RawStreams({{"i.0", {"0", "1"}}, {"i.1", {"1", "1"}}})`. Numbers are written "3", "-3/5",
/// "sqrt(2/5)", or as a sum of such.
struct RawStreams {
  /// All of them at once.
  explicit RawStreams(std::map<std::string, std::vector<std::string>> by_name)
      : numbers(std::move(by_name)) {}
  std::map<std::string, std::vector<std::string>> numbers;  ///< all lists of the same length
};
/// Runs raw streams. Errors: InputError where the transformer reads none, for names that are not
/// those it reads, and for what is no number; SizeLimit as above.
Answer run(const Transformer& transformer, const RawStreams& streams);

/// What a transformer of the division lemma answers.
struct DivisionAnswer {
  std::string quotient;   ///< exact; empty where nothing was computed
  std::string remainder;  ///< exact; empty where nothing was computed
  Answer answer;          ///< of the whole run, every token's numbers
};
/// The raw streams of a division, for what takes raw streams, as `draw` and `trace`: behind as many
/// tokens that divide their own numbers, the last one divides what is asked. Errors: as divide.
RawStreams division_streams(const Transformer& transformer, std::uint64_t dividend,
                            std::uint64_t divisor);
/// Divides at the position `dividend`, behind as many tokens that divide their own numbers. Errors:
/// InputError where the transformer is none of the division lemma, for the divisor 0, and for a
/// dividend above 1000000; SizeLimit as above.
DivisionAnswer divide(const Transformer& transformer, std::uint64_t dividend,
                      std::uint64_t divisor);

// --- floating point ------------------------------------------------------------------------------

/// How a rounded run calculates; the words are those of `logdepth run`.
struct RoundedSettings {
  std::string engine = "float64";  ///< "float64", "float32" or "mpfr:BITS" with 2 to 500 bits
  std::string device = "cpu";      ///< or "cuda"
  /// Softmax of `temperature` times the score in place of averaging the largest ones.
  std::optional<double> temperature = {};
  /// What a head takes for the largest score and a test for zero: "bounded" (what error bounds say;
  /// the only rule that certifies), "plain" (equal numbers), "snapped" (within `tolerance`).
  std::string rule = "bounded";
  double tolerance = 0;     ///< of snapped
  std::size_t threads = 1;  ///< the answers are the same
};

/// A number of a rounded run.
struct RoundedNumber {
  double value = 0;  ///< as it was computed
  double error = 0;  ///< the exact number is at most so far away
};

/// Its name: "certified", "ambiguous", "uncertified".
std::string text(Certainty certainty);

/// What a rounded run has to say of an input. Nothing is guessed here either: what is not certified
/// says so, and why.
struct RoundedAnswer {
  Decision decision = Decision::undecided;       ///< as computed, to be trusted if certified
  Certainty certainty = Certainty::uncertified;  ///< of the decision, and of all `numbers`
  std::string reason;                            ///< why nothing was decided, or is not certified
  /// Of `computed`: by name, a number for each token.
  std::map<std::string, std::vector<RoundedNumber>> numbers;
  /// As of an Answer.
  std::optional<std::vector<std::vector<std::uint32_t>>> products;
  std::optional<std::vector<std::uint32_t>> states;  ///< as of an Answer
  std::vector<Certainty> prefixes;                   ///< of each of `products` or `states`
  std::optional<std::string> broken_promise;         ///< as of an Answer; then nothing is certified
  std::uint64_t depth = 0;                           ///< layers that were run

  /// False for all that is not decided as well.
  bool accepted() const { return decision == Decision::accepted; }
};

/// Whether the settings are some, without a run. Errors: InputError for a setting that is none.
void require_settings(const RoundedSettings& settings);

/// Runs a word in floating point. Errors: as run; InputError for a setting that is none, and for a
/// device that is not there.
RoundedAnswer run_rounded(const Transformer& transformer, const Letters& word,
                          const RoundedSettings& settings = {});
/// Many words; the file is prepared once.
std::vector<RoundedAnswer> run_rounded_all(const Transformer& transformer,
                                           const std::vector<Letters>& words,
                                           const RoundedSettings& settings = {});
/// The same of a question about a graph.
RoundedAnswer run_rounded(const Transformer& transformer, const DirectedGraph& graph,
                          std::uint32_t source, std::uint32_t target,
                          const RoundedSettings& settings = {});
/// The same of raw streams.
RoundedAnswer run_rounded(const Transformer& transformer, const RawStreams& streams,
                          const RoundedSettings& settings = {});

// --- everything that happened --------------------------------------------------------------------

/// One column of a trace: a number of a cell.
struct TraceColumn {
  std::string cell;              ///< its name; of a file without names the coordinate
  std::uint32_t component = 0;   ///< of the cell, from 0
  std::uint32_t coordinate = 0;  ///< of the residual stream
};
/// When a trace looks at the residual stream.
struct TraceMoment {
  std::uint64_t layer = 0;  ///< layers that have run, this one included; 0: after the embedding
  std::string sublayer;     ///< "embedding", "attention" or "feedforward"
};
/// What a head selected in an executed layer.
struct TraceHead {
  std::uint64_t layer = 0;                           ///< executed, from 1
  std::size_t head = 0;                              ///< of the layer, from 0
  std::string name;                                  ///< as the program calls it, else "head 1"
  std::vector<std::vector<std::uint32_t>> selected;  ///< for each token: tokens, ascending
};
/// An exact run, every number of it: an array of moments x tokens x columns, row by row. The entry
/// `entries[(moment * tokens + token) * columns.size() + column]` is an index into `numbers`, which
/// holds every number once. A run that is refused is there as far as it came.
struct Trace {
  std::vector<TraceMoment> moments;    ///< of the array's first index
  std::size_t tokens = 0;              ///< of its second
  std::vector<TraceColumn> columns;    ///< of its third, cell by cell
  std::vector<std::uint32_t> entries;  ///< the array
  std::vector<ExactNumber> numbers;    ///< all different
  std::vector<TraceHead> heads;        ///< layer by layer
  Answer answer;                       ///< what `run` says of the same input
};

/// The trace of a word. Errors: as run; SizeLimit for more than 2^28 entries.
Trace trace(const Transformer& transformer, const Letters& word);
/// The same of a question about a graph.
Trace trace(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
            std::uint32_t target);
/// The same of raw streams.
Trace trace(const Transformer& transformer, const RawStreams& streams);

}  // namespace logdepth
