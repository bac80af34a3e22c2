// `logdepth check` from outside, and the generated list of claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "logdepth/errors.hpp"
#include "proofs-check/claims/claim.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "proofs-check/precision/precision_curves.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::reports_tests { namespace {

namespace fs = std::filesystem;
using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;
using nlohmann::json;
using support::Finished;
using support::lines;

class Check : public support::CommandLine {};

TEST_F(Check, PrintsOneObjectWithEveryFieldOfAClaim) {
  const json out = json::parse(done({"check", "lem-A.6", "thm-4.1/scan-circle", "thm-6.1",
                                     "--up-to", "3", "--random", "2", "--json"}));
  EXPECT_EQ(out["schema"], "logdepth/check/1");
  ASSERT_EQ(out["claims"].size(), 5u);
  for (const json& claim : out["claims"])
    for (const char* key : {"id", "form", "status", "hypotheses", "bound", "claimed", "measured",
                            "deviations", "counterexample"})
      EXPECT_TRUE(claim.contains(key)) << claim["id"] << " " << key;

  const json& written = out["claims"][0];
  EXPECT_EQ(written["id"], "lem-A.6");
  EXPECT_EQ(written["form"], "as-written");
  EXPECT_EQ(written["status"], "contradicted");
  EXPECT_FALSE(written["counterexample"].is_null());
  EXPECT_NE(written["defect"]["quote"], "");

  const json& scan = out["claims"][3];
  EXPECT_EQ(scan["variant"], "scan-circle");
  EXPECT_EQ(scan["form"], "optimised");
  EXPECT_EQ(scan["status"], "checked");
  EXPECT_EQ(scan["claimed"]["repeated"], 8);
  EXPECT_EQ(scan["measured"]["repeated"], 1);
  EXPECT_EQ(scan["measured"]["position"], "circle");
  EXPECT_EQ(scan["measured"]["depth"], 4);
  EXPECT_EQ(scan["tight"]["tight"], true);
  EXPECT_TRUE(scan["counterexample"].is_null());
  EXPECT_EQ(scan["claimed"]["depths"].size(), scan["measured"]["depths"].size());

  EXPECT_EQ(out["claims"][4]["status"], "not-executable");
  EXPECT_NE(out["claims"][4]["note"], "");
  ASSERT_EQ(out["depth_laws"].size(), 1u);
  EXPECT_EQ(out["depth_laws"][0]["series"].size(), 2u);
}

TEST_F(Check, EndsWellWhenOnlyTheTextIsContradicted) {
  const Finished finished = logdepth({"check", "lem-A.5"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.out.find("contradicted"), std::string::npos);
  EXPECT_EQ(finished.err, "");
}

TEST_F(Check, RefusesAnUnknownClaimWithTheKnownOnes) {
  const Finished finished = logdepth({"check", "thm-9.9"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_NE(finished.err.find("no claim 'thm-9.9'"), std::string::npos);
  EXPECT_NE(finished.err.find("thm-5.1"), std::string::npos);
  EXPECT_EQ(finished.err.find("did you mean"), std::string::npos);
  EXPECT_EQ(finished.out, "");
}

TEST_F(Check, SuggestsTheClaimOfThatNumber) {
  for (const auto& [written, meant] : {std::pair("A.6", "lem-A.6"), std::pair("Thm 5.1", "thm-5.1"),
                                       std::pair("cor-A.6", "lem-A.6")})
    EXPECT_NE(logdepth({"check", written}).err.find(std::string("did you mean ") + meant + "?"),
              std::string::npos)
        << written;
}

TEST_F(Check, ListsTheClaims) {
  const std::string list = done({"check", "--list"});
  EXPECT_NE(list.find("thm-4.1/scan-circle (optimised): "), std::string::npos);
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')),
            all_claims().size());
}

TEST_F(Check, WritesAReportWithTablesAndFigures) {
  const std::vector<std::string> command = {
      "check", "thm-4.1/scan-first-flag", "cor-4.3", "--up-to", "2", "--random", "1", "--report",
      "out"};
  done(command);
  const std::string markdown = folder.read("out/report.md"),
                    figure = folder.read("out/depth-regular-languages.svg"),
                    numbers = folder.read("out/report.json");
  EXPECT_EQ(json::parse(numbers)["schema"], "logdepth/check/1");
  EXPECT_NE(markdown.find("## Depth against n: regular languages"), std::string::npos);
  EXPECT_NE(markdown.find("440872"), std::string::npos);
  EXPECT_EQ(figure.substr(0, 4), "<svg");
  EXPECT_FALSE(std::filesystem::is_empty(folder.file("out/models")));
  // The same question gives the same bytes.
  done(command);
  EXPECT_EQ(folder.read("out/report.md"), markdown);
  EXPECT_EQ(folder.read("out/depth-regular-languages.svg"), figure);
  EXPECT_EQ(folder.read("out/report.json"), numbers);
}

TEST_F(Check, TheCommittedListOfClaimsIsWhatACheckSays) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the whole ledger; the same content is compared by the build without sanitizers";
#endif
  std::vector<const Claim*> claims;
  for (const Claim& claim : all_claims()) claims.push_back(&claim);
  LedgerOptions options;
  options.folder = folder.file("models");
  options.threads = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  const Ledger ledger = check_claims(claims, options);

  for (const LedgerEntry& entry : ledger.entries) {
    EXPECT_FALSE(is_failure(entry) || is_open(entry))
        << full_name(*entry.claim) << ": " << entry.counterexample.value_or(entry.note);
    if (entry.tightness) {
      EXPECT_TRUE(entry.tightness->tight)
          << full_name(*entry.claim) << ": " << entry.tightness->witness;
    }
  }
  // Regenerate with: logdepth check --claims-file proofs-check/CLAIMS.md
  const auto expected = support::lines(ledger_markdown(ledger, kRootFromClaimsFile));
  const auto committed =
      support::lines(read_whole_file(support::source_dir() + "/proofs-check/CLAIMS.md"));
  for (std::size_t i = 0; i < std::min(expected.size(), committed.size()); ++i)
    ASSERT_EQ(committed[i], expected[i]) << "CLAIMS.md is stale at line " << i + 1;
  EXPECT_EQ(committed.size(), expected.size());
}

// `logdepth report precision`: what it measures, against other ways to the same numbers, and the
// command from outside.

std::optional<std::uint64_t> first_wrong(PositionKey key, FloatFormat format, ScoreForm form,
                                         std::uint64_t limit) {
  return first_wrong_position(key, format, form, limit).position;
}

/// phi by reciprocal roots in float, and all keys compared: no search, no bound, no rounding by us.
std::optional<std::uint64_t> wrong_phi_by_comparing_all(std::uint64_t limit) {
  std::vector<std::pair<float, float>> keys;
  for (std::uint64_t p = 0; p < limit; ++p) {
    const float tokens = static_cast<float>(p) + 1, x = static_cast<float>(p) / tokens;
    const float y = 1 / tokens, scale = 1 / std::sqrt(x * x + y * y);
    keys.emplace_back(x * scale, y * scale);
    const auto score = [&](const std::pair<float, float>& key) {
      return keys.back().first * key.first + keys.back().second * key.second;
    };
    for (std::uint64_t j = 0; j < p; ++j)
      if (score(keys[j]) >= score(keys[p])) return p;
  }
  return std::nullopt;
}

TEST(FirstWrongPosition, OfSinglePrecisionIsWhereComparingAllKeysFindsIt) {
  const auto expected = wrong_phi_by_comparing_all(200);
  EXPECT_EQ(expected, 44u);
  EXPECT_EQ(first_wrong(PositionKey::phi_averaged, FloatFormat::fp32, ScoreForm::product, 200),
            expected);
  EXPECT_EQ(first_wrong(PositionKey::phi_averaged, FloatFormat::fp32, ScoreForm::product, 44),
            std::nullopt);
}

TEST(FirstWrongPosition, OfDoublePrecisionIsSomeThousandsByProductAndFarOffByDistance) {
  // A dense loop in double found 6796 as well, among all keys of 10 000 tokens.
  EXPECT_EQ(first_wrong(PositionKey::phi, FloatFormat::fp64, ScoreForm::product, 10000), 6796u);
  EXPECT_EQ(first_wrong(PositionKey::phi, FloatFormat::fp64, ScoreForm::distance, 300000),
            std::nullopt);
}

TEST(FirstWrongPosition, ByDistanceFailsEarlyWhenQueryAndKeyAreComputedInTwoWays) {
  EXPECT_EQ(first_wrong(PositionKey::phi, FloatFormat::fp32, ScoreForm::distance, 100000),
            std::nullopt);
  EXPECT_EQ(first_wrong(PositionKey::phi, FloatFormat::fp32, ScoreForm::distance_mixed, 100000),
            4096u);
}

/// Codes in double, rounded for the products: all keys compared.
TEST(FirstWrongPosition, OfShortFactorsIsWhereComparingAllKeysFindsIt) {
  for (const auto& [format, bits] : {std::pair(FloatFormat::tf32, 11), {FloatFormat::bf16, 8}}) {
    std::vector<std::pair<float, float>> keys;
    std::optional<std::uint64_t> expected;
    for (std::uint64_t p = 0; p < 100 && !expected; ++p) {
      const float t = static_cast<float>(p) + 1, norm = 1 + t * t;
      keys.emplace_back(round_to_bits(double{(1 - t * t) / norm}, bits),
                        round_to_bits(double{2 * t / norm}, bits));
      const auto score = [&](const std::pair<float, float>& key) {
        return keys.back().first * key.first + keys.back().second * key.second;
      };
      for (std::uint64_t j = 0; j < p; ++j)
        if (score(keys[j]) >= score(keys[p])) expected = p;
    }
    ASSERT_TRUE(expected);
    EXPECT_EQ(first_wrong(PositionKey::circle, format, ScoreForm::product, 100), expected);
  }
}

TEST(RoundingToBits, TakesTheNearestAndTheEvenOneOfTwo) {
  EXPECT_EQ(round_to_bits(1.0 / 3, 2), 0.375);
  EXPECT_EQ(round_to_bits(5, 2), 4);
  EXPECT_EQ(round_to_bits(7, 2), 8);
  EXPECT_EQ(round_to_bits(-5.001, 2), -6);
  EXPECT_EQ(round_to_bits(0, 5), 0);
  for (const double x : {1.0 / 3, 1e-30 / 7, -2e20 / 3})
    EXPECT_EQ(round_to_bits(x, 24), double{static_cast<float>(x)});
}

TEST(PrecisionSearch, FindsTheFirstGoodValueFromEveryHint) {
  for (std::uint32_t boundary = 2; boundary <= 40; ++boundary)
    for (std::uint32_t hint = 2; hint <= 60; hint += 7) {
      std::map<std::uint32_t, int> asked;
      const auto found = first_good(2, 60, 3, hint, [&](std::uint32_t p) {
        EXPECT_EQ(++asked[p], 1);
        return p >= boundary;
      });
      EXPECT_EQ(found, boundary) << "hint " << hint;
    }
}

TEST(PrecisionSearch, GoesPastGoodValuesThatBadOnesFollow) {
  const auto good = [](std::uint32_t p) { return p >= 20 || p == 17 || p == 16; };
  EXPECT_EQ(first_good(2, 60, 3, 17, good), 20u);
  EXPECT_EQ(first_good(2, 21, 3, 2, good), std::nullopt);
  EXPECT_EQ(first_good(2, 60, 3, 2, [](std::uint32_t) { return false; }), std::nullopt);
  EXPECT_EQ(first_good(2, 60, 3, 9, [](std::uint32_t) { return true; }), 2u);
}

double measured(const std::string& series, Quantity quantity, Scores scores, std::uint64_t size) {
  PrecisionPoint point;
  point.series = series;
  point.quantity = quantity;
  point.scores = scores;
  point.size = size;
  return PrecisionCurves(1).measure(point).value.value_or(-1);
}

TEST(PrecisionCurves, DistanceNeedsFewerBitsThanProductsAndCertaintyMore) {
  const auto bits = [](Quantity quantity, Scores scores, std::uint64_t size) {
    return measured("scan-two-circle", quantity, scores, size);
  };
  const double product = bits(Quantity::bits, Scores::product, 16);
  // The gap of two codes is about 0.3/n^2, 2^-9.7 for 16, so it takes about so many bits and two
  // more for every doubling.
  EXPECT_GE(product, 9);
  EXPECT_LE(product, 13);
  const double half = bits(Quantity::bits, Scores::product, 8);
  EXPECT_GE(product - half, 1);
  EXPECT_LE(product - half, 3);
  EXPECT_LT(bits(Quantity::bits, Scores::distance, 16), product);
  EXPECT_GT(bits(Quantity::certified_bits, Scores::product, 16), product);
}

TEST(PrecisionCurves, DivisionNeedsATolerance) {
  EXPECT_GT(measured("division", Quantity::bits, Scores::distance, 16), 0);
  EXPECT_EQ(measured("division", Quantity::bits_without_tolerance, Scores::distance, 16), -1);
}

TEST(PrecisionCurves, TemperatureGrowsFasterWithOneCircleThanWithTwo) {
  const auto growth = [](const std::string& series) {
    const auto at = [&](std::uint64_t size) {
      return measured(series, Quantity::temperature, Scores::distance, size);
    };
    return std::log2(at(16) / at(8));
  };
  // The gaps are 2/n^4 and 0.3/n^2.
  EXPECT_GT(growth("scan-circle"), 3.5);
  EXPECT_GT(growth("scan-two-circle"), 1.5);
  EXPECT_LT(growth("scan-two-circle"), 3.5);
}

TEST(PrecisionCurves, TemperatureGrowsWithoutBoundAsATestForZeroBecomesExact) {
  const auto within = [](std::uint64_t bits) {
    return measured("division", Quantity::temperature_by_tolerance, Scores::distance, bits);
  };
  EXPECT_GT(within(20), 0);
  EXPECT_GT(within(80), 3 * within(20));
}

TEST(PrecisionCurves, RefusesNamesOfNothing) {
  PrecisionOptions options;
  options.only = {"scan-ellipse"};
  EXPECT_THROW(points_to_measure(options), InputError);
}

class ReportPrecision : public support::CommandLine {
 protected:
  std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> all = {"report", "precision", "--up-to",     "8",   "--only",
                                    "radix",  "positions", "--positions", "2000"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(ReportPrecision, WritesTheSamePointsAsTableJsonAndFigure) {
  EXPECT_EQ(done(command({"--out", "out"})), "");
  const json numbers = json::parse(folder.read("out/precision.json"));
  EXPECT_EQ(numbers["schema"], "logdepth/report-precision/1");
  const auto lines = support::lines(folder.read("out/precision.csv"));
  const std::string version = lines.at(0);
  EXPECT_TRUE(version.ends_with(" seed 1")) << version;
  EXPECT_EQ(lines.at(1), "quantity,what,scores,size,tokens,value,weights");
  ASSERT_EQ(lines.size(), 2 + numbers["points"].size() + numbers["first_wrong_positions"].size());
  ASSERT_EQ(numbers["points"].size(), 8u);  // 4 and 8 letters, twice two quantities
  for (const json& point : numbers["points"]) {
    const std::string row =
        point["quantity"].get<std::string>() + "," + point["construction"].get<std::string>() +
        "," + point["scores"].get<std::string>() + "," + point["size"].dump() + "," +
        point["tokens"].dump() + "," + std::to_string(point["value"].get<int>()) + "," +
        point["weights"].get<std::string>();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), row), 1) << row;
  }
  const std::string markdown = folder.read("out/precision.md"),
                    figure = folder.read("out/precision.svg");
  EXPECT_NE(markdown.find("| phi of averages | fp32 | 44 |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("## Significant bits"), std::string::npos);
  EXPECT_EQ(figure.substr(0, 4), "<svg");
  std::size_t marks = 0;  // one per point
  for (auto at = figure.find("<title>radix,"); at != std::string::npos;
       at = figure.find("<title>radix,", at + 1))
    ++marks;
  EXPECT_EQ(marks, 8u);

  // The same question in the other ways, and on standard output.
  EXPECT_EQ(done(command({"--out", "again"})), "");
  for (const char* name : {"precision.md", "precision.csv", "precision.json", "precision.svg"})
    EXPECT_EQ(folder.read(std::string("out/") + name), folder.read(std::string("again/") + name));
  EXPECT_EQ(done(command({"--json"})), folder.read("out/precision.json"));
  EXPECT_EQ(done(command({})), markdown);
}

TEST_F(ReportPrecision, RefusesBadArguments) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& reason) {
    const Finished finished = logdepth(std::move(arguments));
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  };
  refused({"report"}, "expected a command of logdepth report: precision ");
  refused({"report", "precision", "--only", "nonsense"}, "unknown series 'nonsense'");
  refused({"report", "precision", "--up-to", "-4"}, "--up-to");
  refused({"report", "precision", "--up-to", "100000"}, "0 to 4096");
  refused({"report", "precision", "--out", ""}, "--out");
  std::filesystem::create_directories(folder.file("out/precision.csv"));
  refused(command({"--out", "out"}), "precision.csv: is a directory");
}

// Pages of bench/ are what the scripts write from the stored results beside them.

const fs::path kBench = fs::path(support::source_dir()) / "bench";

/// Runs a script of bench/ in `folder`, without leaving compiled modules in the source tree.
support::Finished bench(const support::TemporaryFolder& folder, const std::string& script,
                        const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {support::python(), "-B", (kBench / script).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return support::run_process(std::move(command), folder.path());
}

TEST(BenchPages, AreThoseOfTheStoredResults) {
  const support::TemporaryFolder folder;
  fs::create_directories(folder.path() / "results");
  for (const std::string name : {"exact_cost", "float_throughput", "learned_circuits"}) {
    const std::string results = "results/" + name + ".json";
    fs::copy_file(kBench / results, folder.path() / results);
    const auto written = bench(folder, name + ".py", {"--report", folder.path().string()});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(folder.read(name + ".md"), read_whole_file((kBench / (name + ".md")).string()));
  }
}

TEST(BenchPages, ScriptsSayWhatTheyExpect) {
  const support::TemporaryFolder folder;
  for (const std::string name : {"exact_cost", "float_throughput"}) {
    const auto without = bench(folder, name + ".py", {});
    EXPECT_EQ(without.status, 2);
    EXPECT_NE(without.err.find("expected the build folder"), std::string::npos) << without.err;
  }
  const auto unknown = bench(folder, "float_throughput.py", {"--device", "abacus"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("invalid choice: 'abacus'"), std::string::npos) << unknown.err;
  EXPECT_NE(bench(folder, "learned_circuits.py", {}).err.find("folder with finished runs"),
            std::string::npos);
  EXPECT_NE(bench(folder, "training_throughput.py", {}).err.find("--program"), std::string::npos);
}

}}  // namespace logdepth::reports_tests
