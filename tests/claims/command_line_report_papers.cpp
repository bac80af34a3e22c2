// Reports of papers by the command line: the stored pages are what the stored runs give, and what
// is refused leaves nothing behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_report_papers_tests {
namespace {

namespace fs = std::filesystem;
using support::Finished;

const std::string kResults = support::source_dir() + "/bench/results";

class ReportOfPaper : public support::CommandLine {
 protected:
  /// Every file of a stored folder is the one of the same name below `made`, and there are no more.
  void expect_stored(const std::string& stored, const std::string& made) const {
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(kResults + "/" + stored)) {
      const std::string name = entry.path().filename();
      EXPECT_EQ(folder.read(made + "/" + name), read_whole_file(entry.path())) << name;
      ++files;
    }
    const auto made_files = fs::directory_iterator(folder.file(made));
    EXPECT_EQ(std::distance(begin(made_files), end(made_files)),
              static_cast<std::ptrdiff_t>(files));
    EXPECT_GT(files, 2u);
  }
};

TEST_F(ReportOfPaper, OnDepthRecurrentTransformersIsTheStoredOne) {
  done({"report", "depth-recurrent", kResults + "/runs", "--out", "made"});
  expect_stored("depth-recurrent", "made");
}

TEST_F(ReportOfPaper, OnLatentReasoningIsTheStoredOne) {
  done({"compile", "computation-graph", "--prime", "5", "--names", "32", "--operands", "2", "-o",
        "graph.json"});
  done({"report", "latent-reasoning", kResults + "/runs", "--constructed", "graph.json", "--out",
        "made"});
  expect_stored("latent-reasoning", "made");
}

TEST_F(ReportOfPaper, OnEncodeThinkDecodeIsTheStoredOne) {
  done({"report", "etd", kResults + "/runs", "--out", "made"});
  expect_stored("etd", "made");
}

TEST_F(ReportOfPaper, OnReLitIsTheStoredOne) {
  done({"report", "relit", kResults + "/runs", "--out", "made"});
  expect_stored("relit", "made");
}

TEST_F(ReportOfPaper, RefusesWhatIsNoRunOrNoFileOfThisTaskAndWritesNothing) {
  fs::create_directory(folder.file("empty"));
  fs::create_directory(folder.file("damaged"));
  folder.write("damaged/x.measurement.json", R"({"schema": 3})");
  done({"compile", "regular", "--regex", "a*", "-o", "language.json"});
  done({"compile", "computation-graph", "--prime", "3", "--names", "32", "-o", "other.json"});
  for (const auto& [arguments, expected] :
       {std::pair(std::vector<std::string>{"latent-reasoning", "empty"}, "expected at least one"),
        {{"depth-recurrent", "empty"}, "expected at least one"},
        {{"etd", "empty"}, "or a measurement of 'lm angular' or 'lm loops'"},
        {{"etd", kResults + "/runs/Z2"}, "expected at least one run of the task lines"},
        {{"etd", "damaged"}, "damaged/x.measurement.json: expected a measurement"},
        {{"etd", "nowhere"}, "nowhere"},
        {{"relit", "empty"}, "as 'train relit' leaves them"},
        {{"relit", kResults + "/runs/Z2"}, "a recursive block on a frozen language model"},
        {{"relit", "nowhere"}, "nowhere"},
        {{"latent-reasoning", "nowhere"}, "nowhere"},
        {{"latent-reasoning", kResults + "/runs", "--constructed", "language.json"},
         "not about computation graphs"},
        {{"latent-reasoning", kResults + "/runs", "--constructed", "other.json"}, "other.json"},
        {{"latent-reasoning", kResults + "/runs", "--constructed", "missing.json"},
         "missing.json"}}) {
    std::vector<std::string> words = {"report"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.insert(words.end(), {"--out", "made"});
    const Finished refused = logdepth(words);
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_NE(refused.err.find(expected), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_FALSE(fs::exists(folder.file("made"))) << refused.err;
  }
}

}  // namespace
}  // namespace logdepth::command_line_report_papers_tests
