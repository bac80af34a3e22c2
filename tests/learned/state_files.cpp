// States of prompts as files: what comes back, damage, several programs in one folder.
#include "learned/relit/state_files.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::state_file_tests {
namespace {

using Prompt = std::vector<std::int32_t>;
constexpr std::size_t kWidth = 3;

/// Numbers that differ from prompt to prompt.
std::vector<float> states_of(const Prompt& prompt) {
  std::vector<float> states;
  for (std::size_t i = 0; i < prompt.size() * kWidth; ++i)
    states.push_back(static_cast<float>(prompt[i / kWidth]) / 7 + static_cast<float>(i));
  return states;
}

TEST(StateFiles, GiveBackWhatWasWrittenForThesePromptsAndNoOthers) {
  const TemporaryFolder folder;
  const StateFiles files(folder.path() + "/new/one", "model", kWidth);
  const Prompt prompt = {5, 1, 2}, longer = {5, 1, 2, 0}, other = {5, 1, 3};
  EXPECT_FALSE(files.read(prompt));
  files.write(prompt, states_of(prompt));
  EXPECT_EQ(files.read(prompt), states_of(prompt));
  EXPECT_EQ(StateFiles(folder.path() + "/new/one", "model", kWidth).read(prompt),
            states_of(prompt));
  EXPECT_FALSE(files.read(longer));
  EXPECT_FALSE(files.read(other));
  EXPECT_FALSE(StateFiles(folder.path() + "/new/one", "another", kWidth).read(prompt));
}

TEST(StateFiles, AFileWithAnyByteChangedOrCutOffCountsAsMissing) {
  const TemporaryFolder folder;
  const StateFiles files(folder.path(), "model", kWidth);
  const Prompt prompt = {5, 1, 2};
  files.write(prompt, states_of(prompt));
  const std::string file = files.file_of(prompt), whole = read_whole_file(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    write_whole_file(file, damaged);
    const auto found = files.read(prompt);
    EXPECT_TRUE(!found || *found == states_of(prompt)) << i;
    write_whole_file(file, whole.substr(0, i));
    EXPECT_FALSE(files.read(prompt)) << i;
  }
  files.write(prompt, states_of(prompt));
  EXPECT_EQ(files.read(prompt), states_of(prompt));
}

TEST(StateFiles, TheFileOfAnotherPromptOrWidthCountsAsMissing) {
  const TemporaryFolder folder;
  const StateFiles files(folder.path(), "model", kWidth);
  const Prompt prompt = {5, 1, 2}, other = {2, 1, 5};
  files.write(other, states_of(other));
  std::filesystem::copy_file(files.file_of(other), files.file_of(prompt));
  EXPECT_FALSE(files.read(prompt));
  EXPECT_FALSE(StateFiles(folder.path(), "model", kWidth + 1).read(other));
}

TEST(StateFiles, SeveralProgramsThatWriteAndReadAtOnceSeeWholeFilesOnly) {
  const TemporaryFolder folder;
  std::vector<Prompt> prompts;
  for (std::int32_t i = 0; i < 40; ++i) prompts.push_back(Prompt(50, i));
  const auto wrong = [&](bool writes) {
    const StateFiles files(folder.path(), "model", kWidth);
    int count = 0;
    for (int round = 0; round < 5; ++round)
      for (const Prompt& prompt : prompts) {
        if (writes) files.write(prompt, states_of(prompt));
        const auto found = files.read(prompt);
        count += found ? *found != states_of(prompt) : writes;
      }
    return count;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(wrong(/*writes=*/true) == 0 ? 0 : 1);
    children.push_back(child);
  }
  EXPECT_EQ(wrong(/*writes=*/false), 0);
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) {
      EXPECT_EQ(entry.path().extension(), ".safetensors");
    }
}

TEST(StateFiles, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  write_whole_file(folder.path() + "/taken", "");
  try {
    StateFiles(folder.path() + "/taken", "model", kWidth);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find(folder.path() + "/taken/model: cannot be made: "), 0U);
  }
}

/// Environment variables for the length of a test.
class Variables {
 public:
  Variables(const char* caches, const char* home) {
    set("XDG_CACHE_HOME", caches);
    set("HOME", home);
  }
  ~Variables() {
    for (const auto& [name, value] : before_) set(name, value ? value->c_str() : nullptr);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  void set(const std::string& name, const char* value) {
    const char* const now = std::getenv(name.c_str());
    before_.emplace(name, now ? std::optional<std::string>(now) : std::nullopt);
    if (value) {
      setenv(name.c_str(), value, 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST(StateFiles, StandInTheUsersCacheFolderUnlessToldOtherwise) {
  {
    const Variables variables("/caches", "/home/anne");
    EXPECT_EQ(default_states_folder(), "/caches/logdepth/states");
  }
  {
    const Variables variables(nullptr, "/home/anne");
    EXPECT_EQ(default_states_folder(), "/home/anne/.cache/logdepth/states");
  }
  {
    const Variables variables("", "/home/anne");
    EXPECT_EQ(default_states_folder(), "/home/anne/.cache/logdepth/states");
  }
  const Variables variables(nullptr, nullptr);
  EXPECT_THROW(default_states_folder(), InputError);
}

}  // namespace
}  // namespace logdepth::state_file_tests
