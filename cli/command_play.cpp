#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/file_server.hpp"
#include "cli/validators.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostPort = 65535;

struct PlayOptions {
  std::string file, folder;
  std::uint16_t port = 0;
  bool no_open = false;
};

bool has_page(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / "index.html", none);
}

/// The folder beside the build folder of this program, or where it is installed.
fs::path folder_of_page(const std::string& given) {
  if (!given.empty()) {
    if (has_page(given)) return given;
    throw InputError("--folder: expected a folder with index.html, found " + in_quotes(given) +
                     "; ./make_playground.sh makes one");
  }
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder :
       {program / "../playground", program / "../share/logdepth/playground"})
    if (has_page(folder)) return folder;
  throw InputError(
      "the folder of the page is missing: run ./make_playground.sh, or name it with --folder");
}

/// By their paths in addresses.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.emplace("/" + entry.path().lexically_relative(folder).generic_string(),
                    entry.path().string());
  return files;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_')
      result += c;
    else
      result += fmt::format("%{:02X}", byte);
  }
  return result;
}

/// With the program that opens addresses. Without one, the printed address is there.
void open_in_browser(std::string address) {
  std::string program = "xdg-open";
  std::array<char*, 3> arguments = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
}

int play(const PlayOptions& options) {
  const fs::path folder = folder_of_page(options.folder);
  std::map<std::string, std::string> files = files_in(folder);
  std::string question;
  if (!options.file.empty()) {
    (void)read_whole_file(options.file);  // refused here rather than in the page
    const std::string name = fs::path(options.file).filename().string();
    files["/examples/" + name] = fs::absolute(options.file).string();
    question = "#kind=file&file=" + escaped(name);
  }
  FileServer server(std::move(files), options.port);
  const std::string address = fmt::format("http://127.0.0.1:{}/{}", server.port(), question);
  std::cout << address << std::endl;
  if (!options.no_open) open_in_browser(address);
  server.serve();
}

}  // namespace

Command add_play(CLI::App& app) {
  auto options = std::make_shared<PlayOptions>();
  CLI::App* command = app.add_subcommand(
      "play",
      "serve the playground, a page that runs networks exactly, to a browser of this machine; "
      "Ctrl-C ends it\nExample: logdepth play abb.json");
  command->add_option("FILE", options->file, "weights file to open in the page");
  command->add_option("--folder", options->folder,
                      "folder that ./make_playground.sh wrote (default: the one of this program)");
  command->add_option("--port", options->port, "port on 127.0.0.1 (default: a free one)")
      ->check(count_up_to(kMostPort));
  command->add_flag("--no-open", options->no_open, "print the address without opening a browser");
  return [options] { return play(*options); };
}

}  // namespace logdepth::inline cli
