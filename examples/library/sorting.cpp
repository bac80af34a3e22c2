// Sorting: compiled, run, the whole answer compared with a sorted word, tested, drawn.
#include "sorting.hpp"

#include <algorithm>
#include <iostream>
#include <logdepth/compile.hpp>
#include <logdepth/draw.hpp>
#include <logdepth/run.hpp>
#include <logdepth/test.hpp>

/// The letter whose number is 1, token by token behind the one that begins the word.
logdepth::Letters letters_of(const logdepth::Answer& answer) {
  logdepth::Letters letters;
  for (std::size_t token = 1; token < answer.numbers.at("a").size(); ++token)
    for (const auto& [letter, numbers] : answer.numbers)
      if (numbers[token].text == "1") letters.push_back(letter);
  return letters;
}

int main() {
  const logdepth::Transformer transformer = logdepth::compile(sorting());
  logdepth::Letters word = transformer.word("cabbacab");
  const logdepth::Letters answer = letters_of(logdepth::run(transformer, word));
  for (const std::string& letter : answer) std::cout << letter;
  std::cout << '\n';

  // A test asks for the numbers of the last token, which holds the largest letter.
  const auto last = [](const logdepth::Letters& letters) {
    const std::string largest = letters.empty() ? "a" : *std::ranges::max_element(letters);
    std::map<std::string, std::string> numbers = {{"a", "0"}, {"b", "0"}, {"c", "0"}};
    numbers[largest] = "1";
    return numbers;
  };
  const auto tested = logdepth::test_numbers(transformer, last, {.up_to = 6});
  std::cout << tested.text() << '\n';

  logdepth::draw(transformer, word, "sorting.svg");
  std::ranges::sort(word);
  return tested.passed() && answer == word ? 0 : 1;
}
