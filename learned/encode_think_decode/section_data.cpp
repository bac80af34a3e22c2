#include "learned/encode_think_decode/section_data.hpp"

#include <utility>

#include "learned/encode_think_decode/criteria.hpp"

namespace logdepth::etd {
namespace {

using report::Data;

Data mean_data(const std::optional<report::Mean>& mean) {
  if (!mean) return {};
  return {{"mean", mean->mean}, {"error", report::or_null(mean->error)}, {"seeds", mean->seeds}};
}

Data series_data(const Section& section, const Series& series) {
  Data data = {{"shape", shape_name(series.shape)},
               {"passes", series.passes()},
               {"seeds", series.seeds()},
               {"state", ends_text(series.ends())}};
  for (const char* numbers : {"change", "loops", "accuracy"}) data[numbers] = Data::object();
  for (const std::string& kind : section.columns()) {
    data["accuracy"][kind] = mean_data(series.accuracy(kind));
    if (const auto loops = series.loops(kind)) data["loops"][kind] = mean_data(loops);
    if (const auto change = section.change(series, kind))
      data["change"][kind] = {{"once", mean_data(change->once)},
                              {"changed", mean_data(change->changed)},
                              {"difference", mean_data(change->difference)},
                              {"relative", mean_data(change->relative)}};
  }
  return data;
}

report::Row row_of(const Series& series, const Data& data) {
  const ThinkShape& shape = series.shape;
  const std::uint32_t copies = shape.block == ThinkShape::Block::untied ? shape.passes : 1;
  return {{shape.think == 0 ? "plain" : shape_name(shape),
           std::to_string(shape.encoder + shape.think * copies + shape.decoder), series.passes(),
           series.seeds_cell()},
          data};
}

}  // namespace

SectionData section_data(Section given) {
  SectionData all{std::move(given), {}, {}, {}};
  const Section& section = all.section;
  all.data = {{"title", section.title()}};
  if (!section.is_base()) {
    all.data["base"] = section.config.initial_weights;
    all.data["cut"] = layer_cut_text(section.cut);
    all.criteria = criteria_of(section);
  }
  for (const Series& series : section.series) {
    all.data["series"].push_back(series_data(section, series));
    all.rows.push_back(row_of(series, all.data["series"].back()));
  }
  if (!section.is_base()) all.data["criteria"] = data_of(all.criteria);
  return all;
}

const Data& of_kind(const Data& series, const char* number, const std::string& kind) {
  static const Data kNone;
  const Data& of = series.at(number);
  const auto found = of.find(kind);
  return found == of.end() ? kNone : *found;
}

}  // namespace logdepth::etd
