// The rules of the house that no compiler checks: who includes whom, names that say something,
// files with one subject, formatting.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace logdepth::house_rules_tests {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = LOGDEPTH_SOURCE_DIR;
const std::vector<std::string> kFolders = {
    "logdepth",     "objects",  "oracle",  "figures", "runtime", "compiler", "constructions",
    "proofs-check", "requests", "exports", "library", "learned", "cli",      "python"};

struct Source {
  fs::path path;       // relative to the root
  std::string folder;  // first component
  std::vector<std::string> includes;
  std::size_t lines = 0;
};

std::vector<Source> sources(const std::vector<std::string>& folders) {
  std::vector<Source> found;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      Source source{fs::relative(entry.path(), kRoot), folder, {}, 0};
      std::ifstream in(entry.path());
      static const std::regex kInclude("^#include \"([^\"]+)\"");
      for (std::string line; std::getline(in, line); ++source.lines) {
        std::smatch match;
        if (std::regex_search(line, match, kInclude)) source.includes.push_back(match[1]);
      }
      found.push_back(std::move(source));
    }
  return found;
}

std::string folder_of(const std::string& include) {
  return include.substr(0, include.find('/'));
}

/// Who may include whom, room by room. What stands here is used: a permission that no include needs
/// is taken back.
const std::map<std::string, std::string> kMaySee = {
    {"logdepth", ""},
    {"objects", ""},
    {"oracle", "objects"},
    {"figures", "objects"},
    {"runtime/numbers", "objects"},
    {"runtime/file", "runtime/numbers objects"},
    {"runtime/stream", "runtime/file runtime/numbers objects"},
    {"runtime/exact", "runtime/stream runtime/file runtime/numbers objects"},
    {"runtime/floats", "runtime/exact runtime/stream runtime/file runtime/numbers objects"},
    {"compiler/program", "runtime/file runtime/numbers objects"},
    {"compiler/builder", "compiler/program runtime/file objects"},
    {"compiler/meaning", "compiler/program runtime/stream runtime/file runtime/numbers"},
    {"compiler/rules", "compiler/meaning compiler/program runtime/file objects"},
    {"compiler/analysis", "compiler/rules compiler/program objects"},
    {"compiler/laws", "compiler/analysis compiler/rules compiler/program runtime/file objects"},
    {"compiler/passes",
     "compiler/laws compiler/analysis compiler/rules compiler/program runtime/file objects"},
    {"constructions", "runtime/file objects"},
    // A folder for each paper; none of them is named here.
    {"constructions/PAPER", "constructions compiler/program runtime/file objects"},
    // What is claimed about the statements of a paper stands beside them, and is of proofs-check.
    {"constructions/PAPER claims",
     "constructions/PAPER constructions proofs-check/claims proofs-check/precision compiler/passes "
     "runtime/file objects"},
    // What asks questions of a file trusts nothing that made the file.
    {"proofs-check/check",
     "runtime/exact runtime/floats runtime/stream runtime/file runtime/numbers oracle objects"},
    {"proofs-check/file",
     "compiler/passes compiler/rules compiler/program runtime/stream runtime/file objects"},
    {"proofs-check/difference",
     "proofs-check/file compiler/passes compiler/rules compiler/meaning compiler/program "
     "runtime/floats runtime/exact runtime/stream runtime/file runtime/numbers objects"},
    {"proofs-check/pictures",
     "proofs-check/difference proofs-check/file compiler/program runtime/exact runtime/stream "
     "runtime/file runtime/numbers figures objects"},
    {"proofs-check/precision",
     "proofs-check/check compiler/passes constructions/PAPER runtime/exact "
     "runtime/file runtime/numbers figures oracle objects"},
    {"proofs-check/forecast",
     "proofs-check/file compiler/passes constructions/PAPER constructions objects"},
    {"proofs-check/claims",
     "proofs-check/check compiler/passes compiler/builder compiler/program runtime/exact "
     "runtime/file runtime/numbers oracle objects"},
    {"proofs-check/ledger",
     "proofs-check/claims proofs-check/check proofs-check/file proofs-check/pictures "
     "compiler/passes constructions/PAPER runtime/file figures oracle objects"},
    {"requests",
     "proofs-check/forecast proofs-check/check proofs-check/file constructions/PAPER constructions "
     "compiler/passes compiler/meaning compiler/program runtime/floats runtime/exact "
     "runtime/stream runtime/file runtime/numbers oracle objects"},
    {"exports",
     "proofs-check/check proofs-check/file runtime/exact runtime/stream runtime/file objects"},
    {"library",
     "requests exports compiler/program proofs-check/check proofs-check/file proofs-check/pictures "
     "runtime/exact runtime/stream runtime/file runtime/numbers oracle objects"},
    {"python/bindings", ""},  // the public headers alone
    {"learned/records", "runtime/file objects"},
    {"learned/language_model", "learned/records runtime/file runtime/numbers figures objects"},
    {"learned/core",
     "learned/language_model learned/records runtime/exact runtime/stream runtime/file objects"},
    {"learned/report", "learned/records runtime/file figures objects"},
    {"learned", "learned/core learned/report learned/records"},  // the list of papers
    {"learned/word_problems",
     "learned learned/core learned/report learned/records runtime/file figures objects"},
    {"learned/reachability", "learned learned/records objects"},
    {"learned/depth_recurrent", "learned learned/report learned/records figures objects"},
    {"learned/latent_reasoning",
     "learned learned/core learned/report learned/records figures objects"},
    {"learned/encode_think_decode",
     "learned learned/report learned/language_model learned/records runtime/file figures objects"},
    {"learned/relit",
     "learned learned/core learned/report learned/language_model learned/records runtime/file "
     "figures objects"},
};

std::set<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string room_of(const fs::path& file) {
  const std::string name = file.stem().string();
  std::string folder = file.parent_path().generic_string();
  if (folder.starts_with("constructions/")) folder = "constructions/PAPER";
  return folder + (name.ends_with("_claims") || name.ends_with("_defects") ? " claims" : "");
}

TEST(HouseRules, IncludesPointOneWay) {
  std::map<std::string, std::set<std::string>> unused;
  for (const auto& [room, seen] : kMaySee) unused[room] = words_of(seen);
  std::size_t seen = 0;
  for (const Source& source : sources(kFolders)) {
    const std::string room = room_of(source.path);
    for (const std::string& include : source.includes) {
      ++seen;
      EXPECT_TRUE(fs::exists(kRoot / include))
          << source.path << ": includes are written from the root, found " << include;
      const std::string other = room_of(include);
      // cli sees all, and what is public is seen by all.
      if (other == room || other == "logdepth" || source.folder == "cli") continue;
      ASSERT_TRUE(kMaySee.contains(room)) << source.path << " is in no room of the table";
      EXPECT_TRUE(words_of(kMaySee.at(room)).contains(other))
          << source.path << " may not include " << include;
      unused[room].erase(other);
    }
  }
  for (const auto& [room, left] : unused)
    for (const std::string& other : left)
      ADD_FAILURE() << room << " includes nothing of " << other << " any more";
  EXPECT_GT(seen, 100u) << "the test did not find the sources";
}

TEST(HouseRules, NoRoomIsReachedFromItself) {
  for (const auto& [room, seen] : kMaySee) {
    std::set<std::string> reached;
    std::vector<std::string> open = {room};
    while (!open.empty()) {
      const std::string from = open.back();
      open.pop_back();
      for (const std::string& next : words_of(kMaySee.at(from)))
        if (reached.insert(next).second) open.push_back(next);
    }
    EXPECT_FALSE(reached.contains(room)) << room;
  }
}

TEST(HouseRules, TheCompilerNeverSeesTheForwardPass) {
  const std::set<std::string> forward_pass = {
      "runtime/stream/forward.hpp",      "runtime/exact/exact.hpp",
      "runtime/stream/embed.hpp",        "runtime/exact/attention_rules.hpp",
      "runtime/exact/promise_check.hpp", "runtime/exact/run_model.hpp",
      "runtime/exact/value_pool.hpp",    "runtime/stream/arithmetic.hpp",
      "runtime/stream/stream.hpp",       "runtime/floats/float_run.hpp"};
  for (const Source& source : sources({"compiler", "constructions"}))
    for (const std::string& include : source.includes)
      EXPECT_FALSE(forward_pass.contains(include)) << source.path << " includes " << include;
  for (const std::string& header : forward_pass)
    EXPECT_TRUE(fs::exists(kRoot / header)) << header << " was renamed; keep this list true";
}

TEST(HouseRules, ConstructionsSeeProgramsAndNotPasses) {
  for (const Source& source : sources({"constructions"}))
    for (const std::string& include : source.includes)
      if (folder_of(include) == "compiler" && !room_of(source.path).ends_with(" claims")) {
        EXPECT_TRUE(include == "compiler/program/program.hpp" ||
                    include == "compiler/program/program_text.hpp")
            << source.path << " includes " << include;
      }
}

TEST(HouseRules, OraclesShareNoAlgorithmWithTheConstructions) {
  const std::set<std::string> data = {
      "objects/action.hpp",   "objects/automaton.hpp", "objects/crasp.hpp",
      "objects/graph.hpp",    "objects/regex.hpp",     "logdepth/errors.hpp",
      "objects/overload.hpp", "objects/utf8.hpp",      "objects/quoted_text.hpp"};
  for (const Source& source : sources({"oracle"})) {
    for (const std::string& include : source.includes)
      if (folder_of(include) == "objects") {
        EXPECT_TRUE(data.contains(include)) << include;
      }
    std::ifstream in(kRoot / source.path);
    std::stringstream text;
    text << in.rdbuf();
    for (const char* algorithm : {"determinise(", "minimise(", "to_nfa(", "enumerate_monoid("})
      EXPECT_EQ(text.str().find(algorithm), std::string::npos) << source.path << " " << algorithm;
  }
}

TEST(HouseRules, FileNamesSaySomething) {
  static const std::regex kEmpty("(^|[_-])(utils?|common|misc|helpers?|manager)([_.-]|$)");
  std::vector<std::string> folders = kFolders;
  folders.push_back("tests");
  for (const Source& source : sources(folders))
    EXPECT_FALSE(std::regex_search(source.path.filename().string(), kEmpty)) << source.path;
}

TEST(HouseRules, NoPropertyIsCheckedWithoutBeingHeld) {
  // rc::check returns whether the property holds; RC_GTEST_PROP asks for it by itself.
  static const std::regex kDropped("^\\s*rc::check\\(");
  for (const Source& source : sources({"tests"})) {
    std::ifstream in(kRoot / source.path);
    for (std::string line; std::getline(in, line);)
      EXPECT_FALSE(std::regex_search(line, kDropped)) << source.path << ": " << line;
  }
}

TEST(HouseRules, AFileHasOneSubject) {
  std::vector<std::string> folders = kFolders;
  folders.push_back("tests");
  for (const Source& source : sources(folders)) EXPECT_LE(source.lines, 500u) << source.path;
}

TEST(HouseRules, EveryFolderSaysWhatLivesThere) {
  std::vector<std::string> folders = kFolders;
  folders.insert(folders.end(), {"tests", "examples"});
  for (const std::string& folder : folders)
    EXPECT_TRUE(fs::exists(kRoot / folder / "README.md")) << folder;
}

TEST(HouseRules, SourcesAreFormatted) {
  if (std::system("clang-format --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "clang-format is not installed; formatting was not checked";
  std::vector<std::string> folders = kFolders;
  folders.push_back("tests");
  std::string files;
  for (const Source& source : sources(folders))
    files += " '" + (kRoot / source.path).string() + "'";
  EXPECT_EQ(std::system(("clang-format --dry-run -Werror" + files).c_str()), 0);
}

}  // namespace
}  // namespace logdepth::house_rules_tests
