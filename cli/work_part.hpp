#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proofs-check/check/shard.hpp"

namespace logdepth::inline cli {

/// `--shard I/K --part FILE`: a command does one of K parts of its work and writes down what came out.
struct ShardOptions {
  std::string part;  ///< empty: the command does all of its work
  Shard shard;
  CLI::Option* option = nullptr;

  void add_to(CLI::App& command);
};

/// One part of a command's work, as its file holds it.
struct WorkPart {
  std::string file;  ///< where it was read; not in the file
  std::string command;
  Shard shard;
  /// What was asked, by name: all of it is the same in all parts of one piece of work.
  nlohmann::json question;
  nlohmann::json answer;
};
void write_part(const WorkPart& part);

/// The parts of one piece of work, in their order, each once. Errors: InputError naming the files
/// that do not belong together and what differs, or the parts that are missing.
std::vector<WorkPart> read_parts(const std::vector<std::string>& files);

// What `merge` makes of the parts of each command: what the command prints without `--shard`.
int merge_tests(const std::vector<WorkPart>& parts, bool json);
int merge_checks(const std::vector<WorkPart>& parts, bool json);
int merge_precision(const std::vector<WorkPart>& parts, bool json, const std::string& out);
inline constexpr const char *kTestWork = "test", *kCheckWork = "check",
                            *kPrecisionWork = "report precision";

}  // namespace logdepth::inline cli
