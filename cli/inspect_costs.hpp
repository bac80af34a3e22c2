#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "constructions/catalogue/construction_costs.hpp"
#include "constructions/product_forecast.hpp"
#include "objects/action.hpp"

namespace logdepth::inline cli {

/// What each construction costs for words of these lengths, as `inspect` shows it; `forecast`: of scan.
std::vector<CostTable> inspect_costs(const Action& action, const ProductForecast& forecast,
                                     const std::vector<std::uint64_t>& lengths);
/// A table of its own, with a heading line.
std::string costs_text(const CostTable& table);
nlohmann::json costs_json(const CostTable& table);

}  // namespace logdepth::inline cli
