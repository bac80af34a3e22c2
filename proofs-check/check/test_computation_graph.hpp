#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/shard.hpp"
#include "runtime/file/head_place.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

struct ComputationGraphTestOptions {
  std::size_t up_to = 3;       ///< every graph of at most this many equations
  std::size_t random = 200;    ///< more graphs, of at most `max_size` equations
  std::size_t max_size = 24;   ///< at most as many as the file has names
  std::uint32_t operands = 3;  ///< of an expression, at most
  std::uint64_t seed = 1;
  Shard shard;
  /// Called now and then with graphs done and graphs in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

struct ComputationGraphCounterexample {
  std::vector<std::string> letters;  ///< of the state before the first iteration, shrunk
  std::uint32_t iterations = 0;
  std::string expected, got;
  std::size_t original_length = 0;  ///< letters
  std::uint64_t number = 0;         ///< of the graph first found, in the whole test
};

struct [[nodiscard]] ComputationGraphReport {
  std::size_t exhaustive_graphs = 0, random_graphs = 0;
  std::size_t up_to = 0, max_size = 0;  ///< as asked, or the number of names if that is less
  std::uint64_t seed = 0;
  std::size_t values = 0;  ///< tokens compared
  std::uint64_t promises = 0;
  std::vector<HeadPlace> unevaluated;  ///< heads whose promise was never checked
  std::optional<ComputationGraphCounterexample> counterexample;
};

/// Property test of any weights file of computation graphs against the definition: the value at
/// every token, exactly, after the file's own iterations from no values, and after one to one more
/// than the depth from random values; promises at every row, as many layers as claimed. Names are
/// drawn for every graph. Errors: InputError for another file, SizeLimit for an `up_to` of too many
/// graphs.
ComputationGraphReport test_computation_graph(const Model& model,
                                              const ComputationGraphTestOptions& options);

}  // namespace logdepth
