#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "library/exports/python_modules.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
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

/// Becomes the server, playground/serve.py.
int play(const PlayOptions& options) {
  const std::string folder = folder_of_page(options.folder);
  if (!options.file.empty())
    (void)read_whole_file(options.file);  // refused here rather than in the page
  const std::string port = std::to_string(options.port);
  execlp("python3", "python3", "-I", "-c", exports::kServe, folder.c_str(), port.c_str(),
         options.no_open ? "0" : "1", options.file.c_str(), static_cast<char*>(nullptr));
  throw InputError("a server of the page needs the program python3, which is missing");
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

}}  // namespace logdepth::cli
