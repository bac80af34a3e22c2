#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace logdepth { inline namespace compiler_file {

/// What was checked about a weights file stands beside it in MODEL.checks.json, keyed by the file's
/// hash: entries about other content are dropped when a new one is written.
struct CheckEntry {
  std::string kind;           ///< "test"
  std::string against;        ///< the oracle
  std::string bound;          ///< what was covered, in words
  std::string result;         ///< "passed" or "failed: ..."
  std::string compared = {};  ///< what was compared, and how often; empty in older files
  /// The same bound in numbers, as {"up_to", 8}; empty in older files.
  std::map<std::string, std::uint64_t> limits = {};
  bool failed() const { return result != "passed"; }
};

/// Entries about this very content, in order; none when the file is missing or about other content.
/// Errors: InputError when the file exists and is not a checks file.
[[nodiscard]] std::vector<CheckEntry> read_checks(const std::string& model_path,
                                                  const std::string& hash);
/// Adds an entry in place of those that it makes unnecessary, unless one that stands there makes it
/// so: of the same kind and oracle, with limits as large each, or a failure, which no test that
/// passes undoes. But where the oracle may have changed since, the newer one of two that disagree is
/// right. Errors: InputError.
void add_check(const std::string& model_path, const std::string& hash, const CheckEntry& entry,
               bool oracle_may_change = false);

}}  // namespace logdepth::compiler_file
