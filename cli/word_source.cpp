#include "cli/word_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/text_format.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline cli {
namespace {

LetterNames names_of(const Word& word, const Alphabet& alphabet) {
  LetterNames names;
  names.reserve(word.size());
  for (const Letter letter : word) names.push_back(alphabet.name(letter));
  return names;
}

/// What an error is about: FILE for "@FILE", else the option.
std::string place_of(const char* option, const std::string& text) {
  return text.starts_with('@') ? file_of(text) : option;
}

/// The text itself, or the content of FILE for "@FILE".
std::string text_or_file(const std::string& text) {
  return text.starts_with('@') ? read_text_file(file_of(text)) : text;
}

}  // namespace

std::string file_of(const std::string& text) {
  return text.starts_with('@') ? text.substr(1) : std::string();
}

void WordOptions::add_to(CLI::App& app, bool with_batch) {
  input_option = app.add_option("--input", input,
                                "word, without separators if every letter is one character; or "
                                "@FILE, a file with one word, whose white space is ignored")
                     ->allow_extra_args(false);
  tokens_option =
      app.add_option("--tokens", tokens, "word, its letters separated by white space; or @FILE");
  input_option->excludes(tokens_option);
  if (!with_batch) return;
  batch_option = app.add_option(
      "--batch", batch,
      "file of words, one per line (an empty line is the empty word); - reads standard input");
  batch_option->excludes(input_option)->excludes(tokens_option);
}

std::vector<LetterNames> load_words(const WordOptions& options,
                                    const std::vector<std::string>& letters) {
  const Alphabet alphabet(letters);
  const auto located = [](const std::string& where, auto parse) {
    try {
      return parse();
    } catch (const InputError& error) {
      throw InputError(where + ": " + error.what());
    }
  };
  if (options.batch_option && options.batch_option->count() > 0) {
    const bool standard_input = options.batch == "-";
    const std::string source = standard_input ? "standard input" : options.batch;
    const std::string text =
        standard_input ? std::string(without_byte_order_mark(
                             std::string(std::istreambuf_iterator<char>(std::cin), {}), source))
                       : read_text_file(options.batch);
    std::vector<LetterNames> words;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string line = text.substr(start, end - start);
      words.push_back(located(fmt::format("{}:{}", source, words.size() + 1),
                              [&] { return names_of(alphabet.parse_word(line), alphabet); }));
      start = end + 1;
    }
    return words;
  }
  if (options.tokens_option->count() > 0) {
    const std::string text = text_or_file(options.tokens);
    return {located(place_of("--tokens", options.tokens),
                    [&] { return names_of(alphabet.parse_tokens(text), alphabet); })};
  }
  if (options.input_option->count() > 0) {
    const std::string text = text_or_file(options.input);
    return {located(place_of("--input", options.input),
                    [&] { return names_of(alphabet.parse_word(text), alphabet); })};
  }
  throw InputError(options.batch_option
                       ? "expected one of --input, --tokens, --batch to give the words"
                       : "expected --input or --tokens to give a word");
}

std::string show_word(const LetterNames& letters) {
  const bool together = std::all_of(letters.begin(), letters.end(), [](const std::string& name) {
    return std::count_if(name.begin(), name.end(), [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
           }) == 1;
  });
  std::string text;
  for (const std::string& name : letters) {
    if (!together && !text.empty()) text += ' ';
    text += name;
  }
  return text;
}

}  // namespace logdepth::inline cli
