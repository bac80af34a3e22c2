// What the program does to files: nothing a user did not ask for.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <string>

#include "compiler/difference/first_difference.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_files_tests {
namespace {

using support::Finished;
using support::lines;

class Files : public support::CommandLine {
 protected:
  void SetUp() override {
    compile_regex("(a|b)*abb", "abb.json");
    folder.write("words.txt", "aabb\nab\n");
  }

  Finished shell(const std::string& script) const {
    return support::run_process({"sh", "-c", script, support::program()}, folder.path());
  }
};

TEST_F(Files, AnOutputThatIsAnInputIsRefusedAndStaysAsItWas) {
  std::filesystem::copy_file(example("programs/parity.cells"), folder.file("parity.cells"));
  std::filesystem::copy_file(example("automata/even_a.fst"), folder.file("even_a.fst"));
  const std::vector<std::vector<std::string>> commands = {
      {"run", "abb.json", "--input", "ab", "--trace", "abb.json"},
      {"run", "abb.json", "--batch", "words.txt", "--trace", "words.txt"},
      {"run", "abb.json", "--input", "@words.txt", "--trace", "words.txt"},
      {"compile", "program", "parity.cells", "-o", "./parity.cells"},
      {"compile", "regular", "--fst", "even_a.fst", "-o", "even_a.fst"},
      {"compile", "regular", "--fst", "even_a.fst", "-o", "x.json", "--emit", "even_a.fst"},
      {"compile", "regular", "--regex", "ab", "-o", "same.dot", "--emit", "same.dot"},
      {"draw", "abb.json", "-o", "abb.json"}};
  for (const auto& command : commands) {
    std::map<std::string, std::string> before;
    for (const std::string& name : folder.names()) before[name] = folder.read(name);
    const Finished finished = logdepth(command);
    EXPECT_EQ(finished.status, 2) << command[1] << finished.err;
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    for (const auto& [name, bytes] : before) EXPECT_EQ(folder.read(name), bytes) << name;
    EXPECT_EQ(folder.names().size(), before.size());
  }
}

TEST_F(Files, ADeviceStaysADevice) {
  const std::string device = folder.file("nowhere");
  if (mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
    GTEST_SKIP() << "making a device needs root; devices as outputs were not checked";
  done({"compile", "regular", "--regex", "ab", "-o", "nowhere"});
  done({"run", "abb.json", "--input", "ab", "--trace", "nowhere"});
  EXPECT_TRUE(std::filesystem::is_character_file(device));
}

TEST_F(Files, ASymbolicLinkIsFollowed) {
  std::filesystem::create_symlink("abb.json", folder.file("link.json"));
  compile_regex("ba", "link.json");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.json")));
  EXPECT_EQ(read_weights(folder.file("abb.json"))->name, "regex ba");
}

TEST_F(Files, AClosedStandardStreamNeverEndsUpInAnOutput) {
  const Finished no_output = shell("\"$0\" run abb.json --batch words.txt --trace t1 >&-");
  EXPECT_TRUE(no_output.status == 0 || no_output.status == 2) << no_output.err;
  if (folder.names().contains("t1")) {
    EXPECT_EQ(folder.read("t1").find("reject\n"), std::string::npos);
  }
  shell("\"$0\" run abb.json --input ab --trace t2 --stats 2>&-");
  for (const std::string& line : lines(folder.read("t2"))) EXPECT_EQ(line.front(), '{') << line;
  EXPECT_EQ(shell("\"$0\" run abb.json --batch - <&-").out, "");
}

TEST_F(Files, NothingUnfinishedIsLeftWhenThePipeBreaks) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "abababababababab\n";
  folder.write("many.txt", many);
  shell("\"$0\" run abb.json --batch many.txt --trace t.jsonl | head -1");
  for (const std::string& name : folder.names()) EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST_F(Files, ASpoiltChecksFileDoesNotHideTheResultOfATest) {
  folder.write("abb.json.checks.json", "garbage");
  const Finished finished =
      logdepth({"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "3", "--random", "5"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_TRUE(finished.out.starts_with("passed")) << finished.out;
  EXPECT_NE(finished.err.find("not recorded"), std::string::npos) << finished.err;
}

TEST_F(Files, DiffComparesOutputsAndPrefixesToo) {
  for (const bool prefixes : {false, true}) {
    Model model = read_weights(folder.file("abb.json"));
    auto& output = std::get<AcceptOutput>(model.output);
    if (prefixes) {
      auto& elements = std::get<ElementReadout>(output.prefix).elements;
      std::swap(elements[0], elements[1]);
    } else {
      std::swap(output.accept, output.reject);
    }
    save_weights(model, folder.file("swapped.json"));
    const Finished finished = logdepth({"diff", "swapped.json", "--input", "aabb"});
    EXPECT_EQ(finished.status, 1) << finished.err;
    EXPECT_NE(finished.out.find("unembedding, token 0"), std::string::npos) << finished.out;
  }
  EXPECT_EQ(logdepth({"diff", "abb.json", "--input", "aabb"}).status, 0);
}

}  // namespace
}  // namespace logdepth::command_line_files_tests
