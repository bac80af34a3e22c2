#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "library/runs/run_answers.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline cli {

/// An answer of `run`, with what is said of its input.
struct SaidAnswer {
  enum class Of { word, pair, streams, division };
  Of of = Of::word;
  RunAnswer answer;
  nlohmann::json input = {};  ///< the members of --json
  std::string which = {};     ///< names the input in messages about a batch
  bool separated = false;     ///< by an empty line from the one before
};

/// Prints answers as they come: on standard output what was asked for, a line or a table for each,
/// on standard error why there is none and how sure it is. With `only_messages` nothing is printed on
/// standard output.
class RunText {
 public:
  /// Keeps a reference. `trace_ends`: a trace is written, which ends where numbers leave the field.
  RunText(const Model& model, bool rounded, bool trace_ends, bool only_messages);
  void print(const SaidAnswer& said);
  /// Whether an answer so far was refused, or is not certified.
  bool refused() const { return refused_; }

 private:
  void print_answer(const SaidAnswer& said);
  void print_table(const std::vector<std::vector<ReadNumber>>& numbers) const;
  std::string named_text(const PrefixAnswer& prefix) const;
  void say_left_field(const RunAnswer& answer);
  void say_sure(const RunAnswer& answer);
  void refuse(const std::string& name, const std::string& reason);
  void say(const std::string& text) const;
  void line(const std::string& text) const;

  const Model& model_;
  const bool rounded_, trace_ends_, only_messages_;
  const std::vector<std::string> state_names_;
  std::string which_;
  bool refused_ = false;
};
void print_statistics(const RunStatistics& statistics, std::ostream& out);

/// The same as JSON: an answer, and what `run` says of all of them.
nlohmann::json to_json(const Model& model, const SaidAnswer& said, bool rounded);
void add_statistics(const RunStatistics& statistics, bool all, nlohmann::json& out);

}  // namespace logdepth::inline cli
