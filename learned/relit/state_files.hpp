#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace logdepth::inline learned_relit {

/// Prompts as the tokens that a language model reads.
using PromptTokens = std::span<const std::int32_t>;

/// States of prompts in a language model, a file for each prompt, so that the model reads it once
/// for all runs. A file appears complete under its name, so that several programs can keep states
/// in one folder; it holds its tokens and the hash of its numbers, so that one which was damaged,
/// or is another prompt's, counts as missing and is written anew.
class StateFiles {
 public:
  /// `model`: what decides the states beside the tokens, the name of a folder in `folder`; `width`:
  /// numbers per token. Errors: InputError naming the folder where it cannot be made.
  StateFiles(const std::string& folder, const std::string& model, std::size_t width);

  /// [tokens, width]; absent where there is no file, or a damaged one.
  std::optional<std::vector<float>> read(PromptTokens prompt) const;
  /// Errors: InputError naming the file where it cannot be written.
  void write(PromptTokens prompt, std::span<const float> states) const;
  std::string file_of(PromptTokens prompt) const;

 private:
  std::string folder_;
  std::size_t width_;
};

/// The user's folder of files that can be made anew, of this program's states. Errors: InputError
/// where the system names none.
std::string default_states_folder();

}  // namespace logdepth::inline learned_relit
