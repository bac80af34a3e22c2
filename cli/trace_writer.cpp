#include "cli/trace_writer.hpp"

#include <nlohmann/json.hpp>

#include "runtime/file/weights_file.hpp"

namespace logdepth::inline cli {

TraceWriter::TraceWriter(const CheckedModel& model, const std::string& file)
    : model_(model), file_(file), hash_(weights_hash(model)) {}

void TraceWriter::begin(const nlohmann::json& question) {
  nlohmann::json line = question;
  line["schema"] = "logdepth/trace/1";
  line["model"] = model_.name;
  line["sha256"] = hash_;
  file_.stream() << line.dump() << '\n';
  rows_.clear();
}

void TraceWriter::moment(std::size_t step, const char* sublayer, const Stream<ValueId>& stream) {
  for (const auto& [head, lines] : rows_)
    for (const std::string& line : lines) file_.stream() << line << '\n';
  rows_.clear();
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    nlohmann::json cells = nlohmann::json::object();
    const auto text = [&](std::uint32_t coordinate) {
      return number(stream.at(token, coordinate)).text();
    };
    if (model_.cells.empty()) {
      for (std::uint32_t i = 0; i < stream.width; ++i)
        if (!arithmetic->is_zero(stream.at(token, i))) cells[std::to_string(i)] = {text(i)};
    } else {
      for (const auto& [name, cell] : model_.cells) {
        auto& values = cells[name] = nlohmann::json::array();
        for (const std::uint32_t coordinate : cell.coordinates) values.push_back(text(coordinate));
      }
    }
    const nlohmann::json line = {
        {"layer", step}, {"sublayer", sublayer}, {"token", token}, {"cells", std::move(cells)}};
    file_.stream() << line.dump() << '\n';
  }
}

void TraceWriter::on_row(const Location& location, std::size_t head, const SelectedRow& row) {
  auto& lines = rows_[head];
  if (lines.size() <= row.row) lines.resize(row.row + 1);
  const nlohmann::json line = {{"layer", location.step},
                               {"head", head},
                               {"token", row.row},
                               {"selected", (*row.positions)()}};
  lines[row.row] = line.dump();
}

}  // namespace logdepth::inline cli
