#include "learned/relit/state_files.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "logdepth/errors.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/sha256.hpp"

namespace logdepth::inline learned_relit {
namespace {

constexpr const char* kTokens = "tokens";
constexpr const char* kStates = "states";
constexpr const char* kHash = "sha256";

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

StateFiles::StateFiles(const std::string& folder, const std::string& model, std::size_t width)
    : folder_(folder + "/" + model), width_(width) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw InputError(folder_ + ": cannot be made: " + error.message());
}

std::string StateFiles::file_of(PromptTokens prompt) const {
  return folder_ + "/" + sha256(bytes_of(prompt)) + ".safetensors";
}

std::optional<std::vector<float>> StateFiles::read(PromptTokens prompt) const {
  const std::string file = file_of(prompt);
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const SafeTensors content = read_safetensors(file);
    const SafeTensor& states = content.arrays.at(kStates);
    std::vector<float> numbers(prompt.size() * width_);
    if (content.arrays.at(kTokens).bytes != bytes_of(prompt) || states.type != "F32" ||
        states.bytes.size() != numbers.size() * sizeof(float) ||
        content.metadata.at(kHash) != sha256(states.bytes))
      return std::nullopt;
    std::memcpy(numbers.data(), states.bytes.data(), states.bytes.size());
    return numbers;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

void StateFiles::write(PromptTokens prompt, std::span<const float> states) const {
  SafeTensors content;
  content.arrays[kTokens] = {"I32", {prompt.size()}, std::string(bytes_of(prompt))};
  content.arrays[kStates] = {"F32", {prompt.size(), width_}, std::string(bytes_of(states))};
  content.metadata[kHash] = sha256(bytes_of(states));
  write_safetensors(content, file_of(prompt));
}

std::string default_states_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string caches = variable("XDG_CACHE_HOME");
  if (caches.empty() && !variable("HOME").empty()) caches = variable("HOME") + "/.cache";
  if (caches.empty())
    throw InputError(
        "network.states_folder: expected a folder, as neither XDG_CACHE_HOME nor HOME is set");
  return caches + "/logdepth/states";
}

}  // namespace logdepth::inline learned_relit
