#pragma once

// Product cells: one-hot coordinates that hold, at token p, the product of the letters in an interval (p - l, p] of positions,
// cut off at position 0, where the letter acts as a map of points. The certificate says which coordinates they are and which
// image of which point a label stands for; all of it is checked.

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

}  // namespace recheck
