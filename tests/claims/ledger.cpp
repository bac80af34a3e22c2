// The ledger's judgement: planted networks that are wrong, silent or break a contract, and the
// numbers of the text.
#include "proofs-check/ledger/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/latent_reasoning/computation_graph.hpp"
#include "logdepth/errors.hpp"
#include "objects/regex.hpp"
#include "proofs-check/claims/claim_list.hpp"
#include "proofs-check/ledger/check_weights.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::ledger_tests {
namespace {

Program scan_of(const std::string& expression) {
  const Dfa dfa = minimise(determinise(to_nfa(parse_regex(expression))));
  return regular_language_scan_MS25_thm4_1(to_action(dfa), expression);
}

AgainstLanguage against(const std::string& expression) {
  return {expression, [expression] { return make_regex_oracle(parse_regex(expression)); }};
}

class Ledgers : public testing::Test {
 protected:
  std::string saved(const Model& model) const {
    const std::string path = folder.file("model.json");
    save_weights(model, path);
    return path;
  }
  FileVerdict verdict(const Model& model, const Against& oracle, const Bounds& bounds) const {
    return check_weights(oracle, saved(model), bounds);
  }
  LedgerEntry checked(const Claim& claim) const {
    LedgerOptions options;
    options.folder = folder.file("models");
    return check_claims({&claim}, options).entries.front();
  }
  static Claim claim_of(Form form, const std::string& program, const std::string& language) {
    Claim claim;
    claim.id = "planted";
    claim.form = form;
    Instance instance;
    instance.program = [program] { return scan_of(program); };
    instance.against = against(language);
    instance.bounds = {4, 0, 0};
    claim.instances = {instance};
    return claim;
  }

  const support::TemporaryFolder folder;
};

TEST_F(Ledgers, ARightFileIsCheckedUpToTheBound) {
  const FileVerdict found =
      verdict(compile(scan_of("(a|b)*abb")).model, against("(a|b)*abb"), {6, 5, 40, 7});
  EXPECT_EQ(found.status, Status::checked);
  EXPECT_EQ(found.exhaustive, 127u);
  EXPECT_EQ(found.random, 5u);
  EXPECT_GT(found.promises, 0u);
  EXPECT_EQ(found.bound,
            "every word of at most 6 letters (127), 304 words with one letter that differs from "
            "the rest, 5 random "
            "ones of at most 40 (seed 7)");
}

TEST_F(Ledgers, AWrongLanguageIsContradictedByTheSmallestWord) {
  const FileVerdict found =
      verdict(compile(scan_of("(a|b)*abb")).model, against("(a|b)*ab"), {6, 5, 40});
  EXPECT_EQ(found.status, Status::contradicted);
  ASSERT_TRUE(found.counterexample);
  EXPECT_EQ(describe(*found.counterexample), "'ab': expected accept, found reject");
}

TEST_F(Ledgers, ALoopTooFewIsContradictedByTheShortestPath) {
  Model model = compile(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact,
                                                       GraphInput::Padding::n3_minus_n2))
                    .model;
  model.unroll = Unroll();
  model.unroll.kind = Unroll::Kind::fixed;
  const FileVerdict found = verdict(model, AgainstReachability{}, {3, 0, 0});
  EXPECT_EQ(found.status, Status::contradicted);
  ASSERT_TRUE(found.counterexample);
  EXPECT_EQ(found.counterexample->input, "3 vertices, edges 0>1 1>2; s = 0, t = 2");
}

TEST_F(Ledgers, AWrongDivisionIsContradictedAtTheSmallestPosition) {
  Model model = compile(division_MS25_lem3_1()).model;
  auto& names = std::get<CellsOutput>(model.output).names;
  for (std::string& name : names)
    name = name.substr(0, 8) == "quotient" ? "remainder" + name.substr(8)
                                           : "quotient" + name.substr(9);
  const FileVerdict found = verdict(model, AgainstDivision{}, {8, 0, 0});
  EXPECT_EQ(found.status, Status::contradicted);
  ASSERT_TRUE(found.counterexample);
  EXPECT_EQ(describe(*found.counterexample),
            "1 by 1 at position 1: expected token 1, 1 by 1: quotient.0 = sqrt(1/2), found 0");
}

TEST_F(Ledgers, ATieIsNoAnswer) {
  Model model = compile(scan_of("(a|b)*abb")).model;
  auto& accept = std::get<AcceptOutput>(model.output);
  std::erase_if(model.unembedding.entries, [&](const MatrixEntry& entry) {
    return entry.row == accept.accept || entry.row == accept.reject;
  });
  const FileVerdict found = verdict(model, against("(a|b)*abb"), {3, 2, 20});
  EXPECT_EQ(found.status, Status::undecided);
  EXPECT_FALSE(found.counterexample);
  ASSERT_TRUE(found.without_answer);
  EXPECT_EQ(found.without_answer->input, "the empty word");
  EXPECT_NE(got_text(found.without_answer->finding).find("undecided"), std::string::npos);
}

TEST_F(Ledgers, ABrokenContractIsACounterexampleThoughTheAnswersAreRight) {
  Model model = compile(scan_of("(a|b)*abb")).model;
  model.layers[0].attention.heads[0].contract = UniformContract{};
  const FileVerdict found = verdict(model, against("(a|b)*abb"), {3, 0, 0});
  EXPECT_EQ(found.status, Status::contradicted);
  ASSERT_TRUE(found.counterexample);
  EXPECT_EQ(expected_text(found.counterexample->finding), "every selection contract fulfilled");
}

TEST_F(Ledgers, AHeadThatWasNeverAskedLeavesAFileTestedOnly) {
  // A word of one letter needs no loop, so the head of the loop never runs.
  const FileVerdict found =
      verdict(compile(scan_of("(a|b)*abb")).model, against("(a|b)*abb"), {1, 0, 0});
  EXPECT_EQ(found.status, Status::tested);
  EXPECT_EQ(found.unevaluated.size(), 1u);
}

TEST_F(Ledgers, AHeadThatOnlyTheRandomInputsAskIsAskedAllTheSame) {
  const Model model = compile(scan_of("(a|b)*abb")).model;
  const std::vector<HeadPlace> of_the_loop = {{0, 0}}, none;
  EXPECT_EQ(verdict(model, against("(a|b)*abb"), {1, 0, 0}).unevaluated, of_the_loop);
  const FileVerdict still = verdict(model, against("(a|b)*abb"), {1, 5, 1, 7});
  EXPECT_EQ(still.unevaluated, of_the_loop);
  EXPECT_EQ(still.status, Status::tested);
  const FileVerdict asked = verdict(model, against("(a|b)*abb"), {1, 5, 40, 7});
  EXPECT_EQ(asked.unevaluated, none);
  EXPECT_EQ(asked.status, Status::checked);
}

TEST_F(Ledgers, ComputationGraphsAreComparedWithTheirDefinition) {
  Program program = computation_graph({.prime = 3, .names = 4, .depth = 2});
  const FileVerdict right =
      verdict(compile(program).model, AgainstComputationGraph{}, {2, 9, 4, 7});
  EXPECT_EQ(right.status, Status::checked);
  EXPECT_EQ(right.exhaustive, 15u);  // 3, and after each of them 3 values and a copy
  EXPECT_EQ(right.bound,
            "every graph of at most 2 equations (15), 9 random ones of at most 4 (seed 7)");
  program.embedding["1"] = program.embedding["2"];
  const FileVerdict wrong = verdict(compile(program).model, AgainstComputationGraph{}, {2, 0, 0});
  EXPECT_EQ(wrong.status, Status::contradicted);
  ASSERT_TRUE(wrong.counterexample);
  EXPECT_EQ(wrong.counterexample->input.substr(0, 6), "'1 = x");
  EXPECT_EQ(got_text(wrong.counterexample->finding), "2");
}

TEST_F(Ledgers, ADefectIsUndecidedByItsRefusalWhateverTheWords) {
  const auto status = [&](const std::string& got, const std::optional<Refusal>& refusal) {
    Defect defect;
    defect.kind = Defect::Kind::runs;
    defect.program = defect.repaired = [] { return scan_of("a"); };
    defect.search = [&](const Model&, SearchBounds) {
      return DefectCounterexample{"an input", "an answer", got, 1, refusal};
    };
    Claim claim;
    claim.id = "planted";
    claim.form = Form::as_written;
    claim.defect = &defect;
    return checked(claim).status;
  };
  EXPECT_EQ(status("outside the field of view", std::nullopt), Status::contradicted);
  EXPECT_EQ(status("no number", OutsideField{"a sum of roots"}), Status::undecided);
  EXPECT_EQ(status("outside the field", Undecided{"a tie"}), Status::contradicted);
}

TEST_F(Ledgers, OneLoopFewerFailsWhereTheBoundIsTight) {
  const std::string path = saved(compile(scan_of("b*(ab*ab*)*")).model);
  const Tightness tight = check_tightness(against("b*(ab*ab*)*"), path, {3, 9});
  EXPECT_TRUE(tight.tight);
  EXPECT_EQ(tight.witness,
            "1 loop instead of 2: 'aaa': expected reject, found accept; 3 loops instead of 4: "
            "'aaaaaaaaa': expected reject, found accept");
  const Tightness loose = check_tightness(against("b*(ab*ab*)*"), path, {1});
  EXPECT_FALSE(loose.tight);
}

TEST_F(Ledgers, OnlyOurOwnConstructionsFailACheck) {
  // Entries point to their claims.
  const Claim our_claim = claim_of(Form::optimised, "(a|b)*abb", "(a|b)*ab");
  const LedgerEntry ours = checked(our_claim);
  EXPECT_EQ(ours.status, Status::contradicted);
  EXPECT_TRUE(is_failure(ours));
  EXPECT_EQ(ours.files.size(), 2u) << "both norms";
  const Claim text_claim = claim_of(Form::as_written, "(a|b)*abb", "(a|b)*ab");
  const LedgerEntry text = checked(text_claim);
  EXPECT_EQ(text.status, Status::contradicted);
  EXPECT_FALSE(is_failure(text));
  const Claim right_claim = claim_of(Form::repaired, "(a|b)*abb", "(a|b)*abb");
  const LedgerEntry right = checked(right_claim);
  EXPECT_EQ(right.status, Status::checked);
  EXPECT_FALSE(is_failure(right) || is_open(right));
}

TEST_F(Ledgers, AProgramThatDoesNotCompileIsAFailure) {
  Claim claim = claim_of(Form::repaired, "a", "a");
  claim.instances[0].program = [] {
    Program program = scan_of("a");
    program.repeated.clear();
    program.repeated.push_back(EraseStatement{{0}});
    return program;
  };
  const LedgerEntry entry = checked(claim);
  EXPECT_TRUE(is_failure(entry));
  ASSERT_TRUE(entry.counterexample);
  EXPECT_NE(entry.counterexample->find("the compiler refuses the program"), std::string::npos);
}

TEST_F(Ledgers, TheNumberOfThreadsDoesNotShow) {
  std::vector<const Claim*> claims;
  for (const char* id : {"lem-A.2", "lem-A.6", "cor-4.3", "thm-6.1"})
    for (const Claim* claim : find_claims(all_claims(), id)) claims.push_back(claim);
  LedgerOptions options;
  options.folder = folder.file("models");
  const Ledger one = check_claims(claims, options);
  options.threads = 3;
  const Ledger three = check_claims(claims, options);
  EXPECT_EQ(ledger_json(one), ledger_json(three));
  EXPECT_EQ(ledger_markdown(one), ledger_markdown(three));
  EXPECT_EQ(ledger_html(one), ledger_html(three));
}

TEST_F(Ledgers, PartsReportOneAtATimeAndTheirFailureReachesTheCaller) {
  Claim calculated;
  calculated.id = "planted";
  calculated.calculation = [] { return Calculation{{}, "everything", std::nullopt}; };
  const std::vector<const Claim*> claims(20, &calculated);
  LedgerOptions options;
  options.folder = folder.file("models");
  options.threads = 3;
  std::vector<std::size_t> done;
  options.progress = [&](std::size_t parts, std::size_t of) {
    EXPECT_EQ(of, claims.size() + 1) << "the claims and the depth laws";
    done.push_back(parts);
  };
  for (const LedgerEntry& entry : check_claims(claims, options).entries)
    EXPECT_EQ(entry.status, Status::checked);
  std::vector<std::size_t> in_turn(claims.size() + 1);
  std::iota(in_turn.begin(), in_turn.end(), std::size_t{1});
  EXPECT_EQ(done, in_turn);

  Claim failing = calculated;
  failing.calculation = []() -> Calculation { throw std::runtime_error("planted failure"); };
  options.progress = {};
  for (const std::size_t threads : {1, 3}) {
    options.threads = threads;
    try {
      (void)check_claims({&calculated, &failing, &calculated}, options);
      FAIL() << "the failure was swallowed";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "planted failure");
    }
  }
}

std::string figure(const std::string& claim, const std::string& what) {
  const Calculation found = find_claims(all_claims(), claim).front()->calculation();
  for (const Figure& one : found.figures)
    if (one.what.find(what) != std::string::npos) return one.value;
  return "none";
}

TEST(Numbers, TheTextTheFormulaAndTheCeilingStandSideBySide) {
  EXPECT_EQ(figure("cor-4.3/depth-32", "the text"), "107");
  EXPECT_EQ(figure("cor-4.3/depth-32", "+ 1)"), "108");
  EXPECT_EQ(figure("cor-4.3/depth-32", "with the ceiling"), "64");
  EXPECT_EQ(figure("cor-4.3/depth-80", "the text"), "440K");
  EXPECT_EQ(figure("cor-4.3/depth-80", "+ 1)"), "440872");
  EXPECT_EQ(figure("cor-4.3/depth-80", "with the ceiling"), "262144");
  EXPECT_EQ(figure("cor-5.2/depth-32", "with the ceiling"), "128");
  EXPECT_EQ(figure("cor-5.2/depth-80", "with the ceiling"), "2147483648");
}

TEST(Numbers, TheCorollariesDropACeiling) {
  const auto first = [](const char* claim) {
    return find_claims(all_claims(), claim).front()->calculation().counterexample.value_or("");
  };
  EXPECT_EQ(
      first("cor-4.3/every-depth"),
      "d = 12, |w| = 3: §4.1's reading of Cor. 4.2, 4 ceil(log2 |w|) + 5 layers, which is 13");
  EXPECT_EQ(first("cor-5.2/every-depth"),
            "d = 23, n = 5: Thm. 5.1, 2 ceil(log2 n) + 18 layers, which is 24");
  EXPECT_EQ(first("cor-4.3/rounded-exponent"), "");
  EXPECT_EQ(first("cor-5.2/depth-80"), "");
}

TEST(Claims, HaveNamesOfTheirOwn) {
  std::vector<std::string> names;
  for (const Claim& claim : all_claims())
    names.push_back(full_name(claim) + " " + form_name(claim.form));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const char* id : {"lem-A.1", "lem-A.2", "lem-A.3", "lem-A.4", "lem-A.5", "lem-A.6",
                         "lem-A.7", "lem-3.1", "thm-4.1", "cor-4.2", "cor-4.3", "thm-5.1",
                         "cor-5.2", "thm-6.1", "thm-6.2", "sec-2", "fn-1", "fn-4", "app-E"})
    EXPECT_FALSE(find_claims(all_claims(), id).empty()) << id;
  EXPECT_THROW(find_claims(all_claims(), "thm-7.1"), InputError);
}

// Links of CLAIMS.md; a claim that is run or computed has a file and a test.
TEST(Claims, NameTheirFileAndTheTestsThatHoldThem) {
  const std::filesystem::path root = support::source_dir();
  for (const Claim& claim : all_claims()) {
    const bool executed = !claim.instances.empty() || claim.calculation || claim.defect;
    EXPECT_EQ(claim.file.empty(), !executed) << full_name(claim);
    EXPECT_EQ(claim.tests.empty(), !executed) << full_name(claim);
    std::vector<std::string> paths = claim.tests;
    if (executed) paths.push_back(claim.file);
    for (const std::string& path : paths)
      EXPECT_TRUE(std::filesystem::is_regular_file(root / path))
          << full_name(claim) << ": " << path;
  }
}

// A search for a name that `check --list` prints finds where it is claimed, or changed.
TEST(Claims, StandInTheSourceAsTheyArePrinted) {
  const std::filesystem::path root = support::source_dir();
  std::string claimed;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(root / "proofs-check/papers"))
    if (file.path().filename().string().ends_with("_claims.cpp"))
      claimed += read_whole_file(file.path().string());
  for (const Claim& claim : all_claims()) {
    const std::string text = claim.defect ? read_whole_file((root / claim.file).string()) : claimed;
    EXPECT_NE(text.find('"' + full_name(claim) + '"'), std::string::npos) << full_name(claim);
  }
}

}  // namespace
}  // namespace logdepth::ledger_tests
