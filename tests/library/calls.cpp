// What the library answers, linked as a user links it: named outcomes, exact numbers, tests that find
// what is wrong, files that are the program's.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <regex>

#include "logdepth/compile.hpp"
#include "logdepth/constructions.hpp"
#include "logdepth/draw.hpp"
#include "logdepth/inspect.hpp"
#include "logdepth/interruption.hpp"
#include "logdepth/run.hpp"
#include "logdepth/test.hpp"
#include "tests/library/installed.hpp"

namespace logdepth::library_call_tests { namespace {

using support::changed, support::refusal;

/// The share of a among the tokens, and whether it is above that of b.
cells::Program share_of_a(bool verdict) {
  using namespace cells;
  cells::Program p("share of a");
  p.alphabet({"a", "b"}).fixed_loops(0).at_most(20);
  const auto letter = p.onehot("letter", {"begin", "a", "b"});
  const auto share = p.number("share");
  p.token(kBegin, letter == "begin").token("a", letter == "a").token("b", letter == "b");
  p.final(fetch("count").causal(uniform()).add(share, letter["a"]));
  if (!verdict) return p.output("share", share);
  const auto other = p.number("other");
  p.final(fetch("others").causal(uniform()).add(other, letter["b"]));
  return p.output("accept", share).output("reject", other);
}

bool more_a(const Letters& word) {
  return 2 * std::ranges::count(word, "a") > static_cast<std::ptrdiff_t>(word.size());
}

// Whatever runs a file: each call looks, and what the look throws comes through as it is.
TEST(Interruption, EndsWhateverRunsAFile) {
  struct Enough {};
  const Transformer abb = compile_regular({.regex = "(a|b)*abb"});
  const Transformer division = compile_division({});
  const Letters word(300, "a");
  const std::vector<std::function<void()>> calls = {
      [&] { (void)run(abb, word); },
      [&] { (void)run_all(abb, {word}); },
      [&] { (void)trace(abb, word); },
      [&] { (void)divide(division, 300, 7); },
      [&] { (void)run_rounded(abb, word, {}); },
      [&] { (void)run_rounded(abb, word, {.engine = "mpfr:80"}); },
      [&] { (void)test_against(abb, "(a|b)*abb", {}); },
      [&] { (void)test_division(division, {}); },
  };
  for (std::size_t call = 0; call < calls.size(); ++call) {
    int looks = 0;
    EXPECT_THROW(
        {
          const Interruption interruption([&] {
            if (++looks == 5) throw Enough();
          });
          calls[call]();
        },
        Enough)
        << "call " << call;
    EXPECT_EQ(looks, 5) << "call " << call;
    calls[call]();  // nobody is asked any more
    EXPECT_EQ(looks, 5) << "call " << call;
  }
}

// Sums of long square roots, whose classes are compared two by two: minutes, without a token's end.
TEST(Interruption, EndsASumOfRoots) {
  struct Enough {};
  const Transformer sums = Transformer::load(std::string(LOGDEPTH_SOURCE_DIR) +
                                             "/tests/claims/false_floats/sums_of_long_roots.json");
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - start; };
  const Interruption interruption([&] {
    if (passed() > std::chrono::milliseconds(200)) throw Enough();
  });
  EXPECT_THROW((void)run(sums, {2, {{0, 1}, {1, 0}}}, 0, 1), Enough);
  EXPECT_LT(passed(), std::chrono::seconds(10)) << "a machine that is busy";
}

TEST(Interruption, AnEarlierOneIsAskedAgain) {
  int outer = 0, inner = 0;
  const Interruption first([&] { ++outer; });
  {
    const Interruption second([&] { ++inner; });
    look_for_interruption();
  }
  look_for_interruption();
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

TEST(Run, NamesWhatBecomesOfAWord) {
  const Transformer share = compile(share_of_a(true));
  const auto decided = [&](const char* word) { return run(share, share.word(word)).decision; };
  EXPECT_EQ(decided("aab"), Decision::accepted);
  EXPECT_EQ(decided("abb"), Decision::rejected);
  EXPECT_EQ(decided("ab"), Decision::undecided);
  EXPECT_EQ(decided(""), Decision::undecided);
  EXPECT_EQ(decided("aaaaaaaaaaaaaaaaaaaaa"), Decision::outside_hypotheses) << "21 letters";
  const Answer tie = run(share, {"a", "b"});
  EXPECT_NE(tie.reason.find("both 1/3"), std::string::npos) << tie.reason;
  EXPECT_FALSE(tie.accepted());
  EXPECT_EQ(tie.depth, 1u);
  EXPECT_FALSE(tie.products);
  EXPECT_NE(refusal([&] { return run(share, {"c"}); }).find("'c' is not a letter"),
            std::string::npos);
  EXPECT_NE(refusal([&] { return share.word("abc"); }).find("'c'"), std::string::npos);
  EXPECT_NE(refusal([&] {
              return run(share, {2, {{0, 1}}}, 0, 1);
            }).find("graph"),
            std::string::npos);
}

TEST(Run, GivesNumbersExactlyForEveryToken) {
  const Transformer share = compile(share_of_a(false));
  const Answer answer = run(share, {"a", "b", "b"});
  EXPECT_EQ(answer.decision, Decision::computed);
  const std::vector<ExactNumber>& numbers = answer.numbers.at("share");
  ASSERT_EQ(numbers.size(), 4u);
  EXPECT_EQ(numbers[0].text, "0");
  EXPECT_EQ(numbers[1].text, "1/2");
  EXPECT_EQ(numbers[2].text, "1/3");
  EXPECT_EQ(numbers[3].text, "1/4");
  EXPECT_DOUBLE_EQ(numbers[2].approximate, 1.0 / 3);
}

TEST(Run, AnswersManyWordsAsOneByOne) {
  const Transformer share = compile(share_of_a(true));
  const std::vector<Letters> words = {{"a"}, {"b"}, {"a", "b"}, {"b", "a", "a"}};
  const std::vector<Answer> answers = run_all(share, words);
  ASSERT_EQ(answers.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(answers[i].decision, run(share, words[i]).decision) << i;
    EXPECT_EQ(answers[i].reason, run(share, words[i]).reason) << i;
  }
}

TEST(Tests, AcceptWhatIsRightAndShrinkWhatIsWrong) {
  const Transformer share = compile(share_of_a(true));
  const auto never_tied = [](const Letters& word) {
    return 2 * std::ranges::count(word, "a") != static_cast<std::ptrdiff_t>(word.size());
  };
  // Undecided is not what the function says either.
  const TestResult tied = test(share, more_a, {.up_to = 2, .random = 0});
  ASSERT_FALSE(tied.passed());
  EXPECT_EQ(tied.wrong->wrong, WrongWord::Wrong::answer);
  EXPECT_EQ(tied.wrong->word, Letters{});
  EXPECT_NE(tied.wrong->got.find("undecided"), std::string::npos) << tied.wrong->got;

  const Transformer majority = compile(program_from_text(R"(logdepth-cells 1
program "majority"
alphabet a b
begin
unroll fixed 0
cell letter onehot begin a b
cell margin number 1
token <begin> letter=begin
token a letter=a
token b letter=b
final
  fetch count causal uniform
    add margin + letter[a] - letter[b] - 1/2 letter[begin]
output accept + margin
output reject
)"));
  const TestResult right = test(majority, more_a, {.up_to = 5, .random = 30, .max_length = 40});
  EXPECT_TRUE(right.passed()) << right.text();
  EXPECT_EQ(right.exhaustive_words, 63u);
  EXPECT_EQ(right.random_words, 30u);
  EXPECT_GT(right.promises, 63u);
  EXPECT_EQ(right.unasked, std::vector<std::string>{});
  const TestResult wrong = test(majority, never_tied, {.up_to = 5});
  ASSERT_FALSE(wrong.passed());
  EXPECT_EQ(wrong.wrong->word, Letters{"b"});
  EXPECT_EQ(wrong.wrong->expected, "accept");
  EXPECT_EQ(wrong.wrong->got, "reject");
  EXPECT_NE(wrong.text().find("the word 'b': expected accept, found reject"), std::string::npos);
  EXPECT_EQ(test_against(majority, "regex:a|aa", {.up_to = 2, .random = 0}).passed(), true);
  EXPECT_EQ(test_against(majority, "regex:a|aa", {.up_to = 3, .random = 0}).passed(), false);
}

TEST(Tests, CompareNumbers) {
  const Transformer share = compile(share_of_a(false));
  const auto shares = [](int off) {
    return [off](const Letters& word) {
      const auto a = std::ranges::count(word, "a") + off;
      return std::map<std::string, std::string>{
          {"share", std::to_string(a) + "/" + std::to_string(word.size() + 1)}};
    };
  };
  const TestResult right = test_numbers(share, shares(0), {.up_to = 4, .random = 5});
  EXPECT_TRUE(right.passed()) << right.text();
  EXPECT_GT(right.numbers, 30u);
  EXPECT_FALSE(test_numbers(share, shares(1), {.up_to = 4}).passed());
  EXPECT_NE(refusal([&] { return test(share, more_a); }).find("named values and no verdict"),
            std::string::npos);
}

/// Weights that the program has written.
class WeightsOfTheProgram : public support::OutsideTheTree {
 protected:
  Transformer written(std::vector<std::string> command) const {
    command.insert(command.begin(), {LOGDEPTH_BINARY, "compile"});
    command.insert(command.end(), {"-o", "written.json"});
    done(command);
    return Transformer::load(folder.file("written.json"));
  }
};

TEST_F(WeightsOfTheProgram, AreTheLibrarysByteForByte) {
  for (const char* name : {"majority", "flipflop", "parity"}) {
    const std::string file = (root / "examples/programs" / name).string() + ".cells";
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const cells::Program program = program_from_text(text, file);
    const Transformer compiled = compile(program);
    EXPECT_EQ(written({"program", file}).text(), compiled.text()) << name;
    EXPECT_EQ(folder.read("written.json"), compiled.text()) << name;
    compiled.save(folder.file("saved.json.gz"));
    EXPECT_EQ(Transformer::load(folder.file("saved.json.gz")).sha256(), compiled.sha256()) << name;
    EXPECT_EQ(written({"program", file, "--norm", "layernorm", "--strict", "--unroll", "8"}).text(),
              compile(program, {.layernorm = true, .strict = true, .unroll = 8}).text())
        << name;
  }
}

TEST_F(WeightsOfTheProgram, MultiplyPrefixes) {
  const Transformer s3 = written({"regular", "--group", "S3"});
  const Answer answer = run(s3, s3.word("ab"));
  EXPECT_EQ(answer.products, (std::vector<std::vector<std::uint32_t>>{{1, 0, 2}, {2, 1, 0}}));
  EXPECT_EQ(s3.depth(1024), 10u);
  const TestResult right = test_against(s3, "group:S3", {.up_to = 4, .random = 10});
  EXPECT_TRUE(right.passed()) << right.text();
  EXPECT_GT(right.products, 100u);
  EXPECT_FALSE(test_against(s3, "group:D4", {.up_to = 4}).passed());
}

TEST(Run, YieldsTheStateOfEveryPrefix) {
  using namespace cells;
  cells::Program last_letter("last letter");
  last_letter.alphabet({"a", "b"}).fixed_loops(0);
  const auto letter = last_letter.onehot("letter", {"none", "a", "b"});
  last_letter.token(kBegin, letter == "none").token("a", letter == "a").token("b", letter == "b");
  last_letter.output("accept", letter["b"]).output("reject", letter["a"] + letter["none"]);
  const Transformer states = compile(last_letter.prefix_states(letter, {0, 0, 1}));
  const Answer answer = run(states, states.word("abba"));
  EXPECT_FALSE(answer.products);
  EXPECT_EQ(answer.states, (std::vector<std::uint32_t>{0, 1, 1, 0}));
  const TestResult right = test_against(states, "regex:(a|b)*b", {.up_to = 4, .random = 10});
  EXPECT_TRUE(right.passed()) << right.text();
  EXPECT_GT(right.states, 98u);
  EXPECT_EQ(right.products, 0u);
  const Transformer exchanged = compile(last_letter.prefix_states(letter, {1, 1, 0}));
  const TestResult wrong = test_against(exchanged, "regex:(a|b)*b", {.up_to = 4});
  ASSERT_FALSE(wrong.passed());
  EXPECT_EQ(wrong.wrong->wrong, WrongWord::Wrong::product);
}

TEST_F(WeightsOfTheProgram, AnswerQuestionsAboutGraphs) {
  const Transformer reach = written({"connectivity"});
  const DirectedGraph graph = {4, {{0, 1}, {1, 2}}};
  EXPECT_EQ(run(reach, graph, 0, 2).decision, Decision::accepted);
  EXPECT_EQ(run(reach, graph, 2, 0).decision, Decision::rejected);
  EXPECT_EQ(run(reach, graph, 0, 3).decision, Decision::rejected);
  EXPECT_NE(refusal([&] { return run(reach, graph, 0, 4); }).find("4 vertices"), std::string::npos);
  EXPECT_NE(refusal([&] { return reach.word("0"); }).find("does not take words"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              return run(reach, {2, {{0, 2}}}, 0, 1);
            }).find("edge from 0 to 2"),
            std::string::npos);
  EXPECT_NE(refusal([&] { return run(reach, {"a"}); }).find("words"), std::string::npos);
}

TEST_F(WeightsOfTheProgram, ThatBreakAContractAreFoundOut) {
  const Transformer honest =
      written({"program", (root / "examples/programs/flipflop.cells").string()});
  EXPECT_FALSE(run(honest, {"set", "keep"}).broken_promise);
  const std::string lie = std::regex_replace(
      honest.text(), std::regex(R"("flag": \[\n[^\n]*\n\],\n"kind": "rightmost")"),
      R"("kind": "uniform")");
  const Transformer liar = changed(honest, lie);
  const Answer answer = run(liar, {"set", "keep"});
  EXPECT_EQ(answer.decision, run(honest, {"set", "keep"}).decision);
  ASSERT_TRUE(answer.broken_promise);
  EXPECT_NE(answer.broken_promise->find("layer 1, head 0"), std::string::npos);
  const RoundedAnswer rounded = run_rounded(liar, {"set", "keep"});
  EXPECT_EQ(rounded.broken_promise, answer.broken_promise);
  EXPECT_EQ(rounded.certainty, Certainty::uncertified);
  EXPECT_EQ(run_rounded(honest, {"set", "keep"}).certainty, Certainty::certified);
  const auto on = [](const Letters& word) {
    bool state = false;
    for (const std::string& letter : word)
      if (letter != "keep") state = letter == "set";
    return state;
  };
  EXPECT_TRUE(test(honest, on, {.up_to = 4}).passed());
  const TestResult tested = test(liar, on, {.up_to = 4});
  ASSERT_FALSE(tested.passed());
  EXPECT_EQ(tested.wrong->wrong, WrongWord::Wrong::promise);
  // Nothing is proved of what the compiler would not have written.
  EXPECT_EQ(inspect(honest).unproved, std::vector<std::string>{});
  EXPECT_EQ(
      inspect(liar).unproved,
      (std::vector<std::string>{"all values: the file's program does not compile to its weights"}));
  ASSERT_EQ(inspect(honest).proved.size(), 1u);
  EXPECT_NE(inspect(honest).proved[0].find("fetch 'last': selected positions outscore the others"),
            std::string::npos)
      << inspect(honest).proved[0];
  EXPECT_EQ(inspect(liar).proved, std::vector<std::string>{});
}

// With another mask the norms are roots of sums of roots, and the verdicts those of the program all the same.
TEST_F(WeightsOfTheProgram, ThatLeaveTheFieldAreDecidedBeyondIt) {
  const Transformer flipflop = written({"regular", "--group", "flipflop", "--positions",
                                        "first-flag", "--table", "monoid", "--norm", "layernorm"});
  const Transformer beyond = changed(
      flipflop, std::regex_replace(flipflop.text(), std::regex(R"(\[16,"3/4"\],\n\[17,"1"\])"),
                                   R"([17,"7/4"])", std::regex_constants::format_first_only));
  beyond.save(folder.file("beyond.json"));
  std::size_t left = 0;
  for (const Letters& word : std::vector<Letters>{{"a"}, {"b", "a"}, {"c", "a", "b"}}) {
    const Answer answer = run(beyond, word);
    const std::string said = done({LOGDEPTH_BINARY, "run", "beyond.json", "--input",
                                   std::accumulate(word.begin(), word.end(), std::string())})
                                 .out;
    EXPECT_EQ(answer.accepted(), said.find("accept") != std::string::npos) << said;
    EXPECT_NE(answer.decision, Decision::outside_field) << answer.reason;
    EXPECT_TRUE(answer.products) << answer.reason;
    left += answer.left_field.has_value();
    EXPECT_FALSE(run(flipflop, word).left_field);
  }
  EXPECT_GT(left, 0u);
}

TEST_F(WeightsOfTheProgram, SayWhatIsNotProvedByName) {
  const ClaimSheet sheet = inspect(written({"division", "--unit-inputs"}));
  const auto about_the_test = [](const std::string& sentence) {
    return sentence.find("test e: how near to 0") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(sheet.unproved, about_the_test), 1);
}

TEST(Inspect, CountsAndNames) {
  const ClaimSheet sheet = inspect(compile(share_of_a(true)));
  EXPECT_EQ(sheet.name, "share of a");
  EXPECT_EQ(sheet.alphabet, (Letters{"a", "b"}));
  EXPECT_EQ(sheet.depth, "1");
  EXPECT_EQ(sheet.final, 1u);
  EXPECT_EQ(sheet.largest, 20u);
  EXPECT_EQ(sheet.used, 5u);
  EXPECT_EQ(sheet.heads, 2u);
  ASSERT_EQ(sheet.cell_index.size(), 3u);
  EXPECT_EQ(sheet.cell_index[0].name, "letter");
  EXPECT_EQ(sheet.cell_index[0].type, "onehot");
  EXPECT_EQ(sheet.cell_index[0].coordinates.size(), 3u);
  ASSERT_EQ(sheet.head_index.size(), 2u);
  EXPECT_NE(sheet.head_index[0].name.find("count"), std::string::npos) << sheet.head_index[0].name;
}

TEST(Compile, SaysWhichRuleAProgramBreaks) {
  cells::Program p("wrong");
  p.alphabet({"a"}).fixed_loops(0);
  const auto flag = p.flag("never");
  p.token(cells::kBegin).token("a");
  p.output("accept", flag).output("reject", {});
  try {
    compile(p);
    FAIL() << "it was compiled";
  } catch (const ProgramRefused& refused) {
    EXPECT_NE(std::string(refused.what()).find("never"), std::string::npos) << refused.what();
  }
  EXPECT_NE(refusal([] {
              return program_from_text("logdepth-cells 1\nnonsense\n", "x.cells");
            }).find("x.cells:2"),
            std::string::npos);
}

TEST_F(WeightsOfTheProgram, AreDrawn) {
  const Transformer share = compile(share_of_a(true));
  EXPECT_TRUE(svg(share).starts_with("<"));
  EXPECT_NE(svg(share).find("share of a"), std::string::npos);
  EXPECT_EQ(svg(share, {"a", "a", "b"}), svg(share, {"a", "a", "b"}));
  EXPECT_NE(svg(share, {"a", "a", "b"}).find("accept"), std::string::npos);
  EXPECT_NE(svg(share, {"a", "b"}).find("<svg"), std::string::npos) << "undecided, and drawn";
  draw(share, folder.file("share.svg"));
  EXPECT_EQ(folder.read("share.svg"), svg(share));
  draw(share, {"a", "b"}, folder.file("run.html"));
  EXPECT_NE(folder.read("run.html").find("<html"), std::string::npos);
  EXPECT_NE(refusal([&] { draw(share, folder.file("share.gif")); }).find(".svg"),
            std::string::npos);
  EXPECT_NE(refusal([&] { return svg(share, Letters(21, "a")); }).find("at most 20"),
            std::string::npos);
}

}}  // namespace logdepth::library_call_tests
