// The catalogue of constructions: a new one is its own file and a line of one list, and everybody who
// shows, chooses or measures constructions has it from there. The dummy below is such a file.
#include "constructions/catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "compiler/program/program.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "library/requests/compile_request.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/claims/defect.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "runtime/file/hypotheses.hpp"
#include "runtime/file/sha256.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::catalogue_tests { namespace {

using CellExamples = support::CommandLine;

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
          .depths = {{false, "dummy"}}};
}

Catalogue with_dummy() {
  Catalogue constructions = catalogue();
  constructions.push_back(dummy_record());
  return constructions;
}

std::string refusal(Problem problem, const Values& values, const Catalogue& constructions) {
  return support::refusal([&] { chosen_construction(problem, values, constructions); });
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
    {Problem::computation_graphs, "computation-graph", "compile_computation_graph"},
    {Problem::formulas, "formula", "compile_formula"},
    {Problem::hops, "khop", "compile_khop"}};

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

// Every construction with every option of its own, the examples and the own programs of the tests:
// each line of weights_hashes.txt is the hash of a weights file and what `compile` was told for it. Every
// hypothesis that they write has a kind, or is free text.

class WeightsHashes : public support::CommandLine {};

/// Hypotheses that no weights can contradict.
bool is_free_text(const std::string& hypothesis) {
  static const std::regex kFree(
      "averaging-hard attention, causal and unmasked heads, .*"
      "|masked pre-norm without epsilon, averaging-hard attention, exact numbers"
      "|the position encoding separates the first position(; positions from 0)?"
      "|a graph over (1 <= n <= [0-9]+|n >= 1) vertices: .*"
      "|(0 <= a_i <= i|a_i = i), m >= 1 an integer, the same at all tokens"
      "|.* in the stream at token i, positions from 0"
      "|I = phi\\(i\\) at position i, from 0; x = .*"
      "|z0, z1, ... are unit vectors"
      "|z (= phi\\(z\\), or raw psi\\(z\\), for any rational z|is a unit vector|is computed by a "
      "head: .*)"
      "|the cells that the attention read are not written in between"
      "|the groups of the levels, by holonomy, are solvable"
      "|equations 'value = name' and .*");
  return std::regex_match(hypothesis, kFree);
}

std::set<std::string> hypotheses_of(const std::string& weights) {
  return nlohmann::json::parse(weights)["hypotheses"].get<std::set<std::string>>();
}

TEST_F(WeightsHashes, WeightsOfEveryExampleAreTheBytesTheyWere) {
  std::ifstream list(support::source_dir() + "/tests/claims/weights_hashes.txt");
  std::set<std::string> commands, hypotheses;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string hash;
    words >> hash;
    std::vector<std::string> arguments = {support::program(), "compile"};
    for (std::string word; words >> word;) arguments.push_back(word);
    commands.insert(line.substr(hash.size()));
    arguments.insert(arguments.end(), {"-o", folder.file("weights.json")});
    const auto finished = support::run_process(arguments, support::source_dir());
    ASSERT_EQ(finished.status, 0) << line << '\n' << finished.err;
    const std::string weights = folder.read("weights.json");
    EXPECT_EQ(sha256(weights), hash) << line;
    hypotheses.merge(hypotheses_of(weights));
  }
  EXPECT_EQ(commands.size(), 319u) << "commands, no two of them the same";

  std::size_t with_kind = 0;
  for (const std::string& hypothesis : hypotheses) {
    const auto assumed = assumptions_of(hypothesis);
    EXPECT_EQ(assumed.empty(), is_free_text(hypothesis)) << hypothesis;
    with_kind += !assumed.empty();
    for (const Assumed& one : assumed)
      EXPECT_EQ(assumptions_of(clause(one.kind, one.what)), std::vector<Assumed>{one})
          << "as it is written it is read";
  }
  EXPECT_GT(with_kind, 40u) << "of " << hypotheses.size();
}

// Changes of a program by the names of what is changed: exactly what was asked, or a mistake of ours.

/// Two heads of one name, a table, and cells of all sorts.
Program subject() {
  using namespace cells;
  cells::Program p("subject");
  p.alphabet({"a"}).fixed_loops(1);
  const auto one = p.constant();
  const auto f = p.flag("f", state), g = p.flag("g", state);
  const auto n = p.number("n");
  const auto m = p.number("m");
  p.token(kBegin, f, g).token("a", !f, g);
  const Statements average = fetch("average").causal(uniform()).add(n, f).add(m, one);
  p.initial(average, lookup("table", {when(f).then(!f), when(!f).then(f)}));
  return p.final(average).output("n", n).program();
}

using Change = std::function<void(ChangedProgram&)>;

TEST(ChangedPrograms, WhatIsNotThereIsAMistake) {
  using namespace cells;
  const auto flag = [](const ChangedProgram& p, const char* name) { return p.cell<Flag>(name); };
  const Change wrong[] = {
      [](ChangedProgram& p) { p.select("averages", uniform()); },
      [](ChangedProgram& p) { p.select("table", flagged(p.cell<Flag>("f"))); },
      [&](ChangedProgram& p) { p.select("average", flagged(flag(p, "f"))); },     // twice there
      [&](ChangedProgram& p) { p.select("average", flagged(flag(p, "f")), 3); },  // twice there
      [](ChangedProgram& p) { p.select("average", uniform(), 2); },               // as it is
      [](ChangedProgram& p) { p.drop("average"); },
      [](ChangedProgram& p) { p.drop("erase n"); },
      [&](ChangedProgram& p) {
        p.replace_rules("table", {when(flag(p, "g")).then(flag(p, "f"))}, {});
      },
      [&](ChangedProgram& p) {
        const auto f = flag(p, "f");
        p.replace_rules("table", {when(f).then(!f)}, {when(f).then(!f)});
      },
      [&](ChangedProgram& p) { p.ask("table", flag(p, "g"), flag(p, "f")); },
      [&](ChangedProgram& p) { p.ask("table", flag(p, "f"), p.cell<Number>("n")); },
      [](ChangedProgram& p) { p.drop_block(Block::repeated); },
      [](ChangedProgram& p) { p.drop_cell("h"); },
      [](ChangedProgram& p) { p.drop_cell("n"), (void)p.program(); },  // heads add to it
      [](ChangedProgram& p) { p.put_behind(p.cell<Number>("m"), "n"), (void)p.program(); },
      [](ChangedProgram& p) { p.move_behind("table", "table"); },
  };
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    ChangedProgram p(subject());
    EXPECT_THROW(wrong[i](p), std::logic_error) << "change " << i;
  }
}

TEST(ChangedPrograms, AHeadThatIsNamedOnceIsChangedInWhatIsSaidAlone) {
  using namespace cells;
  ChangedProgram p(subject());
  p.drop_block(Block::final);
  const auto f = p.cell<Flag>("f"), g = p.cell<Flag>("g");
  p.add("average", p.cell<Number>("n")[0], f - g);
  p.drop_write("average", p.cell<Number>("m")).drop_cell("m");
  p.ask("table", f, g).move_behind("average", "table");
  const std::string text = print_program(p.program());
  EXPECT_NE(text.find("initial\n"
                      "  lookup table\n"
                      "    rule g=true -> f=false\n"
                      "    rule g=false -> f=true\n"
                      "  fetch average causal uniform\n"
                      "    add n + f - g\n"
                      "\noutput n + n\n"),
            std::string::npos)
      << text;
  EXPECT_THROW(p.add("average", p.cell<Number>("m")[0], f), std::logic_error);
  EXPECT_THROW(p.drop_write("average", p.cell<Number>("m")), std::logic_error);
}

TEST(ChangedPrograms, ACellMoreRenumbersTheOthersAndChangesNoOtherWord) {
  std::vector<Program> programs = {subject(), graph_connectivity_rows_MS25_thm5_1(4),
                                   graph_connectivity_sized_MS25_thm5_1(4),
                                   regular_language_scan_MS25_thm4_1(named_monoid("A5"), "A5"),
                                   regular_language_scan_MS25_thm4_1(named_monoid("T2"), "T2")};
  for (const Defect& defect : all_defects())
    if (defect.repaired) programs.push_back(defect.repaired());
  for (const Program& program : programs) {
    ChangedProgram p(program);
    p.put_behind(p.flag("more"), program.cells.front().name);
    const Program changed = p.program();
    EXPECT_EQ(changed.cells.at(1).name, "more");
    std::string text = print_program(changed);
    const std::string line = "cell more flag\n";
    const std::size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.erase(at, line.size()), print_program(program));
    EXPECT_EQ(ChangedProgram(changed).drop_cell("more").program(), program) << program.name;
  }
}

// The streams and programs of examples/cells, as a user runs them.

std::map<std::string, Program> programs() {
  return {{"read", read_MS25_lemA1()},        {"read_several", read_several_MS25_lemA2({2, 2, 1})},
          {"store", store_MS25_lemA3()},      {"overwrite", overwrite_MS25_lemA4()},
          {"clear", clear_MS25_lemA5()},      {"offset", offset_MS25_lemA6(2, OffsetForm::cleared)},
          {"equality", equality_MS25_lemA7()}};
}

TEST_F(CellExamples, AreThePrintedBuildingBlocks) {
  for (const auto& [name, program] : programs()) {
    std::ifstream in(example("cells/" + name + ".cells"));
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(text.str(), print_program(program)) << name;
  }
}

TEST_F(CellExamples, AnswerAsTheirReadmeSays) {
  const std::map<std::string, std::string> answers = {
      {"read",
       "phi.0 phi.1\n0 1\n3/5 4/5\n-sqrt(49/50) sqrt(1/50)\nsqrt(1/2) sqrt(1/2)\n"
       "sqrt(1/1000000000000000001) sqrt(1000000000000000000/1000000000000000001)\n"},
      {"read_several",
       "x0.0 x0.1 x1.0 x1.1 x2\n0 1 3/5 4/5 1\nsqrt(1/2) sqrt(1/2) -3/5 4/5 -1\n"
       "sqrt(4/5) sqrt(1/5) 0 1 -1\n"},
      {"store", "phi.0 phi.1\nsqrt(1/2) sqrt(1/2)\n0 1\n-sqrt(1/10) sqrt(9/10)\n0 1\n"},
      {"overwrite", "z.0 z.1 kept.0 kept.1\n-3/5 4/5 3/5 4/5\n1 0 0 1\n"},
      {"clear", "kept\n1\n-1\n-1\n"},
      {"offset",
       "phi.0 phi.1\n-sqrt(4/5) sqrt(1/5)\n-sqrt(1/2) sqrt(1/2)\n0 1\nsqrt(1/2) sqrt(1/2)\n"
       "sqrt(4/5) sqrt(1/5)\n"},
      {"equality", "equal\n1\n1\n-1\n-1\n"}};
  ASSERT_EQ(answers.size(), programs().size());
  for (const auto& [name, answer] : answers) {
    done({"compile", "program", example("cells/" + name + ".cells"), "-o", "model.json"});
    EXPECT_EQ(done({"run", "model.json", "--cells", example("cells/" + name + ".txt")}), answer)
        << name;
  }
}

TEST_F(CellExamples, AreOutsideTheHypothesesWhereAStreamIsNotWhatItsProgramSays) {
  done({"compile", "program", example("cells/read.cells"), "-o", "model.json"});
  folder.write("raw.txt", "z.0 z.1\n0 1\n3/4 1\n");
  const auto finished = logdepth({"run", "model.json", "--cells", "raw.txt"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "outside the hypotheses\n");
  EXPECT_NE(finished.err.find("token 1: cell z may not be given (3/4, 1)"), std::string::npos)
      << finished.err;
}

TEST_F(CellExamples, ShowInTheirTraceThatWhatWasClearedIsZero) {
  done({"compile", "program", example("cells/clear.cells"), "-o", "model.json"});
  done({"run", "model.json", "--cells", example("cells/clear.txt"), "--trace", "trace.jsonl"});
  const auto trace = support::lines(folder.read("trace.jsonl"));
  ASSERT_GE(trace.size(), 3u);
  for (std::size_t token = 0; token < 3; ++token) {
    const std::string& line = trace[trace.size() - 3 + token];
    EXPECT_NE(line.find("\"z\":[\"0\",\"0\"]"), std::string::npos) << line;
    EXPECT_NE(line.find("\"x\":[\"0\",\"0\"]"), std::string::npos) << line;
  }
}

}}  // namespace logdepth::catalogue_tests
