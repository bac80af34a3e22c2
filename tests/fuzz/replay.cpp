// Without a fuzzer: `fuzz_replay FOLDER` reads the stored inputs, a folder of files for every
// target; `fuzz_replay TARGET FILE ...` some of one target. With `--changes N` first: N changed copies
// of the files of each target, the same on every machine (LOGDEPTH_SEED sets other ones).
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/whole_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz { namespace {

namespace fs = std::filesystem;

using Files = std::vector<fs::path>;

struct Piece {
  std::size_t begin = 0, size = 0;
};

/// Less than `bound`, the same on every platform.
std::size_t draw(std::mt19937_64& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}

bool in_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) || c == '/' || c == '-';
}

std::vector<Piece> numbers_of(const std::string& text) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < text.size();) {
    const bool inside_word = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1]));
    std::size_t end = i;
    while (end < text.size() && in_number(text[end])) ++end;
    const bool digit = end > i && std::isdigit(static_cast<unsigned char>(text[end - 1]));
    if (digit && !inside_word) pieces.push_back({i, end - i});
    i = end > i ? end : i + 1;
  }
  return pieces;
}

/// Whatever a comma precedes: one bracketed element with its brackets, or a scalar.
std::vector<Piece> elements_of(const std::string& text) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != ',') continue;
    std::size_t end = i + 1, open = 0;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      if (open == 0 && (c == ',' || c == ']' || c == '}' || c == '\n')) break;
      open += c == '[' || c == '{';
      open -= c == ']' || c == '}';
    }
    pieces.push_back({i, end - i});
  }
  return pieces;
}

void exchange(std::string& text, Piece a, Piece b) {
  if (a.begin > b.begin) std::swap(a, b);
  if (a.begin + a.size > b.begin) return;  // one holds the other
  const std::string first = text.substr(a.begin, a.size), second = text.substr(b.begin, b.size);
  text.replace(b.begin, b.size, first);
  text.replace(a.begin, a.size, second);
}

void change_number(std::string& text, std::mt19937_64& random) {
  static const std::array kValues = {"0", "1",    "-1",         "2",          "-2",
                                     "3", "4",    "1/2",        "2/3",        "-1/3",
                                     "5", "7/11", "1000000000", "-1000000000"};
  const std::vector<Piece> pieces = numbers_of(text);
  if (pieces.empty()) return;
  const Piece at = pieces[draw(random, pieces.size())], other = pieces[draw(random, pieces.size())];
  switch (draw(random, 3)) {
    case 0:
      return exchange(text, at, other);
    case 1:
      text.replace(at.begin, at.size, text.substr(other.begin, other.size));
      return;
    default:
      text.replace(at.begin, at.size, kValues[draw(random, kValues.size())]);
  }
}

void change_element(std::string& text, std::mt19937_64& random) {
  const std::vector<Piece> pieces = elements_of(text);
  if (pieces.empty()) return;
  const Piece at = pieces[draw(random, pieces.size())], other = pieces[draw(random, pieces.size())];
  const std::string element = text.substr(at.begin, at.size);
  switch (draw(random, 4)) {
    case 0:
      text.erase(at.begin, at.size);
      return;
    case 1:
      text.insert(at.begin, element);
      return;
    case 2:
      text.insert(other.begin, element);
      return;
    default:
      exchange(text, at, other);
  }
}

/// The text after one to three small changes that keep most of its structure: a number replaced or
/// exchanged with another, a bracketed element removed, doubled or exchanged, rarely a byte. The same
/// text and state of the generator give the same change.
std::string changed_text(std::string text, std::mt19937_64& random) {
  for (std::size_t changes = 1 + draw(random, 3); changes > 0 && !text.empty(); --changes) {
    const std::size_t kind = draw(random, 16);
    if (kind < 10)
      change_number(text, random);
    else if (kind < 15)
      change_element(text, random);
    else
      text[draw(random, text.size())] = static_cast<char>(draw(random, 256));
  }
  return text;
}

void replay(const std::string& name, const Files& files) {
  for (const fs::path& file : files) {
    // Printed first, for a reader that ends the program.
    std::cout << name << " " << file.filename().string() << std::endl;
    targets().at(name)(read_whole_file(file.string()));
  }
}

/// The stored inputs of every target.
std::map<std::string, Files> stored(const fs::path& folder) {
  std::map<std::string, Files> all;
  for (const auto& [name, target] : targets()) {
    hold(fs::is_directory(folder / name), name + " has stored inputs");
    Files& files = all[name];
    for (const auto& entry : fs::directory_iterator(folder / name)) files.push_back(entry.path());
    hold(!files.empty(), name + " has stored inputs");
    std::sort(files.begin(), files.end());
  }
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(folder)) folders += entry.is_directory();
  hold(folders == targets().size(), "every folder is that of a target");
  return all;
}

/// The copy that is read lies in a file while it is read: whatever ends the program leaves it there.
void replay_changes(std::size_t count, const std::string& name, const Files& files) {
  const char* const given = std::getenv("LOGDEPTH_SEED");
  const std::uint64_t seed = given ? std::stoull(given) : 1;
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(read_whole_file(file.string()));
  const std::string kept = fs::absolute("changed-" + name).string();
  for (std::size_t i = 0; i < count; ++i) {
    std::mt19937_64 random(seed * 1000003 + i);
    const std::string changed = changed_text(texts[i % texts.size()], random);
    write_whole_file(kept, changed);
    targets().at(name)(changed);
  }
  fs::remove(kept);
  std::cout << name << ": " << count << " changed copies, seed " << seed << std::endl;
}

}}  // namespace logdepth::fuzz

int main(int argc, char** argv) {
  using namespace logdepth::fuzz;
  std::vector<std::string> given(argv + 1, argv + argc);
  std::size_t changes = 0;
  if (given.size() > 2 && given[0] == "--changes") {
    changes = std::stoull(given[1]);
    given.erase(given.begin(), given.begin() + 2);
  }
  std::map<std::string, Files> inputs;
  if (given.size() == 1 && fs::is_directory(given[0])) {
    inputs = stored(given[0]);
  } else {
    hold(given.size() > 1 && targets().contains(given[0]),
         "expected [--changes N] FOLDER, or [--changes N] TARGET FILE ...");
    inputs[given[0]] = {given.begin() + 1, given.end()};
  }
  for (const auto& [name, files] : inputs)
    if (changes > 0)
      replay_changes(changes, name, files);
    else
      replay(name, files);
  return 0;
}
