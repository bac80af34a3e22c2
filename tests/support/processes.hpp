#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

/// Programs run as a user runs them, in a folder of their own.
namespace logdepth::support {

struct Finished {
  int status = 0;  ///< exit status, or 128 + signal
  std::string out, err;
};

/// Runs a program without a shell and waits for it; it is killed after two minutes. `input` is its
/// standard input. When `interrupt_when` is given it is asked again and again, and once it says
/// true the program is sent SIGTERM.
Finished run_process(std::vector<std::string> command, const std::filesystem::path& folder,
                     const std::string& input = "",
                     const std::function<bool()>& interrupt_when = nullptr);

/// A new folder, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;
  /// Names of everything in the folder, hidden files included.
  std::set<std::string> names() const;

 private:
  std::filesystem::path path_;
};

/// The lines of a text that ends with a line break, or is empty.
std::vector<std::string> lines(const std::string& text);

}  // namespace logdepth::support
