#include "learned/latent_reasoning/frequency_classes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace logdepth::inline learned_latent_reasoning {
namespace {

/// How often each number occurs: the zeros, then the others, frequent ones first.
struct Pattern {
  std::size_t zeros = 0;
  std::vector<std::size_t> others;
};

Pattern pattern_of(const std::vector<std::uint32_t>& frequency) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t number : frequency) ++counts[number];
  Pattern pattern;
  for (const auto& [number, count] : counts) {
    if (number == 0) {
      pattern.zeros = count;
    } else {
      pattern.others.push_back(count);
    }
  }
  std::sort(pattern.others.rbegin(), pattern.others.rend());
  return pattern;
}

std::string text_of(const Pattern& pattern) {
  std::string text(pattern.zeros, '0');
  for (std::size_t i = 0; i < pattern.others.size(); ++i)
    text.append(pattern.others[i], static_cast<char>('a' + i));
  std::string listed = "(";
  for (const char number : text) listed += (listed.size() > 1 ? ", " : "") + std::string(1, number);
  return listed + ")";
}

}  // namespace

std::string frequency_class(const std::vector<std::uint32_t>& frequency) {
  return text_of(pattern_of(frequency));
}

FrequencyClasses::FrequencyClasses(std::uint32_t modulus, std::size_t operands) {
  // Few zeros and much equality come last.
  std::map<std::tuple<std::size_t, std::vector<std::size_t>>, std::string> found;
  std::vector<std::string> class_of;
  std::vector<std::uint32_t> frequency(operands);
  bool more = true;
  while (more) {
    const Pattern pattern = pattern_of(frequency);
    class_of.push_back(text_of(pattern));
    found.emplace(std::tuple(operands - pattern.zeros, pattern.others), class_of.back());
    more = false;
    for (std::size_t i = operands; i-- > 0 && !more;) {
      frequency[i] = (frequency[i] + 1) % modulus;
      more = frequency[i] != 0;
    }
  }
  for (const auto& [order, name] : found) names.push_back(name);
  for (const std::string& name : class_of)
    of.push_back(
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
}

}  // namespace logdepth::inline learned_latent_reasoning
