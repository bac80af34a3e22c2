#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "runtime/floats/float_run.hpp"

namespace logdepth::inline cli {

/// --engine, --device and --temperature.
struct EngineOptions {
  std::string name = "exact", device = "cpu";
  std::optional<double> temperature;

  // After settle():
  bool exact = true;
  FloatOptions options;

  void add_to(CLI::App& command);
  /// Errors: InputError for options that do not go together.
  void settle(std::size_t threads);
};

}  // namespace logdepth::inline cli
