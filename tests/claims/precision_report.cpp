// `logdepth report precision`: what it measures, against other ways to the same numbers, and the
// command from outside.
#include "proofs-check/precision/precision_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "logdepth/errors.hpp"
#include "proofs-check/precision/precision_table.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::precision_report_tests {
namespace {

using nlohmann::json;
using support::Finished;
using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;

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
  // bench/exact_cost measures 6796 with the same codes and a dense loop.
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

TEST(FirstWrongPosition, RefusesWhatItCannotSearch) {
  EXPECT_THROW(
      first_wrong(PositionKey::phi, FloatFormat::fp32, ScoreForm::product, (1ull << 27) + 1),
      InputError);
  EXPECT_THROW(first_wrong(PositionKey::circle, FloatFormat::fp32, ScoreForm::distance_mixed, 10),
               InputError);
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

TEST(PrecisionTable, ReadsBackWhatItWritesAndNothingElse) {
  PrecisionTable table;
  table.points.push_back({"tree", Quantity::bits, Scores::distance, 4, 5, 12, "0123456789ab"});
  table.points.push_back(
      {"scan-circle", Quantity::temperature, Scores::distance, 8, 9, 1.0 / 3, "ab"});
  table.points.push_back(
      {"division", Quantity::certified_bits, Scores::product, 8, 8, std::nullopt, "ab"});
  table.first_wrong.push_back(
      {PositionKey::phi, FloatFormat::fp32, ScoreForm::distance_mixed, 4096, 100000});
  table.first_wrong.push_back(
      {PositionKey::circle, FloatFormat::fp64, ScoreForm::product, std::nullopt, 10});
  const std::string text = print_precision_table(table, 3, "1.0");
  const PrecisionTable back = parse_precision_table(text, "points", 3, "1.0");
  EXPECT_EQ(print_precision_table(back, 3, "1.0"), text);
  for (const PrecisionPoint& point : table.points) {
    ASSERT_NE(back.find(point, point.weights), nullptr);
    EXPECT_EQ(*back.find(point, point.weights), point);
    EXPECT_EQ(back.find(point, "other"), nullptr);
  }
  ASSERT_NE(back.find(table.first_wrong[0]), nullptr);
  EXPECT_EQ(back.find(table.first_wrong[0])->position, 4096u);

  EXPECT_THROW(parse_precision_table(text, "points", 4, "1.0"), InputError);
  EXPECT_THROW(parse_precision_table(text, "points", 3, "1.1"), InputError);
  EXPECT_THROW(parse_precision_table("", "points", 3, "1.0"), InputError);
  for (const char* line :
       {"bits,tree,distance,4,5,12", "bits,tree,distance,4,5,12,ab,c", "bits,bush,product,4,5,6,ab",
        "luck,tree,product,4,5,6,ab", "bits,tree,angle,4,5,6,ab", "bits,tree,product,x,5,6,ab",
        "bits,tree,product,4,5,six,ab", "first-wrong-position,phi/fp8,product,9,,3,",
        "first-wrong-position,phi/fp32,product,9,,x,"})
    EXPECT_THROW(parse_precision_table(text + line + "\n", "points", 3, "1.0"), InputError) << line;
}

class ReportPrecision : public support::CommandLine {
 protected:
  std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> all = {"report", "precision", "--up-to",     "8",   "--only",
                                    "radix",  "positions", "--positions", "2000"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string version() const {
    const std::string text = done({"--version"});  // "logdepth 0.1.0\n"
    return text.substr(text.find(' ') + 1, text.find('\n') - text.find(' ') - 1);
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

TEST_F(ReportPrecision, GoesOnWhereAnEarlierRunStopped) {
  done(command({"--out", "out"}));
  const std::string all = folder.read("out/precision.csv"), page = folder.read("out/precision.md");
  const auto lines = support::lines(all);
  // A value that no measurement gives shows what is taken from the file.
  std::string some = lines[0] + "\n" + lines[1] + "\n";
  std::string marked = lines[2];
  const std::size_t comma = marked.rfind(',', marked.rfind(',') - 1);
  marked.replace(comma + 1, marked.rfind(',') - comma - 1, "77");
  folder.write("out/precision.csv", some + marked + "\n");
  done(command({"--out", "out"}));
  EXPECT_NE(folder.read("out/precision.csv").find(marked), std::string::npos);
  EXPECT_NE(folder.read("out/precision.md").find("4: 77"), std::string::npos);
  // Points of other weights are measured again.
  marked.replace(marked.rfind(',') + 1, std::string::npos, "000000000000");
  folder.write("out/precision.csv", some + marked + "\n");
  done(command({"--out", "out"}));
  EXPECT_EQ(folder.read("out/precision.csv"), all);
  EXPECT_EQ(folder.read("out/precision.md"), page);
}

TEST_F(ReportPrecision, LeavesItsPointsBehindWhenItIsInterrupted) {
  std::vector<std::string> arguments = {
      support::program(), "report", "precision", "--out", "out", "--only", "scan-circle"};
  const std::string points = folder.file("out/precision.csv");
  const Finished finished = support::run_process(arguments, folder.path(), "",
                                                 [&] { return std::filesystem::exists(points); });
  EXPECT_EQ(finished.status, 128 + SIGTERM);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("out")))
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names, std::set<std::string>{"precision.csv"});
  EXPECT_GE(
      parse_precision_table(folder.read("out/precision.csv"), "points", 1, version()).points.size(),
      1u);
}

TEST_F(ReportPrecision, RefusesBadArgumentsAndForeignFiles) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& reason) {
    const Finished finished = logdepth(std::move(arguments));
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  };
  refused({"report"}, "expected a command of logdepth report: precision, ");
  refused({"report", "precision", "--only", "nonsense"}, "unknown series 'nonsense'");
  refused({"report", "precision", "--up-to", "-4"}, "--up-to");
  refused({"report", "precision", "--up-to", "100000"}, "0 to 4096");
  refused({"report", "precision", "--out", ""}, "--out");
  std::filesystem::create_directory(folder.file("out"));
  folder.write("out/precision.csv", "my own table\n");
  refused(command({"--out", "out"}), "precision.csv: expected the raw points");
  EXPECT_EQ(folder.read("out/precision.csv"), "my own table\n");
  done(command({"--out", "other"}));
  refused(command({"--out", "other", "--seed", "2"}), "seed 1', expected");
}

}  // namespace
}  // namespace logdepth::precision_report_tests
