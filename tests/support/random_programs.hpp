#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::support {

enum class RandomInputs {
  words,
  all  ///< words, raw cells, both layouts of graphs
};

/// One random program, built statement by statement along with what each cell then holds. Most of
/// them obey the rules and pass the norm typing; whether one does is for the compiler to say.
Program build_random_program(std::mt19937_64& random, RandomInputs inputs);

/// Random small programs over the whole intermediate representation: every cell type, selector,
/// statement and block, every position encoding and kind of input, constant cell or none.
/// Most are valid as they are built; the rest the compiler refuses.
class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint64_t seed, RandomInputs inputs = RandomInputs::words)
      : random_(seed), inputs_(inputs) {}

  /// Any program, as built. Counts its features.
  Program draw();
  /// The next one that `compile` does not refuse. Errors of other kinds pass through.
  Program draw_valid();
  /// Names, labels, letters and texts replaced by ones with quotes, blanks, line ends and signs;
  /// only the text form has to survive these.
  Program with_odd_names(Program program);

  /// A random input of the program: a word of this length, so many raw tokens (one at least), or a
  /// graph of one or two vertices.
  Tokens input(const Program& program, std::size_t length);
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::size_t drawn() const { return drawn_; }
  std::size_t accepted() const { return accepted_; }
  /// How many accepted programs have each feature, and the commonest refusals.
  std::string report() const;
  const std::map<std::string, std::size_t>& features() const { return features_; }

 private:
  std::vector<Real> given_row(const Program& program, std::size_t token, std::uint64_t natural);

  std::mt19937_64 random_;
  RandomInputs inputs_;
  std::size_t drawn_ = 0, accepted_ = 0;
  std::map<std::string, std::size_t> features_, refusals_;
};

}  // namespace logdepth::support
