// The catalogue of constructions: a new one is its own file and a line of one list, and everybody who
// shows, chooses or measures constructions has it from there. The dummy below is such a file.
#include "constructions/catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/catalogue/construction_costs.hpp"
#include "library/requests/construction_request.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/ledger/constructed_depths.hpp"
#include "proofs-check/precision/precision_questions.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::catalogue_tests {
namespace {

Construction dummy_record() {
  return {.key = {"D26", "Lemma 1", "dummy"},
          .problem = Problem::words,
          .help = "the scan under another name",
          .options = {{"leaps", CountOption{.otherwise = 3, .from = 1, .to = 9, .needed = ""},
                       "how far it leaps"},
                      positions_option({ScanPositions::circle}),
                      table_option()},
          .program =
              [](const Request& r) {
                Program program = regular_language_scan_MS25_thm4_1(
                    *r.action, r.name, {positions_of(r.values), table_of(r.values)});
                program.parameters["leaps"] = std::to_string(number_of(r.values, "leaps"));
                return program;
              },
          .compared = 5,
          .depths = {{false, "dummy"}},
          .precision = {{11, "dummy-circle", "Lemma 1, a dummy", "S3", {}, doubling(4)}}};
}

Catalogue with_dummy() {
  Catalogue constructions = catalogue();
  constructions.push_back(dummy_record());
  return constructions;
}

std::string refusal(Problem problem, const Values& values, const Catalogue& constructions) {
  try {
    chosen_construction(problem, values, constructions);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TheCatalogue, OffersANewConstructionToWhoeverTypesItsName) {
  const Catalogue constructions = with_dummy();
  const auto options = construction_options(Problem::words, constructions);
  const auto& words = std::get<ChoiceOption>(options.front().type).words;
  EXPECT_EQ(words, (std::vector<std::string>{"scan", "tree", "radix", "cascade", "auto", "dummy"}));
  EXPECT_TRUE(options.front().help.ends_with("; dummy: the scan under another name"));
  const auto leaps = std::ranges::find(options, "leaps", &Option::name);
  ASSERT_NE(leaps, options.end());
  EXPECT_EQ(leaps->help, "how far it leaps");
  const auto positions = std::ranges::find(options, "positions", &Option::name);
  EXPECT_LT(leaps, positions) << "every construction keeps its order";
  EXPECT_EQ(positions->help,
            "position encoding (default: two-circle; first-flag for tree, and for radix "
            "without --unroll; fine for cascade; circle for dummy)");
}

TEST(TheCatalogue, BuildsANewConstructionAndChecksItsOptions) {
  const Catalogue constructions = with_dummy();
  const Action action = named_monoid("S3");
  const Values asked = {{kConstruction, "dummy"}, {"leaps", 4u}};
  const Construction& chosen = chosen_construction(Problem::words, asked, constructions);
  EXPECT_EQ(chosen.make({asked, &action, "S3"}).parameters.at("leaps"), "4");
  EXPECT_EQ(chosen.make({{}, &action, "S3"}).parameters.at("leaps"), "3");
  EXPECT_EQ(chosen.title(asked), "dummy 4");
  const auto refused = [&](Values values) {
    return refusal(Problem::words, values, constructions);
  };
  EXPECT_EQ(refused({{"leaps", 4u}}), "--leaps requires --construction dummy");
  EXPECT_EQ(refused({{kConstruction, "dummy"}, {"leaps", std::uint64_t{10}}}),
            "--leaps 10: expected a number from 1 to 9");
  EXPECT_EQ(refused({{kConstruction, "dummy"}, {"positions", "fine"}}),
            "--positions fine: --construction dummy supports only circle positions");
  EXPECT_EQ(refused({{kConstruction, "dummy"}, {"radix", std::uint64_t{3}}}),
            "--radix requires --construction radix");
}

TEST(TheCatalogue, ComparesCountsAndMeasuresANewConstruction) {
  const Catalogue constructions = with_dummy();
  const Action action = named_monoid("S3");
  RegularCosts costs(action, {{}, false}, constructions);
  const CostTable table = costs.at(64);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows.back().construction.record->key.name, "dummy");
  EXPECT_EQ(table.rows.back().measures->depth, table.rows.front().measures->depth);
  EXPECT_NE(table.reason.find("dummy 3 6"), std::string::npos) << table.reason;

  ConstructedOptions options;
  options.groups = {"Z2"};
  options.reachability = false;
  options.up_to = 4;
  const auto depths = constructed_depths(options, constructions);
  EXPECT_EQ(depths.back().construction, "dummy");
  EXPECT_EQ(depths.back().formula, "ceil(log2 n)");
  EXPECT_TRUE(depths.back().built);
  EXPECT_FALSE(depths.back().failed) << depths.back().verification;

  const auto series = precision_series_of(constructions);
  ASSERT_EQ(series.size(), precision_series().size() + 1);
  EXPECT_EQ(series.back().name, "dummy-circle");
  EXPECT_EQ(series.back().compiled(8).model->shape.repeated, 1u);
}

TEST(TheCatalogue, TellsConstructionsOfOneWordApart) {
  std::set<std::string> keys;
  for (const Construction& one : catalogue())
    EXPECT_TRUE(keys.insert(one.key.paper + ", " + one.key.statement + ", " + one.key.name).second)
        << one.key.name;
  const auto name = [](Problem problem, const std::string& word, const Values& more) {
    Values values = more;
    values[kConstruction] = word;
    const Construction& chosen = chosen_construction(problem, values);
    return chosen.key.statement + " " + chosen.key.name;
  };
  const std::uint64_t n = 9;
  EXPECT_EQ(name(Problem::words, "radix", {}), "Cor 4.2 uniform-radix");
  EXPECT_EQ(name(Problem::words, "radix", {{"unroll", n}}), "Cor 4.2 radix");
  EXPECT_EQ(name(Problem::graphs, "radix", {{"size", n}}), "Thm 5.1 radix");
  EXPECT_EQ(name(Problem::graphs, "compact", {}), "Thm 5.1 compact");
  EXPECT_EQ(name(Problem::graphs, "compact", {{"size", n}}), "Thm 5.1 sized");
  EXPECT_EQ(name(Problem::divisions, "compact", {}), "Lemma 3.1 compact");
}

TEST(TheCatalogue, SaysWhatAnOptionGoesWith) {
  const std::uint64_t n = 3;
  const auto refused = [&](Problem problem, const std::string& word, Values values) {
    values[kConstruction] = word;
    return refusal(problem, values, catalogue());
  };
  const Problem words = Problem::words, graphs = Problem::graphs, divisions = Problem::divisions;
  for (const auto& [found, expected] : std::vector<std::pair<std::string, std::string>>{
           {refused(words, "tree", {{"radix", n}}), "--radix requires --construction radix"},
           {refused(words, "radix", {{"block", n}, {"unroll", n}}),
            "--block requires --construction radix without --unroll"},
           {refused(words, "radix", {{"positions", "circle"}}),
            "--positions circle: --construction radix without --unroll supports only "
            "first-flag positions"},
           {refused(words, "cascade", {{"positions", "circle"}}),
            "--positions circle: --construction cascade supports only fine and first-flag "
            "positions"},
           {refused(words, "scan", {{"for-length", n}}),
            "--for-length requires --construction auto"},
           {refused(words, "auto", {{"unroll", n}}),
            "--unroll is not allowed with --construction auto: it takes --for-length N"},
           {refused(words, "mine", {}),
            "--construction: expected one of scan, tree, radix, cascade, auto; found 'mine'"},
           {refused(graphs, "paper", {{"size", n}}),
            "--size requires --construction compact, rows or radix"},
           {refused(graphs, "rows", {}),
            "--construction rows needs --size N, the number of vertices"},
           {refused(graphs, "rows", {{"size", n}, {"padding", "n3"}}),
            "--padding is not allowed with --construction rows, which has no padding"},
           {refused(graphs, "compact", {{"size", n}, {"padding", "n3"}}),
            "--padding n3: --construction compact with --size supports only n3-n2 padding"},
           {refused(divisions, "floor", {}),
            "--construction floor needs --for-length N, the number of tokens"},
           {refused(divisions, "paper", {{"own-argument", n}}),
            "--own-argument requires --construction compact or floor"}})
    EXPECT_EQ(found, expected);
}

// --- what is written by hand says the same -----------------------------------------------------------

std::string text_of(const std::string& file) {
  std::ifstream in(support::source_dir() + "/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Commanded {
  Problem problem;
  std::string command, function;
};
const std::vector<Commanded> kCommands = {
    {Problem::words, "regular", "compile_regular"},
    {Problem::graphs, "connectivity", "compile_connectivity"},
    {Problem::divisions, "division", "compile_division"},
    {Problem::computation_graphs, "computation-graph", "compile_computation_graph"}};

TEST(TheCatalogue, IsWhatThePageOfCommandsAndPythonSay) {
  const std::string python = text_of("python/logdepth/constructions.py");
  std::istringstream page(text_of("docs/commands.md"));
  for (const auto& [problem, command, function] : kCommands) {
    std::string row;
    while (std::getline(page, row) && !row.starts_with("| `compile " + command + "`")) {
    }
    const std::size_t begin = python.find("def " + function + "(");
    const std::string signature = python.substr(begin, python.find("\"\"\"", begin) - begin);
    for (const Option& option : construction_options(problem)) {
      EXPECT_NE(row.find("--" + option.name), std::string::npos) << command << option.name;
      std::string parameter = option.name;
      std::ranges::replace(parameter, '-', '_');
      EXPECT_NE(signature.find("    " + parameter + ": "), std::string::npos) << parameter;
      const auto* choice = std::get_if<ChoiceOption>(&option.type);
      if (!choice) continue;
      EXPECT_NE(signature.find("    " + parameter + ": Literal[\"" +
                               joined(choice->words, "\", \"") + "\"]"),
                std::string::npos)
          << parameter;
      if (option.name == kConstruction) {
        EXPECT_NE(row.find("`--construction " + joined(choice->words, "\\|") + "`"),
                  std::string::npos)
            << row;
      }
    }
  }
}

TEST(TheCatalogue, HasARowOfThePageForEveryConstruction) {
  std::istringstream page(text_of("docs/constructions.md"));
  std::set<std::string> linked;  // files, from tables whose first cell is what is typed
  for (std::string line; std::getline(page, line);) {
    const std::string link = "](../constructions/";
    const std::size_t at = line.find(link);
    if (line.starts_with("| `") && at != std::string::npos)
      linked.insert(line.substr(at + link.size(), line.find(')', at) - at - link.size()));
  }
  for (const Construction& one : catalogue()) {
    if (one.key.paper.empty()) continue;  // it chooses another
    const bool there = std::ranges::any_of(linked, [&](const std::string& file) {
      return file.starts_with(one.key.paper + "/") &&
             text_of("constructions/" + file).find("\"" + one.key.name + "\"") != std::string::npos;
    });
    EXPECT_TRUE(there || one.problem == Problem::computation_graphs) << one.key.name;
  }
  EXPECT_TRUE(linked.contains("latent_reasoning/computation_graph.cpp"));
}

}  // namespace
}  // namespace logdepth::catalogue_tests
