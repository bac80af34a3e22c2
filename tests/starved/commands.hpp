#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/support/command_line.hpp"

namespace logdepth::starved {

/// A command with its arguments: a use of it that ends in a second or two. The files that it reads
/// are made by `Starved`, in the folder that it runs in.
struct Use {
  std::string command;  ///< "compile regular"
  std::vector<std::string> arguments;
  bool trains = false;  ///< seconds, and folders that a later command goes on from
};
const std::vector<Use>& uses();
/// What is typed behind the name of the program.
std::vector<std::string> words_of(const Use& use);

/// What the program says of a bad end, and what it leaves behind.
class Starved : public support::CommandLine {
 protected:
  /// Makes the files that the uses read.
  void SetUp() override;

  /// The commands below this one, as --help lists them; itself if there are none. With a phrase,
  /// only those that say it in their help.
  std::set<std::string> commands(const std::string& phrase = "",
                                 const std::vector<std::string>& path = {}) const;

  /// Runs `logdepth` with these arguments behind `before`, words of the shell that take something
  /// away from it, as "ulimit -f 0;", and checks how it ends: with an exit status from 0 to 3, if
  /// not with 0 then with a sentence of its own, and with nothing half-written.
  support::Finished starve(const std::string& before, const std::vector<std::string>& arguments,
                           const std::string& after = "") const;
};

}  // namespace logdepth::starved
