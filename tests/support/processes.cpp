#include "tests/support/processes.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace logdepth::support {
namespace {

/// An anonymous file, so that no pipe can fill up.
class Channel {
 public:
  explicit Channel(const std::string& content = "") : file_(std::tmpfile()) {
    if (!file_) throw std::runtime_error("no temporary file can be made");
    std::fwrite(content.data(), 1, content.size(), file_);
    std::rewind(file_);
  }
  ~Channel() { std::fclose(file_); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int descriptor() const { return fileno(file_); }
  std::string content() const {
    std::string bytes;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) bytes += static_cast<char>(c);
    return bytes;
  }

 private:
  std::FILE* file_;
};

}  // namespace

Finished run_process(std::vector<std::string> command, const std::filesystem::path& folder,
                     const std::string& input, const std::function<bool()>& interrupt_when) {
  std::vector<char*> argv;
  for (std::string& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const Channel in(input), out, err;
  const std::string where = folder.string();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) {
    alarm(900);  // survives exec; a peer reads a model of 135 million numbers for minutes
    const bool ready = chdir(where.c_str()) == 0 && dup2(in.descriptor(), STDIN_FILENO) >= 0 &&
                       dup2(out.descriptor(), STDOUT_FILENO) >= 0 &&
                       dup2(err.descriptor(), STDERR_FILENO) >= 0;
    if (ready) execvp(argv[0], argv.data());
    _exit(127);
  }
  int raw = 0;
  while (interrupt_when && waitpid(child, &raw, WNOHANG) == 0) {
    if (interrupt_when()) {
      kill(child, SIGTERM);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  while (waitpid(child, &raw, 0) < 0 && errno == EINTR) {
  }
  const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return {status, out.content(), err.content()};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "logdepth-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder can be made");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  std::ofstream out(path_ / name, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw std::runtime_error(name + " cannot be written");
}

std::string TemporaryFolder::read(const std::string& name) const {
  std::ifstream in(path_ / name, std::ios::binary);
  if (!in) throw std::runtime_error(name + " is not there");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> TemporaryFolder::names() const {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    found.insert(entry.path().filename().string());
  return found;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) found.push_back(line);
  return found;
}

}  // namespace logdepth::support
