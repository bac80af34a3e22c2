#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/compile.hpp"

namespace logdepth {

/// A named value that every token holds, and where it lies in the residual stream.
struct CellSheet {
  std::string name;                        ///< in the program
  std::string type;                        ///< "flag", "onehot", "key", ...
  std::string lifetime;                    ///< "permanent", "state", "scratch" or "erased"
  std::vector<std::uint32_t> coordinates;  ///< of the residual stream
  std::string meaning;                     ///< a line: "one of 3 labels: begin, a, b"
  /// What reads it, in the order of a run: "head prev (layer 1)", "look-up product (layer 1)",
  /// "output"; layers are those of the file, from 1.
  std::vector<std::string> read_by;
  std::vector<std::string> written_by;  ///< the same of what writes it, "embedding" among them
};

/// A head of the file.
struct HeadSheet {
  std::size_t layer = 0;  ///< of the file, from 1
  std::size_t head = 0;   ///< of the layer, from 0
  std::string name;       ///< as the program calls it, else "head 1"
  std::string selects;    ///< what it promises: "exactly one position", ...
  std::string reads;      ///< what its scores compare
};

/// The model card: the description that a transformer carries, and what is counted on its weights.
struct ClaimSheet {
  std::string name;                     ///< as its author called it
  std::string construction;             ///< how it is made
  std::string source;                   ///< where that is written: paper and statement
  std::vector<std::string> hypotheses;  ///< what it assumes, a sentence each
  std::vector<std::string> deviations;  ///< where it is not what the source says
  std::vector<std::string> alphabet;    ///< letters in their order; of other inputs none
  /// Of a file for words that follows an automaton: its states are 0, 1, ..., as `Answer::states`
  /// and the images of `Answer::products` number them. Absent where the file reads neither.
  std::optional<std::uint32_t> states;
  std::optional<std::uint32_t> initial_state;   ///< after the empty word
  std::vector<std::uint32_t> accepting_states;  ///< ascending
  std::vector<std::string> state_names;         ///< where the automaton's author named them
  std::uint64_t initial = 0;                    ///< layers before the loop
  std::uint64_t repeated = 0;                   ///< in it
  std::uint64_t final = 0;                      ///< after it
  std::string depth;                            ///< a formula in n: "ceil(log2 n) + 1"
  std::optional<std::uint64_t> largest;         ///< input that it is made for; absent: any
  std::uint64_t width = 0;            ///< numbers of a token's residual stream, padding included
  std::uint64_t used = 0;             ///< of them in use, mirrors left out
  std::uint64_t heads = 0;            ///< in the largest attention sublayer
  std::uint64_t units = 0;            ///< ReLUs of all feed-forward sublayers
  std::uint64_t nonzeros = 0;         ///< numbers of the file that are not 0
  std::vector<CellSheet> cell_index;  ///< every cell that has a name
  std::vector<HeadSheet> head_index;  ///< every head, layer by layer
  /// What is proved of the numbers, for every length, a sentence each, by name: how far what a head
  /// selects outscores the rest at N tokens, how near a tested number comes to 0. It helps floating
  /// point; exact runs, and what `run` answers, need none of it.
  std::vector<std::string> proved;
  /// The same where nothing is proved. Floating point is then certified only where the numbers that it
  /// meets are far enough apart.
  std::vector<std::string> unproved;
};

/// The model card of a transformer. Errors: none. Weights of another origin than the compiler are counted like others; what they
/// promise is checked whenever they run, and `unproved` says that nothing is proved of them.
ClaimSheet inspect(const Transformer& transformer);

}  // namespace logdepth
