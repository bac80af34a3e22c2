#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/records/run_record.hpp"

namespace logdepth {

/// A report on training runs beside the numbers of their paper: `logdepth report NAME RUNS`.
struct PaperReport {
  using Records = std::vector<RunRecord>;
  const char* name;  ///< of the command; its files are NAME.md, NAME.json and NAME.svg
  const char* help;  ///< what it shows, and an example
  std::string (*markdown)(const Records& records);
  std::string (*json)(const Records& records);
  void (*save)(const Records& records, const std::string& folder);  ///< writes its files
};

/// What a paper reads off the network of one run: `logdepth report NAME --probe RUN`. The program
/// logdepth-train measures it (learned/core/inspection.hpp), these functions show it.
struct PaperProbe {
  using Json = nlohmann::ordered_json;
  const char*
      name;  ///< of the command, a report's or its own; files are NAME-probe.md, .json, .svg
  const char* help;  ///< what it shows, and an example
  std::string (*markdown)(const Json& measured);
  std::string (*svg)(const Json& measured);
};

}  // namespace logdepth
