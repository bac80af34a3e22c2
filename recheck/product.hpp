#pragma once

// Product cells: one-hot coordinates that hold, at token p, the product of the letters in an interval (p - l, p] of positions,
// cut off at position 0, where the letter acts as a map of points. The certificate says which coordinates they are and which
// image of which point a label stands for; all of it is checked.

// The logits of the last token: prefix read-out and verdict.

#include <string>
#include <vector>

#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"

namespace recheck {

struct Held {  // coordinate = factor * [label]
  int coordinate = 0, label = 0;
  mpq_class factor;
};

struct ProductCell {
  int size = 0;
  std::vector<Held> at;
  std::vector<int> points;         // whose images this cell holds
  std::map<Images, int> label_of;  // images of these points, to the label
};

struct Decoded {  // the image of a point: by the label of a cell, or always the same one
  int cell = -1;
  Images images;
  int image(int label) const { return images[static_cast<std::size_t>(cell < 0 ? 0 : label)]; }
};

class Products {
 public:
  Products(const Json& certificate, int width);

  /// Its laws know the sizes of these cells.
  Frame frame(const Weights& weights) const;
  /// Checks that the cells hold the letter of the own token; the maps of the token kinds.
  std::vector<Images> begin(const Frame& frame, Stream& h);
  /// Checks that the cells, where they changed, hold the product of intervals that meet; `undecided` are units left.
  std::string multiply(const Frame& frame, const Undecided& undecided, Stream& h,
                       const std::string& where);

  std::vector<ProductCell> cells;
  std::vector<Decoded> decode;  // of every point
  std::map<int, int> owner;     // coordinate to its cell
  Shift length;                 // of the interval
  int version = 0;              // of the atoms X

 private:
  struct Branch;  // of the case split
  Atom label(int cell, int label, Shift at) const { return {{'X', cell, version, at}, label}; }
  void bind(Stream& h);
  void walk(Branch branch);
  void split(const Branch& branch, int cell, Shift at);
  void finish(const Branch& branch);
};

/// What a coordinate holds: in the first loop (s = 1), in a loop of stride s, after that loop.
struct Pointer {
  Form at_one, at_stride, after;
};
/// The certificate's pointers and directions of a loop that multiplies the stride by `factor`, by coordinate.
std::map<int, Pointer> read_pointers(Frame& frame, const Json& loop, std::int64_t factor);
/// A shift that is not negative at any stride.
Shift to_shift(const Json& strides, const Json& constant);

/// What a theorem of product cells goes by.
class ProductProof {
 public:
  ProductProof(const Weights& weights, const Json& certificate)
      : weights_(weights),
        certificate_(certificate),
        products_(certificate, weights.width),
        frame_(products_.frame(weights)) {}

 protected:
  const Weights& weights_;
  const Json& certificate_;
  Products products_;
  Frame frame_;
};

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
