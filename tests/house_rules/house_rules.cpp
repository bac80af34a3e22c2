// The rules of the house that no compiler checks: who includes whom, names that say something,
// files with one subject, formatting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
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

#include "constructions/catalogue/catalogue.hpp"
#include "learned/papers.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::house_rules_tests { namespace {

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

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
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
  EXPECT_GT(arrows.size(), 200u) << "the test did not find the sources";
  for (const auto& [node, reached] : reached_from(arrows))
    EXPECT_FALSE(reached.contains(node)) << node << " includes what includes it";
}

TEST(HouseRules, TheCompilerNeverSeesTheForwardPass) {
  const std::set<std::string> forward_pass = {
      "runtime/stream/forward.hpp",    "runtime/exact/exact.hpp",
      "runtime/stream/embed.hpp",      "runtime/exact/contract_check.hpp",
      "runtime/exact/run_model.hpp",   "runtime/exact/value_pool.hpp",
      "runtime/stream/arithmetic.hpp", "runtime/stream/stream.hpp",
      "runtime/floats/float_run.hpp"};
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
        EXPECT_EQ(include, "compiler/program/program.hpp") << source.path;
      }
}

TEST(HouseRules, OraclesShareNoAlgorithmWithTheConstructions) {
  const std::set<std::string> data = {
      "objects/automaton.hpp", "objects/automaton.hpp", "objects/crasp.hpp",    "objects/graph.hpp",
      "objects/regex.hpp",     "logdepth/errors.hpp",   "objects/past_ltl.hpp", "base/overload.hpp",
      "base/text_lines.hpp",   "base/quoted_text.hpp"};
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
  for (const Source& source : sources(folders)) EXPECT_LE(source.lines, 800u) << source.path;
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

/// Only the last build of CI would see it: the page's C++ library is older (playground/face/older_library.hpp).
TEST(HouseRules, FilesOfThePageUseAlgorithmsThatItsLibraryHas) {
  const std::string older = content(kRoot / "playground/face/older_library.hpp");
  static const std::regex kUsed("ranges::([a-z_]+)");
  std::size_t used = 0;
  for (const Source& source : sources({"base", "objects", "oracle", "runtime", "compiler",
                                       "constructions", "library", "report", "playground"})) {
    const std::string folder = source.path.parent_path().generic_string();
    if (folder == "report" || folder == "library") continue;  // not of the page
    const std::string text = content(kRoot / source.path);
    for (std::sregex_iterator at(text.begin(), text.end(), kUsed), end; at != end; ++at, ++used) {
      const std::string name = (*at)[1];
      EXPECT_TRUE(std::regex_search(
          older, std::regex("(constexpr (auto|bool|void) |WITH_TEST\\(|ranges::)" + name + "\\b")))
          << source.path << ": std::ranges::" << name << " is not in the library of the page";
    }
  }
  EXPECT_GT(used, 100u) << "the test did not find the algorithms";
}

/// What a room declares has a namespace of the room, so that no two rooms can mean different things by
/// one name unseen: an inline one, opened beside it so that ctags reads
/// it, or one that is written where it is used (`report::Table`).
/// Public classes are of `logdepth` itself, and so is who implements them.
TEST(HouseRules, EveryRoomHasANamespace) {
  const std::set<std::string> written = {"cells",  "crasp",  "exports",
                                         "report", "python", "float_pass"};
  static const std::regex kOpens("^namespace logdepth(.*?)(?: \\{ namespace)? \\{$");
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
      own = own || name == " { inline namespace " + room ||
            name.starts_with(" { inline namespace " + room + " {") ||
            (name.empty() && implements_public) ||
            (name.starts_with("::") && written.contains(name.substr(2)));
    }
    if (opened.empty()) continue;
    ++files;
    EXPECT_TRUE(own) << source.path << ": " << opened.front()
                     << "\nexpected namespace logdepth { inline namespace " << room << " {";
  }
  EXPECT_GT(files, 350u) << "the test did not find the namespaces";
}

// The rooms of `learned`: what several papers share names none of them, and no paper's folder
// includes another's, so that adding a paper is a folder and a line of a list.

const fs::path kLearned = fs::path(support::source_dir()) / "learned";
/// The rooms that papers share. What they include is in the table of CONTRIBUTING.md, and no paper.
const std::set<std::string> kShared = {"records", "report", "jobs", "core"};

/// All other folders of C++.
std::set<std::string> paper_folders() {
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(kLearned))
    if (const std::string name = entry.path().filename();
        entry.is_directory() && !kShared.contains(name) && name != "papers" && name != "pretrained")
      folders.insert(name);
  return folders;
}

std::vector<fs::path> sources_of(const std::string& room) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kLearned / room))
    if (const auto extension = entry.path().extension(); extension == ".cpp" || extension == ".hpp")
      files.push_back(entry.path());
  return files;
}

/// The rooms of `learned` that a file includes; "" for what stands in no room.
std::vector<std::string> rooms_included(const fs::path& file) {
  static const std::regex kInclude("#include \"learned/(?:([a-z_]+)/)?[^\"/]+\"");
  const std::string text = content(file);
  std::vector<std::string> rooms;
  for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end; ++it)
    rooms.push_back((*it)[1]);
  return rooms;
}

TEST(LearnedRooms, NoPaperIncludesAnother) {
  std::size_t seen = 0;
  for (const std::string& paper : paper_folders())
    for (const fs::path& file : sources_of(paper))
      for (const std::string& included : rooms_included(file)) {
        ++seen;
        // Only core/ and what is built with it need libtorch; "" is papers.hpp.
        std::set<std::string> allowed = {"", "records", "report", paper};
        if (file.stem().string().ends_with("_network")) allowed.insert("core");
        EXPECT_TRUE(allowed.contains(included))
            << file << " includes the room '" << included << "'";
      }
  EXPECT_GT(seen, 20u) << "the test did not find the sources";
}

/// Whether `name` occurs, with - and _ left out and in any case: "DepthRecurrent", "depth-recurrent".
bool names(const std::string& text, const std::string& name) {
  std::string plain, wanted;
  for (const char c : text)
    if (c != '-' && c != '_') plain += static_cast<char>(std::tolower(c));
  for (const char c : name)
    if (c != '-' && c != '_') wanted += c;
  return plain.find(wanted) != std::string::npos;
}

TEST(LearnedRooms, SettingsRunsAndModelsNameNoPaper) {
  std::set<std::string> quoted, plain = paper_folders();
  for (const Paper& paper : papers()) {
    for (const TaskConfig& task : paper.tasks) quoted.insert(task->kind());
    for (const MakeExperiment make : paper.experiments) quoted.insert(make()->name());
  }
  ASSERT_GE(quoted.size(), 8u);
  for (const char* room : {"core", "jobs", "records"})
    for (const fs::path& file : sources_of(room)) {
      const std::string text = content(file);
      for (const std::string& name : plain) EXPECT_FALSE(names(text, name)) << file << ": " << name;
      for (const std::string& name : quoted)
        EXPECT_EQ(text.find('"' + name + '"'), std::string::npos) << file << ": " << name;
    }
}

TEST(LearnedRooms, TheCommandOfTrainingNamesNoPaper) {
  const fs::path file = fs::path(support::source_dir()) / "cli/command_train.cpp";
  ASSERT_TRUE(fs::exists(file)) << file << " was renamed; keep this test true";
  for (const std::string& included : rooms_included(file))
    EXPECT_FALSE(paper_folders().contains(included)) << file << " includes " << included;
}

TEST(LearnedRooms, EveryPaperIsOneLineOfTheListAndSaysWhatItIs) {
  static const std::regex kLine("Paper ([a-z_]+)_paper\\(\\);");
  const std::string list = content(kLearned / "papers.cpp");
  std::set<std::string> listed;
  for (std::sregex_iterator it(list.begin(), list.end(), kLine), end; it != end; ++it)
    EXPECT_TRUE(listed.insert((*it)[1]).second) << "twice: " << (*it)[1];
  EXPECT_EQ(listed, paper_folders());
  EXPECT_EQ(listed.size(), papers().size());
  for (const std::string& paper : listed) {
    EXPECT_TRUE(fs::exists(kLearned / paper / "paper.cpp")) << paper;
    const std::string readme = content(kLearned / paper / "README.md");
    for (const char* part : {"## Published", "## Decided here", "## Contradictions"})
      EXPECT_NE(readme.find(part), std::string::npos) << paper << "/README.md lacks " << part;
  }
}

TEST(LearnedRooms, NamesOfTasksAndExperimentsAreUnique) {
  std::multiset<std::string> tasks, experiments;
  for (const Paper& paper : papers()) {
    for (const TaskConfig& task : paper.tasks) tasks.insert(task->kind());
    for (const MakeExperiment make : paper.experiments) experiments.insert(make()->name());
  }
  for (const auto& names : {tasks, experiments})
    for (const std::string& name : names) EXPECT_EQ(names.count(name), 1u) << name;
}

// A construction is named in its own file. Whoever else writes its name down has a line below, with a
// reason; lines are only taken away.

/// File, and the names that it may say.
const std::map<std::string, std::set<std::string>> kExceptions = {
    // The default of a setting is part of the interface; Python's types list the values.
    {"logdepth/constructions.hpp", {"scan", "compact", "auto"}},
    {"python/logdepth/constructions.py",
     {"scan", "tree", "radix", "cascade", "auto", "compact", "paper", "rows", "bounded", "floor",
      "pairwise"}},
    // What is known of a language stands beside the depths of these two.
    {"cli/command_inspect.cpp", {"scan", "cascade"}},
    // The claim needs networks that are large enough.
    {"proofs-check/papers/MS25/remarks.cpp", {"tree"}},
    // The option --radix, as a setting.
    {"library/compile.cpp", {"radix"}},
    {"python/bindings/transformer.cpp", {"radix", "auto"}},
    // The networks of the zoo are compiled as a user compiles them.
    {"library/requests/ready_networks.cpp",
     {"scan", "cascade", "radix", "compact", "paper", "bounded", "rows"}},
    // Other things with these names: a rule of floating point, a temperature, parts of a file.
    {"library/runs/run_answers.hpp", {"bounded"}},
    {"library/requests/compile_request.hpp", {"bounded"}},
    {"logdepth/run.hpp", {"bounded"}},
    {"python/logdepth/model.py", {"bounded", "auto"}},
    {"cli/command_draw.cpp", {"auto"}},
    {"cli/command_certify.cpp", {"auto"}},
    {"cli/options.cpp", {"auto"}},
    {"constructions/product_cells.cpp", {"auto"}},
    {"library/exports/network_config.cpp", {"rows"}},
    {"python/logdepth/answers.py", {"rows"}},
    {"compiler/program/print_program.cpp", {"rows"}},
    {"compiler/program/parse_program.cpp", {"rows"}},
    {"learned/reachability/relation_task.cpp", {"rows"}},
    {"runtime/file/model_rules.cpp", {"rows"}},
    {"runtime/file/model_json.cpp", {"rows"}},
    {"runtime/file/model_rules.cpp", {"rows"}},
    {"learned/records/training_config.cpp", {"floor"}},
    {"learned/report/comparison.cpp", {"paper", "rows"}},
    {"learned/report/criteria.cpp", {"paper"}},
    {"learned/pretrained/commands.py", {"paper"}}};

TEST(ConstructionNames, AreWrittenInTheFilesOfTheConstructionsOnly) {
  const fs::path root = support::source_dir();
  std::set<std::string> names;
  for (const Construction& one : catalogue()) names.insert(one.key.name);
  std::map<std::string, std::set<std::string>> unused = kExceptions;
  std::size_t own = 0;
  for (const char* folder :
       {"base", "cli", "compiler", "constructions", "learned", "library", "logdepth", "objects",
        "oracle", "proofs-check", "python", "report", "runtime"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".py") continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      std::ifstream in(entry.path());
      static const std::regex kComment("//.*"), kText("\"([^\"]*)\"");
      for (std::string line; std::getline(in, line);) {
        line = std::regex_replace(line, kComment, "");
        for (std::sregex_iterator text(line.begin(), line.end(), kText), end; text != end; ++text) {
          const std::string name = (*text)[1];
          if (!names.contains(name)) continue;
          // Files of papers have one construction each, and may say what their heads are called.
          const bool paper = file.starts_with("constructions/MS25/") ||
                             file.starts_with("constructions/KR65/") ||
                             file.starts_with("constructions/SHT24/") ||
                             file.starts_with("constructions/JSHCM26/") ||
                             file.starts_with("constructions/latent_reasoning/") ||
                             file.starts_with("constructions/catalogue/catalogue.cpp");
          own += paper;
          const auto allowed = kExceptions.find(file);
          EXPECT_TRUE(paper || (allowed != kExceptions.end() && allowed->second.contains(name)))
              << file << " names the construction " << name;
          if (!paper) unused[file].erase(name);
        }
      }
    }
  for (const auto& [file, left] : unused)
    for (const std::string& name : left) ADD_FAILURE() << file << " does not name " << name;
  EXPECT_GT(own, names.size());
}

}}  // namespace logdepth::house_rules_tests
