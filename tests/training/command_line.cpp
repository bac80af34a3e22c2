// Training by the command line: records, runs that are done, runs that were interrupted.
#include "tests/support/command_line.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/places.hpp"

namespace logdepth { namespace {

using nlohmann::json;
using support::Finished;
using Arguments = std::vector<std::string>;

class TrainingCommand : public support::CommandLine {
 protected:
  static Arguments tiny(const std::string& out, const std::string& steps = "40") {
    return {"train",    "word-problem", "--monoid",     "Z2", "--depths", "1",
            "--widths", "16",           "--max-length", "4",  "--set",    "task.validation=100",
            "--steps",  steps,          "--out",        out};
  }
  Finished train(Arguments arguments, const Arguments& more = {}) const {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return logdepth(arguments);
  }
  const std::string run = "/Z2/stack-1-width-16/seed-1/";
};

TEST_F(TrainingCommand, ARunIsStoredWithItsConfigurationSeedAndResultAndNotRepeated) {
  const Finished first = train(tiny("runs"));
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, "");
  EXPECT_NE(first.err.find("Z2: n* ="), std::string::npos) << first.err;
  const json record = json::parse(folder.read("runs" + run + "record.json"));
  EXPECT_EQ(record["seed"], 1);
  EXPECT_EQ(record["config"]["model"]["width"], 16);
  EXPECT_EQ(record["training"]["steps"], 40);
  EXPECT_EQ(record["training"]["stopped"], "steps");
  EXPECT_EQ(record["result"]["kind"], "words");
  EXPECT_EQ(record["machine"]["device"], "cpu");
  EXPECT_EQ(record["machine"]["threads"], 1);
  const std::string weights = folder.read("runs" + run + "model.safetensors");
  const Finished second = train(tiny("runs"));
  EXPECT_EQ(second.status, 0);
  EXPECT_NE(second.err.find("done before"), std::string::npos) << second.err;
  ASSERT_EQ(train(tiny("again")).status, 0);
  EXPECT_EQ(folder.read("again" + run + "model.safetensors"), weights) << "the same bits";
  const Finished other = train(tiny("runs"), {"--set", "training.floor=0.2"});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("expected the requested configuration"), std::string::npos) << other.err;
  EXPECT_NE(other.err.find("training.floor is 0.1 there, 0.2 here"), std::string::npos)
      << other.err;
}

TEST_F(TrainingCommand, ARateAlongACosineIsNotContinuedAndTheSentenceSaysSo) {
  const Arguments cosine = {"--set", "training.schedule=cosine"};
  ASSERT_EQ(train(tiny("runs"), cosine).status, 0);
  const Finished finished = train(tiny("runs", "80"), cosine);
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.err, "logdepth: runs" + run +
                              "config.json: expected the requested configuration, except for the "
                              "budget: training.steps is 40 there, 80 here, and a rate "
                              "along a cosine is not continued; choose another --out\n");
}

TEST_F(TrainingCommand, AFinishedRunGoesOnWhenMoreStepsAreAskedFor) {
  const auto rows = [](const std::string& out, const std::string& steps) {
    return Arguments{"train",      "row-tokens",
                     "--vertices", "4",
                     "--depths",   "1",
                     "--set",      "task.validation=10",
                     "--set",      "task.batch=4",
                     "--set",      "model.width=8",
                     "--set",      "training.curve_first=5",
                     "--steps",    steps,
                     "--out",      out};
  };
  const std::string file = "/rows-4/stack-1/seed-1/";
  ASSERT_EQ(logdepth(rows("parts", "20")).status, 0);
  const json shorter = json::parse(folder.read("parts" + file + "record.json"));
  ASSERT_EQ(logdepth(rows("parts", "40")).status, 0);
  ASSERT_EQ(logdepth(rows("whole", "40")).status, 0);
  const json record = json::parse(folder.read("parts" + file + "record.json"));
  EXPECT_EQ(record["training"]["steps"], 40);
  EXPECT_EQ(record["training"]["curve"]["points"].size(), 4u) << "after 5, 10, 20 and 40 steps";
  // What the shorter run came to, at the end of its own fall of the rate, is kept.
  const json ends = record["training"]["curve"]["ends"];
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0], shorter["training"]["curve"]["points"].back());
  EXPECT_EQ(ends[0]["steps"], 20);
  EXPECT_FALSE(
      json::parse(folder.read("whole" + file + "record.json"))["training"]["curve"].contains(
          "ends"));
  EXPECT_EQ(folder.read("parts" + file + "model.safetensors"),
            folder.read("whole" + file + "model.safetensors"));
  const Finished fewer = logdepth(rows("parts", "30"));
  EXPECT_EQ(fewer.status, 2);
  EXPECT_NE(fewer.err.find("training.steps is 40 there, 30 here"), std::string::npos) << fewer.err;
}

TEST_F(TrainingCommand, WithoutTheCheckpointsOfAFinishedRunItIsNotBegunAnewInItsPlace) {
  ASSERT_EQ(train(tiny("runs")).status, 0);
  const std::string record = folder.read("runs" + run + "record.json");
  const auto refused = [&](const std::string& sentence) {
    const Finished finished = train(tiny("runs", "80"));
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.err, "logdepth: runs" + run + sentence);
    EXPECT_EQ(folder.read("runs" + run + "record.json"), record);
  };
  std::filesystem::remove(folder.file("runs" + run + "before-decay.safetensors"));
  refused(
      "before-decay.safetensors: expected the checkpoint of the step at which the learning rate "
      "began to fall, which a longer run continues from; choose another folder\n");
  std::filesystem::remove(folder.file("runs" + run + "checkpoint.safetensors"));
  refused(
      "record.json: expected checkpoint.safetensors beside it, which a longer run continues from; "
      "choose another --out\n");
  EXPECT_EQ(train(tiny("runs")).status, 0) << "it is done";
}

TEST_F(TrainingCommand, AnInterruptedCommandGoesOnToTheSameBits) {
  // The rate falls from the beginning, and what stands before that is stored: training has begun.
  const Arguments falling = {"--set", "training.decay=1"};
  ASSERT_EQ(train(tiny("whole", "3000"), falling).status, 0);
  Arguments arguments = tiny("parts", "3000");
  arguments.insert(arguments.begin(), support::program());
  arguments.insert(arguments.end(), falling.begin(), falling.end());
  const Finished stopped = support::run_process(arguments, folder.path(), "", [&] {
    return std::filesystem::exists(folder.file("parts" + run + "before-decay.safetensors"));
  });
  EXPECT_EQ(stopped.status, 128 + 15);
  EXPECT_FALSE(std::filesystem::exists(folder.file("parts" + run + "record.json")))
      << "3000 steps take longer than the interruption";
  ASSERT_TRUE(std::filesystem::exists(folder.file("parts" + run + "checkpoint.safetensors")))
      << "the command ends after its runs";
  ASSERT_EQ(train(tiny("parts", "3000"), falling).status, 0);
  EXPECT_EQ(folder.read("parts" + run + "model.safetensors"),
            folder.read("whole" + run + "model.safetensors"));
}

TEST_F(TrainingCommand, ASecondBudgetIsNamedInTheRecord) {
  const Finished finished = train(tiny("runs", "1000000"), {"--seconds", "1"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(json::parse(folder.read("runs" + run + "record.json"))["training"]["stopped"],
            "seconds");
}

TEST_F(TrainingCommand, ARunThatSecondsEndedGoesOnWithMoreOfThem) {
  const auto steps = [&] {
    return json::parse(folder.read("runs" + run + "record.json"))["training"]["steps"].get<int>();
  };
  ASSERT_EQ(train(tiny("runs", "1000000"), {"--seconds", "0.3"}).status, 0);
  const int before = steps();
  ASSERT_EQ(train(tiny("runs", "1000000"), {"--seconds", "0.8"}).status, 0);
  EXPECT_GT(steps(), before);
  EXPECT_EQ(train(tiny("runs", "1000000"), {"--seconds", "0.5"}).status, 2) << "it has had more";
}

TEST_F(TrainingCommand, ARunThatDivergedSaysSoAndLeavesNothingToGoOnFrom) {
  const Finished finished =
      train(tiny("runs"), {"--set", "training.learning_rate=1000", "--set", "training.warm_up=0",
                           "--set", "training.clip=1e30", "--set", "training.weight_decay=0",
                           "--set", "model.final_norm=false", "--set", "model.initial=8", "--set",
                           "model.activation=swiglu"});
  ASSERT_EQ(finished.status, 1) << finished.err;
  ASSERT_NE(finished.err.find("no result: diverged after"), std::string::npos) << finished.err;
  for (const char* file : {"checkpoint.safetensors", "model.safetensors"})
    EXPECT_FALSE(std::filesystem::exists(folder.file("runs" + run + file))) << file;
}

TEST_F(TrainingCommand, GoesOnFromACompiledGroup) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  const Finished finished = logdepth({"train", "construction", "s3.json", "--monoid", "S3",
                                      "--length", "8", "--steps", "10", "--out", "runs"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json record = json::parse(folder.read("runs/S3/construction/seed-1/record.json"));
  EXPECT_EQ(record["training"]["before"]["result"]["accuracy"][0], 1.0);
}

TEST_F(TrainingCommand, AGroupOfAFileIsTrainedOnAsTheSameGroupByItsName) {
  folder.write("mine.txt", "# S3\n(1,2)\n(1,2,3)\n");
  Arguments with_file = tiny("own"), with_name = tiny("named");
  with_file[2] = "--group", with_file[3] = "mine.txt";
  with_name[3] = "S3";
  ASSERT_EQ(train(with_file, {"--write-plan", "plan.json"}).status, 0);
  const std::string name = json::parse(folder.read("plan.json"))["runs"][0]["name"];
  ASSERT_TRUE(name.starts_with("mine-")) << name;
  for (const Arguments& arguments : {with_file, with_name}) {
    const Finished finished = train(arguments);
    ASSERT_EQ(finished.status, 0) << finished.err;
  }
  const std::string own = "own/" + name + "/", named = "named/S3/stack-1-width-16/seed-1/";
  const auto tensors = [&](const std::string& run) {  // behind the header, which names the group
    const std::string file = folder.read(run + "model.safetensors");
    const auto byte = [&](int at) { return static_cast<unsigned char>(file[at]); };
    return file.substr(8 + byte(0) + 256 * byte(1));
  };
  EXPECT_TRUE(tensors(own) == tensors(named)) << "bits of the weights";
  EXPECT_EQ(json::parse(folder.read(own + "record.json"))["config"]["task"]["monoid"],
            "[1,0,2] [1,2,0]");
  EXPECT_NE(
      done({"compare", "depth", "own", "--up-to", "8"}).find(", S5, [1,0,2] [1,2,0] | optimised"),
      std::string::npos)
      << "depths are constructed without the file";
}

TEST_F(TrainingCommand, VerdictsOfAProgramAreTrainedOn) {
  const std::string dyck1 = example("crasp/dyck1.crasp");
  const Arguments tiny = {"train",        "word-problem",
                          "--crasp",      dyck1,
                          "--depths",     "2",
                          "--widths",     "16",
                          "--max-length", "4",
                          "--set",        "task.validation=200",
                          "--steps",      "300",
                          "--set",        "training.learning_rate=0.004"};
  ASSERT_EQ(train(tiny, {"--write-plan", "plan.json"}).status, 0);
  ASSERT_EQ(logdepth({"train", "plan", "plan.json", "--out", "planned"}).status, 0);
  const Finished first = train(tiny, {"--out", "runs"});
  ASSERT_EQ(first.status, 0) << first.err;
  const std::string name = json::parse(folder.read("plan.json"))["runs"][0]["name"];
  ASSERT_TRUE(name.starts_with("dyck1-")) << name;
  const std::string run = "runs/" + name + "/";
  const json record = json::parse(folder.read(run + "record.json"));
  EXPECT_EQ(record["config"]["task"]["crasp"], dyck1);
  EXPECT_EQ(record["inputs"].size(), 1u) << "the hash of the program";
  const json& result = record["result"];
  EXPECT_EQ(result["monoid"], name.substr(0, name.find('/')));
  EXPECT_EQ(result["crasp"]["letters"], (json{"(", ")"}));
  EXPECT_EQ(result["length"], 4);
  EXPECT_EQ(result["strict"], 4) << result.dump();
  EXPECT_EQ(result["one_verdict"], 1);
  EXPECT_EQ(folder.read("planned/" + name + "/model.safetensors"),
            folder.read(run + "model.safetensors"));

  const json measured = json::parse(done({"measure", run, "--length", "6", "--json"}));
  EXPECT_EQ(measured["result"]["crasp"], result["crasp"]);
  EXPECT_NE(done({"draw", "--learned", run, "--input", "(())"}).find("on 64 random words"),
            std::string::npos);
  const Finished drawn =
      logdepth({"draw", "--learned", run, "--input", "(())", "-o", "picture.svg"});
  EXPECT_EQ(drawn.status, 2);
  EXPECT_EQ(drawn.err,
            "logdepth: picture.svg: expected a run of a monoid or an automaton, whose compiled "
            "scan is drawn, found one of a C-RASP program; without -o its circuit is named\n");
  const json depth = json::parse(done({"compare", "depth", "runs", "--up-to", "8", "--json"}));
  std::vector<json> constructions;
  for (const json& form : depth["constructed"])
    if (form["problem"] == result["monoid"]) constructions.push_back(form["construction"]);
  EXPECT_EQ(constructions, std::vector<json>{"counting program"}) << depth.dump(1);
}

TEST_F(TrainingCommand, AFailedRunDoesNotStopTheOthers) {
  ASSERT_EQ(logdepth({"train", "plan", "p.json", "--out", "runs"}).status, 2) << "no plan yet";
  folder.write("garbage.safetensors", "no tensors at all");
  folder.write("p.json",
               R"({"format":"logdepth-plan","version":1,"runs":[
  {"name":"first",
   "config":{"initial_weights":"garbage.safetensors","task":{"monoid":"Z2","max_length":2,"validation":10},
             "model":{"width":8,"heads":2,"hidden":8},"training":{"steps":2}}},
  {"name":"second",
   "config":{"task":{"monoid":"Z2","max_length":2,"validation":10},
             "model":{"width":8,"heads":2,"hidden":8},"training":{"steps":2}}}]})");
  const Finished finished = logdepth({"train", "plan", "p.json", "--out", "runs"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_NE(finished.err.find("garbage.safetensors"), std::string::npos) << finished.err;
  EXPECT_TRUE(std::filesystem::exists(folder.file("runs/second/record.json")));
}

TEST_F(TrainingCommand, ARecordThatCannotBeReadIsNamedAndTheOthersGoOn) {
  ASSERT_EQ(train(tiny("runs"), {"--write-plan", "p.json"}).status, 0);
  json plan = json::parse(folder.read("p.json"));
  plan["runs"][0]["name"] = "first";
  plan["runs"].push_back(plan["runs"][0]);
  plan["runs"][1]["name"] = "second";
  plan["runs"][1]["config"]["seed"] = 2;
  folder.write("p.json", plan.dump());
  const auto planned = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train", "plan", "p.json", "--out", "runs"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return logdepth(arguments);
  };
  ASSERT_EQ(planned({"--run", "first"}).status, 0);
  const std::string record = folder.read("runs/first/record.json");
  folder.write("runs/first/record.json", record.substr(0, record.size() / 2));
  const std::string named = "runs/first/record.json: expected the record of a training run";
  const Finished status = planned({"--status"});
  EXPECT_EQ(status.status, 0);
  EXPECT_NE(status.out.find("failed   " + named), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("second"), std::string::npos);
  const Finished rest = planned({});
  EXPECT_EQ(rest.status, 2);
  EXPECT_NE(rest.err.find("logdepth: " + named), std::string::npos) << rest.err;
  EXPECT_NE(rest.err.find("second: Z2: n* = "), std::string::npos) << rest.err;
  const Finished compared = logdepth({"compare", "depth", "runs", "--up-to", "4", "--json"});
  EXPECT_EQ(compared.status, 1);
  EXPECT_NE(compared.err.find("left out: " + named), std::string::npos) << compared.err;
  EXPECT_EQ(json::parse(compared.out)["runs"], 1);
  EXPECT_TRUE(folder.read("runs/second/losses.csv")
                  .starts_with("step,seconds,stage,loss,accuracy,tokens\n"));
}

TEST_F(TrainingCommand, ACommaTooManyInAPlanIsNamedByLineAndColumn) {
  folder.write("p.json", "{\"format\": \"logdepth-plan\",\n \"version\": 1,\n \"runs\": [1, ]}");
  const Finished finished = logdepth({"train", "plan", "p.json", "--out", "runs"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_NE(
      finished.err.find("p.json:3: column 12: expected another entry after the comma, found ']'"),
      std::string::npos)
      << finished.err;
}

}}  // namespace logdepth
