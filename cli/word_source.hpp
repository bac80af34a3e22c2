#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace logdepth::inline cli {

/// The options that name input words: one of --input, --tokens, --batch.
struct WordOptions {
  std::string input, tokens, batch;
  CLI::Option *input_option = nullptr, *tokens_option = nullptr, *batch_option = nullptr;

  void add_to(CLI::App& app, bool with_batch);
};

using LetterNames = std::vector<std::string>;

/// The words, as letter names of `alphabet`. Errors: InputError naming the option or file and line.
std::vector<LetterNames> load_words(const WordOptions& options,
                                    const std::vector<std::string>& alphabet);

/// FILE for "@FILE", else nothing.
std::string file_of(const std::string& text);

/// "abba" or "open close": the way a user types the word.
std::string show_word(const LetterNames& letters);

}  // namespace logdepth::inline cli
