#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compiler/program/program.hpp"
#include "logdepth/compile.hpp"

namespace logdepth::inline cli {

/// Options of every `compile` subcommand, and what each does in the end.
struct OutputOptions {
  std::string output;
  CompileSettings settings;
  bool json = false, certify = false;

  /// `sizes`: what --unroll counts, "lengths" or "numbers of vertices".
  void add_to(CLI::App& app, const std::string& sizes = "lengths");

  /// Compiles, writes, reports. `described` is what the front end has to say, for people and for
  /// --json. The exit status.
  int finish(Program program, const nlohmann::json& described) const;
};

}  // namespace logdepth::inline cli
