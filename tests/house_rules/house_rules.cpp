// The rules of the house that no compiler checks: who includes whom, names that say something,
// files with one subject, formatting.
#include <gtest/gtest.h>

#include <algorithm>
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

#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::house_rules_tests {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = support::source_dir();
const std::vector<std::string> kFolders = {
    "logdepth", "base",         "objects", "oracle",  "runtime", "compiler", "constructions",
    "report",   "proofs-check", "recheck", "library", "learned", "cli",      "python"};

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

std::set<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// A room is a folder; those of papers have one name, for none of them may be told apart.
std::string room_of(const fs::path& file) {
  const std::string folder = file.parent_path().generic_string();
  static const std::regex kPaper("(constructions|proofs-check/papers)/(?!catalogue$)[^/]+");
  return std::regex_replace(folder, kPaper, "$1/PAPER", std::regex_constants::format_first_only);
}

/// Who may include whom, from the table of CONTRIBUTING.md; what is public is seen by all. What stands
/// there is used: a permission that no include needs is taken back.
std::map<std::string, std::set<std::string>> may_include() {
  std::ifstream in(kRoot / "CONTRIBUTING.md");
  static const std::regex kRow("^\\| `([^`]+)` \\| ([^|]*) \\|$");
  std::map<std::string, std::set<std::string>> table;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) inside = line == "## Include rules";
    std::smatch row;
    if (inside && std::regex_match(line, row, kRow)) table[row[1]] = words_of(row[2]);
  }
  return table;
}

/// What can be reached from each node, by one step or more.
std::map<std::string, std::set<std::string>> reached_from(
    const std::map<std::string, std::set<std::string>>& arrows) {
  std::map<std::string, std::set<std::string>> reached;
  for (const auto& [start, unused] : arrows) {
    std::vector<std::string> open = {start};
    while (!open.empty()) {
      const auto next = arrows.find(open.back());
      open.pop_back();
      if (next == arrows.end()) continue;
      for (const std::string& node : next->second)
        if (reached[start].insert(node).second) open.push_back(node);
    }
  }
  return reached;
}

TEST(HouseRules, RoomsIncludeWhatTheTableOfContributingAllows) {
  const std::map<std::string, std::set<std::string>> table = may_include();
  std::map<std::string, std::set<std::string>> unused = table;
  std::size_t seen = 0;
  for (const Source& source : sources(kFolders)) {
    const std::string room = room_of(source.path);
    for (const std::string& include : source.includes) {
      ++seen;
      EXPECT_TRUE(fs::exists(kRoot / include))
          << source.path << ": includes are written from the root, found " << include;
      const std::string other = room_of(include);
      if (other == room || other == "logdepth" || source.folder == "cli") continue;
      ASSERT_TRUE(table.contains(room)) << source.path << " is in no room of CONTRIBUTING.md";
      EXPECT_TRUE(table.at(room).contains(other)) << source.path << " may not include " << include;
      unused[room].erase(other);
    }
  }
  for (const auto& [room, left] : unused)
    for (const std::string& other : left)
      ADD_FAILURE() << "CONTRIBUTING.md: " << room << " includes nothing of " << other;
  EXPECT_GT(seen, 100u) << "the test did not find the sources";
}

TEST(HouseRules, NoRoomAndNoFolderIsReachedFromItself) {
  std::map<std::string, std::set<std::string>> rooms, folders;
  for (const Source& source : sources(kFolders))
    for (const std::string& include : source.includes) {
      const std::string from = source.path.parent_path().generic_string();
      const std::string to = fs::path(include).parent_path().generic_string();
      if (from != to) rooms[from].insert(to);
      if (source.folder != folder_of(include)) folders[source.folder].insert(folder_of(include));
    }
  for (const auto& arrows : {rooms, folders})
    for (const auto& [node, reached] : reached_from(arrows))
      EXPECT_FALSE(reached.contains(node)) << node << " includes what includes it";
}

TEST(HouseRules, NoHeaderAndItsSourceAreReachedFromThemselves) {
  std::map<std::string, std::set<std::string>> arrows;
  for (const Source& source : sources(kFolders))
    for (const std::string& include : source.includes) {
      const std::string from = fs::path(source.path).replace_extension().generic_string();
      const std::string to = fs::path(include).replace_extension().generic_string();
      if (from != to) arrows[from].insert(to);
    }
  EXPECT_GT(arrows.size(), 500u) << "the test did not find the sources";
  for (const auto& [node, reached] : reached_from(arrows))
    EXPECT_FALSE(reached.contains(node)) << node << " includes what includes it";
}

TEST(HouseRules, TheCompilerNeverSeesTheForwardPass) {
  const std::set<std::string> forward_pass = {
      "runtime/stream/forward.hpp",       "runtime/exact/exact.hpp",
      "runtime/stream/embed.hpp",         "runtime/exact/attention_rules.hpp",
      "runtime/exact/contract_check.hpp", "runtime/exact/run_model.hpp",
      "runtime/exact/value_pool.hpp",     "runtime/stream/arithmetic.hpp",
      "runtime/stream/stream.hpp",        "runtime/floats/float_run.hpp"};
  for (const Source& source : sources({"compiler", "constructions"})) {
    // What reads finished files may; of what makes weights nothing includes these two rooms.
    const std::string room = room_of(source.path);
    if (room == "compiler/file" || room == "compiler/difference") continue;
    for (const std::string& include : source.includes)
      EXPECT_FALSE(forward_pass.contains(include)) << source.path << " includes " << include;
  }
  for (const std::string& header : forward_pass)
    EXPECT_TRUE(fs::exists(kRoot / header)) << header << " was renamed; keep this list true";
}

TEST(HouseRules, ConstructionsSeeProgramsAndNotPasses) {
  for (const Source& source : sources({"constructions"}))
    for (const std::string& include : source.includes)
      if (folder_of(include) == "compiler" && room_of(source.path) != "constructions/catalogue") {
        EXPECT_TRUE(include == "compiler/program/program.hpp" ||
                    include == "compiler/program/program_text.hpp")
            << source.path << " includes " << include;
      }
}

TEST(HouseRules, OraclesShareNoAlgorithmWithTheConstructions) {
  const std::set<std::string> data = {
      "objects/action.hpp", "objects/automaton.hpp", "objects/crasp.hpp",
      "objects/graph.hpp",  "objects/regex.hpp",     "logdepth/errors.hpp",
      "base/overload.hpp",  "base/utf8.hpp",         "base/quoted_text.hpp"};
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

/// "LINES ROOM" on every line.
std::map<std::string, std::size_t> lines_by_room(const std::string& text) {
  std::istringstream in(text);
  std::map<std::string, std::size_t> rooms;
  std::size_t lines = 0;
  for (std::string room; in >> lines >> room;) rooms[room] = lines;
  return rooms;
}

TEST(HouseRules, RoomsStayWithinTheirBoundsOfLines) {
  const fs::path folder = kRoot / "tests/house_rules";
  const support::Finished counted =
      support::run_process({(folder / "room_lines.sh").string()}, folder);
  ASSERT_EQ(counted.status, 0) << counted.err;
  std::ifstream in(folder / "room_bounds.txt");
  const std::map<std::string, std::size_t> lines = lines_by_room(counted.out),
                                           bounds =
                                               lines_by_room({std::istreambuf_iterator(in), {}});
  ASSERT_GT(lines.size(), 30u);
  for (const auto& [room, count] : lines) {
    ASSERT_TRUE(bounds.contains(room)) << room << " has no line in room_bounds.txt";
    EXPECT_LE(count, bounds.at(room))
        << room << ": make it smaller, or state why it is larger with room_lines.sh --bounds";
  }
  for (const auto& [room, bound] : bounds)
    EXPECT_TRUE(lines.contains(room)) << "room_bounds.txt: there is no " << room;
}

TEST(HouseRules, AFunctionIsReadAtOnce) {
  // As clang-format leaves it: a function ends with the first `}` that is alone on its line, as far in
  // as its first line. Classes end with `};`, namespaces with their names.
  constexpr std::size_t kMostLines = 80;
  std::size_t functions = 0;
  for (const Source& source : sources(kFolders)) {
    std::ifstream in(kRoot / source.path);
    std::map<std::size_t, std::size_t> opened;  // indentation -> the last line so far in that began
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      const std::size_t indentation = line.find_first_not_of(' ');
      if (indentation == std::string::npos || line[indentation] == '#') continue;
      if (line.substr(indentation) == "}") {
        ++functions;
        EXPECT_LE(number - opened[indentation] + 1, kMostLines)
            << source.path << ":" << opened[indentation];
      }
      opened[indentation] = number;
    }
  }
  EXPECT_GT(functions, 5000u) << "the test did not find the functions";
}

TEST(HouseRules, EveryFolderSaysWhatLivesThere) {
  std::vector<std::string> folders = kFolders;
  folders.insert(folders.end(), {"tests", "examples", "playground"});
  for (const std::string& folder : folders)
    EXPECT_TRUE(fs::exists(kRoot / folder / "README.md")) << folder;
}

TEST(HouseRules, SourcesAreFormatted) {
  if (std::system("clang-format --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "clang-format is not installed; formatting was not checked";
  std::vector<std::string> folders = kFolders;
  folders.push_back("tests");
  // --dry-run is no use: of an inline namespace it wants the comment at the end replaced by the same one.
  std::vector<std::string> command = {"clang-format"};
  std::string text;
  for (const Source& source : sources(folders)) {
    command.push_back(source.path.string());
    std::ifstream in(kRoot / source.path);
    text.append(std::istreambuf_iterator<char>(in), {});
  }
  const std::string formatted = support::run_process(command, kRoot).out;
  const auto at = std::ranges::mismatch(text, formatted);
  EXPECT_EQ(std::string(at.in1, text.end()).substr(0, 200),
            std::string(at.in2, formatted.end()).substr(0, 200));
}

/// What a room declares has a namespace of the room, so that no two rooms can mean different things by
/// one name unseen: `logdepth::inline ROOM`, or one that is written where it is used (`relit::Series`).
/// Public classes are of `logdepth` itself, and so is who implements them.
TEST(HouseRules, EveryRoomHasANamespace) {
  const std::set<std::string> written = {"cells",   "crasp",  "etd",    "latent",    "relit",
                                         "exports", "report", "python", "float_pass"};
  static const std::regex kOpens("^namespace logdepth(.*) \\{$");
  std::size_t files = 0;
  for (const Source& source : sources(kFolders)) {
    const std::string folder = source.path.parent_path().generic_string();
    if (folder == "logdepth" || folder == "library") continue;
    const std::string room = std::regex_replace(folder, std::regex("[/-]"), "_");
    const bool implements_public =
        fs::exists(kRoot / "logdepth" / source.path.filename().replace_extension(".hpp"));
    std::ifstream in(kRoot / source.path);
    std::vector<std::string> opened;  // more than one: who specialises a template of another room
    bool own = false;
    for (std::string line; std::getline(in, line);) {
      std::smatch opens;
      if (!std::regex_match(line, opens, kOpens)) continue;
      const std::string name = opens[1];
      opened.push_back(line);
      own = own || name == "::inline " + room || name.starts_with("::inline " + room + "::") ||
            (name.empty() && implements_public) ||
            (name.starts_with("::") && written.contains(name.substr(2)));
    }
    if (opened.empty()) continue;
    ++files;
    EXPECT_TRUE(own) << source.path << ": " << opened.front()
                     << "\nexpected namespace logdepth::inline " << room;
  }
  EXPECT_GT(files, 900u) << "the test did not find the namespaces";
}

}  // namespace
}  // namespace logdepth::house_rules_tests
