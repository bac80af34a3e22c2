#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "compiler/program.hpp"

namespace logdepth::support {

/// Random small programs over the whole intermediate representation: every cell type, selector,
/// statement and block, every position encoding, begin token or none, constant cell or none.
/// Most are valid as they are built (random_program_builder.hpp); the rest the compiler refuses.
class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint64_t seed) : random_(seed) {}

  /// Any program, as built. Counts its features.
  Program draw();
  /// The next one that `compile` does not refuse. Errors of other kinds pass through.
  Program draw_valid();
  /// Names, labels, letters and texts replaced by ones with quotes, blanks, line ends and signs;
  /// only the text form has to survive these.
  Program with_odd_names(Program program);

  std::vector<std::string> word(const Program& program, std::size_t length);
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::size_t drawn() const { return drawn_; }
  std::size_t accepted() const { return accepted_; }
  /// How many accepted programs have each feature, and the commonest refusals.
  std::string report() const;
  const std::map<std::string, std::size_t>& features() const { return features_; }

 private:
  std::mt19937_64 random_;
  std::size_t drawn_ = 0, accepted_ = 0;
  std::map<std::string, std::size_t> features_, refusals_;
};

}  // namespace logdepth::support
