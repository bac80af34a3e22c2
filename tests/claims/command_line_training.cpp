// The program `logdepth data` from outside: files of words are written and checked.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/word_problems/word_task.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_training_tests { namespace {

using nlohmann::json;
using support::Finished;
using support::lines;

using Arguments = std::vector<std::string>;

/// The program `logdepth train` from outside, as far as it needs no libtorch: plans and refusals.
class Train : public support::CommandLine {
 protected:
  nlohmann::json plan(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"--write-plan", "plan.json"});
    EXPECT_EQ(done(arguments), "");
    return nlohmann::json::parse(folder.read("plan.json"));
  }
  void refuses(std::vector<std::string> arguments, const std::string& reason) const {
    arguments.insert(arguments.begin(), "train");
    CommandLine::refuses(arguments, reason);
  }
};

class Data : public support::CommandLine {
 protected:
  /// `data words` with S3 or another monoid and more options.
  std::string words(const std::string& monoid, const std::string& length, const std::string& count,
                    const Arguments& more = {}) const {
    Arguments arguments = {"data",     "words", "--monoid", monoid,
                           "--length", length,  "--words",  count};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return done(arguments);
  }

  json check(const std::string& file, const std::string& monoid) const {
    return json::parse(done({"data", "check", file, "--monoid", monoid, "--json"}));
  }
};

/// The numbers of a column of a row.
std::vector<int> numbers(const std::string& row, int column) {
  std::istringstream columns(row);
  std::string text;
  for (int i = 0; i <= column; ++i) std::getline(columns, text, ',');
  std::istringstream in(text);
  std::vector<int> result;
  for (int number = 0; in >> number;) result.push_back(number);
  return result;
}

TEST_F(Data, WordsAreWrittenWithTheirRunningProducts) {
  const auto rows = lines(words("Z60", "12", "50", {"--seed", "9"}));
  ASSERT_EQ(rows.size(), 51u);
  EXPECT_EQ(rows[0], "seed,input,target");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_TRUE(rows[i].starts_with("9,"));
    const auto input = numbers(rows[i], 1), target = numbers(rows[i], 2);
    ASSERT_EQ(input.size(), 12u);
    ASSERT_EQ(target.size(), 12u);
    int sum = 0;
    for (std::size_t k = 0; k < input.size(); ++k) {
      sum = (sum + input[k]) % 60;  // element k of Z60 is the rotation by k
      EXPECT_EQ(target[k], sum);
    }
  }
}

TEST_F(Data, AFileHoldsWhatStandardOutputWouldAndDependsOnTheSeedAlone) {
  const std::string printed = words("A5", "32", "20");
  EXPECT_EQ(words("A5", "32", "20", {"-o", "a5.csv"}), "");
  EXPECT_EQ(folder.read("a5.csv"), printed);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a5.csv"}));
  EXPECT_EQ(words("A5", "32", "20", {"--seed", "1"}), printed);
  EXPECT_NE(words("A5", "32", "20", {"--seed", "2"}), printed);
  EXPECT_EQ(words("A5", "32", "10"), printed.substr(0, words("A5", "32", "10").size()));
}

TEST_F(Data, GeneratorsAsLettersAreTheOnlyInputs) {
  const auto rows = lines(words("S5", "40", "30", {"--letters", "generators"}));
  std::set<int> inputs, targets;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (const int number : numbers(rows[i], 1)) inputs.insert(number);
    for (const int number : numbers(rows[i], 2)) targets.insert(number);
  }
  EXPECT_EQ(inputs.size(), 2u);
  EXPECT_GT(targets.size(), 60u);
}

TEST_F(Data, WordsOfAnAutomatonHaveItsStatesOrVerdicts) {
  const Arguments ask = {"data", "words", "--length", "9", "--words", "40", "--seed", "3"};
  const auto written = [&](Arguments more) {
    more.insert(more.begin(), ask.begin(), ask.end());
    return done(more);
  };
  const std::string states = written({"--regex", "(a|b)*abb"});
  const auto rows = lines(states);
  const auto verdicts = lines(written({"--regex", "(a|b)*abb", "--labels", "verdicts"}));
  ASSERT_EQ(rows.size(), 41u);
  ASSERT_EQ(verdicts.size(), 41u);
  EXPECT_EQ(rows[0], "seed,input,target");
  std::set<int> seen;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string input = rows[i].substr(2, 17);  // nine letters and the blanks between them
    EXPECT_EQ(verdicts[i].substr(0, 20), rows[i].substr(0, 20));
    const auto state = numbers(rows[i], 2), verdict = numbers(verdicts[i], 2);
    ASSERT_EQ(state.size(), 9u);
    ASSERT_EQ(verdict.size(), 9u);
    std::string word;
    for (std::size_t k = 0; k < 9; ++k) {
      word += input[2 * k];
      const int expected = word.ends_with("abb")  ? 3
                           : word.ends_with("ab") ? 2
                           : word.ends_with("a")  ? 1
                                                  : 0;
      EXPECT_EQ(state[k], expected) << word;
      EXPECT_EQ(verdict[k], expected == 3 ? 1 : 0) << word;
      seen.insert(expected);
    }
  }
  EXPECT_EQ(seen.size(), 4u);
  folder.write("abb.txt",
               "@NFA-explicit\n%Initial 0\n%Final 3\n0 a 0\n0 b 0\n0 a 1\n1 b 2\n2 b 3\n");
  EXPECT_EQ(written({"--automaton", "abb.txt"}), states) << "Mata, by its content";
  EXPECT_EQ(written({"--group", "S3"}), written({"--monoid", "S3"}));
  const auto refuses_words = [&](Arguments more, const std::string& reason) {
    more.insert(more.begin(), ask.begin(), ask.end());
    refuses(more, reason);
  };
  refuses_words({}, "expected one of --monoid, --regex, --automaton and --crasp, found none");
  refuses_words({"--regex", "a", "--monoid", "S3"}, "--monoid excludes --regex");
  refuses_words({"--regex", "a*b", "--letters", "all"}, "--letters requires --monoid");
  refuses_words({"--regex", "()"},
                "--regex: regular expression, column 1: no letter occurs; expected");
  refuses_words({"--monoid", "S3", "--labels", "states"}, "--monoid excludes --labels");
  refuses_words({"--automaton", "abb.txt", "-o", "abb.txt"}, "abb.txt");
}

TEST_F(Data, WordsOfAProgramHaveItsVerdictsAndBothOccur) {
  const std::string dyck1 = example("crasp/dyck1.crasp");
  const std::string printed =
      done({"data", "words", "--crasp", dyck1, "--length", "12", "--words", "200", "--seed", "3"});
  const auto rows = lines(printed);
  ASSERT_EQ(rows.size(), 201u);
  EXPECT_EQ(rows[0], "seed,input,target");
  int accepted = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string input = rows[i].substr(2, 23);  // twelve letters and the blanks between them
    const auto verdicts = numbers(rows[i], 2);
    ASSERT_EQ(verdicts.size(), 12u);
    int open = 0;
    bool violated = false;
    for (std::size_t k = 0; k < 12; ++k) {
      open += input[2 * k] == '(' ? 1 : -1;
      violated |= open < 0;
      EXPECT_EQ(verdicts[k], !violated && open == 0 ? 1 : 0) << rows[i];
    }
    accepted += verdicts[11];
  }
  EXPECT_GT(accepted, 40);  // 132 of 4096 uniform words
  EXPECT_LT(accepted, 120);
  EXPECT_EQ(lines(done({"data", "words", "--crasp", dyck1, "--length", "12", "--words", "10",
                        "--seed", "3"}))[10],
            rows[10]);
}

TEST_F(Data, TheTwoConventionsHoldTheSameWordsAndCheckTellsThemApart) {
  words("A5", "8", "30", {"-o", "ours.csv"});
  words("A5", "8", "30", {"--order", "published", "-o", "published.csv"});
  EXPECT_NE(folder.read("ours.csv"), folder.read("published.csv"));
  EXPECT_EQ(check("ours.csv", "A5"), (json{{"schema", "logdepth/data-check/1"},
                                           {"file", "ours.csv"},
                                           {"monoid", "A5"},
                                           {"size", 60},
                                           {"words", 30},
                                           {"shortest", 8},
                                           {"longest", 8},
                                           {"order", "ours"},
                                           {"right", true}}));
  EXPECT_EQ(check("published.csv", "A5")["order"], "published");
  EXPECT_EQ(done({"data", "check", "published.csv", "--monoid", "A5"}),
            "published.csv: 30 words of length 8 over A5, targets right in the published "
            "convention\n");
  EXPECT_EQ(done({"data", "check", "ours.csv", "--monoid", "A5", "--order", "ours"}),
            "ours.csv: 30 words of length 8 over A5, targets right with the first letter first\n");
  refuses({"data", "check", "published.csv", "--monoid", "A5", "--order", "ours"},
          "all rows of the file are right in the published convention", 1);
  refuses({"data", "check", "ours.csv", "--monoid", "A5", "--order", "published"},
          "ours.csv:2: target index ", 1);
}

// A row that a program derived from the published one was reported to print.
TEST_F(Data, APublishedRowIsRecognised) {
  folder.write("a5.csv", "seed,input,target\n123,50 46 20 48,50 15 32 16\n");
  EXPECT_EQ(done({"data", "check", "a5.csv", "--monoid", "A5"}),
            "a5.csv: 1 word of length 4 over A5, targets right in the published convention\n");
}

TEST_F(Data, CheckSaysWhatItCannotTellAndHowLongTheWordsAre) {
  folder.write("z.csv", "seed,input,target\n1,1 2,1 0\n1,2,2\n1,1 1 1,1 2 0\n");
  EXPECT_EQ(done({"data", "check", "z.csv", "--monoid", "Z3"}),
            "z.csv: 3 words of length 1 to 3 over Z3, targets right in either convention\n");
  EXPECT_EQ(check("z.csv", "Z3")["order"], "both");
  EXPECT_EQ(check("z.csv", "Z3")["longest"], 3);
}

TEST_F(Data, FilesThatAreWrongAreRefusedWithTheLine) {
  folder.write("bad.csv", "seed,input,target\n1,1 1,1 0\n1,1 1,1 1\n");
  refuses({"data", "check", "bad.csv", "--monoid", "Z2"},
          "bad.csv:3: target index 2 is 1, expected 0", 1);
  refuses({"data", "check", "bad.csv", "--monoid", "Z1"},
          "bad.csv:2: expected an element of Z1 from 0 to 0, found '1', at column 3");
  folder.write("old.csv", "length,input,target\n2,1 1,0\n");
  refuses({"data", "check", "old.csv", "--monoid", "Z3"}, "old.csv:2: target index 2 is 0", 1);
  refuses({"data", "check", "nowhere.csv", "--monoid", "Z2"}, "nowhere.csv");
  refuses({"data", "check", "bad.csv"}, "--monoid");
}

TEST_F(Data, CheckComparesTheLabelsOfAnAutomatonOrAProgramWithIt) {
  const std::string dyck1 = example("crasp/dyck1.crasp");
  const std::vector<Arguments> languages = {{"--regex", "(a|b)*abb"},
                                            {"--regex", "(a|b)*abb", "--labels", "verdicts"},
                                            {"--crasp", dyck1}};
  for (const Arguments& language : languages) {
    const auto with = [&](Arguments words) {
      words.insert(words.end(), language.begin(), language.end());
      return words;
    };
    done(with({"data", "words", "--length", "7", "--words", "20", "-o", "words.csv"}));
    const std::string labels =
        language.back() == "verdicts" || language[0] == "--crasp" ? "verdicts" : "states";
    EXPECT_TRUE(done(with({"data", "check", "words.csv"})).ends_with(", " + labels + " right\n"));
    const json said = json::parse(done(with({"data", "check", "words.csv", "--json"})));
    EXPECT_EQ(said["words"], 20);
    EXPECT_EQ(said["labels"], labels);
    EXPECT_EQ(said["right"], true);
    std::string text = folder.read("words.csv");
    text[text.size() - 2] = text[text.size() - 2] == '0' ? '1' : '0';
    folder.write("words.csv", text);
    refuses(with({"data", "check", "words.csv"}), "words.csv:21: target index 7 is ", 1);
  }
  folder.write("abb.txt", "0 1 a\n1 2 b\n2 3 b\n3\n");
  folder.write("words.csv", "input,target\na b b,1\na b,0\n");
  EXPECT_TRUE(done({"data", "check", "words.csv", "--automaton", "abb.txt", "--labels", "verdicts"})
                  .starts_with("words.csv: 2 words of length 2 to 3 over abb-"));
  refuses({"data", "check", "words.csv", "--regex", "a*", "--monoid", "S3"}, "excludes");
  refuses({"data", "check", "words.csv", "--regex", "a*b", "--order", "ours"},
          "--order requires --monoid");
  refuses({"data", "check", "words.csv", "--regex", "(a|c)*c"},
          "words.csv:2: expected a letter of");
}

TEST_F(Data, RequestsThatMakeNoSenseAreRefused) {
  const auto request = [](const Arguments& more) {
    Arguments arguments = {"data", "words", "--length", "4", "-o", "x.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  refuses(request({}), "--monoid");
  refuses({"data", "words", "--monoid", "S3"}, "--length");
  refuses(request({"--monoid", "M24"}), "unknown group or monoid 'M24'");
  refuses(request({"--monoid", "S7"}), "more than 4096 elements", 3);
  refuses(request({"--monoid", "S3", "--words", "0"}), "--words: expected at least 1");
  refuses(request({"--monoid", "S3", "--words", "-1"}), "expected a whole number from 0 to");
  refuses(request({"--monoid", "S3", "--letters", "some"}), "--letters");
  refuses(request({"--monoid", "S3", "--order", "theirs"}), "--order");
  refuses(request({"--monoid", "flipflop", "--order", "published"}),
          "the published word problems have no 'flipflop'");
  refuses({"data", "words", "--monoid", "S3", "--length", "0"}, "--length: expected at least 1");
  refuses({"data", "words", "--monoid", "S3", "--length", "2", "-o", ""},
          "--output: expected a value, found ''");
  refuses({"data", "words", "--monoid", "S3", "--length", "2", "-o", "no/folder/x.csv"},
          "no/folder/x.csv");
  refuses({"data"}, "expected a command of logdepth data: ");
}

// The program `logdepth train` from outside, as far as it needs no libtorch: plans and refusals.

TEST_F(Train, WithoutTheTrainingProgramBesideItTheCommandSaysHowToGetIt) {
  const std::string alone = folder.file("logdepth");
  std::filesystem::copy_file(support::program(), alone);
  const Finished finished = support::run_process(
      {alone, "train", "word-problem", "--monoid", "Z2", "--depths", "1", "--out", "runs"},
      folder.path());
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
  EXPECT_NE(finished.err.find("install libtorch-dev"), std::string::npos) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("runs")));
}

TEST_F(Train, APlanHasARunForEveryGroupDepthWidthAndSeedWithAllSettings) {
  const json words = plan({"word-problem", "--monoid", "Z2,S3", "--depths", "1,2", "--widths",
                           "32,64", "--seeds", "3,4,5", "--steps", "7"});
  ASSERT_EQ(words["runs"].size(), 2u * 2 * 2 * 3);
  const json& run = words["runs"][1];
  EXPECT_EQ(run["name"], "Z2/stack-1-width-32/seed-4");
  EXPECT_EQ(run["config"]["seed"], 4);
  EXPECT_EQ(run["config"]["task"]["monoid"], "Z2");
  EXPECT_EQ(run["config"]["model"]["width"], 32);
  EXPECT_EQ(run["config"]["model"]["hidden"], 128);
  EXPECT_EQ(run["config"]["training"]["steps"], 7);
  // What is taught otherwise is another run, in a folder of its own.
  const json own =
      plan({"word-problem", "--regex", "(a|b)*abb", "--labels", "verdicts", "--depths", "1"});
  EXPECT_EQ(own["runs"][0]["config"]["task"]["monoid"], "");
  EXPECT_EQ(own["runs"][0]["config"]["task"]["regex"], "(a|b)*abb");
  EXPECT_EQ(own["runs"][0]["config"]["task"]["labels"], "verdicts");
  const std::string folder_of_own = own["runs"][0]["name"];
  EXPECT_TRUE(folder_of_own.starts_with("regex-"));
  EXPECT_TRUE(folder_of_own.ends_with("-verdicts/stack-1/seed-1"));
  const json taught = plan({"word-problem", "--monoid", "A5", "--depths", "3", "--teach", "windows",
                            "--mixed-lengths", "--widths", "32"});
  EXPECT_EQ(taught["runs"][0]["name"], "A5/stack-3-taught-mixed-width-32/seed-1");
  const json hops =
      plan({"depth-recurrent", "--generator", "twin,natural", "--supervision", "last,mean-steps"});
  ASSERT_EQ(hops["runs"].size(), 4u);
  EXPECT_EQ(hops["runs"][3]["config"]["task"]["generator"], "natural");
  EXPECT_EQ(hops["runs"][3]["config"]["training"]["supervision"], "mean-steps");
  EXPECT_EQ(hops["runs"][3]["name"], "graphs-natural/mean-steps/seed-1");
}

TEST_F(Train, TheTasksOfADepthRecurrentTransformerAreItsPresetsInBothSizes) {
  const auto preset = [&](const std::string& task, bool paper) {
    Arguments arguments = {"depth-recurrent", "--task", task};
    if (paper) arguments.emplace_back("--paper-size");
    const json runs = plan(arguments)["runs"];
    EXPECT_EQ(runs.size(), 1u);
    return runs[0];
  };
  struct Size {
    const char *task, *name;
    bool paper;
    int width, heads, hidden, easiest, hardest, least, most, rows, batch, steps, tested, loops;
  };
  for (const Size& size :
       {Size{"graphs", "graphs-twin/last/seed-1", false, 64, 4, 128, 1, 5, 5, 8, 20, 64, 600, 12,
             20},
        {"graphs", "graphs-twin/last/seed-1", true, 128, 4, 256, 1, 5, 5, 8, 20, 512, 5000, 12, 20},
        {"expressions", "expressions/last/seed-1", false, 64, 4, 256, 1, 4, 2, 8, 28, 64, 2000, 8,
         16},
        {"expressions", "expressions/last/seed-1", true, 256, 8, 1024, 1, 8, 4, 16, 28, 512, 30000,
         14, 24},
        {"families", "families/last/seed-1", false, 64, 4, 256, 2, 3, 1, 6, 20, 64, 2000, 5, 12},
        {"families", "families/last/seed-1", true, 256, 8, 1024, 2, 5, 1, 12, 20, 512, 30000, 9,
         20}}) {
    const json run = preset(size.task, size.paper);
    const json &model = run["config"]["model"], &task = run["config"]["task"];
    const bool text = size.task != std::string("graphs");
    EXPECT_EQ(run["name"], size.name);
    EXPECT_EQ(model["width"], size.width);
    EXPECT_EQ(model["heads"], size.heads);
    EXPECT_EQ(model["hidden"], size.hidden);
    EXPECT_EQ(model["loops"],
              (json{{"kind", "range"}, {"least", size.least}, {"most", size.most}}));
    EXPECT_EQ(model["step_rows"], size.rows);
    EXPECT_EQ(model["step_embedding"], "learned");
    EXPECT_EQ(model["gate"], "gru");
    EXPECT_EQ(model["positions"], text ? "rotary" : "none");
    EXPECT_EQ(model["layer_scale"], text ? json(1e-4) : json());
    EXPECT_EQ(task["easiest"], size.easiest);
    EXPECT_EQ(task["hardest"], size.hardest);
    EXPECT_EQ(task["batch"], size.batch);
    // Every difficulty is asked, so that a frontier is where it seems to be.
    EXPECT_EQ(task["tested"].size(), static_cast<std::size_t>(size.tested - size.easiest + 1));
    EXPECT_EQ(task["tested"].back(), size.tested);
    EXPECT_EQ(task["test_loops"].back(), size.loops);
    EXPECT_EQ(run["config"]["training"]["steps"], size.steps);
  }
}

constexpr const char* kMethods =
    "feed-forward,recurrent,chain-of-thought,continuous,discrete,corrected";

TEST_F(Train, MethodsOfLatentReasoningAreASeriesOfRuns) {
  const json all = plan({"latent-reasoning", "--method", kMethods});
  std::vector<std::string> names;
  for (const json& run : all["runs"]) names.push_back(run["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"feed-forward/seed-1", "recurrent/seed-1",
                                             "chain-of-thought-eq-val/seed-1", "continuous/seed-1",
                                             "discrete/seed-1", "corrected/seed-1"}));
  EXPECT_EQ(all["runs"][0]["config"]["task"]["kind"], "latent-values");
  EXPECT_EQ(all["runs"][1]["config"]["model"]["loops"]["kind"], "asked");
  EXPECT_EQ(all["runs"][2]["config"]["task"]["kind"], "latent-words");
  EXPECT_EQ(all["runs"][3]["config"]["training"]["supervision"], "when-due");
  EXPECT_EQ(all["runs"][4]["config"]["task"]["corrupted"], 0.0);
  EXPECT_EQ(all["runs"][5]["config"]["task"]["corrupted"], 0.25);
  EXPECT_EQ(all["runs"][5]["config"]["model"]["initial"], 2);
}

TEST_F(Train, LatentReasoningHasPublishedSizesAndALossWithoutDepths) {
  const json free = plan({"latent-reasoning", "--method", "continuous", "--no-oracle"})["runs"][0];
  EXPECT_EQ(free["name"], "no-oracle-0.5/seed-1");
  EXPECT_EQ(free["config"]["training"]["empty_discount"], 0.5);
  EXPECT_EQ(free["config"]["training"]["supervision"], "mean-steps");
  EXPECT_EQ(free["config"]["task"]["method"], "no-oracle");
  const json published = plan({"latent-reasoning", "--method", kMethods, "--paper-size"})["runs"];
  ASSERT_EQ(published.size(), 6u);
  for (const json& run : published) {
    EXPECT_EQ(run["config"]["task"]["modulus"], 23);
    EXPECT_EQ(run["config"]["task"]["operations"], "all");
  }
  EXPECT_EQ(published[1]["config"]["model"]["loops"]["least"], 4);
  EXPECT_EQ(published[4]["config"]["model"]["positions"], "deberta");
  EXPECT_EQ(published[5]["config"]["model"]["width"], 384);
}

TEST_F(Train, WrongOptionsOfLatentReasoningAreRefusedInOneSentence) {
  const auto with = [&](const Arguments& more, const std::string& reason) {
    Arguments all = {"latent-reasoning", "--out", "runs"};
    all.insert(all.end(), more.begin(), more.end());
    refuses(all, reason);
  };
  with({"--set", "task.modulus=4"}, "task.modulus: expected a prime from 2 to 997, found 4");
  with({"--set", "task.test_nodes=[8,64]"}, "task.test_nodes: expected growing numbers of nodes");
  with({"--method", "magic"}, "found 'magic'");
  with({"--set", "task.validation=0"}, "task.validation: expected at least 1 graph per cell");
  with({"--no-oracle"}, "--no-oracle: expected the method continuous");
  with({"--set", "task.window=5"}, "--set: unknown setting 'task.window', expected one of");
}

TEST_F(Train, KindsOfModelsAreTheirShapes) {
  const auto model = [&](const Arguments& more) {
    Arguments arguments = {"word-problem", "--monoid", "S3", "--depths", "4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return plan(arguments)["runs"][0]["config"]["model"];
  };
  EXPECT_EQ(model({})["initial"], 4);
  const json loop = model({"--kind", "loop", "--block", "2"});
  EXPECT_EQ(loop["initial"], 0);
  EXPECT_EQ(loop["repeated"], 2);
  EXPECT_EQ(loop["loops"]["least"], 2);
  const json adaptive = model({"--kind", "adaptive-loop"});
  EXPECT_EQ(adaptive["loops"]["kind"], "per-doubling");
  EXPECT_EQ(adaptive["loops"]["least"], 4);
  EXPECT_EQ(adaptive["step_embedding"], "learned");
  EXPECT_EQ(adaptive["step_scale"], 0.1);
  EXPECT_EQ(loop["step_scale"], 1);
}

TEST_F(Train, ASettingIsChangedByItsPathAndWrittenIntoThePlan) {
  const json changed = plan({"word-problem", "--monoid", "S3", "--depths", "1", "--set",
                             "model.loops.kind=range", "--set", "training.learning_rate=0.01",
                             "--set", "task.threshold=0.9", "--set", "model.layer_scale=1e-4"});
  const json& config = changed["runs"][0]["config"];
  EXPECT_EQ(config["model"]["loops"]["kind"], "range");
  EXPECT_EQ(config["model"]["layer_scale"], 1e-4);
  EXPECT_EQ(config["training"]["learning_rate"], 0.01);
  EXPECT_EQ(config["task"]["threshold"], 0.9);
}

TEST_F(Train, WrongSettingsAreRefusedInOneSentenceBeforeAnythingIsTrained) {
  const Arguments words = {"word-problem", "--monoid", "S3", "--depths", "1", "--out", "runs"};
  const auto with = [&](const Arguments& more) {
    Arguments all = words;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refuses(with({"--set", "model.widht=3"}), "unknown setting 'model.widht'");
  refuses(with({"--set", "model.width"}), "expected NAME=VALUE");
  refuses(with({"--set", "model.width=-3"}), "model.width: expected a whole number");
  refuses(with({"--set", "model.width=65"}), "model.heads: expected a divisor of model.width");
  refuses(with({"--set", "model.activation=tanh"}), "expected one of gelu, swiglu");
  refuses(with({"--set", "model.gate=gru"}), "parts of the loop");
  refuses(with({"--set", "training.average=1"}), "training.average");
  refuses(with({"--set", "seed=7"}), "--seeds");
  refuses(with({"--set", "task.kind=hops"}), "task.kind is what the command trains");
  refuses(with({"--set", "training.learning_rate=1e300"}), "at most 1000");
  refuses(with({"--set", "model.loops.least=70000"}), "model.loops");
  refuses(with({"--set", "model.step_scale=0"}), "model.step_scale: expected more than 0");
  refuses(with({"--seeds", "1,1"}), "duplicate run name 'S3/stack-1/seed-1'");
  refuses(with({"--from", "missing.safetensors"}), "missing.safetensors: expected a file");
  refuses(with({"--seconds", "0"}), "expected a number above 0, found '0'");
  refuses(with({"--kind", "pile"}), "expected stack|loop|adaptive-loop, found 'pile'");
  refuses(with({"--block", "2"}), "--block: a stack has no repeated block");
  refuses(with({"--set", "task.max_length=1"}), "task.max_length");
  refuses(with({"--set", "training.learning_rate=nan"}), "training.learning_rate");
  refuses(with({"--set", "task.kind=graphs"}), "task.kind");
  refuses({"word-problem", "--monoid", "S9x", "--out", "runs"}, "S9x");
  refuses({"word-problem", "--monoid", "S3", "--regex", "(a|b)*a", "--out", "runs"},
          "--monoid: expected one of --monoid, --regex, --automaton and --crasp, found --regex as "
          "well");
  refuses({"word-problem", "--regex", "(a|b)*a", "--automaton", "a.fst", "--out", "runs"},
          "--regex: expected one of --regex and --automaton, found both");
  refuses({"word-problem", "--labels", "verdicts", "--out", "runs"}, "--labels: expected --regex");
  refuses({"word-problem", "--automaton", "missing.fst", "--out", "runs"}, "missing.fst");
  refuses({"word-problem", "--monoid", "S3", "--data", "x.csv", "--out", "runs"},
          "--data: a file has its own letters and labels");
  refuses({"word-problem", "--monoid", "S3", "--depths", "0", "--out", "runs"}, "--depths");
  refuses({"word-problem", "--kind", "loop", "--block", "3", "--depths", "4", "--out", "runs"},
          "--block: expected a divisor of the depth 4");
  refuses({"word-problem", "--monoid", "S3"}, "--out: expected the folder");
  refuses({"row-tokens", "--depths", "1", "--set", "task.edges_per_vertex=-1", "--out", "runs"},
          "task.edges_per_vertex");
  const auto recurrent = [&](Arguments more, const std::string& reason) {
    more.insert(more.begin(), "depth-recurrent");
    more.insert(more.end(), {"--out", "runs"});
    refuses(more, reason);
  };
  recurrent({"--set", "task.hardest=9"}, "task.hardest");
  recurrent({"--task", "chess"}, "--task: expected graphs|expressions|families, found 'chess'");
  recurrent({"--task", "expressions", "--generator", "twin"},
            "--generator: expected --task graphs");
  recurrent({"--task", "expressions", "--set", "task.easiest=0"},
            "task.easiest: expected 1 to task.hardest = 4, found 0");
  recurrent({"--task", "expressions", "--set", "task.tested=[0,1]"},
            "task.tested: expected increasing numbers of at least 1");
  recurrent({"--set", "task.test_loops=[1,21]"},
            "model.step_rows: expected at least 21, the largest number of loops that is trained or "
            "measured, found 20");
  recurrent({"--set", "model.loops.most=21"}, "model.step_rows: expected at least 21");
  recurrent({"--task", "families", "--set", "task.tested=[2,6]"}, "task.names");
}

TEST_F(Train, APlanFileThatIsNoneIsRefusedWithItsName) {
  refuses({"plan", "missing.json", "--out", "runs"}, "missing.json");
  const auto with = [&](const std::string& text, const std::string& reason) {
    folder.write("p.json", text);
    refuses({"plan", "p.json", "--out", "runs"}, reason);
  };
  with("[]", "p.json: expected a training plan");
  with(R"({"format":"logdepth-plan","version":1,"runs":[]})", "at least one run");
  with(R"({"format":"logdepth-plan","version":1,"runs":[{"name":"../x","config":{}}]})",
       "below the plan's folder");
  with(R"({"format":"logdepth-plan","version":1,"runs":[{"name":"x"}]})", "expected a config");
  with(R"({"format":"logdepth-plan","version":1,"runs":[{"name":"x","config":{"sed":1}}]})",
       "unknown setting 'sed'");
  with(R"({"format":"logdepth-plan","version":1,"runs":[{"name":"x","config":{}},
         {"name":"x","config":{}}]})",
       "a second run called x");
}

TEST_F(Train, PlansForADeviceAreThoseThatTheirScriptWritesAndBeginWithAFewSteps) {
  const std::filesystem::path plans =
      std::filesystem::path(support::source_dir()) / "examples/plans";
  const Finished made =
      support::run_process({support::python(), "-B", (plans / "make_plans.py").string(),
                            support::program(), folder.path()},
                           folder.path());
  ASSERT_EQ(made.status, 0) << made.err;
  std::size_t written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(plans)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".json" || name.starts_with("published")) continue;
    const std::string stored = read_whole_file(entry.path());
    EXPECT_EQ(folder.read(name), stored) << name;
    ++written;
    const json runs = json::parse(stored)["runs"];
    json tried = runs[0], first = runs[1];
    EXPECT_EQ(tried["name"], "smoke/" + first["name"].get<std::string>()) << name;
    EXPECT_EQ(tried["config"]["training"]["steps"], 20) << name;
    for (json* const run : {&tried, &first})
      for (const char* budget : {"steps", "seconds"}) (*run)["config"]["training"].erase(budget);
    EXPECT_EQ(tried["config"], first["config"]) << name;
    for (const json& run : runs) {
      EXPECT_GT(run["config"]["training"]["seconds"], 0) << name;
      EXPECT_LE(run["config"]["training"]["seconds"], 8 * 60) << name;
    }
  }
  EXPECT_EQ(written, 8u);
}

// `logdepth compare` and `logdepth compare depth` from outside.

class Compare : public support::CommandLine {
 protected:
  /// The record of a stack of `depth` layers on words of 64 letters, right up to `reach`, which had plateaued there.
  RunRecord record(const std::string& monoid, std::uint32_t depth, std::uint64_t seed, int reach) {
    WordTaskConfig task;
    task.monoid = monoid;
    RunRecord record;
    record.config.seed = seed;
    record.config.task = task;
    record.config.model.initial = depth;
    record.config.model.repeated = 0;
    record.config.training.steps = 1500;
    record.machine = {{"device", "cpu"}, {"processor", "a processor"}};
    record.training = {{"steps", 1500},
                       {"seconds", 60.0},
                       {"stopped", "steps"},
                       {"tokens", 1000},
                       {"parameters", 10}};
    record.training["curve"] = {
        {"score", "n*"},
        {"points", {{{"steps", 750}, {"score", reach}}, {{"steps", 1500}, {"score", reach}}}}};
    std::vector<double> accuracy(64, 0.5);
    std::fill_n(accuracy.begin(), reach, 1.0);
    record.result = {{"kind", "words"},
                     {"strict", reach},
                     {"length", 64},
                     {"words", 100},
                     {"accuracy", accuracy}};
    return record;
  }
  void run(const std::string& name, const RunRecord& record) {
    std::filesystem::create_directories(folder.path() / name);
    write_run_record(record, folder.file(name) + "/" + kRecordFile);
  }
  Finished compare(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "compare");
    return logdepth(std::move(arguments));
  }
  Finished depth(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "depth");
    return compare(std::move(arguments));
  }
};

TEST_F(Compare, WithoutRunsTheConstructionsStandBesideWhatWasPublished) {
  const Finished finished = depth({"--up-to", "16", "--regex", "(a|b)*abb", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json out = json::parse(finished.out);
  EXPECT_EQ(out["schema"], "logdepth/compare-depth/2");
  EXPECT_EQ(out["runs"], 0);
  std::set<std::string> problems;
  double tree = 0, cascade = 0;
  for (const json& form : out["constructed"]) {
    const std::string problem = form["problem"], said = form["verification"];
    problems.insert(problem.substr(0, problem.find('-')));
    EXPECT_TRUE(form["form"] == "as claimed" ? said == "claimed (not built)"
                                             : said.find("verified: every") != std::string::npos)
        << form;
    if (problem == "A5" && form["construction"] == "tree") {
      EXPECT_EQ(form["depths"].back(), (json{{"size", 16}, {"depth", 12}}));
      tree = form["slope"];
    }
    if (problem == "S3" && form["construction"] == "cascade")
      cascade = form["depths"].back()["depth"];
  }
  EXPECT_NEAR(tree, 2, 1e-9);
  EXPECT_EQ(cascade, 4) << "constant, whatever the length";
  EXPECT_EQ(problems, (std::set<std::string>{"Z2", "S3", "A4", "A5", "S5", "reachability",
                                             "induction hops", "regex"}));
  const Finished page = depth({"--up-to", "64"});
  EXPECT_NE(page.out.find("| A5 | published |"), std::string::npos) << page.out;
  EXPECT_NE(page.out.find("| – | – | – | 3.4 | 8.2 | 13.0 | 4.8 |"), std::string::npos)
      << "the published line from 16 letters on";
  EXPECT_NE(page.out.find("8 heads: the same | – | 2 | 3 | 4 | 5 | – | – | – |"), std::string::npos)
      << "the least depth with an error of at most .05 in errors.json of "
         "chsanford/hop-induction-heads";
}

TEST_F(Compare, TrainedLayersAreCountedBySeedsThatReachALengthAndFittedAtOneBudget) {
  // Three seeds that follow d = 2 log2 n* + 1, of which one stays at 2 letters.
  for (const auto& [layers, reach] : {std::pair(5, 4), {7, 8}, {9, 16}})
    for (const std::uint64_t seed : {1, 2, 3}) {
      RunRecord one = record("S3", static_cast<std::uint32_t>(layers), seed, seed == 3 ? 2 : reach);
      one.config.model.initial = static_cast<std::uint32_t>(layers) - 1;
      one.config.model.repeated = 1;
      run("runs/" + std::to_string(layers) + "/seed-" + std::to_string(seed), one);
    }
  const Finished finished = depth({"runs", "--up-to", "4", "--out", "out"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(finished.err, "wrote depth.md, depth.json and depth.svg to out\n");
  const std::string markdown = folder.read("out/depth.md");
  EXPECT_NE(markdown.find("`logdepth compare depth runs --up-to 4`"), std::string::npos);
  EXPECT_NE(markdown.find("| S3 | 1500 | 7 | 8 (2–8) | 3 | 2 | 2 | 0 | 0 | 0 | 0 |"),
            std::string::npos)
      << markdown;
  EXPECT_NE(markdown.find("S3, 1500 steps: d = 2.0 log₂ n\\* +1.0, 95 % 2.0 to ∞, r² 1.00"),
            std::string::npos)
      << markdown;
  const std::string figure = folder.read("out/depth.svg");
  EXPECT_NE(figure.find("trained, 1500 steps"), std::string::npos);
  // 19 points a layer, 40 a doubling: four fifths of a layer up to 2 letters, two thirds of that up to 8.
  EXPECT_NE(figure.find("points=\"68,297 68,281.8 68,281.8 68,286.9 148,286.9 148,297\"><title>7 "
                        "layers, 1500 steps: 3 of 3 seeds reach 2, 2 of 3 seeds reach 8<"),
            std::string::npos)
      << figure;
  // The same runs give the same numbers, also where their folders are named twice and one is packed.
  const json fits = json::parse(folder.read("out/depth.json"))["fits"];
  const Finished again = depth({"runs", "runs/5", "--up-to", "4", "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["fits"], fits);
}

TEST_F(Compare, RunsWithoutAPaperAreTabledByTheSettingsInWhichTheyDiffer) {
  for (const std::uint64_t seed : {1, 2}) {
    run("runs/2/seed-" + std::to_string(seed), record("S3", 2, seed, 3 + static_cast<int>(seed)));
    run("runs/4/seed-" + std::to_string(seed), record("S3", 4, seed, 8));
  }
  const Finished finished = compare({"runs"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("4 runs in 2 series"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find(
                "| initial 2 | 2 | 1500 | plateaued | 1 | 1 | 1 | 1 | 0.75 (0.50–1) | 0.50 |"),
            std::string::npos)
      << finished.out;
  EXPECT_NE(finished.out.find("| 4.5 (4–5) |\n| initial 4 |"), std::string::npos)
      << "n*" << finished.out;
}

TEST_F(Compare, PackedRecordsAreReadAndADamagedOneIsNamedWhileTheOthersAreTabled) {
  nlohmann::ordered_json first = {{"run", "a/seed-1"}};
  first.update(to_json(record("S3", 2, 1, 4)));
  folder.write("runs.jsonl.gz", packed(first.dump() + "\n{\"format\": 1}\n"));
  const Finished finished = compare({"runs.jsonl.gz"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("left out: runs.jsonl.gz:2: expected the record of a training run"),
            std::string::npos)
      << finished.err;
  EXPECT_NE(finished.out.find("1 run in 1 series"), std::string::npos) << finished.out;
  folder.write("cut.jsonl.gz", packed(first.dump()).substr(0, 100));
  EXPECT_EQ(compare({"cut.jsonl.gz"}).status, 2);
}

TEST_F(Compare, PagesOfTheStoredRecordsAreTheStoredOnes) {
  const std::filesystem::path root = support::source_dir();
  // The command as the page names it, so that the page is the same.
  std::filesystem::create_directories(folder.path() / "bench/results");
  for (const char* records : {"bench/results/records", "bench/results/pretrained"})
    std::filesystem::create_directory_symlink(root / records, folder.path() / records);
  const Finished layers = depth({"bench/results/records", "--out", "depth"});
  ASSERT_EQ(layers.status, 0) << layers.err;
  using PaperAndRecords = std::pair<const char*, const char*>;
  for (const auto& [paper, records] : {PaperAndRecords{"thinking_deeper", "bench/results/records"},
                                       {"latent_reasoning", "bench/results/records"},
                                       {"encode_think_decode", "bench/results/pretrained"},
                                       {"relit", "bench/results/pretrained"}}) {
    const Finished finished = compare({records, "--paper", paper, "--out", "papers"});
    ASSERT_EQ(finished.status, 0) << finished.err;
  }
  std::size_t files = 0;
  for (const char* place : {"depth", "papers"})
    for (const auto& entry : std::filesystem::directory_iterator(root / "bench/results" / place)) {
      const std::string name = std::string(place) + "/" + entry.path().filename().string(),
                        text = read_whole_file(entry.path());
      EXPECT_EQ(folder.read(name), text) << name;
      if (name.ends_with(".md")) {
        EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 125) << name;
      }
      ++files;
    }
  EXPECT_EQ(files, 10u);
}

TEST_F(Compare, WhatCannotBeReadIsRefusedInOneSentence) {
  run("runs/1", record("S3", 1, 1, 3));
  folder.write("runs/1/record.json", "{}");
  std::filesystem::create_directories(folder.path() / "empty");
  folder.write("file", "");
  const auto refused = [&](const Finished& finished, const std::string& said) {
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(said), std::string::npos) << finished.err;
    EXPECT_EQ(support::lines(finished.err).size(), 1u) << finished.err;
  };
  refused(compare({}), "expected folders of training runs, or the subcommand depth");
  refused(compare({"runs"}), "runs/1/record.json: expected the record of a training run");
  refused(depth({"runs"}), "runs/1/record.json: expected the record of a training run");
  refused(compare({"nowhere"}), "nowhere: expected a folder of training runs");
  refused(compare({"empty"}), "empty: expected training runs, found no record.json");
  refused(compare({"runs", "--paper", "ms26"}),
          "--paper: expected one of encode_think_decode, latent_reasoning, ms25, relit, "
          "thinking_deeper");
  folder.write("own.json", R"({"criteria": [{"id": "1", "text": "t", "is": "> 0", "wehre": {}}]})");
  refused(compare({"runs", "--paper", "own.json"}), "own.json.criteria[0].wehre: unknown member");
  run("good/1", record("S3", 1, 1, 3));
  refused(compare({"good", "--paper", "thinking_deeper"}),
          "expected runs of Thinking Deeper, Not Longer (Chen 2026), found none among 1 series");
  refused(depth({"--up-to", "3"}), "--up-to: expected at least 4");
  refused(depth({"--out", "file"}),
          "file: expected the name of a folder that can be made: Not a directory");
  refused(depth({"--out", ""}), "--out: expected a value, found ''");
  refused(depth({"--regex", "a", "--automaton", "b"}),
          "--regex: expected one of --regex and --automaton, found both");
}

}}  // namespace logdepth::command_line_training_tests
