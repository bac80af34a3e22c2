#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/exact/exact.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth {

/// Writes an exact run as JSON lines: every value of every cell at every token after the embedding
/// and after every sublayer, and what every head selected. The format is in runtime/README.md.
class TraceWriter : public ForwardObserver<ValueId> {
 public:
  TraceWriter(const Model& model, const Exact& arithmetic, std::ostream& out)
      : model_(model), arithmetic_(arithmetic), out_(out) {}

  /// Begins the trace of one input; `question` says which, as an object.
  void begin(const nlohmann::json& question, const std::string& hash);
  /// Writes one moment; `run` calls it for the stream of a model without layers.
  void write_stream(std::size_t step, const char* sublayer, const Stream<ValueId>& stream);

  void before(const Location& location, const Stream<ValueId>& stream) override;
  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override;
  void after(const Location& location, const Stream<ValueId>& stream) override;

 private:
  const Model& model_;
  const Exact& arithmetic_;
  std::ostream& out_;
  std::map<std::size_t, std::vector<std::string>> rows_;  // head -> lines by token
};

}  // namespace logdepth
