#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Nested boolean expressions read from their text, without code of `learned`.
namespace logdepth::laws {

/// The value by rewriting: an operator on letters is replaced by the letter of its value until one
/// letter is left.
inline bool rewritten_value(std::string text) {
  const char* const kRules[][2] = {{"!T", "F"},    {"!F", "T"},    {"(T&T)", "T"}, {"(T&F)", "F"},
                                   {"(F&T)", "F"}, {"(F&F)", "F"}, {"(T|T)", "T"}, {"(T|F)", "T"},
                                   {"(F|T)", "T"}, {"(F|F)", "F"}};
  for (bool any = true; any;) {
    any = false;
    for (const auto& rule : kRules)
      for (std::size_t at; (at = text.find(rule[0])) != std::string::npos; any = true)
        text.replace(at, std::string(rule[0]).size(), rule[1]);
  }
  if (text != "T" && text != "F") throw std::invalid_argument("no expression: " + text);
  return text == "T";
}

/// The operators of an expression, operands before operators.
class ExpressionTree {
 public:
  struct Node {
    char sign = 0;  ///< T F ! & |
    std::vector<std::size_t> operands;
    std::uint32_t depth = 0;
  };

  explicit ExpressionTree(const std::string& text) : text_(text) {
    read();
    if (at_ != text_.size()) throw std::invalid_argument("no expression: " + text_);
  }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::uint32_t depth() const { return nodes_.back().depth; }

  /// Rounds until the value is known; in each all operators look at what the round before knew.
  std::uint32_t rounds() const {
    std::vector<std::optional<bool>> known(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].operands.empty()) known[i] = nodes_[i].sign == 'T';
    std::uint32_t count = 0;
    for (; !known.back(); ++count) {
      const auto before = known;
      for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (!nodes_[i].operands.empty()) known[i] = follows(nodes_[i], before);
    }
    return count;
  }

 private:
  static std::optional<bool> follows(const Node& node,
                                     const std::vector<std::optional<bool>>& known) {
    const auto& first = known[node.operands.front()];
    const auto& second = known[node.operands.back()];
    if (node.sign == '!') return first ? std::optional(!*first) : std::nullopt;
    const bool deciding = node.sign == '|';
    if (first == deciding || second == deciding) return deciding;
    return first && second ? std::optional(!deciding) : std::nullopt;
  }

  std::size_t add(char sign, std::vector<std::size_t> operands) {
    Node node{sign, std::move(operands), 0};
    for (const std::size_t operand : node.operands)
      node.depth = std::max(node.depth, nodes_[operand].depth + 1);
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }
  char next() { return text_.at(at_++); }
  void expect(bool holds) const {
    if (!holds) throw std::invalid_argument("no expression: " + text_);
  }
  std::size_t read() {
    const char sign = next();
    if (sign == '!') return add('!', {read()});
    if (sign != '(') {
      expect(sign == 'T' || sign == 'F');
      return add(sign, {});
    }
    const std::size_t left = read();
    const char middle = next();
    expect(middle == '&' || middle == '|');
    const std::size_t right = read();
    expect(next() == ')');
    return add(middle, {left, right});
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace logdepth::laws
