// The program `logdepth train` from outside, as far as it needs no libtorch: plans and refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/train_command.hpp"

namespace logdepth::command_line_train_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;
using support::names_of;
using Arguments = std::vector<std::string>;
using Train = support::TrainCommand;

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
    EXPECT_EQ(model["gate_bias"], -2);
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

TEST_F(Train, AnAblationIsASeriesOfRunsThatChangeOneThingAboutThePreset) {
  const auto series = [&](const std::string& ablation, const std::string& task) {
    return plan({"depth-recurrent", "--task", task, "--ablation", ablation});
  };
  const auto names = [&](const std::string& ablation, const std::string& task) {
    std::vector<std::string> short_names;
    for (const std::string& name : names_of(series(ablation, task)))
      short_names.push_back(name.substr(0, name.rfind("/seed-1")));
    return short_names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("supervision", "families"), (Names{"families/last", "families/mean-steps"}));
  EXPECT_EQ(names("gate", "families"),
            (Names{"families/last", "families/gate-none", "families/gate-bias-minus-4",
                   "families/gate-bias-0", "families/gate-bias-plus-2"}));
  EXPECT_EQ(names("layer-scale", "families"),
            (Names{"families/last", "families/layer-scale-none", "families/layer-scale-1e-2",
                   "families/layer-scale-1"}));
  EXPECT_EQ(names("layer-scale", "graphs"),
            (Names{"graphs-twin/last", "graphs-twin/layer-scale-1e-4",
                   "graphs-twin/layer-scale-1e-2", "graphs-twin/layer-scale-1"}));
  EXPECT_EQ(names("step-embedding", "families"),
            (Names{"families/last", "families/step-embedding-none",
                   "families/step-embedding-clamped", "families/step-embedding-sinusoidal"}));
  EXPECT_EQ(names("mask", "graphs"), (Names{"graphs-twin/last", "graphs-twin/mask-and-identities",
                                            "graphs-twin/mask-none"}));
  EXPECT_EQ(names("loops", "expressions"),
            (Names{"expressions/last", "expressions/loops-2", "expressions/loops-8"}));
  // What is in several series is trained once.
  EXPECT_EQ(names("untied,supervision", "expressions"),
            (Names{"expressions/last", "expressions/untied-8", "expressions/mean-steps"}));

  const auto differences = [&](const std::string& ablation, const std::string& task) {
    std::vector<Names> all;
    const json runs = series(ablation, task)["runs"];
    for (const json& run : runs) {
      Names& paths = all.emplace_back();
      for (const json& change : json::diff(runs[0]["config"], run["config"]))
        paths.push_back(change["path"]);
    }
    return all;
  };
  EXPECT_EQ(
      differences("gate", "graphs"),
      (std::vector<Names>{
          {}, {"/model/gate"}, {"/model/gate_bias"}, {"/model/gate_bias"}, {"/model/gate_bias"}}));
  EXPECT_EQ(differences("mask", "graphs"),
            (std::vector<Names>{{}, {"/task/identities"}, {"/task/identities", "/task/masked"}}));
  const json untied = series("untied", "graphs")["runs"][1]["config"];
  EXPECT_EQ(untied["model"]["initial"], 8);
  EXPECT_EQ(untied["model"]["repeated"], 0);
  EXPECT_EQ(untied["model"]["gate"], "none");
  EXPECT_EQ(untied["model"]["step_embedding"], "none");
  EXPECT_EQ(untied["task"]["test_loops"], json({8}));
  const json clamped = series("step-embedding", "graphs")["runs"][2]["config"];
  EXPECT_EQ(clamped["model"]["trained_steps"], 8);
}

TEST_F(Train, MethodsOfLatentReasoningAreASeriesOfRuns) {
  const json all = plan({"latent-reasoning", "--method",
                         "feed-forward,recurrent,chain-of-thought,continuous,discrete,corrected",
                         "--format", "val,eq-val,eq-op-val"});
  std::vector<std::string> names;
  for (const json& run : all["runs"]) names.push_back(run["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "feed-forward/seed-1", "recurrent/seed-1", "chain-of-thought-val/seed-1",
                       "chain-of-thought-eq-val/seed-1", "chain-of-thought-eq-op-val/seed-1",
                       "continuous/seed-1", "discrete/seed-1", "corrected/seed-1"}));
  EXPECT_EQ(all["runs"][0]["config"]["task"]["kind"], "latent-values");
  EXPECT_EQ(all["runs"][1]["config"]["model"]["loops"]["kind"], "asked");
  EXPECT_EQ(all["runs"][4]["config"]["task"]["format"], "eq-op-val");
  EXPECT_EQ(all["runs"][5]["config"]["training"]["supervision"], "when-due");
  EXPECT_EQ(all["runs"][6]["config"]["task"]["corrupted"], 0.0);
  EXPECT_EQ(all["runs"][7]["config"]["task"]["corrupted"], 0.25);
  EXPECT_EQ(all["runs"][7]["config"]["model"]["initial"], 2);
}

TEST_F(Train, OptionsOfLatentReasoningAreItsSettings) {
  const json runs = plan({"latent-reasoning",  "--method",
                          "continuous",        "--no-oracle",
                          "--discount",        "0.3",
                          "--positions",       "absolute,none",
                          "--operations",      "all",
                          "--operands",        "3",
                          "--modulus",         "5",
                          "--names",           "16",
                          "--nodes",           "6",
                          "--test-nodes",      "6,12",
                          "--test-deep-nodes", "9",
                          "--generator",       "deep",
                          "--supervised",      "definition-only"})["runs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["name"], "no-oracle-0.3-absolute/seed-1");
  const json& config = runs[0]["config"];
  EXPECT_EQ(config["training"]["empty_discount"], 0.3);
  EXPECT_EQ(config["training"]["supervision"], "mean-steps");
  EXPECT_EQ(config["model"]["positions"], "absolute");
  EXPECT_EQ(runs[1]["config"]["model"]["positions"], "none");
  const json& task = config["task"];
  EXPECT_EQ(task["method"], "no-oracle");
  EXPECT_EQ(task["operations"], "all");
  EXPECT_EQ(task["operand_weights"], json({1, 1, 1}));
  EXPECT_EQ(task["modulus"], 5);
  EXPECT_EQ(task["names"], 16);
  EXPECT_EQ(task["most_nodes"], 6);
  EXPECT_EQ(task["test_nodes"], json({6, 12}));
  EXPECT_EQ(task["test_deep_nodes"], json({9}));
  EXPECT_EQ(task["generator"], "deep");
  EXPECT_EQ(task["supervised"], "definition-only");
  const json published = plan({"latent-reasoning", "--paper-size"})["runs"][0]["config"];
  EXPECT_EQ(published["task"]["modulus"], 23);
  EXPECT_EQ(published["task"]["operations"], "all");
  EXPECT_EQ(published["model"]["positions"], "deberta");
}

TEST_F(Train, WrongOptionsOfLatentReasoningAreRefusedInOneSentence) {
  const auto with = [&](const Arguments& more, const std::string& reason) {
    Arguments all = {"latent-reasoning", "--out", "runs"};
    all.insert(all.end(), more.begin(), more.end());
    refuses(all, reason);
  };
  with({"--modulus", "4"}, "task.modulus: expected a prime from 2 to 997, found 4");
  with({"--nodes", "33"}, "task.most_nodes: expected at most task.names = 32");
  with({"--test-nodes", "8,64"}, "task.test_nodes: expected growing numbers of nodes");
  with({"--method", "magic"}, "found 'magic'");
  with({"--set", "task.validation=0"}, "task.validation: expected at least 1 graph per cell");
  with({"--set", "task.test_nodes=[]"}, "nothing would be measured");
  with({"--no-oracle"}, "--no-oracle: expected the method continuous");
  with({"--method", "continuous", "--no-oracle", "--discount", "1"}, "--discount: expected");
  with({"--format", "val"}, "--format: expected the method chain-of-thought");
  with({"--method", "continuous", "--discount", "0.3"}, "--discount: expected --no-oracle");
  with({"--operands", "4"}, "--operands");
}

/// Options of ReLIT on a backbone that is not read, because the task has words of its own.
Arguments on_backbone(const Arguments& more) {
  Arguments arguments = {"relit", "--backbone", "no-file", "--set", "task.tokens="};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(Train, MethodsAndStatesOfReLitAreASeriesOfRuns) {
  const json runs = plan(on_backbone({"--method", "relit,one-pass", "--states", "last,random",
                                      "--training-samples", "200,800", "--epochs", "2"}));
  EXPECT_EQ(names_of(runs),
            (std::vector<std::string>{"relit-200/seed-1", "relit-800/seed-1",
                                      "relit-random-200/seed-1", "relit-random-800/seed-1",
                                      "one-pass-200/seed-1", "one-pass-800/seed-1",
                                      "one-pass-random-200/seed-1", "one-pass-random-800/seed-1"}));
  const json& relit = runs["runs"][0]["config"];
  EXPECT_EQ(relit["network"]["kind"], "relit");
  EXPECT_EQ(relit["network"]["backbone"], "no-file");
  EXPECT_EQ(relit["network"]["macro_steps"], 3);
  EXPECT_EQ(relit["training"]["steps"], 13);  // 2 x 200 / 32
  const json& one_pass = runs["runs"][7]["config"];
  EXPECT_EQ(one_pass["preset"], "one-pass");
  EXPECT_EQ(one_pass["network"]["states"], "random");
  EXPECT_EQ(one_pass["network"]["latent_steps"], 1);
  EXPECT_EQ(one_pass["task"]["macro_steps"], 1);
  EXPECT_EQ(one_pass["task"]["training_samples"], 800);
}

TEST_F(Train, OptionsOfReLitAreItsSettings) {
  const json config =
      plan(on_backbone({"--world", "open", "--negation", "rules", "--depths", "3,1",
                        "--test-samples", "60", "--macro-steps", "4", "--recursions", "5",
                        "--latent-steps", "6", "--block-layers", "2"}))["runs"][0]["config"];
  EXPECT_EQ(config["task"]["world"], "open");
  EXPECT_EQ(config["task"]["depths"], json({1, 3}));
  EXPECT_EQ(config["task"]["test_samples"], 60);
  EXPECT_EQ(config["task"]["macro_steps"], 4);
  EXPECT_EQ(config["network"]["macro_steps"], 4);
  EXPECT_EQ(config["network"]["recursions"], 5);
  EXPECT_EQ(config["network"]["latent_steps"], 6);
  EXPECT_EQ(config["network"]["layers"], 2);
  const json published = plan(on_backbone({"--paper-size"}))["runs"][0]["config"];
  EXPECT_EQ(published["task"]["batch"], 128);
  EXPECT_EQ(published["network"]["macro_steps"], 6);
  const json base = plan({"relit", "--pretrain", "--prompts", "nli"})["runs"][0];
  EXPECT_EQ(base["name"], "base/seed-1");
  EXPECT_EQ(base["config"]["task"]["kind"], "rule-text");
  EXPECT_EQ(base["config"]["task"]["set"], "nli");
  EXPECT_TRUE(base["config"]["network"].is_null());
  EXPECT_EQ(base["config"]["model"]["initial"], 4);
}

TEST_F(Train, WrongOptionsOfReLitAreRefusedInOneSentence) {
  const auto with = [&](Arguments arguments, const std::string& reason) {
    arguments.insert(arguments.end(), {"--out", "runs"});
    refuses(arguments, reason);
  };
  with({"relit"}, "expected either --backbone, a language model, or --pretrain to train one");
  with({"relit", "--pretrain", "--backbone", "file"}, "expected either --backbone");
  for (const Arguments& of_the_block : {Arguments{"--epochs", "2"},
                                        {"--macro-steps", "2"},
                                        {"--method", "one-pass"},
                                        {"--states", "random"},
                                        {"--training-samples", "9"},
                                        {"--test-samples", "9"},
                                        {"--recursions", "2"},
                                        {"--latent-steps", "2"},
                                        {"--block-layers", "2"}}) {
    Arguments arguments = {"relit", "--pretrain"};
    arguments.insert(arguments.end(), of_the_block.begin(), of_the_block.end());
    with(arguments, "--pretrain: expected no options of the block");
  }
  with({"relit", "--pretrain", "--prompts", "file", "--questions", "q.jsonl"},
       "--prompts: expected rules or nli with --pretrain");
  with({"relit", "--backbone", "no-file"}, "no-file");
  with(on_backbone({"--prompts", "file"}), "--questions: expected a file exactly with");
  with(on_backbone({"--questions", "q.jsonl"}), "--questions: expected a file exactly with");
  with(on_backbone({"--prompts", "nli", "--depths", "1"}),
       "--world, --negation, --depths: expected");
  with(on_backbone({"--prompts", "nli", "--world", "open"}),
       "--world, --negation, --depths: expected");
  with(on_backbone({"--method", "linear-probe,one-pass", "--recursions", "3"}),
       "--macro-steps, --recursions, --latent-steps: expected");
  with(on_backbone({"--depths", "6"}), "--depths");
  with(on_backbone({"--world", "open", "--negation", "facts"}), "task.negation: expected rules");
  with(on_backbone({"--set", "network.macro_steps=5"}), "task.macro_steps: expected");
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
  refuses(with({"--set", "model.activation=tanh"}), "expected one of relu, gelu, swiglu");
  refuses(with({"--set", "model.gate=gru"}), "parts of the loop");
  refuses(with({"--set", "training.beta1=1"}), "training.beta1");
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
  refuses({"word-problem", "--monoid", "S3", "--depths", "0", "--out", "runs"}, "--depths");
  refuses({"word-problem", "--kind", "loop", "--block", "3", "--depths", "4", "--out", "runs"},
          "--block: expected a divisor of the depth 4");
  refuses({"word-problem", "--monoid", "S3"}, "--out: expected the folder");
  refuses({"row-tokens", "--depths", "1", "--set", "task.cut=2", "--out", "runs"}, "task.cut");
  const auto recurrent = [&](Arguments more, const std::string& reason) {
    more.insert(more.begin(), "depth-recurrent");
    more.insert(more.end(), {"--out", "runs"});
    refuses(more, reason);
  };
  recurrent({"--set", "task.hardest=9"}, "task.hardest");
  recurrent({"--task", "chess"}, "--task: expected graphs|expressions|families, found 'chess'");
  recurrent({"--ablation", "width"},
            "--ablation: expected "
            "supervision|gate|layer-scale|step-embedding|mask|loops|untied, found 'width'");
  recurrent({"--task", "expressions", "--generator", "twin"},
            "--generator: expected --task graphs");
  recurrent({"--task", "families", "--ablation", "mask"},
            "--ablation mask: expected --task graphs");
  recurrent({"--supervision", "last", "--ablation", "gate"},
            "--supervision: expected without --ablation");
  recurrent({"--task", "expressions", "--set", "task.easiest=0"},
            "task.easiest: expected 1 to task.hardest = 4, found 0");
  recurrent({"--task", "expressions", "--set", "task.tested=[0,1]"},
            "task.tested: expected increasing numbers of at least 1");
  recurrent({"--set", "task.test_loops=[1,21]"},
            "model.step_rows: expected at least 21, the largest number of loops that is trained or "
            "measured, found 20");
  recurrent({"--set", "model.loops.most=21"}, "model.step_rows: expected at least 21");
  recurrent({"--task", "families", "--set", "task.tested=[2,6]"}, "task.names");
  recurrent({"--generator", "random-pairs", "--set", "task.tested=[1,30]"},
            "random-pairs found no graph of 36 vertices with a distance of 30");
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
    const bool of_models = name == "etd.json" || name == "relit.json";
    if (!of_models) {
      EXPECT_EQ(folder.read(name), stored) << name;
      ++written;
    }
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

}  // namespace
}  // namespace logdepth::command_line_train_tests
