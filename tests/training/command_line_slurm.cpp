// `train plan` with Slurm as far as it needs no cluster: programs of Slurm's names stand on the path
// and say what a test wants.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "learned/jobs/training_jobs.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_slurm_tests { namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

class SlurmCommand : public support::CommandLine {
 protected:
  void SetUp() override {
    fs::create_directory(folder.path() / "bin");
    done({"train", "word-problem", "--monoid", "Z2", "--depths", "1", "--widths", "16",
          "--max-length", "4", "--set", "task.validation=100", "--steps", "20", "--seeds",
          "1,2,3,4,5,6,7", "--write-plan", "p.json"});
    json plan = json::parse(folder.read("p.json"));
    for (std::size_t i = 0; i < plan["runs"].size(); ++i)
      plan["runs"][i]["name"] = "it's/run " + std::to_string(i);
    folder.write("p.json", plan.dump());
    program("sbatch",
            "cp \"$2\" submitted; env > environment; echo 'sbatch: a remark' >&2; echo '77;ours'");
  }
  void program(const std::string& name, const std::string& commands) const {
    folder.write("bin/" + name, "#!/bin/bash\n" + commands + "\n");
    chmod(folder.file("bin/" + name).c_str(), 0755);
  }
  Finished plan(const Arguments& more, const std::string& path = "",
                const Arguments& variables = {}) const {
    Arguments command = {"env",
                         "PATH=" + (path.empty() ? folder.file("bin") + ":/usr/bin:/bin" : path)};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(),
                   {support::program(), "train", "plan", "p.json", "--out", "my runs"});
    command.insert(command.end(), more.begin(), more.end());
    return support::run_process(command, folder.path());
  }
  void refuses(const Arguments& more, const std::string& reason,
               const std::string& path = "") const {
    const Finished finished = plan(more, path);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
    EXPECT_FALSE(fs::exists(folder.file("my runs/slurm/1"))) << reason;
  }
  std::string submit(const Arguments& more = {}, const Arguments& variables = {}) const {
    Arguments arguments = {"--slurm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = plan(arguments, "", variables);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.err;
  }
  /// A task of the array that was submitted, as a node runs it.
  Finished task(const std::string& number) const {
    return support::run_process({"env", "SLURM_ARRAY_JOB_ID=77", "SLURM_ARRAY_TASK_ID=" + number,
                                 "SLURMD_NODENAME=node9", "bash", "submitted"},
                                folder.path());
  }
};

TEST_F(SlurmCommand, WithoutSbatchOrWhereItRefusesOneSentenceSaysSoAndNothingIsLeft) {
  refuses({"--slurm"}, "expected Slurm's program sbatch on the path", "/nowhere");
  EXPECT_FALSE(fs::exists(folder.file("my runs")));
  program(
      "sbatch",
      "echo 'sbatch: error: Batch job submission failed: Invalid qos specification' >&2; exit 1");
  refuses({"--slurm"}, "--slurm: sbatch refuses the job: Batch job submission failed: Invalid qos");
  program("sbatch", "echo Submitted");
  refuses({"--slurm"}, "expected the number of a job of sbatch, found 'Submitted'");
}

TEST_F(SlurmCommand, WrongOptionsAreRefused) {
  refuses({"--slurm", "--status"}, "--s");
  refuses({"--slurm", "--jobs", "2"}, "--jobs");
  refuses({"--status", "--threads", "2"}, "--threads");
  refuses({"--partition", "gpu"}, "--partition");
  refuses({"--slurm", "--partition", "a b"}, "--partition: expected letters, digits");
  refuses({"--slurm", "--time", "1 --exclusive"}, "--time: expected letters, digits");
  refuses({"--slurm", "--array-limit", "0"}, "--array-limit");
  refuses({"--slurm", "--run", "nobody"}, "--run: expected the name of a run of p.json");
  json plan = json::parse(folder.read("p.json"));
  plan["runs"][2]["name"] = "slurm/1";
  folder.write("p.json", plan.dump());
  refuses({"--slurm"}, "found the run slurm/1");
}

TEST_F(SlurmCommand, TheScriptIsStoredAndAsksForWhatTheCommandWasTold) {
  const std::string said =
      submit({"--partition", "long", "--time", "2-00:00:00", "--array-limit", "3", "--memory", "4",
              "--threads", "2", "--device", "cuda"},
             {"SBATCH_PARTITION=short", "SBATCH_TIMELIMIT=1", "SBATCH_ACCOUNT=ours"});
  EXPECT_NE(said.find("submitted job 77: 7 runs"), std::string::npos) << said;
  const std::string script = folder.read("submitted");
  EXPECT_EQ(script, folder.read("my runs/slurm/1/array.sh"));
  for (const std::string line :
       {"--array=0-6%3", "--cpus-per-task=2", "--mem=4G", "--gres=gpu:1", "--partition=long",
        "--time=2-00:00:00", "--requeue", "--signal=B:TERM@60", "--job-name=\"p\""})
    EXPECT_NE(script.find("\n#SBATCH " + line + "\n"), std::string::npos) << script << line;
  EXPECT_NE(script.find("\n#SBATCH --chdir=\"" + folder.path().string() + "\"\n"),
            std::string::npos)
      << script;
  const std::string program = script.substr(script.find("\nprogram=") + 9);
  EXPECT_LE(program.find(support::program()), 1u) << "behind a quotation mark where it needs one";
  // Variables of sbatch go before a script, but not before this command's options.
  const std::string environment = folder.read("environment");
  EXPECT_EQ(environment.find("SBATCH_PARTITION"), std::string::npos);
  EXPECT_EQ(environment.find("SBATCH_TIMELIMIT"), std::string::npos);
  EXPECT_NE(environment.find("SBATCH_ACCOUNT=ours"), std::string::npos);
  EXPECT_EQ(json::parse(folder.read("my runs/slurm/1/plan.json")),
            json::parse(folder.read("p.json")));
}

TEST_F(SlurmCommand, ATaskCarriesOutItsRunInTheRunsOwnFolder) {
  submit();
  const Finished finished = task("3");
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out + finished.err, "") << "a run has a log";
  const std::string log = folder.read("my runs/it's/run 3/slurm.log");
  EXPECT_NE(log.find("task 3 of job 77 on node9"), std::string::npos) << log;
  EXPECT_NE(log.find("it's/run 3: Z2: n* = "), std::string::npos) << log;
  EXPECT_EQ(json::parse(folder.read("my runs/it's/run 3/record.json"))["seed"], 4);
  std::size_t runs = 0;
  for (const auto& entry : fs::directory_iterator(folder.path() / "my runs/it's")) {
    EXPECT_EQ(entry.path().filename(), "run 3");
    ++runs;
  }
  EXPECT_EQ(runs, 1u);

  // The same task once more, and a submission of what is left.
  const std::string record = folder.read("my runs/it's/run 3/record.json");
  EXPECT_EQ(task("3").status, 0);
  EXPECT_EQ(folder.read("my runs/it's/run 3/record.json"), record);
  const std::string said = submit();
  EXPECT_NE(said.find("it's/run 3: done before"), std::string::npos) << said;
  EXPECT_NE(said.find("submitted job 77: 6 runs"), std::string::npos) << said;
  EXPECT_NE(folder.read("my runs/slurm/2/array.sh").find("--array=0-5\n"), std::string::npos);
}

TEST_F(SlurmCommand, StatesAreWhatTheFoldersSay) {
  submit();
  for (const char* number : {"0", "1", "2"}) ASSERT_EQ(task(number).status, 0);
  fs::remove(folder.file("my runs/it's/run 1/record.json"));
  folder.write("my runs/it's/run 2/record.json", "no record");
  fs::create_directories(folder.path() / "my runs/it's/run 3");
  folder.write("my runs/it's/run 3/slurm.log", "== a task\nlogdepth: no weights\n");
  fs::create_directories(folder.path() / "my runs/it's/run 4");
  const FolderLock held(folder.file("my runs/it's/run 4"));
  const Finished table = plan({"--status"});
  EXPECT_EQ(table.status, 0) << table.err;
  const auto shown = lines(table.out);
  ASSERT_EQ(shown.size(), 10u) << table.out;
  EXPECT_EQ(shown[0], "run         state    detail");
  EXPECT_TRUE(shown[1].starts_with("it's/run 0  done     Z2: n* = ")) << table.out;
  EXPECT_EQ(shown[2], "it's/run 1  ended    without a record, 20 of 20 steps in the checkpoint");
  EXPECT_TRUE(shown[3].starts_with("it's/run 2  failed   my runs/it's/run 2/record.json: expected"))
      << table.out;
  EXPECT_EQ(shown[4], "it's/run 3  ended    without a record");
  EXPECT_TRUE(shown[5].starts_with("it's/run 4  running  process ")) << table.out;
  EXPECT_EQ(shown[6], "it's/run 5  missing  not begun");
  EXPECT_EQ(shown[9], "7 runs: 1 done, 1 running, 1 failed, 2 ended, 2 missing");

  // What is done or at work is left alone.
  const std::string said = submit();
  EXPECT_NE(said.find("it's/run 0: done before"), std::string::npos) << said;
  EXPECT_NE(said.find("it's/run 4: not submitted again, process "), std::string::npos) << said;
  EXPECT_NE(said.find("submitted job 77: 5 runs"), std::string::npos) << said;
}

}}  // namespace logdepth::command_line_slurm_tests
