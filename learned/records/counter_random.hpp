#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace logdepth { inline namespace learned_records {

/// What random numbers are for. Numbers of different streams never meet, so that adding a draw to
/// one leaves the others as they are.
enum class RandomStream : std::uint64_t {
  parameters = 1,  ///< initial weights
  training = 2,    ///< training samples
  validation = 3,  ///< samples that are never trained on
  loops = 4,       ///< how often the repeated block runs
  corruption = 5,  ///< what is replaced in states
  bootstrap = 6,   ///< resampling of seeds
  data_files = 7,  ///< words written to a file
  lengths = 11,    ///< which earlier stage a batch is of
  beginnings = 12  ///< which beginnings of words are kept
};

/// Random numbers by counter (Philox 4x64-10 of Salmon et al. 2011): what is drawn depends on the
/// seed, the stream, the step and the index alone, never on what was drawn before. Samples can
/// therefore be made in any order, and a resumed run draws what it would have drawn.
class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, RandomStream stream, std::uint64_t step = 0,
                std::uint64_t index = 0);

  std::uint64_t bits();
  /// Uniform on 0 ... limit-1, without bias. Precondition: limit > 0.
  std::uint64_t below(std::uint64_t limit);
  /// Uniform on [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }
  /// Normal with mean 0 and variance 1.
  double normal();

  /// A uniform order of 0 ... count-1.
  std::vector<std::uint32_t> permutation(std::size_t count);

 private:
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 2> key_;
  std::array<std::uint64_t, 4> block_{};
  std::size_t used_ = 4;
};

}}  // namespace logdepth::learned_records
