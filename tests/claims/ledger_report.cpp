// `logdepth check` from outside, and the generated list of claims.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "proofs-check/claims/claim_list.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::ledger_report_tests {
namespace {

using nlohmann::json;
using support::Finished;

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

TEST_F(Check, WritesAReportWithTablesAndPictures) {
  const std::vector<std::string> command = {
      "check", "thm-4.1/scan-first-flag", "cor-4.3", "--up-to", "2", "--random", "1", "--report",
      "out"};
  done(command);
  const std::string markdown = folder.read("out/report.md"), html = folder.read("out/report.html"),
                    numbers = folder.read("out/report.json");
  EXPECT_EQ(json::parse(numbers)["schema"], "logdepth/check/1");
  EXPECT_NE(markdown.find("## Depth against n: regular languages"), std::string::npos);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("circuit of thm-4.1/scan-first-flag"), std::string::npos);
  EXPECT_NE(html.find("440872"), std::string::npos);
  EXPECT_FALSE(std::filesystem::is_empty(folder.file("out/models")));
  // The same question gives the same bytes.
  done(command);
  EXPECT_EQ(folder.read("out/report.md"), markdown);
  EXPECT_EQ(folder.read("out/report.html"), html);
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

}  // namespace
}  // namespace logdepth::ledger_report_tests
