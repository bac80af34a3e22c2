// The rooms of `learned`: what several papers share names none of them, and no paper's folder
// includes another's, so that adding a paper is a folder and a line of a list.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "learned/papers.hpp"
#include "tests/support/places.hpp"

namespace logdepth::learned_rooms_tests {
namespace {

namespace fs = std::filesystem;

const fs::path kLearned = fs::path(support::source_dir()) / "learned";
/// The rooms that papers share, and which of them each may include.
const std::map<std::string, std::set<std::string>> kShared = {
    {"records", {"records"}},
    {"language_model", {"records", "language_model"}},
    {"report", {"records", "report"}},
    {"jobs", {"records", "report", "jobs"}},
    {"core", {"records", "language_model", "core"}}};

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// All other folders.
std::set<std::string> paper_folders() {
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(kLearned))
    if (const std::string name = entry.path().filename();
        entry.is_directory() && !kShared.contains(name))
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

TEST(LearnedRooms, WhatPapersShareIncludesNoPaper) {
  for (const auto& [room, allowed] : kShared)
    for (const fs::path& file : sources_of(room))
      for (const std::string& included : rooms_included(file))
        EXPECT_TRUE(allowed.contains(included))
            << file << " includes the room '" << included << "'";
}

TEST(LearnedRooms, NoPaperIncludesAnother) {
  std::size_t seen = 0;
  for (const std::string& paper : paper_folders())
    for (const fs::path& file : sources_of(paper))
      for (const std::string& included : rooms_included(file)) {
        ++seen;
        // Only core/ and what is built with it need libtorch; "" is papers.hpp.
        std::set<std::string> allowed = {"", "records", "language_model", "report", paper};
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
    for (const PaperReport& report : paper.reports) quoted.insert(report.name);
    for (const PaperProbe& probe : paper.probes) quoted.insert(probe.name);
  }
  ASSERT_GE(quoted.size(), 8u);
  for (const char* room : {"core", "jobs", "language_model", "records"})
    for (const fs::path& file : sources_of(room)) {
      const std::string text = content(file);
      for (const std::string& name : plain) EXPECT_FALSE(names(text, name)) << file << ": " << name;
      for (const std::string& name : quoted)
        EXPECT_EQ(text.find('"' + name + '"'), std::string::npos) << file << ": " << name;
    }
}

TEST(LearnedRooms, TheCommandsOfTrainingAndOfReportsNameNoPaper) {
  const fs::path cli = fs::path(support::source_dir()) / "cli";
  for (const char* file : {"command_train.cpp", "command_report_paper.cpp"}) {
    ASSERT_TRUE(fs::exists(cli / file)) << file << " was renamed; keep this list true";
    for (const std::string& included : rooms_included(cli / file))
      EXPECT_FALSE(paper_folders().contains(included)) << file << " includes " << included;
  }
}

TEST(LearnedRooms, EveryPaperIsOneLineOfTheListAndSaysWhatItIs) {
  static const std::regex kLine("(?:^|\n)PAPER(_WITH_NETWORK)?\\(([a-z_]+)\\)");
  const std::string list = content(kLearned / "papers.list");
  std::set<std::string> listed;
  for (std::sregex_iterator it(list.begin(), list.end(), kLine), end; it != end; ++it) {
    const std::string paper = (*it)[2];
    EXPECT_TRUE(listed.insert(paper).second) << "twice: " << paper;
    EXPECT_EQ((*it)[1].matched, fs::exists(kLearned / paper / "paper_network.cpp")) << paper;
  }
  EXPECT_EQ(listed, paper_folders());
  EXPECT_EQ(listed.size(), papers().size());
  for (const std::string& paper : listed) {
    EXPECT_TRUE(fs::exists(kLearned / paper / "paper.cpp")) << paper;
    const std::string readme = content(kLearned / paper / "README.md");
    for (const char* part : {"## Published", "## Decided here", "## Contradictions"})
      EXPECT_NE(readme.find(part), std::string::npos) << paper << "/README.md lacks " << part;
  }
}

TEST(LearnedRooms, NamesOfTasksExperimentsReportsAndProbesAreUnique) {
  std::multiset<std::string> tasks, experiments, reports, probes;
  for (const Paper& paper : papers()) {
    for (const TaskConfig& task : paper.tasks) tasks.insert(task->kind());
    for (const MakeExperiment make : paper.experiments) experiments.insert(make()->name());
    for (const PaperReport& report : paper.reports) reports.insert(report.name);
    for (const PaperProbe& probe : paper.probes) probes.insert(probe.name);
  }
  for (const auto& names : {tasks, experiments, reports, probes})
    for (const std::string& name : names) EXPECT_EQ(names.count(name), 1u) << name;
}

}  // namespace
}  // namespace logdepth::learned_rooms_tests
