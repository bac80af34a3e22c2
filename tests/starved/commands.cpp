#include "tests/starved/commands.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "base/quoted_text.hpp"
#include "tests/support/places.hpp"

namespace logdepth::starved {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = support::source_dir();
const std::string kExamples = kRoot + "/examples/";

/// Everything below the folder, with the sizes of files.
std::set<std::string> contents(const fs::path& folder) {
  std::set<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    all.insert(fs::relative(entry.path(), folder).string());
  return all;
}

}  // namespace

const std::vector<Use>& uses() {
  static const std::string runs = kRoot + "/bench/results/";
  static const std::vector<Use> all = {
      {"compile regular", {"--regex", "ab", "--emit", "ab.dot", "-o", "out.json"}},
      {"compile program", {kExamples + "programs/flipflop.cells", "-o", "out.json"}},
      {"compile crasp", {kExamples + "crasp/dyck1.crasp", "-o", "out.json.gz"}},
      {"compile division", {"-o", "out.json"}},
      {"compile connectivity", {"-o", "out.json"}},
      {"compile computation-graph",
       {"--prime", "3", "--names", "4", "--depth", "2", "-o", "out.json"}},
      {"compile formula", {"--algebra", "mod3", "-o", "out.json"}},
      {"compile khop", {"--hops", "2", "--letters", "2", "-o", "out.json"}},
      {"compile ltl", {"P a", "-o", "out.json"}},
      {"run", {"abb.json", "--input", "aabb", "--trace", "trace.jsonl"}},
      {"run", {"abb.json", "--input", "aabb", "--engine", "float64", "--threads", "8"}},
      {"run",
       {"graph.json", "--graph", "graph.edges", "--source", "0", "--target", "1", "--threads",
        "8"}},
      {"test", {"abb.json", "--against", "(a|b)*abb", "--up-to", "3", "--random", "2"}},
      {"test", {"abb.json", "--against", "command:cat", "--up-to", "2", "--random", "2"}},
      {"check",
       {"lem-3.1", "--up-to", "1", "--random", "1", "--threads", "8", "--report",
        "made/in/report"}},
      {"diff", {"abb.json", "--input", "aabb"}},
      {"certify", {"abb.json", "-o", "out.cert.json"}},
      {"info", {"abb.json"}},
      {"inspect", {"--regex", "ab"}},
      {"draw", {"abb.json", "--input", "abb", "-o", "out.svg"}},
      {"draw", {"abb.json", "-o", "out.png"}},
      {"export", {"abb.json", "--to", "torch", "--length", "4", "-o", "made/network"}},
      {"export", {"abb.json", "--to", "onnx", "--length", "4", "-o", "out.onnx"}},
      {"convert", {"--regex", "ab", "-o", "out.mata"}},
      {"zoo", {"made/zoo", "--only", "group-Z2"}},
      {"play", {"abb.json", "--folder", "no-folder"}},
      {"train word-problem", {"--write-plan", "out.json"}},
      {"train word-problem",
       {"--monoid", "Z2", "--depths", "1", "--steps", "1", "--out", "runs"},
       true},
      {"train depth-recurrent", {"--write-plan", "out.json"}},
      {"train row-tokens", {"--write-plan", "out.json"}},
      {"train latent-reasoning", {"--write-plan", "out.json"}},
      {"train construction", {"a5.json", "--monoid", "A5", "--write-plan", "out.json"}},
      {"train plan", {kExamples + "plans/depth.json", "--out", "runs", "--status"}},
      {"data words", {"--monoid", "A5", "--length", "4", "--words", "3", "-o", "out.csv"}},
      {"data words",
       {"--crasp", kExamples + "crasp/dyck1.crasp", "--length", "4", "--words", "3", "-o",
        "out.csv"}},
      {"data check", {"words.csv", "--monoid", "A5"}},
      {"compare depth", {"--up-to", "4", "--out", "made/depth"}},
      {"measure", {"no-run"}},
  };
  return all;
}

std::vector<std::string> words_of(const Use& use) {
  std::vector<std::string> words;
  std::istringstream in(use.command);
  for (std::string word; in >> word;) words.push_back(word);
  words.insert(words.end(), use.arguments.begin(), use.arguments.end());
  return words;
}

void Starved::SetUp() {
  compile_regex("(a|b)*abb", "abb.json");
  done({"compile", "regular", "--group", "A5", "-o", "a5.json"});
  done({"compile", "connectivity", "-o", "graph.json"});
  done({"data", "words", "--monoid", "A5", "--length", "3", "--words", "2", "-o", "words.csv"});
  std::string edges;  // enough work for several threads
  for (int i = 0; i < 20; ++i)
    edges += std::to_string(i) + " " + std::to_string((i * 7 + 1) % 20) + "\n";
  folder.write("graph.edges", edges);
}

std::set<std::string> Starved::commands(const std::string& phrase,
                                        const std::vector<std::string>& path) const {
  std::vector<std::string> asked = path;
  asked.push_back("--help");
  const std::string help = done(asked);
  std::set<std::string> found;
  bool listed = false;
  for (const std::string& line : support::lines(help)) {
    static const std::regex kCommand("^  ([a-z-]+) .*");
    std::smatch match;
    if (line == "Subcommands:") {
      listed = true;
    } else if (listed && std::regex_match(line, match, kCommand)) {
      std::vector<std::string> below = path;
      below.push_back(match[1]);
      found.merge(commands(phrase, below));
    }
  }
  if (listed) return found;
  // Lines of help are broken between words.
  const std::string said = std::regex_replace(help, std::regex("\\s+"), " ");
  if (said.find(phrase) == std::string::npos) return {};
  std::string name;
  for (const std::string& word : path) name += (name.empty() ? "" : " ") + word;
  return {name};
}

support::Finished Starved::starve(const std::string& before,
                                  const std::vector<std::string>& arguments,
                                  const std::string& after) const {
  std::string command = shell_word(support::program());
  for (const std::string& argument : arguments) command += " " + shell_word(argument);
  SCOPED_TRACE(before + " " + command + " " + after);
  const std::set<std::string> had = contents(folder.path());
  // Through pipes: where no file may grow, those that take the streams of a test may not, either.
  const support::Finished finished =
      support::run_process({"bash", "-o", "pipefail", "-c",
                            "{ (" + before + " exec " + command + " " + after +
                                " 3>&-) 2>&1 >&3 | cat >&2; } 3>&1 | cat"},
                           folder.path());
  EXPECT_TRUE(finished.status >= 0 && finished.status <= 3) << finished.status << "\n"
                                                            << finished.err.substr(0, 1000);
  EXPECT_EQ(finished.err.find("a defect of logdepth"), std::string::npos)
      << finished.err.substr(0, 1000);
  if (finished.status == 2) {
    const auto said = support::lines(finished.err);
    EXPECT_TRUE(after.starts_with("2>") || (!said.empty() && said.back().starts_with("logdepth: ")))
        << finished.err;
  }
  for (const char c : finished.err)
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ') << "a control character";
  EXPECT_LT(finished.err.size(), 20000u);
  for (const std::string& name : contents(folder.path())) {
    if (had.contains(name)) continue;
    const fs::path path = folder.path() / name;
    EXPECT_FALSE(name.ends_with(".part")) << name;
    EXPECT_TRUE(finished.status == 0 || !fs::is_empty(path)) << name << " is empty";
  }
  for (const std::string& name : contents(folder.path()))
    if (!had.contains(name)) fs::remove_all(folder.path() / name);
  return finished;
}

// Every command, with little of what a machine has.

namespace {

class StarvedCommands : public Starved {
 protected:
  /// KiB of address space without which the program does not even say its version.
  std::size_t least_room() const {
    std::size_t room = std::size_t{1} << 14;
    while (support::run_process({"bash", "-c",
                                 "ulimit -v " + std::to_string(room) + "; exec " +
                                     shell_word(support::program()) + " --version"},
                                folder.path())
               .status != 0)
      room += room / 16;
    return room;
  }

  void starve_all(const std::string& before, bool trainings) const {
    for (const Use& use : uses())
      if (trainings || !use.trains) starve(before, words_of(use));
  }
};

TEST_F(StarvedCommands, AreAllCommandsThatHelpLists) {
  std::set<std::string> used;
  for (const Use& use : uses()) used.insert(use.command);
  EXPECT_EQ(used, commands());
}

TEST_F(StarvedCommands, EndWellWithoutAThreadOrAProcess) {
  const std::string preload = "LD_PRELOAD=" + shell_word(support::preloaded("few_processes")) + " ";
  for (const char* threads : {"0", "1"})
    starve_all("export ASAN_OPTIONS=verify_asan_link_order=0 STARVED_THREADS=" +
                   std::string(threads) + " " + preload + ";",
               true);
}

TEST_F(StarvedCommands, EndWellWhereNoByteCanBeWrittenToAFile) {
  starve_all("ulimit -f 0;", true);
}

TEST_F(StarvedCommands, EndWellWithLittleMemory) {
  // The sanitizers reserve terabytes of addresses.
  if (support::sanitized()) return;
  const std::size_t least = least_room();
  // Some memory makes Fontconfig, which draws letters for rsvg-convert, ask again for ever.
  for (const std::size_t percent : {100, 102, 105, 112, 120, 130, 180, 300})
    starve_all("ulimit -t 20 -v " + std::to_string(least * percent / 100) + ";", true);
}

TEST_F(StarvedCommands, EndWellWithoutATemporaryFolder) {
  starve_all("export TMPDIR=/none/such;", false);
}

TEST_F(StarvedCommands, EndWellWhereTheDiskIsFull) {
  for (const Use& use : uses()) {
    if (use.trains) continue;
    const auto finished = starve("", words_of(use), "> /dev/full");
    // What has something to say there says why it cannot.
    EXPECT_TRUE(finished.err.find("standard output") == std::string::npos ||
                finished.err.find("No space left on device") != std::string::npos)
        << finished.err;
  }
}

}  // namespace

}  // namespace logdepth::starved
