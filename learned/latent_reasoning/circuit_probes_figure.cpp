#include <fmt/core.h>

#include <algorithm>

#include "learned/latent_reasoning/circuit_probes.hpp"
#include "report/figures/heatmap.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

constexpr double kProbeMargin = 20, kProbeGap = 24;

/// Rows of relative variances, each under what was changed.
Heatmap variance_map(const std::string& title, const std::vector<std::vector<double>>& variance,
                     const std::vector<std::string>& rows) {
  Heatmap map;
  map.title = title;
  map.subtitle = "relative variance";
  map.column_name = "head";
  map.rows = rows;
  map.values = variance;
  for (std::size_t head = 0; head < variance.front().size(); ++head)
    map.columns.push_back(std::to_string(head));
  return map;
}

std::vector<std::string> operand_rows(const CircuitProbes& probes) {
  std::vector<std::string> rows;
  for (std::uint32_t i = 0; i < probes.operands; ++i) rows.push_back(fmt::format("x_{}", i));
  return rows;
}

Heatmap fourier_map(const CircuitProbes& probes) {
  Heatmap map;
  map.title = "Frequencies of the addition";
  map.subtitle = "share of the power, before and after the activation";
  map.column_name = "last feed-forward layer";
  map.columns = {"before", "after", "output", "logits"};
  const auto& classes = probes.fourier.front().classes;
  for (std::size_t i = 1; i < classes.size(); ++i) {
    map.rows.push_back(classes[i].frequencies);
    map.values.emplace_back();
    for (const FourierPlace& place : probes.fourier)
      map.values.back().push_back(place.classes[i].share);
  }
  return map;
}

}  // namespace

std::string circuit_probes_svg(const nlohmann::ordered_json& json) {
  const CircuitProbes probes = circuit_probes_from_json(json);
  auto names = probes.layers.front().variance.name;
  names.push_back(probes.layers.front().variance.result);
  std::vector<std::string> name_rows = operand_rows(probes);
  name_rows.push_back("x_r");
  const std::vector<Heatmap> maps = {
      variance_map("Layer 1, a name changes", names, name_rows),
      variance_map(fmt::format("Layer {}, a value changes", probes.layers.size()),
                   probes.layers.back().variance.value, operand_rows(probes)),
      fourier_map(probes)};
  std::string body;
  double width = 0, top = kProbeMargin;
  for (const Heatmap& map : maps) {
    body += draw_heatmap(map, {kProbeMargin, top});
    width = std::max(width, heatmap_width(map));
    top += heatmap_height(map) + kProbeGap;
  }
  const HeatmapLegend legend{"share", "0", "1", {}};
  body += draw_heatmap_legend(legend, {kProbeMargin, top});
  width = std::max(width, heatmap_legend_width(legend));
  return svg_document(width + 2 * kProbeMargin, top + heatmap_legend_height(),
                      "Circuits of a discrete latent model", body);
}

}  // namespace logdepth::inline learned_latent_reasoning
