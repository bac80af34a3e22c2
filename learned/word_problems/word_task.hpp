#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "learned/records/task.hpp"
#include "learned/records/training_config.hpp"
#include "learned/word_problems/prefix_circuit.hpp"
#include "objects/named_monoids.hpp"

namespace logdepth { inline namespace learned_word_problems {

/// How far a model keeps track of a word: n* of "A Little Depth Goes a Long Way", section 7.
struct NStar {
  std::size_t strict = 0;  ///< largest i such that all indices up to i reach the threshold
  std::size_t loose = 0;   ///< largest index that reaches it: the paper's wording
  bool censored = false;   ///< strict is the length that was measured: the model may go further

  bool operator==(const NStar&) const = default;
};

/// n* from the accuracies at the indices 1, 2, ... of a word; 0 where none reaches the threshold.
inline NStar n_star(const std::vector<double>& accuracy, double threshold) {
  NStar result;
  for (std::size_t i = 0; i < accuracy.size(); ++i) {
    if (!(accuracy[i] >= threshold)) continue;
    if (result.strict == i) result.strict = i + 1;
    result.loose = i + 1;
  }
  result.censored = !accuracy.empty() && result.strict == accuracy.size();
  return result;
}

/// Running products of words over a finite monoid, the first letter first: a causal model reads a
/// token per letter and answers with an element at each. The curriculum goes
/// through lengths 2, 4, 8, ..., max_length; promotion asks for the last product. `measure` is n*
/// (n_star) on words that depend on the seed alone, those of a shorter stage being beginnings
/// of those of a longer one.
///
/// A share `mixed_lengths` of the batches have the length of a stage drawn from those up to the
/// present one, so that shorter words (of a looped network: fewer loops) are not forgotten; the
/// curriculum reads the others only.
///
/// With `teach` windows, the readout after executed layer l is taught the product of the last 2^l
/// letters, or of all where there are fewer: the optimised scan's circuit, so that such a run says
/// what optimisation keeps a network from, not what it can express.
///
/// Of a looped network the measure holds n* after every number of loops up to its own. Attention is
/// causal and positions are counted from the first letter, so that the accuracies at indices up to n
/// of longer words are those of words of n letters in as many loops.
///
/// With `row_tokens` a batch is rows of so many tokens, each filled with words of one length, every
/// word behind its begin token and reading no other; the row's end cuts the last one short. Then each
/// row, not each batch, may be of an earlier stage, and every batch has one shape whatever the stage.
///
/// Words of a C-RASP program are drawn so that both of its verdicts occur (VerdictWords), others uniformly.
///
/// With `data` the words come from that file, and letters and labels are the names in it; a label per word is asked
/// for after the last letter only, and a stage trains on whole words up to its length. Every tenth of its different words is held out and is what the measure asks about, as many of
/// them as there are up to `validation`; no seed changes which. Nothing is trained on a word that is
/// held out.
struct WordTaskConfig final : SettingsOf<WordTaskConfig> {
  enum class Letters { all, generators };
  /// As `compile regular --group` names them; empty: the task is that of the automaton, the program, or `data`.
  std::string monoid = "S3";
  /// An automaton in place of the monoid, by an expression or a file: after every letter the network
  /// answers with the state of the minimal automaton, or with whether it accepts. These settings are
  /// there without a monoid only.
  std::string regex, automaton;
  enum class Labels { states, verdicts };
  Labels labels = Labels::states;
  /// A file with a C-RASP program in place of both: after every letter the network answers with its verdict. The
  /// setting is there without monoid and automaton only, and `labels` without it only.
  std::string crasp;
  Letters letters = Letters::all;
  /// What says where a letter stands: a learned vector for each position up to max_length, or a token
  /// that begins the word, beside what model.positions makes of distances.
  enum class Positions { table, begin };
  Positions positions = Positions::table;
  std::uint32_t max_length = 16;      ///< last stage of the curriculum; stages 2, 4, 8, ...
  std::uint32_t batch_tokens = 1024;  ///< a batch is max(batch_least, batch_tokens / length) words
  std::uint32_t batch_least = 32;
  std::uint32_t row_tokens = 0;     ///< of a row that words share; 0: a word is a row
  std::uint32_t validation = 4000;  ///< words per measurement
  std::uint32_t measured_times =
      1;                     ///< words of the measure are so many times as long as the stage's
  double threshold = 0.95;   ///< of n*
  double mixed_lengths = 0;  ///< share of the batches, or rows, that may be of an earlier stage
  enum class Teach { none, windows };
  Teach teach = Teach::none;
  /// CSV file of words to train on, without a monoid, automaton or program; empty: words are drawn.
  std::string data;
  bool shuffled_labels = false;  ///< control: targets are drawn, not computed
  /// Radices of a scan, a level for each layer that runs: the only edges of attention between letters that
  /// there are, in training and after it. Empty: every edge. A word needs no level whose window is not
  /// shorter than it is.
  Radices edges;
  ReadEdges measured_edges;  ///< of a measurement, in place of `edges`; no setting of a run

  const char* kind() const override { return "words"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::uint32_t taught_levels() const override;
  std::uint32_t edge_levels() const override;
  bool packs() const override { return row_tokens > 0; }
  /// These settings. Errors: InputError naming the setting that is out of range.
  const WordTaskConfig& checked() const;
  NamedLetters named_letters() const;
  /// Letters of the longest words that a network can be asked about.
  std::uint32_t longest() const;
  /// The edges that layers have in words of so many letters: those of a measurement, or those of `edges`.
  ReadEdges edges_of(std::size_t letters) const;
  void ask(const MeasureRequest& request) override;
  bool asks_products() const override { return !monoid.empty(); }
  ProductQuestion products() const override;
  RunReadings readings(const RecordFields& result, const ModelConfig& model) const override;
};

/// Word problems (MS25 section 7): a decoder with absolute positions, trained on prefix products
/// with a curriculum of lengths.
enum class WordModel {
  stack,         ///< `depth` different layers, as published
  loop,          ///< one block of `block` layers, depth / block times
  adaptive_loop  ///< the block once per doubling of the length, the theorem's regime
};
RunConfig word_problem(const std::string& monoid, WordModel kind, std::uint32_t depth,
                       std::uint32_t block = 1);

/// Packs the words of a stack or loop into rows, so that seeds are trained together, and gives the
/// settings for a fixed depth and a free length: a rate that passes lengths soon and falls in the last
/// fifth, words of the measure twice as long as those of training, and for a loop the step embedding of
/// an adaptive one.
void pack(RunConfig& config);

/// A weights file of a group as the beginning of a training run: does gradient descent keep the
/// construction?
RunConfig from_construction(const std::string& weights, const std::string& monoid,
                            WordTaskConfig::Letters letters, std::uint32_t length);

}}  // namespace logdepth::learned_word_problems
