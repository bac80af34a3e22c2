// The ledger's judgement: planted networks that are wrong, silent or break a contract, and the
// numbers of the text.
#include "proofs-check/ledger/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/latent_reasoning/computation_graph.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "oracle/division_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/claims/claim.hpp"
#include "proofs-check/claims/defect.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::ledger_tests { namespace {

using Kind = Defect::Kind;

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
    if (file.is_regular_file()) claimed += read_whole_file(file.path().string());
  for (const Claim& claim : all_claims()) {
    const std::string text = claim.defect ? read_whole_file((root / claim.file).string()) : claimed;
    EXPECT_NE(text.find('"' + full_name(claim) + '"'), std::string::npos) << full_name(claim);
  }
}

// What MS25 states in passing, and what the ledger says of it.

Calculation computed(const std::string& name) {
  return find_claims(all_claims(), name).front()->calculation();
}
std::string figure(const Calculation& calculation, const std::string& what) {
  for (const Figure& one : calculation.figures)
    if (one.what.starts_with(what)) return one.value;
  return "";
}

TEST(ALoopedNetwork, UnrolledHoldsTheSameNumbersAndServesShorterWords) {
  for (const char* name : {"sec-2/unrolled-tree", "sec-2/unrolled-scan"}) {
    const Calculation found = computed(name);
    EXPECT_EQ(found.counterexample.value_or(""), "") << name;
    EXPECT_GT(std::stoul(figure(found, "residual streams")), 300u) << name;
    EXPECT_GT(std::stoul(figure(found, "words answered")), 1000u) << name;
  }
}

TEST(ANetworkPerLength, IsRightOnShorterWords) {
  const Calculation found = computed("fn-4/radix-2-first-flag");
  EXPECT_EQ(found.counterexample.value_or(""), "");
  // Lengths 0 to n for each n to 64, two letters and two random words each.
  EXPECT_EQ(figure(found, "words answered"), std::to_string(4 * (64 * 65 / 2 + 64)));
}

TEST(LogarithmicallyManyBits, AreEnoughWithAToleranceOnly) {
  EXPECT_NE(computed("fn-1/exact-zero-tests")
                .counterexample.value_or("")
                .find("100 bits, which is 20 log2 n"),
            std::string::npos);
  const Calculation repaired = computed("fn-1/zero-tests-with-tolerance");
  EXPECT_EQ(repaired.counterexample.value_or(""), "");
  EXPECT_EQ(figure(repaired, "division"),
            "8 tokens: 18 bits, 16 tokens: 24 bits, 32 tokens: 30 bits, 64 tokens: 36 bits");
}

TEST(TheDepthExperiments, AreCountedTwiceWithTwoResults) {
  const Calculation found = computed("app-E/runs-per-depth");
  EXPECT_EQ(found.counterexample.value_or(""), "depth 8: 0 runs told, 5 in total");
  EXPECT_EQ(figure(found, "runs at depth 18"), "8 and 3");
  EXPECT_EQ(found.figures.size(), 3u);
}

TEST(WordsWithinAFixedDepth, AreCountedForSharedParametersToo) {
  EXPECT_EQ(computed("cor-4.3/looped-rounded-exponent").counterexample.value_or(""), "");
  EXPECT_EQ(figure(computed("cor-4.3/looped-rounded-exponent"), "at d = 32"), "4");
  EXPECT_EQ(computed("cor-4.3/looped-tree").counterexample.value_or(""), "");
}

// What is wrong in the text of MS25, shown: every entry runs into a counterexample, is refused by
// the compiler, or says why there is nothing to run.

Model changed_model(const Defect& defect) {
  CompileOptions options;
  options.norm = defect.norm;
  Model model = compile(defect.program(), options).model;
  if (defect.edit) defect.edit(model);
  return model;
}

const Defect& entry_named(const std::string& id) {
  for (const Defect& defect : all_defects())
    if (defect.id == id) return defect;
  throw std::logic_error("no entry " + id);
}

TEST(Defects, HaveEveryNumberFrom1To26) {
  std::set<std::uint32_t> numbers;
  std::uint32_t last = 0;
  for (const Defect& defect : all_defects()) {
    EXPECT_GE(defect.number, last) << "in order";
    last = defect.number;
    numbers.insert(defect.number);
  }
  EXPECT_EQ(numbers.size(), 26u);
  EXPECT_EQ(*numbers.begin(), 1u);
  EXPECT_EQ(*numbers.rbegin(), 26u);
}

TEST(Defects, SayWhereWhatAndHow) {
  std::set<std::string> ids;
  for (const Defect& defect : all_defects()) {
    EXPECT_TRUE(ids.insert(defect.id).second) << defect.id;
    EXPECT_NE(defect.id.find('/'), std::string::npos) << defect.id;
    for (const std::string* text : {&defect.place, &defect.quote, &defect.change, &defect.repair})
      EXPECT_FALSE(text->empty()) << defect.id;
    EXPECT_EQ(defect.kind == Kind::recorded, !defect.program) << defect.id;
    EXPECT_EQ(defect.kind == Kind::recorded, !defect.repaired) << defect.id;
    EXPECT_EQ(defect.kind == Kind::recorded, !defect.reason.empty()) << defect.id;
    EXPECT_EQ(defect.kind == Kind::runs, static_cast<bool>(defect.search)) << defect.id;
    EXPECT_EQ(defect.kind == Kind::refused, !defect.refusal.empty()) << defect.id;
  }
}

TEST(Defects, AreAllShown) {
  for (const Defect& defect : all_defects()) {
    const DefectOutcome finding = examine(defect);
    EXPECT_TRUE(finding.shown) << defect.id << ": " << finding.note;
    EXPECT_EQ(defect.kind == Kind::runs, finding.counterexample.has_value()) << defect.id;
    for (const std::string& words : defect.refusal)  // refused, and for the reason that is meant
      EXPECT_NE(finding.note.find(words), std::string::npos) << defect.id << ": " << finding.note;
    std::cout << defect.number << " " << defect.id << ": ";
    if (const auto& found = finding.counterexample)
      std::cout << found->input << ": expected " << found->expected << ", found " << found->got;
    std::cout << finding.note << "\n";
  }
}

TEST(Defects, AreOneChangeOfAConstructionThatIsRight) {
  // The repaired program beyond the counterexample, as far as the search would have gone.
  for (const Defect& defect : all_defects()) {
    if (defect.kind != Kind::runs || defect.id.starts_with("thm-5.1/"))
      continue;  // graphs: reachability
    CompileOptions options;
    options.norm = defect.norm;
    const auto wrong = defect.search(compile(defect.repaired(), options).model, {defect.up_to});
    EXPECT_FALSE(wrong.has_value()) << defect.id << ": " << wrong->input;
  }
}

TEST(Defects, ThatRunAreWeightsFilesLikeAnyOther) {
  for (const Defect& defect : all_defects()) {
    if (defect.kind != Kind::runs) continue;
    const Model model = changed_model(defect);
    EXPECT_EQ(parse_weights(write_weights(model), defect.id), model) << defect.id;
    CompileOptions options;
    options.norm = defect.norm;
    EXPECT_NE(model, compile(defect.repaired(), options).model) << defect.id;
  }
}

/// Positions of an input whose own quotient or remainder by m is wrong; every token divides itself.
std::set<std::uint64_t> wrong_positions(const Model& model, std::uint64_t m, std::uint64_t length) {
  DivisionInput input{m, {}};
  for (std::uint64_t i = 0; i < length; ++i) input.dividends.push_back(i);
  Runner runner(model);
  const auto stream = runner.run(tokens_of(model, division_rows(model, input)).value()).value();
  std::set<std::uint64_t> wrong;
  for (std::uint64_t i = 0; i < length; ++i) {
    const Division right = division_oracle(i, m);
    const auto got = runner.logits(stream, i);
    for (std::size_t k = 0; k < 4; ++k)
      if (got[k] !=
          phi_code(static_cast<std::int64_t>(k < 2 ? right.quotient : right.remainder))[k % 2])
        wrong.insert(i);
  }
  return wrong;
}

TEST(Defects, OfBlockZeroAreTheNonZeroPositionsBelowTheDivisorAndNoOthers) {
  const Model model = changed_model(entry_named("lem-3.1/no-second-token-in-block-zero"));
  for (std::uint64_t m = 1; m <= 7; ++m) {
    std::set<std::uint64_t> below;
    for (std::uint64_t i = 1; i < m; ++i) below.insert(i);
    EXPECT_EQ(wrong_positions(model, m, 40), below) << "m = " << m;
  }
}

TEST(Defects, OfPositionsFromOneHitEveryPositionBelowTheDivisor) {
  // Counted from 1 the first m - 1 positions have no multiple of m at or before them.
  const Model model = changed_model(entry_named("lem-3.1/positions-from-one"));
  Runner runner(model);
  for (std::uint64_t m = 2; m <= 5; ++m) {
    // Token m - 1 is position m; it asks for the quotient of position 1, which is 0.
    const auto rows = division_rows(model, {m, std::vector<std::uint64_t>(m, 1)});
    const auto stream = runner.run(tokens_of(model, rows).value()).value();
    EXPECT_NE(runner.logits(stream, m - 1)[0], phi_code(0)[0]) << "m = " << m;
  }
}

/// Where one head looks, row by row.
class Selections : public ForwardObserver<ValueId> {
 public:
  Selections(std::size_t layer, std::size_t head) : layer_(layer), head_(head) {}
  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    if (location.layer == layer_ && head == head_) found[row.row] = {row.count, row.last};
  }
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> found;  ///< count and last position

 private:
  std::size_t layer_, head_;
};

TEST(Defects, OfTheRawQuerySendTheHeadToAnotherPosition) {
  // Not only is what the head reads scaled: it looks elsewhere, at multiples i of m already.
  const Model model = changed_model(entry_named("lem-3.1/raw-query-beside-unit-keys"));
  const HeadPlace near = head_writing(model, "Q");
  Runner runner(model);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> wrong;
  std::size_t multiples = 0;
  for (std::uint64_t i = 1; i <= 12; ++i)
    for (std::uint64_t m = 1; m <= i; ++m) {
      if (i % m != 0) continue;
      ++multiples;
      const auto rows = division_rows(model, {m, std::vector<std::uint64_t>(i + 1, 0)});
      Selections seen(near.layer, near.head);
      // The run may end outside the field later on; the head has looked by then.
      static_cast<void>(runner.run(tokens_of(model, rows).value(), {&seen}));
      if (seen.found.at(i) != std::pair<std::size_t, std::size_t>(1, i / m))
        wrong.push_back({i, m});
    }
  EXPECT_EQ(multiples, 35u);
  EXPECT_EQ(wrong.size(), 21u);
  EXPECT_EQ(wrong.front(), (std::pair<std::uint64_t, std::uint64_t>(2, 1)));
}

TEST(Defects, OfTheMissingLevelShowAtPowersOfTwoAndNowhereElse) {
  const Defect& defect = entry_named("thm-4.1/levels-of-the-loop-alone");
  const Model model = changed_model(defect);
  const Action action = named_monoid("S3");
  Runner runner(model);
  for (std::size_t length = 1; length <= 33; ++length) {
    std::vector<std::string> word;
    Transformation product = identity_transformation(action.points);
    for (std::size_t i = 0; i < length; ++i) {
      // An odd number of transpositions in all, so that the product is not the identity.
      const Letter letter = i == 0 ? 0 : 1;
      word.push_back(action.alphabet.name(letter));
      product = compose(product, action.generators[letter]);
    }
    ASSERT_NE(product, identity_transformation(action.points)) << length;
    const auto stream = runner.run_word(word).value();
    const bool right = runner.prefix(stream, stream.tokens - 1).value() == PrefixAnswer(product);
    EXPECT_EQ(right, (length & (length - 1)) != 0) << length << " letters";
  }
}

TEST(Defects, OfTheConstantComponentDivideAValueByTheNumberOfUpdates) {
  const Model model = changed_model(entry_named("thm-5.1/constant-component-accumulates"));
  Runner runner(model);
  for (std::int64_t updates = 0; updates <= 4; ++updates) {
    const auto stream =
        runner.run_word(std::vector<std::string>(std::size_t{1} << updates, "a")).value();
    // B = 1 reads as 1/(updates + 1).
    const auto got = runner.logits(stream, stream.tokens - 1);
    EXPECT_EQ(got[0].scaled(Rational(updates + 1)), got[1]) << updates;
  }
}

// Their numbers leave the field; the answers are decided all the same.
TEST(Defects, AreShownByDecidedAnswersWhereNormsAreRootsOfRoots) {
  std::size_t seen = 0;
  for (const Defect& defect : all_defects()) {
    if (defect.id != "lem-3.1/two-equality-tests-in-one-sublayer" &&
        defect.id != "thm-5.1/matrix-and-padding-share-keys")
      continue;
    const DefectOutcome finding = examine(defect);
    EXPECT_TRUE(finding.shown) << defect.id;
    ASSERT_TRUE(finding.counterexample) << defect.id;
    EXPECT_FALSE(finding.counterexample->refusal) << finding.counterexample->got;
    ++seen;
  }
  EXPECT_EQ(seen, 2u);
}

}}  // namespace logdepth::ledger_tests
