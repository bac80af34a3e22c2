#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "logdepth/vocabulary.hpp"

namespace logdepth {

struct Program;  ///< what the compiler takes; an author never needs its inside

/// A construction, written down: cells with their types, then statements in the order in which a
/// theorist says them, one after the other at every token at once. The words are those of the text
/// form (`.cells`), and what is built is the same program; what a program means, and which rules it
/// has to obey, is said there (docs/library/program.md leads to it).
///
///   cells::Program p("majority");
///   p.alphabet({"0", "1"}).fixed_loops(0);
///   const auto letter = p.onehot("letter", {"begin", "zero", "one"});
///   const auto margin = p.number("margin");
///   p.token(cells::kBegin, letter == "begin").token("0", letter == "zero").token("1", letter == "one");
///   p.final(fetch("count").causal(uniform())
///               .add(margin, letter["one"] - letter["zero"] - letter["begin"] / 2));
///   p.output("accept", margin).output("reject", {});
///
/// Errors of all functions: InputError for a name, label or component that is not there; that the
/// program as a whole obeys the rules is found when it is compiled (ProgramRefused).
namespace cells {

/// Kinds of tokens beside letters.
inline constexpr const char* kBegin = "<begin>";
inline constexpr const char* kEnd = "<end>";

// --- numbers, cells and what is read of them -----------------------------------------------------

/// An exact number p/q, in lowest terms. Precondition: q > 0.
struct Fraction {
  Fraction(std::int64_t p = 0, std::int64_t q = 1);  // NOLINT: integers are fractions
  std::int64_t p, q;
};

/// A named value that every token holds. Belongs to the program that declared it.
class Cell {
 public:
  enum class Kind { constant, flag, onehot, key, pointer, direction, number };
  struct Declared;  ///< the compiler's side of a cell
  const std::string& name() const;
  std::uint32_t size() const;  ///< number of components
  std::uint32_t id() const;    ///< its place in the order of declaration
  const Declared& declared() const { return *declared_; }

 protected:
  friend class Program;
  explicit Cell(std::shared_ptr<const Declared> declared) : declared_(std::move(declared)) {}
  std::shared_ptr<const Declared> declared_;
};

/// "cell = value": a condition of a rule, what a rule assigns, what a token's embedding fills.
struct Value {
  std::uint32_t cell = 0;
  std::uint32_t value = 0;  ///< index of the label; of a flag 1: true, 0: false
};

/// One number of a cell.
struct Component {
  std::uint32_t cell = 0;
  std::uint32_t index = 0;
};

/// The number 1 at every token; a program has at most one such cell.
class Constant : public Cell {
 public:
  using Cell::Cell;
  static constexpr Kind kKind = Kind::constant;
};
/// +1 (true) or -1 (false). As a value: true; `!f`: false.
class Flag : public Cell {
 public:
  using Cell::Cell;
  static constexpr Kind kKind = Kind::flag;
  operator Value() const { return {id(), 1}; }  // NOLINT: a flag is said by its name
  Value operator!() const { return {id(), 0}; }
  Value operator==(bool value) const { return {id(), value ? 1u : 0u}; }
};
/// 1 at one of its labels, 0 at the others.
class OneHot : public Cell {
 public:
  using Cell::Cell;
  static constexpr Kind kKind = Kind::onehot;
  Value operator==(const std::string& label) const;
  Component operator[](const std::string& label) const;
  Value at(std::uint32_t label) const;  ///< by index
  const std::vector<std::string>& labels() const;
};
/// A cell of several numbers.
class Vector : public Cell {
 public:
  using Cell::Cell;
  Component operator[](std::uint32_t index) const;
};
/// The code of the token's own position.
class Key : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::key;
};
/// The code of some position not after the token.
class Pointer : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::pointer;
};
/// A unit vector; with 2 components also the code of a rational x, the direction of (x, 1).
class Direction : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::direction;
};
/// Numbers of any size.
class Number : public Vector {
 public:
  using Vector::Vector;
  static constexpr Kind kKind = Kind::number;
};

/// A linear form of a token's cells: `one / 2 - 3 * letter["a"]`. Terms of factor 0 are left out.
class Form {
 public:
  struct Term {
    Component component;
    Fraction factor;
  };
  Form() = default;
  Form(const Component& component);  // NOLINT
  Form(const Constant& cell);        // NOLINT
  Form(const Flag& cell);            // NOLINT
  Form(const Number& cell);          // NOLINT: of one component
  const std::vector<Term>& terms() const { return terms_; }

  friend Form operator+(Form a, const Form& b);
  friend Form operator*(const Fraction& factor, Form form);

 private:
  std::vector<Term> terms_;
};
Form operator+(Form a, const Form& b);
Form operator*(const Fraction& factor, Form form);
Form operator-(const Form& form);
Form operator-(const Form& a, const Form& b);
/// Precondition: divisor > 0.
Form operator/(const Form& form, int divisor);

/// numerator : denominator, a number that a head asks for.
struct Ratio {
  Form numerator, denominator;
  Ratio(Form p, Form q) : numerator(std::move(p)), denominator(std::move(q)) {}
  Ratio(const Vector& cell);  // NOLINT: of two components; the rational that it codes
  /// The number `by` below it.
  Ratio back(std::uint32_t by) const;
};
Ratio operator/(const Form& numerator, const Form& denominator);

/// A value that several one-hot cells hold together, as a product of letters does, row by row.
using Product = std::vector<OneHot>;

/// Cells one after the other, however they are held.
class CellList {
 public:
  CellList(const Cell& cell) : cells_{cell.id()} {}  // NOLINT
  CellList(const Product& product);                  // NOLINT
  CellList(const std::vector<Flag>& flags);          // NOLINT
  CellList(std::initializer_list<CellList> lists);
  const std::vector<std::uint32_t>& cells() const { return cells_; }

 private:
  std::vector<std::uint32_t> cells_;
};

// --- what a head selects among the visible positions ---------------------------------------------

/// A selector. Each is the arg max of a score for every length; compiler/README.md says what each
/// promises and what it asks of its cells.
class Selector {
 public:
  struct Hidden;
  const Hidden& hidden() const { return *hidden_; }

 protected:
  friend class Selectors;
  explicit Selector(std::shared_ptr<const Hidden> hidden) : hidden_(std::move(hidden)) {}
  std::shared_ptr<const Hidden> hidden_;
};

/// All visible positions.
Selector uniform();
/// All visible positions whose cells equal the token's own.
Selector same(const CellList& cells);
template <class... More>
Selector same(const CellList& first, const CellList& second, const More&... more) {
  return same(CellList{first, second, CellList(more)...});
}

/// `match(E).back(1).key(I)`: the position max(e - 1, 0), where E codes e.
class Match {
 public:
  explicit Match(const Cell& pointer) : pointer_(pointer.id()) {}
  Match back(std::uint32_t by) const;
  Selector key(const Key& key) const;

 private:
  std::uint32_t pointer_, back_ = 0;
};
Match match(const Pointer& pointer);
Match match(const Key& key);

/// `rightmost(e).key(I)`: the last of the visible positions where most of the values hold.
class Rightmost {
 public:
  explicit Rightmost(std::vector<Value> values) : values_(std::move(values)) {}
  Selector key(const Key& key) const;

 private:
  std::vector<Value> values_;
};
template <class... More>
Rightmost rightmost(const Value& value, const More&... more) {
  return Rightmost({value, Value(more)...});
}

/// `nearest(R).key(I)`: the visible position whose phi code is nearest in angle to R; 0 if R < 0.
class Nearest {
 public:
  explicit Nearest(Ratio target) : target_(std::move(target)) {}
  Selector key(const Key& key) const;

 private:
  Ratio target_;
};
Nearest nearest(Ratio target);

/// `flagged(f)`: all visible positions where f holds, or all visible ones if there is none.
class Flagged : public Selector {
 public:
  using Selector::Selector;
  /// Tokens where `value` does not hold select all visible positions.
  Flagged when(const Value& value) const;
};
Flagged flagged(const Value& value);

/// `find(row).key(U).also(k).key(J)`: all visible positions where U is the direction of row and J
/// that of k; broken where there is none, with `find_one` where there are several.
class Found : public Selector {
 public:
  using Selector::Selector;
  class Term {
   public:
    Found key(const Cell& key) const;

   private:
    friend class Found;
    friend Term find(const Ratio& wanted);
    friend Term find_one(const Ratio& wanted);
    Term(Ratio wanted, std::shared_ptr<const Hidden> before, bool one)
        : wanted_(std::move(wanted)), before_(std::move(before)), one_(one) {}
    Ratio wanted_;
    std::shared_ptr<const Hidden> before_;
    bool one_;
  };
  Term also(const Ratio& wanted) const;
  /// Among them those where `value` holds if there is one. The margin is positive and smaller than
  /// what any mismatch costs: a hypothesis that the construction proves.
  Selector prefer(const Value& value, const Form& margin) const;
};
Found::Term find(const Ratio& wanted);
Found::Term find_one(const Ratio& wanted);

/// `related(R).label(v).prefer(f)`: the visible positions whose one-hot v is some l with R[l] true
/// at the token, of these those where f holds, if there is one.
class Related {
 public:
  explicit Related(const std::vector<Flag>& flags) : flags_(CellList(flags).cells()) {}
  Related label(const OneHot& cell) const;
  Selector prefer(const Value& value) const;

 private:
  std::vector<std::uint32_t> flags_;
  std::uint32_t label_ = 0;
};
Related related(const std::vector<Flag>& flags);

// --- statements ----------------------------------------------------------------------------------

/// Statements that run one after the other.
class Statements {
 public:
  struct Hidden;
  Statements();
  Statements(std::initializer_list<Statements> parts);
  explicit Statements(std::shared_ptr<const Hidden> hidden) : hidden_(std::move(hidden)) {}
  bool empty() const;
  Statements& operator+=(const Statements& more);
  const Hidden& hidden() const { return *hidden_; }

 private:
  std::shared_ptr<const Hidden> hidden_;
};

/// One head: `fetch("prev").causal(match(E).key(I)).copy(sd, d)`.
class Fetch {
 public:
  struct Hidden;
  explicit Fetch(const std::string& name);
  /// Among the token and what stands to its left.
  Fetch causal(const Selector& selector) const;
  /// Among all tokens.
  Fetch unmasked(const Selector& selector) const;
  /// Selector and forms read these cells divided by their joint norm.
  Fetch under(const CellList& cells) const;
  template <class... More>
  Fetch under(const CellList& first, const CellList& second, const More&... more) const {
    return under(CellList{first, second, CellList(more)...});
  }
  /// target := what the selected positions hold in source, all the same; target was blank.
  Fetch copy(const Cell& target, const Cell& source) const;
  Fetch copy(const Product& target, const Product& source) const;
  /// target += the average of the form over the selected positions.
  Fetch add(const Component& target, const Form& form) const;
  Fetch add(const Number& target, const Form& form) const;  ///< of one component
  /// cell := value, where the head selects the token itself; overwrites.
  Fetch set(const Value& value) const;
  operator Statements() const;  // NOLINT: a head is a statement

 private:
  template <class Change>
  Fetch with(const Change& change) const;
  std::shared_ptr<const Hidden> hidden_;
};
inline Fetch fetch(const std::string& name) {
  return Fetch(name);
}

/// Where all conditions hold, the cells get these values. No cell twice on either side.
struct Rule {
  std::vector<Value> when, then;
};
using Rules = std::vector<Rule>;
/// `when(act, !odd).then(act)`, `when().then(!act)`: the values after `then` are what is assigned.
class When {
 public:
  explicit When(std::vector<Value> values) : values_(std::move(values)) {}
  template <class... Values>
  Rule then(const Values&... values) const {
    return {values_, {Value(values)...}};
  }

 private:
  std::vector<Value> values_;
};
template <class... Values>
When when(const Values&... values) {
  return When({Value(values)...});
}
/// The rules, each under these conditions as well, which stand first.
Rules under(const std::vector<Value>& conditions, Rules rules);

/// A finite table: for each cell that is assigned exactly one of its rules holds, whatever the
/// cells of the conditions hold. Overwrites.
Statements lookup(const std::string& name, const Rules& rules);
/// target := source, of the same type; overwrites.
Statements move(const Cell& target, const Cell& source);
/// cells := 0.
Statements erase(const CellList& cells);
template <class... More>
Statements erase(const CellList& first, const CellList& second, const More&... more) {
  return erase(CellList{first, second, CellList(more)...});
}

/// `normalise(I, E).from(a[0], a[1])`: the targets, blank before, := the group divided by its norm,
/// every component multiplied by its factor > 0 first.
class Normalise {
 public:
  explicit Normalise(const CellList& targets) : targets_(targets) {}
  template <class... Components>
  Statements from(const Components&... components) const {
    return group({Form(components)...});
  }

 private:
  Statements group(const std::vector<Form>& forms) const;
  CellList targets_;
};
template <class... More>
Normalise normalise(const CellList& target, const More&... more) {
  return Normalise(CellList{target, CellList(more)...});
}

/// `test(e).zero(D)`: e := [D = 0], where e was true at every token; `test(e).positive(D)`: e :=
/// [D > 0], where e was false at every token.
class Test {
 public:
  explicit Test(const Flag& flag) : flag_(flag.id()) {}
  Statements zero(const Form& number) const;
  Statements positive(const Form& number) const;

 private:
  std::uint32_t flag_;
};
inline Test test(const Flag& flag) {
  return Test(flag);
}

// --- the program ---------------------------------------------------------------------------------

/// A row of a table of positions: `{kind == "a", {R, 3}}`.
struct TableEntry {
  TableEntry(const Value& value) : cell(value.cell), number(value.value) {}  // NOLINT
  /// A direction of two components gets the circle code of the number, a circle key its own.
  TableEntry(const Vector& code, std::uint32_t number_) : cell(code.id()), number(number_) {}
  std::uint32_t cell, number;
};

class Program {
 public:
  explicit Program(const std::string& name);
  /// A program that is there already, to be gone on with.
  explicit Program(const logdepth::Program& program);
  Program(const Program& other);
  Program(Program&& other) noexcept;
  Program& operator=(Program other) noexcept;
  ~Program();

  // What it is.
  Program& construction(const std::string& text);
  Program& source(const std::string& text);
  Program& hypothesis(const std::string& text);
  /// Where and why it is not what the source says.
  Program& deviation(const std::string& text);
  Program& parameter(const std::string& name, const std::string& value);

  // What it reads: words (with a token that begins them, if nothing else is said), raw streams, or
  // graphs.
  Program& alphabet(const std::vector<std::string>& letters);
  Program& no_begin();
  Program& end();
  Program& reads_cells();
  /// Tokens of an adjacency matrix, padding, s and t; `size`: made for graphs of that size.
  Program& reads_adjacency(GraphPadding padding, std::optional<std::uint32_t> size = std::nullopt);
  /// A token for each vertex, given its row of the adjacency matrix.
  Program& reads_rows(std::uint32_t size);

  // How often the repeated block runs: ceil(log2 n) times for n letters, if nothing else is said.
  Program& fixed_loops(std::uint32_t loops);
  Program& log_loops_of_letters(std::uint32_t base = 2, std::uint32_t minus = 0);
  Program& log_loops_of_vertices(std::uint32_t minus = 0);
  /// Longer inputs are refused.
  Program& at_most(std::uint64_t size);

  // Cells.
  Constant constant(const std::string& name = "one");
  Flag flag(const std::string& name, Lifetime lifetime = Lifetime::permanent);
  OneHot onehot(const std::string& name, const std::vector<std::string>& labels,
                Lifetime lifetime = Lifetime::permanent);
  Key key(const std::string& name, PositionCode code);
  Pointer pointer(const std::string& name, PositionCode code,
                  Lifetime lifetime = Lifetime::permanent);
  Direction direction(const std::string& name, std::uint32_t size = 2,
                      Lifetime lifetime = Lifetime::permanent);
  /// The direction of integers that are at most `bound` times the number of tokens: a hypothesis
  /// that the construction owes, checked where the program is interpreted.
  Direction integer_direction(const std::string& name, std::uint32_t size = 2,
                              Lifetime lifetime = Lifetime::permanent, std::uint32_t bound = 1);
  Number number(const std::string& name, std::uint32_t size = 1,
                Lifetime lifetime = Lifetime::permanent);
  /// The cell of this name, of a program that is there already; of another kind: InputError.
  template <class Kind>
  Kind cell(const std::string& name) const {
    return Kind(find(name, Kind::kKind));
  }

  // What fills them before the first layer.
  Program& given(const Cell& cell);             ///< comes with the input
  Program& given_position(const Number& cell);  ///< (p, 1) at position p
  Program& given_natural(const Number& cell);   ///< (m, 1), m >= 1, the same at all tokens
  Program& given_ratio(const Direction& cell);  ///< of (x, 1) for a rational x
  Program& position(const Cell& cell,
                    std::uint32_t back = 0);            ///< code of max(p - back, 0); a flag: p = 0
  Program& at(const std::vector<TableEntry>& entries);  ///< the next row of the table of positions
  /// What a kind of token (a letter, kBegin, ...) fills; several calls add up.
  template <class... Values>
  Program& token(const std::string& kind, const Values&... values) {
    return fill(kind, {Value(values)...});
  }
  Program& fill(const std::string& kind, const std::vector<Value>& values);

  // What happens: once before, in each loop, once after.
  template <class... Parts>
  Program& initial(const Parts&... parts) {
    return append_initial({Statements(parts)...});
  }
  template <class... Parts>
  Program& repeated(const Parts&... parts) {
    return append_repeated({Statements(parts)...});
  }
  template <class... Parts>
  Program& final(const Parts&... parts) {
    return append_final({Statements(parts)...});
  }

  // What is read off: "accept" and "reject", the larger of which answers, or numbers by name.
  Program& output(const std::string& name, const Form& form);
  Program& outputs(const std::string& name, const Vector& cell);  ///< name.0, name.1, ...
  Program& relation();  ///< the outputs are the rows of a relation between vertices
  /// Prefix products from one cell over the elements, each a list of images of the points.
  Program& prefix(const OneHot& cell, const std::vector<std::vector<std::uint32_t>>& elements);
  /// Prefix products point by point: a cell whose labels are numbers of points, or always the same.
  struct Point {
    std::optional<OneHot> cell;
    std::uint32_t image = 0;
  };
  Program& prefix(const std::vector<Point>& points);

  const logdepth::Program& program() const { return *program_; }
  logdepth::Program& program() { return *program_; }
  /// The text form of it, which a `.cells` file holds.
  std::string text() const;

 private:
  Program& append_initial(std::initializer_list<Statements> parts);
  Program& append_repeated(std::initializer_list<Statements> parts);
  Program& append_final(std::initializer_list<Statements> parts);
  std::shared_ptr<const Cell::Declared> find(const std::string& name, Cell::Kind kind) const;

  std::unique_ptr<logdepth::Program> program_;
};

}  // namespace cells
}  // namespace logdepth
