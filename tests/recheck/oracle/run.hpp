// A run of a weights file in long double, for many small files: the model of runtime/README.md as it is written there, with
// nothing of the checker but its reader. Scores within 1e-13 of the largest are equal to it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recheck/accepted.hpp"
#include "recheck/weights.hpp"

namespace logdepth::oracle_numbers {

using Number = long double;
using Vector = std::vector<Number>;

inline Number number(const mpq_class& x) {
  return static_cast<Number>(x.get_num().get_d()) / static_cast<Number>(x.get_den().get_d());
}

/// What is run: a word, or the numbers of a division.
struct Input {
  std::vector<int> kinds;  // of the tokens
  int size = 0;            // letters or tokens
  long divisor = 1;
  std::vector<long> arguments;
  std::vector<Vector> rows = {};  // of a division: what the input holds
};

/// The code of a position, one number for each component; `parameter` is the offset of fine, or L of phi.
Vector code_of(const std::string& kind, Number parameter, long position);

/// How often the block of the loop is run.
long loops_of(const recheck::Weights& weights, long size);

/// Products with the matrices of one file, whose numbers are converted once.
class Matrices {
 public:
  Vector apply(const recheck::Matrix& matrix, const Vector& z);

 private:
  struct Entry {
    std::size_t row, column;
    Number value;
  };
  std::map<const recheck::Matrix*, std::vector<Entry>> entries_;
};

class Run {
 public:
  Run(const recheck::Weights& weights, Matrices& matrices, const Input& input);
  void attention(const recheck::Layer& layer);
  void feed_forward(const recheck::Layer& layer);

  std::vector<Vector> h;  // by token

 private:
  Vector normalised(const recheck::Row& mask, const Vector& x) const;
  const recheck::Weights& weights_;
  Matrices& matrices_;
};

// What the checker knows after a sublayer, evaluated at the tokens of one input and compared with the numbers of its run.

/// What was known after one sublayer, as it was then.
struct Snapshot {
  explicit Snapshot(const recheck::Accepted& of);

  recheck::Frame frame;
  std::map<int, recheck::Stream> streams;
  std::optional<recheck::Products> products;
  std::optional<recheck::Machine> machine;
  std::map<int, std::vector<int>> signs;
  std::vector<int> compared;
};

/// One input through one proof: what the atoms of its tokens are.
class Truth {
 public:
  Truth(const recheck::Weights& weights, const std::string& theorem, const Input& input);

  /// `stride` is that of the loop at this sublayer, `before` that of the pass before it. Compares all that is known with these
  /// numbers; a line that tells the first difference, or nothing.
  std::string compare(const Snapshot& known, const std::vector<Vector>& h, Number stride,
                      Number before);

  long compared = 0;

 private:
  using Form = recheck::Form;
  using Unknowns = std::map<recheck::Atom, Number>;
  struct Token {
    const Snapshot& known;
    long p;
    Unknowns unknowns = {};
  };

  void find_classes(const Snapshot& known);
  void find_active();
  int class_by_signs(const Snapshot& known, long p) const;
  long count(const Snapshot& known, int counter, long p) const;
  std::optional<Number> value(const Token& token, const Form& form) const;
  std::optional<Number> atom(const Token& token, const recheck::Atom& atom) const;
  std::optional<Number> number_of(const Token& token, int number, long p) const;
  std::optional<Number> of_division(const Token& token, const recheck::Atom& atom) const;
  std::optional<Number> of_tree(const Token& token, const recheck::Atom& atom) const;
  Number label(const Token& token, const recheck::Atom& atom) const;
  Number product_is(const Snapshot& known, const recheck::Atom& atom, long last, long length) const;
  void find_maps(const recheck::Products& products);
  bool fits(Token& token, const recheck::Stream& stream, const Vector& h, std::string& difference);

  const recheck::Weights& weights_;
  const std::string theorem_;
  Input input_;
  Number stride_ = 1, before_ = 1;
  std::map<int, recheck::Shift> lengths_;  // of the intervals of each version of the product cells
  std::map<int, std::vector<int>> classes_;  // of the tokens, before each attention
  std::vector<bool> active_;                 // of the tree
  std::vector<recheck::Images> maps_;        // of the kinds of tokens
};

}  // namespace logdepth::oracle_numbers
