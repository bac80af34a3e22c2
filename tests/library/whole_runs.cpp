// Runs beyond a verdict, from the library: traces that are the program's, numbers with their errors
// and certificates, raw streams, prefixes of many words.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "logdepth/constructions.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "logdepth/run.hpp"
#include "tests/library/installed.hpp"

namespace logdepth::whole_run_tests { namespace {

using support::refusal;

const char* const kAbb = "(a|b)*abb";

/// All words of a and b of at most so many letters.
std::vector<Letters> short_words(std::size_t longest) {
  std::vector<Letters> words = {{}};
  for (std::size_t i = 0; words[i].size() < longest; ++i)
    for (const char* letter : {"a", "b"}) {
      words.push_back(words[i]);
      words.back().push_back(letter);
    }
  return words;
}

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

/// Lines as `run --trace` writes them, but the first, which names question and file.
std::string lines_of(const Trace& trace) {
  std::string lines;
  const std::size_t width = trace.columns.size();
  for (std::size_t m = 0; m < trace.moments.size(); ++m) {
    const TraceMoment& moment = trace.moments[m];
    const std::string layer = std::to_string(moment.layer);
    if (moment.sublayer == "attention")
      for (const TraceHead& head : trace.heads) {
        if (head.layer != moment.layer) continue;
        for (std::size_t token = 0; token < trace.tokens; ++token) {
          std::string selected;
          for (const std::uint32_t position : head.selected[token])
            selected += (selected.empty() ? "" : ",") + std::to_string(position);
          lines += "{\"head\":" + std::to_string(head.head) + ",\"layer\":" + layer +
                   ",\"selected\":[" + selected + "],\"token\":" + std::to_string(token) + "}\n";
        }
      }
    for (std::size_t token = 0; token < trace.tokens; ++token) {
      std::string cells;
      for (std::size_t column = 0; column < width; ++column) {
        const TraceColumn& c = trace.columns[column];
        const std::uint32_t entry = trace.entries[(m * trace.tokens + token) * width + column];
        if (c.component == 0)
          cells += (cells.empty() ? "" : "],") + quoted(c.cell) + ":[";
        else
          cells += ",";
        cells += quoted(trace.numbers[entry].text);
      }
      lines += "{\"cells\":{" + cells + "]},\"layer\":" + layer +
               ",\"sublayer\":" + quoted(moment.sublayer) + ",\"token\":" + std::to_string(token) +
               "}\n";
    }
  }
  return lines;
}

class WholeRun : public support::OutsideTheTree {
 protected:
  /// What the program prints of a run of this transformer.
  support::Finished program(const Transformer& transformer,
                            std::vector<std::string> options) const {
    transformer.save(folder.file("model.json"));
    options.insert(options.begin(), {LOGDEPTH_BINARY, "run", "model.json"});
    return support::run_process(options, folder.path());
  }
  std::string traced(const Transformer& transformer, std::vector<std::string> options) const {
    options.insert(options.end(), {"--trace", "trace.jsonl"});
    program(transformer, options);
    const std::string lines = folder.read("trace.jsonl");
    return lines.substr(lines.find('\n') + 1);
  }
};

TEST_F(WholeRun, IsTracedAsTheProgramTracesIt) {
  const Transformer abb = compile_regular({.regex = kAbb});
  const Trace word = trace(abb, {"a", "b", "b", "a"});
  EXPECT_EQ(word.answer.decision, Decision::rejected);
  EXPECT_EQ(word.moments.size(), 1 + 2 * abb.depth(4));
  EXPECT_GE(word.heads.size(), abb.depth(4));
  EXPECT_EQ(lines_of(word), traced(abb, {"--input", "abba"}));

  const Transformer connectivity = compile_connectivity();
  folder.write("g.edges", "0\n1\n2\n0 1\n1 2\n");
  EXPECT_EQ(lines_of(trace(connectivity, {3, {{0, 1}, {1, 2}}}, 0, 2)),
            traced(connectivity, {"--graph", "g.edges", "--source", "0", "--target", "2"}));

  const Transformer division = compile_division({.own_argument = true});
  folder.write("s.txt", "i.0 i.1 m.0 m.1\n0 1 2 1\n1 1 2 1\n2 1 2 1\n");
  const RawStreams streams({{"i.0", {"0", "1", "2"}},
                            {"i.1", {"1", "1", "1"}},
                            {"m.0", {"2", "2", "2"}},
                            {"m.1", {"1", "1", "1"}}});
  EXPECT_EQ(lines_of(trace(division, streams)), traced(division, {"--cells", "s.txt"}));
}

TEST(Traces, NameHeadsAndHoldEveryNumberOnce) {
  using namespace cells;
  cells::Program p("shares");
  p.alphabet({"a", "b"}).fixed_loops(0).at_most(3);
  const auto letter = p.onehot("letter", {"begin", "a", "b"});
  const auto share = p.number("share");
  p.token(kBegin, letter == "begin").token("a", letter == "a").token("b", letter == "b");
  p.final(fetch("average").causal(uniform()).add(share, letter["a"]));
  const Transformer transformer = compile(p.output("share", share));
  const Trace taken = trace(transformer, {"a", "b"});
  ASSERT_EQ(taken.tokens, 3u);
  ASSERT_EQ(taken.heads.size(), 1u);
  EXPECT_NE(taken.heads[0].name.find("average"), std::string::npos) << taken.heads[0].name;
  EXPECT_EQ(taken.heads[0].selected,
            (std::vector<std::vector<std::uint32_t>>{{0}, {0, 1}, {0, 1, 2}}));
  std::set<std::string> texts;
  for (const ExactNumber& number : taken.numbers) {
    EXPECT_TRUE(texts.insert(number.text).second) << number.text << " twice";
    if (number.text == "1/3") {
      EXPECT_DOUBLE_EQ(number.approximate, 1.0 / 3);
    }
  }
  EXPECT_TRUE(texts.contains("1/3"));
  EXPECT_EQ(taken.answer.numbers.at("share").back().text, "1/3");
  const Trace refused = trace(transformer, Letters(4, "a"));
  EXPECT_EQ(refused.answer.decision, Decision::outside_hypotheses);
  EXPECT_TRUE(refused.moments.empty());
}

TEST(Traces, ThatAreTooLargeAreRefusedBeforeTheyAreTaken) {
  const Transformer abb = compile_regular({.regex = kAbb});
  int looks = 0;
  const Interruption interruption([&] { ++looks; });
  EXPECT_THROW((void)trace(abb, Letters(1'000'000, "a")), SizeLimit);
  EXPECT_EQ(looks, 0) << "layers were run";
}

TEST(RoundedRuns, AnswerAsExactOnesWhereTheyAreCertified) {
  const Transformer abb = compile_regular({.regex = kAbb});
  const std::vector<Letters> words = short_words(5);
  const std::vector<Answer> exact = run_all(abb, words);
  for (const char* engine : {"float64", "float32", "mpfr:100"}) {
    const auto rounded = run_rounded_all(abb, words, {.engine = engine});
    ASSERT_EQ(rounded.size(), words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(rounded[i].certainty, Certainty::certified) << engine << rounded[i].reason;
      EXPECT_EQ(rounded[i].decision, exact[i].decision) << engine << i;
      EXPECT_EQ(rounded[i].products, exact[i].products) << engine << i;
      EXPECT_EQ(rounded[i].states, exact[i].states) << engine << i;
      EXPECT_EQ(rounded[i].prefixes, std::vector(words[i].size(), Certainty::certified));
      EXPECT_EQ(rounded[i].depth, exact[i].depth);
    }
  }
}

TEST_F(WholeRun, IsRoundedAndCertifiedAsTheProgramDoesIt) {
  const Transformer abb = compile_regular({.regex = kAbb});
  const Letters word = abb.word("abababbabbab");
  int decided = 0;
  for (const auto& [settings, options] :
       std::vector<std::pair<RoundedSettings, std::vector<std::string>>>{
           {{.engine = "mpfr:4"}, {"--engine", "mpfr:4"}},
           {{.engine = "float32"}, {"--engine", "float32"}},
           {{.engine = "mpfr:12"}, {"--engine", "mpfr:12"}},
           {{.temperature = 9}, {"--engine", "float64", "--temperature", "9"}},
           {{.temperature = 9000}, {"--engine", "float64", "--temperature", "9000"}}}) {
    const RoundedAnswer answer = run_rounded(abb, word, settings);
    std::vector<std::string> command = {"--input", "abababbabbab"};
    command.insert(command.end(), options.begin(), options.end());
    const support::Finished finished = program(abb, command);
    if (answer.decision == Decision::undecided) {
      EXPECT_EQ(finished.out, "undecided\n") << settings.engine;
      EXPECT_EQ(finished.err, "logdepth: " + answer.reason + "\n");
      continue;
    }
    ++decided;
    EXPECT_EQ(finished.out, answer.accepted() ? "accept\n" : "reject\n") << settings.engine;
    EXPECT_EQ(finished.err, "logdepth: " + text(answer.certainty) +
                                (answer.reason.empty() ? "" : ": " + answer.reason) + "\n");
  }
  EXPECT_EQ(decided, 3) << "float32, 12 bits and the high temperature";
  EXPECT_EQ(run_rounded(abb, word, {.temperature = 9}).certainty, Certainty::uncertified);
  EXPECT_EQ(run_rounded(abb, word, {.rule = "plain"}).certainty, Certainty::uncertified);
  EXPECT_EQ(run_rounded(abb, word, {.rule = "snapped", .tolerance = 1e-9}).accepted(),
            run(abb, word).accepted());
  EXPECT_NE(run_rounded(abb, word, {.engine = "mpfr:4"}).certainty, Certainty::certified);
}

TEST(RoundedRuns, SayHowFarTheirNumbersAreFromTheExactOnes) {
  const Transformer division = compile_division({.own_argument = true});
  std::map<std::string, std::vector<std::string>> numbers;
  for (int i = 0; i < 12; ++i) {
    numbers["i.0"].push_back(std::to_string(i));
    numbers["i.1"].push_back("1");
    numbers["m.0"].push_back("5");
    numbers["m.1"].push_back("1");
  }
  const Answer exact = run(division, RawStreams(numbers));
  const RoundedAnswer rounded = run_rounded(division, RawStreams(numbers), {.engine = "float32"});
  ASSERT_EQ(rounded.decision, Decision::computed) << rounded.reason;
  EXPECT_EQ(rounded.certainty, Certainty::certified) << rounded.reason;
  double largest = 0;
  for (const auto& [name, values] : exact.numbers)
    for (std::size_t token = 0; token < values.size(); ++token) {
      const RoundedNumber& number = rounded.numbers.at(name)[token];
      EXPECT_LE(std::abs(number.value - values[token].approximate), number.error) << name << token;
      largest = std::max(largest, std::abs(number.value - values[token].approximate));
    }
  EXPECT_GT(largest, 0) << "float32 has rounded nothing";
}

TEST(RoundedRuns, AreRefusedInWords) {
  const Transformer abb = compile_regular({.regex = kAbb});
  const auto said = [&](const RoundedSettings& settings) {
    return refusal([&] { run_rounded(abb, {"a"}, settings); });
  };
  EXPECT_EQ(said({.engine = "float16"}),
            "--engine: expected exact, float64, float32 or mpfr:BITS, found 'float16'");
  EXPECT_EQ(said({.device = "tpu"}), "--device: expected one of cpu, cuda; found 'tpu'");
  EXPECT_EQ(said({.temperature = 0}), "--temperature: expected a finite number above 0");
  EXPECT_EQ(said({.rule = "best"}),
            "--rule: expected one of bounded, plain, snapped; found 'best'");
  EXPECT_EQ(said({.rule = "snapped", .tolerance = -1}),
            "--tolerance: expected a finite number of at least 0");
  EXPECT_NE(said({.engine = "mpfr:501"}).find("500"), std::string::npos);
  EXPECT_NE(refusal([&] { run_rounded(abb, {"c"}); }).find("'c'"), std::string::npos);
  EXPECT_EQ(
      run_rounded(compile_regular({.regex = "a*"}, {}, {.unroll = 3}), Letters(4, "a")).decision,
      Decision::outside_hypotheses);
}

TEST_F(WholeRun, DividesAsTheProgramDoes) {
  const Transformer division = compile_division();
  for (const auto& [dividend, divisor] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{17, 5}, {0, 3}, {9, 3}, {4, 9}}) {
    const DivisionAnswer answer = divide(division, dividend, divisor);
    EXPECT_EQ(answer.answer.decision, Decision::computed);
    EXPECT_EQ(answer.quotient, std::to_string(dividend / divisor));
    EXPECT_EQ(answer.remainder, std::to_string(dividend % divisor));
    EXPECT_EQ(
        program(division, {"--divide", std::to_string(dividend), "--by", std::to_string(divisor)})
            .out,
        answer.quotient + " remainder " + answer.remainder + "\n");
  }
  EXPECT_EQ(refusal([&] { divide(division, 17, 0); }), "--by: expected at least 1, found 0");
  EXPECT_EQ(refusal([&] { divide(division, 2000000, 1); }),
            "--divide: expected a whole number from 0 to 1000000, found '2000000'");
  const Transformer abb = compile_regular({.regex = kAbb});
  EXPECT_NE(refusal([&] { divide(abb, 1, 1); }), "nothing was refused");
}

TEST(RawStreams, AreWhatTheFileReadsOrRefused) {
  const Transformer division = compile_division({.own_argument = true});
  const auto streams = [](const std::string& first, const std::string& m) {
    return RawStreams(
        {{"i.0", {first, "1"}}, {"i.1", {"1", "1"}}, {"m.0", {m, m}}, {"m.1", {"1", "1"}}});
  };
  EXPECT_EQ(run(division, streams("0", "2")).decision, Decision::computed);
  const Answer elsewhere = run(division, streams("5", "2"));
  EXPECT_EQ(elsewhere.decision, Decision::outside_hypotheses);
  EXPECT_NE(elsewhere.reason.find("i"), std::string::npos) << elsewhere.reason;
  EXPECT_NE(refusal([&] {
              run(division, streams("0.5", "2"));
            }).find("raw streams: 'i.0', token 0: expected an exact number"),
            std::string::npos);
  EXPECT_EQ(refusal([&] {
              run(division, RawStreams({{"i.0", {"0"}}, {"i.1", {"1"}}}));
            }),
            "raw streams: expected numbers for i.0, i.1, m.0, m.1");
  EXPECT_NE(
      refusal([&] {
        run(division,
            RawStreams(
                {{"i.0", {"0"}}, {"i.1", {"1", "1"}}, {"m.0", {"1", "1"}}, {"m.1", {"1", "1"}}}));
      }).find("raw streams: 'i.0' has 1 number, expected one for each of 2 tokens"),
      std::string::npos);
  EXPECT_NE(refusal([&] {
              run(compile_regular({.regex = "a"}), streams("0", "1"));
            }).find("does not take raw streams"),
            std::string::npos);
}

}}  // namespace logdepth::whole_run_tests
