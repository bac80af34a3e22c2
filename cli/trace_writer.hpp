#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "library/runs/engine.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {

/// Writes exact runs as JSON lines: every value of every cell at every token after the embedding
/// and after every sublayer, and what every head selected. The format is in runtime/README.md.
class TraceWriter : public MomentObserver {
 public:
  TraceWriter(const CheckedModel& model, const std::string& file);

  /// Begins the trace of one input; `question` says which, as an object.
  void begin(const nlohmann::json& question);
  /// All inputs have been run: the file is put in place.
  void finish() { file_.commit(); }

  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override;
  void moment(std::size_t step, const char* sublayer, const Stream<ValueId>& stream) override;

 private:
  const Model& model_;
  OutputFile file_;
  const std::string hash_;
  std::map<std::size_t, std::vector<std::string>> rows_;  // head -> lines by token
};

}  // namespace logdepth::inline cli
