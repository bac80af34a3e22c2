#include "constructions/catalogue/catalogue.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/phrases.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace constructions_MS25 {
Construction scan_record(), tree_record(), radix_record(), uniform_radix_record(),
    compact_connectivity_record(), sized_connectivity_record(), paper_connectivity_record(),
    rows_connectivity_record(), radix_connectivity_record(), bounded_connectivity_record(),
    compact_division_record(), paper_division_record(), floor_division_record();
}}  // namespace logdepth::constructions_MS25
namespace logdepth { inline namespace constructions_KR65 {
Construction cascade_record();
}}  // namespace logdepth::constructions_KR65
namespace logdepth { inline namespace constructions_latent_reasoning {
Construction compact_computation_graph_record(), pairwise_computation_graph_record();
}}  // namespace logdepth::constructions_latent_reasoning

namespace logdepth { inline namespace constructions_SHT24 {
Construction induction_hops_record();
}}  // namespace logdepth::constructions_SHT24
namespace logdepth { inline namespace constructions_JSHCM26 {
Construction formula_value_record();
}}  // namespace logdepth::constructions_JSHCM26

namespace logdepth { inline namespace constructions_catalogue {

Construction fewest_layers_record();

const Catalogue& catalogue() {
  static const Catalogue kAll = {scan_record(),
                                 tree_record(),
                                 radix_record(),
                                 uniform_radix_record(),
                                 cascade_record(),
                                 fewest_layers_record(),
                                 compact_connectivity_record(),
                                 sized_connectivity_record(),
                                 paper_connectivity_record(),
                                 rows_connectivity_record(),
                                 radix_connectivity_record(),
                                 bounded_connectivity_record(),
                                 compact_division_record(),
                                 paper_division_record(),
                                 floor_division_record(),
                                 compact_computation_graph_record(),
                                 pairwise_computation_graph_record(),
                                 induction_hops_record(),
                                 formula_value_record()};
  return kAll;
}

}}  // namespace logdepth::constructions_catalogue

namespace logdepth { inline namespace constructions_catalogue {
namespace {

/// If none is promised.
constexpr std::uint64_t kComparedLength = 1000000;

/// The bits of the least law at this size of a run; absent where a head or a test has none.
std::optional<unsigned> separation_bits(const Compiled& compiled, std::uint64_t length) {
  const double size = static_cast<double>(length) + 2;  // with the beginning and the end
  double least = 1;
  for (std::size_t l = 0; l < compiled.facts.layers.size(); ++l) {
    const LayerFacts& facts = compiled.facts.layers[l];
    const Layer& layer = compiled.model->layers[l];
    for (std::size_t h = 0; h < facts.heads.size(); ++h) {
      if (std::holds_alternative<UniformContract>(layer.attention.heads[h].contract)) continue;
      if (!facts.heads[h].gap) return std::nullopt;
      least = std::min(least, facts.heads[h].gap->at(size));
    }
    if (facts.feedforward.zero) least = std::min(least, facts.feedforward.zero->at(size));
  }
  return static_cast<unsigned>(std::ceil(-std::log2(least)));
}

}  // namespace

std::optional<std::uint64_t> RegularConstruction::longest() const {
  if (record->given.empty()) return std::nullopt;
  return number_of(values, record->given);
}

RegularCosts::RegularCosts(const Action& action, const CostOptions& options,
                           const Catalogue& constructions)
    : action_(action), options_(options), constructions_(constructions) {}

std::vector<RegularConstruction> RegularCosts::candidates(std::uint64_t length) const {
  std::vector<const Construction*> compared;
  for (const Construction& construction : constructions_)
    if (construction.compared > 0) compared.push_back(&construction);
  std::ranges::sort(compared, {}, &Construction::compared);
  std::vector<RegularConstruction> result;
  for (const Construction* construction : compared) {
    if (!construction->given.empty() && !options_.promised_length) continue;
    Values values = construction->with_defaults(options_.asked);
    const auto& possible = std::get<ChoiceOption>(construction->option("positions")->type).words;
    if (std::ranges::find(possible, word_of(values, "positions")) == possible.end()) continue;
    if (construction->forecast) {
      auto forecast = construction->forecast(action_, std::move(values), length,
                                             options_.scan_refusal.has_value());
      if (!forecast) continue;
      values = std::move(*forecast);
    }
    result.push_back({construction, std::move(values)});
  }
  return result;
}

RegularCosts::Built RegularCosts::build(const RegularConstruction& construction) const {
  const bool multiplies = construction.record->multiplies && construction.longest().value_or(2) > 1;
  if (multiplies && options_.scan_refusal) return {std::nullopt, *options_.scan_refusal};
  try {
    return {compile(construction.record->make(
                {construction.values, &action_, construction.record->key.name})),
            ""};
  } catch (const SizeLimit& limit) {
    return {std::nullopt, limit.what()};
  }
}

ConstructionCost RegularCosts::cost(const RegularConstruction& construction, std::uint64_t length) {
  Built promised;
  const Built* built = &promised;
  if (construction.longest()) {
    promised = build(construction);
  } else {
    const auto [place, added] = built_.try_emplace(construction.record->key.name);
    if (added) place->second = build(construction);
    built = &place->second;
  }
  ConstructionCost cost{construction, std::nullopt, built->refusal, std::nullopt};
  if (built->compiled) {
    cost.measures = measure(built->compiled->model, length);
    cost.bits = separation_bits(*built->compiled, length);
  }
  return cost;
}

CostTable RegularCosts::at(std::uint64_t length) {
  CostTable table;
  table.length = length;
  // Fewest layers, then right for all lengths, then fewest units.
  const auto rank = [&](std::size_t i) {
    const ConstructionCost& row = table.rows[i];
    return std::tuple(row.measures->depth, row.construction.longest().has_value(),
                      row.measures->units, i);
  };
  for (const RegularConstruction& construction : candidates(length)) {
    table.rows.push_back(cost(construction, length));
    const std::size_t i = table.rows.size() - 1;
    if (table.rows[i].measures && (!table.chosen || rank(i) < rank(*table.chosen)))
      table.chosen = i;
  }
  std::vector<std::string> others;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const ConstructionCost& row = table.rows[i];
    if (i != table.chosen)
      others.push_back(row.measures
                           ? fmt::format("{} {}", row.construction.title(), row.measures->depth)
                           : row.construction.title() + " cannot be built");
  }
  table.reason =
      table.chosen
          ? fmt::format("{} has {} for {} ({})", table.rows[*table.chosen].construction.title(),
                        counted(table.rows[*table.chosen].measures->depth, "layer"),
                        counted(length, "letter"), joined(others))
          : "none of the constructions can be built";
  return table;
}

namespace {

/// The construction of the fewest layers, and a sentence that says so.
/// Errors: SizeLimit where none can be built.
RegularConstruction fewest_layers(const Request& request) {
  const bool promised = request.values.contains("for-length");
  const std::uint64_t length = promised ? number_of(request.values, "for-length") : kComparedLength;
  Values asked;
  for (const char* option : {"positions", "table"})
    if (const auto given = request.values.find(option); given != request.values.end())
      asked.insert(*given);
  ScanOptions scan{ScanPositions::two_circle, table_of(asked)};
  if (asked.contains("positions")) scan.positions = positions_of(asked);
  RegularCosts costs(*request.action,
                     {asked, promised, forecast_scan(*request.action, scan).refusal});
  const CostTable table = costs.at(length);
  if (!table.chosen) throw SizeLimit(table.reason + ": " + table.rows.front().refusal);
  request.say("chosen: " + table.reason);
  return table.rows[*table.chosen].construction;
}

}  // namespace

Construction fewest_layers_record() {
  Option positions = positions_option({kScanPositions.begin(), kScanPositions.end()});
  std::get<ChoiceOption>(positions.type).otherwise.clear();
  return {.key = {"", "", "auto"},
          .problem = Problem::words,
          .help = "the construction with the fewest layers",
          .options = {{"for-length", CountOption{.most = 1000000000000000},
                       "word length for which --construction auto minimises the depth; longer "
                       "words may be rejected (default: 1000000, correct at every length)"},
                      positions,
                      table_option(),
                      {"unroll", RefusedOption{": it takes --for-length N"}}},
          .program = [](const Request& request) {
            const RegularConstruction chosen = fewest_layers(request);
            Program program = chosen.record->make({chosen.values, request.action, request.name});
            program.parameters["positions"] = word_of(chosen.values, "positions");
            return program;
          }};
}

}}  // namespace logdepth::constructions_catalogue
