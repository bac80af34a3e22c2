#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compiler/program/program.hpp"

namespace logdepth {

/// Options of every `compile` subcommand, and what each does in the end.
struct OutputOptions {
  std::string output, norm = "rms", name;
  std::uint64_t unroll = 0;
  CLI::Option* unroll_option = nullptr;
  bool strict = false, json = false;

  /// `sizes`: what --unroll counts, "lengths" or "numbers of vertices".
  void add_to(CLI::App& app, const std::string& sizes = "lengths");

  /// Compiles, writes, reports. `described` is what the front end has to say, for people and for
  /// --json. The exit status.
  int finish(Program program, const nlohmann::json& described) const;
};

}  // namespace logdepth
