// `logdepth check` from outside, and the generated list of claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "proofs-check/claims/claim.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::reports_tests { namespace {

namespace fs = std::filesystem;
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

const std::string kProve = support::build_dir() + "/proved/logdepth-prove";

TEST_F(Check, ProvesByLogdepthProveAndByNoOtherProgram) {
  const std::vector<std::string> command = {
      "check", "thm-4.1/scan-circle", "--up-to", "2", "--random", "1", "--json", "--prove"};
  for (const char* other : {"/bin/false", "/bin/true", "/nowhere/logdepth-prove"}) {
    std::vector<std::string> with = command;
    with.emplace_back(other);
    const Finished finished = logdepth(with);
    EXPECT_EQ(finished.status, 2) << other;
    EXPECT_NE(finished.err.find("expected logdepth-prove, exit status"), std::string::npos)
        << finished.err;
  }
  if (!fs::exists(kProve)) GTEST_SKIP() << "logdepth-prove is not built: -DLOGDEPTH_PROVE=ON";
  std::vector<std::string> with = command;
  with.push_back(kProve);
  for (const json& file : json::parse(done(with))["claims"][0]["files"])
    EXPECT_EQ(file["proved"], "every length") << file.dump();
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
  if (!fs::exists(kProve)) GTEST_SKIP() << "logdepth-prove is not built: -DLOGDEPTH_PROVE=ON";
  std::vector<const Claim*> claims;
  for (const Claim& claim : all_claims()) claims.push_back(&claim);
  LedgerOptions options;
  options.folder = folder.file("models");
  options.prove = kProve;
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
  // Regenerate with: logdepth check --claims-file proofs-check/CLAIMS.md --prove build/release/proved/logdepth-prove
  const auto expected = support::lines(ledger_markdown(ledger, kRootFromClaimsFile));
  const auto committed =
      support::lines(read_whole_file(support::source_dir() + "/proofs-check/CLAIMS.md"));
  for (std::size_t i = 0; i < std::min(expected.size(), committed.size()); ++i)
    ASSERT_EQ(committed[i], expected[i]) << "CLAIMS.md is stale at line " << i + 1;
  EXPECT_EQ(committed.size(), expected.size());
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
  for (const std::string name :
       {"exact_cost", "float_throughput", "learned_circuits", "circuit_scores"}) {
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
  EXPECT_NE(bench(folder, "circuit_scores.py", {}).err.find("--pairs N"), std::string::npos);
}

}}  // namespace logdepth::reports_tests
