// The program `logdepth train` from outside, as far as it needs no libtorch: plans and refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/command_line.hpp"

namespace logdepth::command_line_train_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

class Train : public support::CommandLine {
 protected:
  json plan(Arguments arguments) const {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"--write-plan", "plan.json"});
    EXPECT_EQ(done(arguments), "");
    return json::parse(folder.read("plan.json"));
  }
  void refuses(Arguments arguments, const std::string& reason) const {
    arguments.insert(arguments.begin(), "train");
    const auto names = folder.names();
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err << "lacks " << reason;
    EXPECT_EQ(folder.names(), names);
  }
};

TEST_F(Train, WithoutTheTrainingProgramBesideItTheCommandSaysHowToGetIt) {
  const std::string alone = folder.file("logdepth");
  std::filesystem::copy_file(LOGDEPTH_BINARY, alone);
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
  const json hops =
      plan({"depth-recurrent", "--generator", "twin,natural", "--supervision", "last,mean-steps"});
  ASSERT_EQ(hops["runs"].size(), 4u);
  EXPECT_EQ(hops["runs"][3]["config"]["task"]["generator"], "natural");
  EXPECT_EQ(hops["runs"][3]["config"]["training"]["supervision"], "mean-steps");
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
  refuses(with({"--set", "model.activation=tanh"}), "expected one of relu, gelu, swiglu");
  refuses(with({"--set", "model.gate=gru"}), "parts of the loop");
  refuses(with({"--set", "training.beta1=1"}), "training.beta1");
  refuses(with({"--set", "seed=7"}), "--seeds");
  refuses(with({"--set", "task.kind=hops"}), "task.kind is what the command trains");
  refuses(with({"--set", "training.learning_rate=1e300"}), "at most 1000");
  refuses(with({"--set", "model.loops.least=70000"}), "model.loops");
  refuses(with({"--seeds", "1,1"}), "two runs would be called S3/stack-1/seed-1");
  refuses(with({"--from", "missing.safetensors"}), "missing.safetensors: expected a file");
  refuses(with({"--seconds", "0"}), "expected a number above 0, found '0'");
  refuses(with({"--kind", "pile"}), "expected stack|loop|adaptive-loop, found 'pile'");
  refuses(with({"--block", "2"}), "--block: a stack has no repeated block");
  refuses(with({"--set", "task.max_length=1"}), "task.max_length");
  refuses(with({"--set", "training.learning_rate=nan"}), "training.learning_rate");
  refuses(with({"--set", "task.kind=graphs"}), "task.kind");
  refuses({"word-problem", "--monoid", "S9x", "--out", "runs"}, "S9x");
  refuses({"word-problem", "--monoid", "S3", "--depths", "0", "--out", "runs"}, "--depths");
  refuses({"word-problem", "--kind", "loop", "--block", "3", "--depths", "4", "--out", "runs"},
          "--block: expected a divisor of the depth 4");
  refuses({"word-problem", "--monoid", "S3"}, "--out: expected the folder");
  refuses({"row-tokens", "--depths", "1", "--set", "task.cut=2", "--out", "runs"}, "task.cut");
  refuses({"depth-recurrent", "--set", "task.hardest=9", "--out", "runs"}, "task.hardest");
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

TEST_F(Train, ThePlanForTheGpuIsReadable) {
  const json h200 =
      json::parse(support::run_process({"cat", example("plans/h200.json")}, folder.path()).out);
  EXPECT_GT(h200["runs"].size(), 10u);
  double seconds = 0;
  for (const json& run : h200["runs"])
    seconds += run["config"]["training"]["seconds"].get<double>();
  EXPECT_LE(seconds / 3, 25 * 60) << "three at a time, 25 minutes";
}

}  // namespace
}  // namespace logdepth::command_line_train_tests
