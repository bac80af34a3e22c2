#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/report/report_runs.hpp"

namespace logdepth::inline learned_report {

/// A weights file of the compiler beside trained networks: one that answers every letter of a word
/// with one of its named outputs. Nothing in `learned` runs it; the command line hands over a
/// function that does, exactly.
struct ExactFile {
  std::string name;                  ///< of the file
  std::vector<std::string> letters;  ///< that it reads
  std::vector<std::string> outputs;  ///< what the numbers of answers stand for
  std::uint32_t most_operands = 0;   ///< of an expression that it was made for
  std::uint32_t layers_per_iteration = 0, layers_beside = 0;
  /// Of every letter of the word, after one iteration. Errors: InputError where the file breaks a
  /// promise.
  std::function<std::vector<std::uint32_t>(const std::vector<std::string>& word)> answers;
};

/// A report on training runs, and on measurements beside them, with the numbers of their paper:
/// `logdepth report NAME RUNS`.
struct PaperReport {
  using Records = std::vector<RunRecord>;
  const char* name;  ///< of the command; its files are NAME.md, NAME.json and pictures
  const char* help;  ///< what it shows, and an example
  report::Report (*make)(const ReportRuns& runs);
  /// Of a report that shows a weights file too (`--constructed FILE`): the records, and those that
  /// stand for the file, measured as the runs are. Errors: InputError for a file about something
  /// else.
  Records (*with_constructed)(const Records& records, const ExactFile& file) = nullptr;
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

}  // namespace logdepth::inline learned_report
