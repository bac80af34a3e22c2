#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/input_source.hpp"

namespace logdepth::inline cli {

/// `draw --learned RUN`: the circuit that a trained network of word problems has found.
struct LearnedDrawing {
  std::string run;
  std::uint32_t words = 64;
  std::uint64_t seed = 1;
  bool json = false;
  CLI::Option* given = nullptr;

  void add_to(CLI::App& app);
};

/// Names the circuit on standard output; `output`: the picture, empty: none. The exit status.
int draw_learned(const LearnedDrawing& options, const InputOptions& input,
                 const std::string& output);

}  // namespace logdepth::inline cli
