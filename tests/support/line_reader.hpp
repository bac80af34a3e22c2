#pragma once

// Lines of the Encode-Think-Decode corpus as texts, read and answered by themselves: nothing here
// knows how they are drawn.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace logdepth::laws {

using WordList = std::vector<std::string>;

inline WordList split_words(const std::string& text) {
  std::istringstream in(text);
  WordList words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

inline std::string join_words(const WordList& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// A line without its end, taken apart.
struct ReadLine {
  struct Asked {
    WordList words;  ///< "where is bob", "? 2 steps from c", "? 2 + 1 =", "? colour"
    std::string answer;
  };
  std::string kind;
  WordList passage;
  std::vector<Asked> told;  ///< with answers, before the line's own question
  Asked own;
  int difficulty = 1;
};

/// Takes a line apart by its words alone. The told questions begin with "also", end with a comma.
inline ReadLine read_line(const std::string& text) {
  WordList words = split_words(text);
  ReadLine line;
  const std::set<std::string> all(words.begin(), words.end());
  line.kind = all.contains("belong") ? "common"
              : all.contains("->")   ? "multi-hop"
              : all.contains("mod")  ? "arithmetic"
              : all.contains(":")    ? "recall"
                                     : "reading";
  const std::map<std::string, std::string> own_marks = {
      {"multi-hop", "?"}, {"recall", "?"}, {"arithmetic", "?"}, {"reading", "where"}};
  const auto own_mark = own_marks.find(line.kind);
  // The passage ends where a question begins.
  std::size_t at = 0;
  if (own_mark != own_marks.end())
    while (at < words.size() && words[at] != "also" && words[at] != own_mark->second)
      line.passage.push_back(words[at++]);
  while (at < words.size() && words[at] == "also") {
    ReadLine::Asked told;
    for (++at; at < words.size() && words[at] != ","; ++at) told.words.push_back(words[at]);
    if (at++ == words.size() || told.words.empty()) {
      ADD_FAILURE() << "no comma behind what is told: " << text;
      return line;
    }
    told.answer = told.words.back();
    told.words.pop_back();
    if (own_mark != own_marks.end()) told.words.insert(told.words.begin(), own_mark->second);
    line.told.push_back(told);
  }
  line.own.words.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  if (line.own.words.empty()) {
    ADD_FAILURE() << "no question: " << text;
    return line;
  }
  line.own.answer = line.own.words.back();
  line.own.words.pop_back();
  if (line.kind == "reading") line.difficulty = static_cast<int>(line.passage.size() / 5);
  if (line.kind == "multi-hop") line.difficulty = std::stoi(line.own.words.at(1));
  if (line.kind == "arithmetic")
    line.difficulty = static_cast<int>((line.own.words.size() - 1) / 2);
  return line;
}

/// The sum of "mod 3 :" and "? 2 + 1 - 2 =", from left to right.
inline std::string sum_of(const WordList& passage, const WordList& words) {
  EXPECT_EQ(join_words(passage), "mod 3 :");
  const int modulus = 3;
  EXPECT_EQ(words.at(0), "?");
  int value = std::stoi(words.at(1));
  std::size_t at = 2;
  for (; words.at(at) != "="; at += 2)
    value += (words[at] == "+" ? 1 : -1) * std::stoi(words.at(at + 1));
  EXPECT_EQ(at + 1, words.size());
  return std::to_string((value % modulus + modulus) % modulus);
}

/// Where the passage says that everybody is, or leads from every letter.
inline std::map<std::string, std::string> pairs_of(const ReadLine& line) {
  std::map<std::string, std::string> pairs;
  const std::size_t step = line.kind == "reading" ? 5 : 3, second = step == 5 ? 3 : 2;
  EXPECT_EQ(line.passage.size() % step, 0u);
  for (std::size_t i = 0; i + step <= line.passage.size(); i += step) {
    EXPECT_TRUE(pairs.emplace(line.passage[i], line.passage[i + second]).second);
    if (step == 5) {
      EXPECT_EQ(line.passage[i + 1] + line.passage[i + 2] + line.passage[i + 4], "isin.");
    } else {
      EXPECT_EQ(line.passage[i + 1], "->");
    }
  }
  return pairs;
}

/// The answer that the words of a line give by themselves; empty for recall and common.
inline std::string worked_out(const ReadLine& line, const ReadLine::Asked& asked) {
  if (line.kind == "arithmetic") return sum_of(line.passage, asked.words);
  if (line.kind == "reading") {
    EXPECT_EQ(asked.words.size(), 3u);
    EXPECT_EQ(asked.words.at(0) + asked.words.at(1), "whereis");
    return pairs_of(line).at(asked.words.at(2));
  }
  if (line.kind != "multi-hop") return "";
  EXPECT_EQ(asked.words.size(), 5u);
  EXPECT_EQ(asked.words.at(0) + asked.words.at(2) + asked.words.at(3), "?stepsfrom");
  const std::map<std::string, std::string> next = pairs_of(line);
  std::string letter = asked.words.at(4);
  for (int left = std::stoi(asked.words.at(1)); left > 0; --left) letter = next.at(letter);
  return letter;
}

}  // namespace logdepth::laws
