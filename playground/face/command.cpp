#include "playground/face/command.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace playground_face {
namespace {

namespace fs = std::filesystem;

/// Where files lie while a command runs.
const fs::path kFolder = "/logdepth";
constexpr std::size_t kLargestFile = std::size_t{1} << 28;

Commands add_commands(CLI::App& app) {
  Commands commands;
  add_compile(commands, app);
  add(commands, app, add_run);
  add(commands, app, add_test);
  add(commands, app, add_certify);
  add(commands, app, add_diff);
  add(commands, app, add_info);
  add(commands, app, add_inspect);
  return commands;
}

/// Standard streams as texts while one lives.
class Streams {
 public:
  Streams()
      : output_before_(std::cout.rdbuf(output.rdbuf())),
        messages_before_(std::cerr.rdbuf(messages.rdbuf())) {}
  ~Streams() {
    std::cout.rdbuf(output_before_);
    std::cerr.rdbuf(messages_before_);
    std::cout.clear();
    std::cerr.clear();
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  std::ostringstream output, messages;

 private:
  std::streambuf *output_before_, *messages_before_;
};

std::map<std::string, std::string> texts_of(const nlohmann::json& files) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, text] : files.items()) {
    require(fs::path(name).filename() == name && name != "." && name != "..",
            in_quotes(name) + ": expected the name of a file without a folder");
    texts[name] = text.get<std::string>();
  }
  return texts;
}

/// Writes what a command may read, and reads what it wrote.
std::map<std::string, std::string> with_files(const std::map<std::string, std::string>& given,
                                              const std::function<void()>& command) {
  fs::current_path("/");  // a folder in use is not removed
  fs::remove_all(kFolder);
  fs::create_directories(kFolder);
  fs::current_path(kFolder);
  for (const auto& [name, text] : given) std::ofstream(name, std::ios::binary) << text;
  command();
  std::map<std::string, std::string> written;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    std::string text = read_whole_file(name, kLargestFile);
    const auto before = given.find(name);
    if (before == given.end() || before->second != text) written[name] = std::move(text);
  }
  return written;
}

nlohmann::json answered(const nlohmann::json& question) {
  const auto arguments = question.at("arguments").get<std::vector<std::string>>();
  std::vector<const char*> argv = {"logdepth"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  Streams streams;
  int status = kBadInput;
  set_run_memory(kRunMemory);  // of no command before this one
  const auto written = with_files(texts_of(question.value("files", nlohmann::json::object())), [&] {
    if (!arguments.empty() &&
        std::ranges::find(other_commands(), arguments[0]) != other_commands().end()) {
      std::cerr << "logdepth: " << is_left_out("`logdepth " + arguments[0] + "`") << '\n';
      return;
    }
    status = answer_command(static_cast<int>(argv.size()), argv.data(), add_commands);
  });
  return {{"status", status},
          {"output", streams.output.str()},
          {"messages", streams.messages.str()},
          {"files", written}};
}

}  // namespace

std::string answer_question(const std::string& question) {
  nlohmann::json answer;
  try {
    answer = answered(nlohmann::json::parse(question));
  } catch (const std::exception& error) {
    answer = {{"status", kBadInput},
              {"output", ""},
              {"messages", std::string("logdepth: ") + error.what() + "\n"},
              {"files", nlohmann::json::object()}};
  }
  return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}}  // namespace logdepth::playground_face

extern "C" {
/// playground/face.mjs calls both. The text stands until the next call.
const char* logdepth_command(const char* question);
const char* logdepth_left_out();
}

const char* logdepth_command(const char* question) {
  static std::string answer;
  answer = logdepth::answer_question(question);
  return answer.c_str();
}

const char* logdepth_left_out() {
  static const std::string parts = nlohmann::json(logdepth::left_out()).dump();
  return parts.c_str();
}
