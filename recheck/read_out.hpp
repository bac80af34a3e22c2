#pragma once

// The logits of the last token: prefix read-out and verdict.

#include "recheck/product.hpp"

namespace recheck {

/// The prefix read-out as the file describes it.
struct PrefixRows {
  enum class Kind { none, transformation, element, state };
  Kind kind = Kind::none;
  int first_row = 0, points = 0;  // points of a product, or states
  std::vector<Images>
      choices;  // of a transformation: the images of every point; of an element: products
  /// Groups of rows, in each of which the largest logit decides: size of each.
  std::vector<int> groups() const;
  /// What is read, from the number of the winner in each group.
  Images read(const std::vector<int>& winners) const;
};
PrefixRows read_prefix_rows(const Weights& weights);

/// The row of a group with the largest logit; Refused if two rows have it.
int winner(const std::vector<mpq_class>& logits, const std::string& where);

/// accept minus reject.
Form verdict_form(const Frame& frame, const Stream& h);

/// Reads cells of products at the last token.
class LabelReader {
 public:
  LabelReader(const Frame& frame, const Products& products, const Stream& h)
      : frame_(frame), products_(products), h_(h) {}
  /// The automaton whose letters act as `maps` (after <begin>): prefixes and verdict.
  void read(const std::vector<Images>& maps, Theorem& theorem) const;

 private:
  /// Checks that the prefix read-out is the decoded product for every label; whether there is one.
  bool check_prefixes() const;
  /// Which products are accepted.
  void read_verdict(Automaton& automaton) const;
  /// An affine form of cells: value of each label, by cell.
  using Tables = std::map<int, std::vector<mpq_class>>;
  std::pair<mpq_class, Tables> tables(Form form) const;
  int labels_of(int cell) const;

  const Frame& frame_;
  const Products& products_;
  const Stream& h_;
};

}  // namespace recheck
