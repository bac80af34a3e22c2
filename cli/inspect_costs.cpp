#include "cli/inspect_costs.hpp"

#include <fmt/core.h>

#include "base/phrases.hpp"

namespace logdepth::inline cli {

std::vector<CostTable> inspect_costs(const Action& action, const ProductForecast& forecast,
                                     const std::vector<std::uint64_t>& lengths) {
  RegularCosts costs(action, {{}, true, forecast.refusal});
  std::vector<CostTable> tables;
  for (const std::uint64_t length : lengths) tables.push_back(costs.at(length));
  return tables;
}

std::string costs_text(const CostTable& table) {
  std::string text =
      fmt::format("{:>10}  {:<10} {:>6} {:>6} {:>7} {:>8} {:>5}\n", counted(table.length, "letter"),
                  "positions", "layers", "heads", "width", "units", "bits");
  for (const ConstructionCost& row : table.rows) {
    const std::string title = row.construction.title();
    if (!row.measures) {
      text += fmt::format("{:>10}  cannot be built: {}\n", title, row.refusal);
      continue;
    }
    const Measures& m = *row.measures;
    text += fmt::format(
        "{:>10}  {:<10} {:>6} {:>6} {:>7} {:>8} {:>5}{}\n", title,
        constructions::word_of(row.construction.values, "positions"), m.depth, m.heads, m.width,
        m.units, row.bits ? std::to_string(*row.bits) : "-",
        row.construction.longest()
            ? fmt::format("  right up to {}", counted(*row.construction.longest(), "letter"))
            : "");
  }
  return text + fmt::format("{:>10}  {}\n", "fewest", table.reason);
}

nlohmann::json costs_json(const CostTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ConstructionCost& row : table.rows) {
    const auto& [record, values] = row.construction;
    nlohmann::json entry = {{"construction", record->key.name},
                            {"positions", constructions::word_of(values, "positions")}};
    for (const Option& option : record->options)
      if (std::holds_alternative<CountOption>(option.type))
        entry[option.name] = number_of(values, option.name);
    if (const auto longest = row.construction.longest()) entry["max_length"] = *longest;
    if (row.measures) {
      entry["layers"] = row.measures->depth;
      entry["shape"] = {row.measures->initial, row.measures->repeated, row.measures->final};
      entry["heads"] = row.measures->heads;
      entry["width"] = row.measures->width;
      entry["units"] = row.measures->units;
      entry["bits"] = row.bits ? nlohmann::json(*row.bits) : nlohmann::json(nullptr);
    } else {
      entry["refused"] = row.refusal;
    }
    rows.push_back(std::move(entry));
  }
  nlohmann::json json = {
      {"length", table.length}, {"constructions", rows}, {"reason", table.reason}};
  json["fewest_layers"] = table.chosen
                              ? nlohmann::json(table.rows[*table.chosen].construction.title())
                              : nlohmann::json(nullptr);
  return json;
}

}  // namespace logdepth::inline cli
