#pragma once

#include <random>

#include "compiler/program/program.hpp"

namespace logdepth::support {

enum class RandomInputs {
  words,
  all  ///< words, raw cells, both layouts of graphs
};

/// One random program, built statement by statement along with what each cell then holds. Most of
/// them obey the rules and pass the norm typing; whether one does is for the compiler to say.
Program build_random_program(std::mt19937_64& random, RandomInputs inputs);

}  // namespace logdepth::support
