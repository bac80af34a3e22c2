#include "objects/automaton_mata_bits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline objects {

namespace {

constexpr std::size_t kMostBits = 20;
constexpr std::size_t kMostBitLetters = 256;  // all of them are letters
constexpr std::size_t kMostMinterms = 4096;
constexpr std::size_t kMostBitWork = std::size_t{1} << 28;  // truth values of formulas
constexpr int kMostFormulaNesting = 300;

}  // namespace

/// From what binds least: `|`, `&`, `!`.
class BitLetters::Parser {
 public:
  Parser(BitLetters& letters, const std::vector<std::string>& words)
      : letters_(letters), words_(words) {}

  void read() {
    either();
    if (at_ < words_.size())
      throw InputError("expected the end of the formula, found " + in_quotes(words_[at_]));
  }

 private:
  void add(char operation, std::size_t bit = 0) { letters_.nodes_.push_back({operation, bit}); }

  bool taken(std::string_view word) {
    if (at_ == words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }

  void either() {
    both();
    while (taken("|")) {
      both();
      add('|');
    }
  }

  void both() {
    unary();
    while (taken("&")) {
      unary();
      add('&');
    }
  }

  void unary() {
    if (++nesting_ > kMostFormulaNesting)
      throw InputError(
          fmt::format("expected a formula nested at most {} deep", kMostFormulaNesting));
    if (taken("!")) {
      unary();
      add('!');
    } else if (taken("(")) {
      either();
      if (!taken(")")) throw InputError("expected ')' in the formula");
    } else if (taken("\\true")) {
      add('1');
    } else if (taken("\\false")) {
      add('0');
    } else {
      if (at_ == words_.size()) throw InputError("expected a bit, found the end of the formula");
      const std::string& name = words_[at_++];
      if (std::string_view("&|!()@%\\").find(name.front()) != std::string_view::npos)
        throw InputError("expected a bit, found " + in_quotes(name));
      add('b', letters_.bit(name));
    }
    --nesting_;
  }

  BitLetters& letters_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

void BitLetters::name_bits(const std::vector<std::string>& names) {
  for (const std::string& name : names) (void)bit(name);
  fixed_ = true;
}

std::size_t BitLetters::bit(const std::string& name) {
  const auto known = bits_.find(name);
  if (known != bits_.end()) return known->second;
  if (fixed_) throw InputError("expected a bit of %Alphabet-enum, found " + in_quotes(name));
  bits_.emplace(name, names_.size());
  names_.push_back(name);
  return names_.size() - 1;
}

std::size_t BitLetters::formula(const std::vector<std::string>& words) {
  std::string key;
  for (const std::string& word : words) key += word + '\n';
  const auto [entry, is_new] = formulas_.emplace(key, ends_.size());
  if (is_new) {
    Parser(*this, words).read();
    ends_.push_back(nodes_.size());
  }
  return entry->second;
}

/// Of each bit in the names of letters.
std::vector<std::size_t> BitLetters::places() const {
  std::vector<std::size_t> order(names_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!fixed_)
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      return std::pair(names_[a].size(), names_[a]) < std::pair(names_[b].size(), names_[b]);
    });
  std::vector<std::size_t> places(names_.size());
  for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

BitLetters::Truth BitLetters::truth(std::size_t formula,
                                    const std::vector<std::size_t>& places) const {
  const std::size_t letters = std::size_t{1} << names_.size();
  std::vector<Truth> stack;
  for (std::size_t i = formula == 0 ? 0 : ends_[formula - 1]; i < ends_[formula]; ++i) {
    const Node& node = nodes_[i];
    if (node.operation == '!') {
      for (std::uint64_t& word : stack.back()) word = ~word;
    } else if (node.operation == '&' || node.operation == '|') {
      const Truth right = std::move(stack.back());
      stack.pop_back();
      for (std::size_t k = 0; k < right.size(); ++k)
        stack.back()[k] =
            node.operation == '&' ? stack.back()[k] & right[k] : stack.back()[k] | right[k];
    } else {
      stack.emplace_back((letters + 63) / 64, node.operation == '1' ? ~std::uint64_t{0} : 0);
      if (node.operation != 'b') continue;
      const std::size_t shift = names_.size() - 1 - places[node.bit];
      for (std::size_t letter = 0; letter < letters; ++letter)
        if (letter >> shift & 1) stack.back()[letter / 64] |= std::uint64_t{1} << letter % 64;
    }
  }
  return std::move(stack.back());
}

BitLetters::Letters BitLetters::letters() const {
  if (names_.empty())
    throw InputError("no bit occurs; expected at least one transition with a bit");
  if (names_.size() > kMostBits)
    throw SizeLimit(fmt::format("{} bits make 2^{} letters; the limit is {} bits; try fewer",
                                names_.size(), names_.size(), kMostBits));
  const std::size_t all = std::size_t{1} << names_.size();
  if (nodes_.size() > kMostBitWork / all)
    throw SizeLimit(
        fmt::format("{} parts of formulas over 2^{} letters are more than the limit of "
                    "{} truth values; try fewer bits",
                    nodes_.size(), names_.size(), kMostBitWork));
  const std::vector<std::size_t> places = this->places();
  std::vector<Truth> truths;
  for (std::size_t formula = 0; formula < ends_.size(); ++formula) {
    truths.push_back(truth(formula, places));
    if (truths.size() * truths.front().size() > kMostBitWork / 32)
      throw SizeLimit(
          fmt::format("{} formulas over 2^{} letters are more than the limit; try fewer "
                      "bits",
                      ends_.size(), names_.size()));
  }
  const auto holds = [&](std::size_t formula, std::size_t letter) {
    return (truths[formula][letter / 64] >> letter % 64 & 1) != 0;
  };
  std::vector<std::uint32_t> classes(all);
  std::size_t count = 1;
  Letters result;
  result.minterms = all > kMostBitLetters;
  if (!result.minterms) {
    std::iota(classes.begin(), classes.end(), 0u);
    count = all;
  }
  for (std::size_t formula = 0; result.minterms && formula < truths.size(); ++formula) {
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> split;
    for (std::size_t letter = 0; letter < all; ++letter)
      classes[letter] = split
                            .emplace(std::pair(classes[letter], holds(formula, letter)),
                                     static_cast<std::uint32_t>(split.size()))
                            .first->second;
    count = split.size();
    if (count > kMostMinterms)
      throw SizeLimit(
          fmt::format("2^{} letters by bits, and the formulas distinguish more than {} "
                      "of them, the limit; try fewer bits",
                      names_.size(), kMostMinterms));
  }
  std::vector<bool> met(count);
  std::vector<std::size_t> firsts;
  for (std::size_t letter = 0; letter < all; ++letter) {
    if (met[classes[letter]]) continue;
    met[classes[letter]] = true;
    firsts.push_back(letter);
    std::string& name = result.names.emplace_back();
    for (std::size_t i = names_.size(); i-- > 0;) name += letter >> i & 1 ? '1' : '0';
  }
  for (std::size_t formula = 0; formula < truths.size(); ++formula) {
    std::vector<std::size_t>& of = result.of_formula.emplace_back();
    for (std::size_t i = 0; i < firsts.size(); ++i)
      if (holds(formula, firsts[i])) of.push_back(i);
  }
  return result;
}

}  // namespace logdepth::inline objects
