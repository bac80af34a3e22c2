#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/dense_float.hpp"
#include "objects/automaton.hpp"
#include "objects/graph.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

/// One input of one weights file, as every contender needs it.
struct TimedQuestion {
  Model model;
  Tokens tokens;
  std::string group;  ///< words: the named group or monoid that the file was compiled from
  Word word;
  std::optional<Graph> graph;
  Vertex source = 0, target = 0;
};

/// Seconds of one run: from tokens (letters, a graph) to the last residual stream (products, a
/// relation), without reading files and without reading the answers.
struct RunSeconds {
  double total = 0;
  std::optional<DenseCost> dense;  ///< of the dense contenders, with the whole attention
  std::size_t repeats = 1;         ///< short runs are repeated, `total` is their mean
};

class Contender {
 public:
  virtual ~Contender() = default;
  /// Starts from nothing: no number or product is kept from an earlier run. Errors: InputError when
  /// the run has no answer.
  virtual RunSeconds run() = 0;
  /// Of the last run, one per line: every prefix product and the verdict of a word, the verdict of
  /// a graph, or the rows of its relation.
  virtual std::vector<std::string> answers() = 0;
};

/// `exact`, `exact-2` (on two threads), `general`, `float64`, `float32`, `scan`, `sequential`, `search`, `squaring`.
/// Keeps a reference to the question. Errors: InputError for another name, or for a question that
/// this contender does not answer.
std::unique_ptr<Contender> make_contender(const std::string& name, const TimedQuestion& question,
                                          const DenseOptions& dense);

}  // namespace logdepth
