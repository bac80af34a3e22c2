#include "learned/language_model/text_paragraphs.hpp"

#include <algorithm>
#include <filesystem>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_language_model {
namespace {

namespace fs = std::filesystem;

void append_paragraphs(const std::string& file, std::vector<std::string>& paragraphs) {
  const std::string content = read_whole_file(file);
  std::string paragraph;
  const auto finish = [&] {
    if (!paragraph.empty()) paragraphs.push_back(std::move(paragraph));
    paragraph.clear();
  };
  std::size_t number = 0;
  for (const std::string_view line : lines_of(content)) {
    ++number;
    for (std::string_view rest = line; !rest.empty(); rest.remove_prefix(utf8_length(rest)))
      if (utf8_length(rest) == 0)
        throw InputError(file, number, "expected UTF-8, found " + in_quotes(rest.substr(0, 1)));
    if (fields_of(line).empty()) {
      finish();
      continue;
    }
    if (!paragraph.empty()) paragraph += '\n';
    paragraph += line;
  }
  finish();
}

/// The file, or the texts of the folder.
std::vector<std::string> text_files(const std::string& file) {
  if (!fs::is_directory(file)) return {file};
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(file, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path extension = entry->path().extension();
    if (entry->is_regular_file() && (extension == ".md" || extension == ".txt"))
      files.push_back(entry->path());
  }
  if (error) throw InputError(file + ": expected a folder that can be read: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> text_paragraphs(const std::string& file) {
  std::vector<std::string> paragraphs;
  for (const std::string& text : text_files(file)) append_paragraphs(text, paragraphs);
  if (paragraphs.empty()) throw InputError(file + ": expected paragraphs of text, found none");
  return paragraphs;
}

}  // namespace logdepth::inline learned_language_model
