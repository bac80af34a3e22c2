#include "report/pictures/render.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "logdepth/errors.hpp"
#include "report/pictures/svg_text.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline report_pictures {
namespace {

/// Runs a program without a shell, its messages thrown away, what it prints in `output`. True when
/// it ends with status 0.
bool run_quietly(std::vector<std::string> arguments, const std::string& output) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

InputError graphviz_failed() {
  return InputError(
      "the picture needs the program dot of the Debian package graphviz, which is missing or "
      "failed");
}

/// What stands between the two, from `at` on, which moves behind it.
std::string between(const std::string& text, const std::string& begin, const std::string& end,
                    std::size_t& at) {
  const std::size_t first = text.find(begin, at);
  const std::size_t last = first == std::string::npos ? first : text.find(end, first);
  if (last == std::string::npos) throw graphviz_failed();
  at = last + end.size();
  return text.substr(first + begin.size(), last - first - begin.size());
}

double number(const std::string& text) {
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    throw graphviz_failed();
  return value;
}

}  // namespace

std::vector<std::string> render_graphs(const std::string& dot) {
  const TemporaryFolder folder;
  const std::string input = folder.file("circuit.dot"), output = folder.file("circuit.svg");
  write_whole_file(input, dot);
  // Of several graphs, only the first goes where the option -o says.
  if (!run_quietly({"dot", "-Tsvg", input}, output)) throw graphviz_failed();
  const std::string all = read_whole_file(output);
  const std::string end = "</svg>\n";
  std::vector<std::string> pictures;
  for (std::size_t at = 0, next; (next = all.find(end, at)) != std::string::npos;) {
    next += end.size();
    pictures.push_back(bare_svg(std::string_view(all).substr(at, next - at)));
    at = next;
  }
  return pictures;
}

std::vector<LabelPicture> render_labels(const std::vector<std::string>& labels,
                                        const std::string& looks) {
  std::string graphs;
  for (const std::string& label : labels)
    graphs += "graph { graph [pad=0]; " + looks + "; label [label=" + label + "]; }\n";
  const auto pictures = render_graphs(graphs);
  if (pictures.size() != labels.size()) throw graphviz_failed();
  std::vector<LabelPicture> result;
  for (const std::string& picture : pictures) {
    std::size_t at = 0;
    LabelPicture label;
    between(picture, "viewBox=\"", " ", at);
    between(picture, "", " ", at);
    label.width = number(between(picture, "", " ", at));
    label.height = number(between(picture, "", "\"", at));
    between(picture, "class=\"node\">", "</title>\n", at);
    label.elements = between(picture, "", "</g>\n", at);
    result.push_back(std::move(label));
  }
  return result;
}

std::string render_svg(const std::string& svg, const std::string& form) {
  const TemporaryFolder folder;
  const std::string input = folder.file("picture.svg"), output = folder.file("picture." + form);
  write_whole_file(input, svg);
  // The date that a PDF names is fixed, so that the same picture gives the same bytes.
  if (!run_quietly({"env", "SOURCE_DATE_EPOCH=0", "rsvg-convert", "--unlimited", "--zoom",
                    form == "png" ? "2" : "1", "--format", form, input},
                   output))
    throw InputError("a ." + form +
                     " needs the program rsvg-convert of the Debian package librsvg2-bin, which is "
                     "missing or failed");
  return read_whole_file(output);
}

}  // namespace logdepth::inline report_pictures
