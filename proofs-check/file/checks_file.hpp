#pragma once

#include <string>
#include <vector>

namespace logdepth {

/// What was checked about a weights file stands beside it in MODEL.checks.json, keyed by the file's
/// hash: entries about other content are dropped when a new one is written.
struct CheckEntry {
  std::string kind;     ///< "test"
  std::string against;  ///< the oracle
  std::string bound;    ///< what was covered, in words
  std::string result;   ///< "passed" or "failed: ..."
};

std::string checks_path(const std::string& model_path);
/// Entries about this very content, in order; none when the file is missing or about other content.
/// Errors: InputError when the file exists and is not a checks file.
[[nodiscard]] std::vector<CheckEntry> read_checks(const std::string& model_path,
                                                  const std::string& hash);
/// Adds an entry, replacing one of the same kind and oracle. Errors: InputError.
void add_check(const std::string& model_path, const std::string& hash, const CheckEntry& entry);

}  // namespace logdepth
