#include "report/data.hpp"

#include <fmt/core.h>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::report {
namespace {

std::string number_text(double value, const Format& format) {
  return format.shortest ? short_text(value, format.digits)
         : format.sign   ? signed_text(value, format.digits)
                         : fixed_text(value, format.digits);
}

std::optional<double> error_of(const Data& mean) {
  const Data& error = mean.contains("error") ? mean.at("error") : mean.at("standard_error");
  return error.is_null() ? std::nullopt : std::optional(error.get<double>());
}

}  // namespace

Data data_of(const std::optional<Range>& range) {
  if (!range) return {};
  return {{"median", range->median},
          {"least", range->least},
          {"most", range->most},
          {"seeds", range->seeds}};
}

Data data_of(const std::optional<Mean>& mean) {
  if (!mean) return {};
  return {{"mean", mean->mean}, {"standard_error", or_null(mean->error)}, {"seeds", mean->seeds}};
}

std::string cell_text(const Data& data, const Format& format) {
  if (data.is_null()) return kNothing;
  if (data.is_string()) return markdown_text(data.get<std::string>());
  if (data.is_number_float()) return number_text(data.get<double>(), format);
  if (data.is_array()) {
    std::vector<std::string> items;
    for (const Data& item : data) items.push_back(cell_text(item, format));
    return joined(items);
  }
  if (!data.is_object()) return data.dump();
  const std::string number = number_text(number_of(data), format);
  if (seeds_of(data) < 2) return number;
  if (data.contains("mean"))
    return number + " ± " + number_text(*error_of(data), {format.digits, false, format.shortest});
  const auto [least, most] = ends_of(data);
  return fmt::format("{} ({} to {})", number, number_text(least, format),
                     number_text(most, format));
}

double number_of(const Data& data) {
  if (!data.is_object()) return data.get<double>();
  return data.at(data.contains("mean") ? "mean" : "median").get<double>();
}

std::pair<double, double> ends_of(const Data& data) {
  const double number = number_of(data);
  if (!data.is_object()) return {number, number};
  if (data.contains("median")) return {data.at("least"), data.at("most")};
  const double error = error_of(data).value_or(0);
  return {number - error, number + error};
}

std::size_t seeds_of(const Data& data) {
  if (data.is_null()) return 0;
  return data.is_object() ? data.at("seeds").get<std::size_t>() : 1;
}

}  // namespace logdepth::report
