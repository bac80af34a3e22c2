#include "library/requests/regular_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_uniform_radix_cor4_2.hpp"
#include "constructions/catalogue/construction_costs.hpp"
#include "constructions/own_position.hpp"
#include "library/requests/option_checks.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

constexpr unsigned kRadix = 2, kBlock = 2;
constexpr std::uint64_t kComparedLength = 1000000;

/// What is asked of one automaton.
struct RegularRequest {
  const RegularSettings& settings;
  const CompileSettings& compiling;

  bool radix_construction() const { return settings.construction == "radix"; }
  /// One looped network for all lengths: no length was promised.
  bool uniform_radix() const { return radix_construction() && !compiling.unroll; }
  unsigned radix() const { return settings.radix.value_or(kRadix); }
  UniformRadixOptions uniform(ScanTable table) const {
    return {radix(), settings.block.value_or(kBlock), table};
  }
  ScanTable table() const {
    return settings.table == "matrix"   ? ScanTable::matrix
           : settings.table == "monoid" ? ScanTable::monoid
                                        : ScanTable::automatic;
  }
  std::optional<ScanPositions> positions() const {
    if (!settings.positions) return std::nullopt;
    return *std::ranges::find(kScanPositions, *settings.positions, positions_name);
  }
};

/// What the command line has checked while it read.
void check_values(const RegularSettings& settings, const CompileSettings& compiling) {
  require_one_of("--construction", settings.construction, kRegularConstructions);
  require_one_of("--table", settings.table, kProductTables);
  if (settings.positions) require_one_of("--positions", *settings.positions, position_encodings());
  require_at_most("--for-length", settings.for_length.value_or(0), kMostCounted);
  require_at_most("--unroll", compiling.unroll.value_or(0), kMostCounted);
}

/// The construction of the fewest layers, and a sentence that says so.
/// Errors: SizeLimit where none can be built.
RegularConstruction choose_construction(const RegularRequest& request, const Action& action,
                                        const Say& say) {
  const auto positions = request.positions();
  const ScanOptions scan{positions.value_or(ScanPositions::two_circle), request.table()};
  RegularCosts costs(action, {positions, request.table(), request.settings.for_length.has_value(),
                              forecast_scan(action, scan).refusal});
  const CostTable table = costs.at(request.settings.for_length.value_or(kComparedLength));
  if (!table.chosen) throw SizeLimit(table.reason + ": " + table.rows.front().refusal);
  say("chosen: " + table.reason);
  return table.rows[*table.chosen].construction;
}

RegularConstruction construction_of(const RegularRequest& request, const Action& action,
                                    const Say& say) {
  const std::string& name = request.settings.construction;
  if (name == "auto") return choose_construction(request, action, say);
  RegularConstruction construction{name, request.positions().value_or(positions_for(name).front()),
                                   std::nullopt, std::nullopt};
  if (request.radix_construction()) {
    construction.radix = request.radix();
    construction.longest = request.compiling.unroll;
  }
  return construction;
}

/// "a b c", cut off when there are many.
std::string list_letters(const Alphabet& alphabet) {
  std::string text;
  for (const std::string& name : alphabet.names()) {
    if (text.size() > 60) return fmt::format("{} ... ({})", text, alphabet.size());
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

}  // namespace

std::vector<std::string> position_encodings() {
  std::vector<std::string> names;
  for (const ScanPositions positions : kScanPositions) names.push_back(positions_name(positions));
  return names;
}

void check_regular(const RegularSettings& settings, const CompileSettings& compiling) {
  check_values(settings, compiling);
  const RegularRequest request{settings, compiling};
  const std::string& construction = settings.construction;
  if (!request.radix_construction() && settings.radix)
    throw InputError("--radix goes with --construction radix");
  if (!request.radix_construction() && settings.block)
    throw InputError("--block goes with --construction radix");
  if (!request.uniform_radix() && settings.block)
    throw InputError("--block is for one network for all lengths; with --unroll there is no block");
  if (construction != "auto" && settings.for_length)
    throw InputError("--for-length goes with --construction auto");
  if (construction == "auto" && compiling.unroll)
    throw InputError("--unroll goes with a construction that is named; auto takes --for-length N");
  if (request.radix() < 2 || request.radix() > kMaxRadix)
    throw InputError(
        fmt::format("--radix {}: expected a number from 2 to {}", request.radix(), kMaxRadix));
  if (request.uniform_radix()) reach_of_a_block(request.uniform(ScanTable::automatic));
  if (!settings.positions) return;
  if (request.uniform_radix() && *settings.positions != kFirstFlag)
    throw InputError("--positions " + *settings.positions +
                     ": --construction radix without --unroll has first-flag positions only");
  if (construction == "auto") return;
  std::vector<std::string> possible;
  for (const ScanPositions positions : positions_for(construction))
    possible.push_back(positions_name(positions));
  if (std::ranges::find(possible, *settings.positions) == possible.end())
    throw InputError("--positions " + *settings.positions + ": --construction " + construction +
                     " has " + joined(possible, " and ") + " positions only");
}

Program requested_program(const LoadedAutomaton& loaded, const RegularSettings& settings,
                          const CompileSettings& compiling, const Say& say) {
  const RegularRequest request{settings, compiling};
  say("automaton: " + printable(loaded.name) + ", " + loaded.sizes() + ", letters " +
      list_letters(loaded.action.alphabet));
  const RegularConstruction construction = construction_of(request, loaded.action, say);
  Program program =
      request.uniform_radix()
          ? regular_language_uniform_radix_MS25_cor4_2(loaded.action, loaded.name,
                                                       request.uniform(request.table()))
          : regular_program(loaded.action, loaded.name, construction, request.table());
  program.parameters["automaton"] = loaded.name;
  program.parameters["automaton_sizes"] = loaded.sizes();
  if (!loaded.state_names.empty())
    program.parameters["states"] = nlohmann::json(loaded.state_names).dump();
  program.parameters["positions"] =
      request.uniform_radix() ? kFirstFlag : positions_name(construction.positions);
  if (program.parameters.contains("table"))
    say("table: " + program.parameters["table"] + ", " + program.parameters["table_reason"]);
  return program;
}

}  // namespace logdepth
