#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "logdepth/statements.hpp"

namespace logdepth { inline namespace compiler_program {
/// What the compiler takes; an author never needs its inside.
struct Program;
}}  // namespace logdepth::compiler_program

namespace logdepth {

/// A construction, written down: cells with their types, then statements in the order in which a
/// theorist says them, one after the other at every token at once. The words are those of the text
/// form (`.cells`), and what is built is the same program; what a program means, and which rules it
/// has to obey, is said there (docs/library leads to it).
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

/// A row of a table of positions: `{kind == "a", {R, 3}}`.
struct TableEntry {
  TableEntry(const Value& value) : cell(value.cell), number(value.value) {}  // NOLINT
  TableEntry(const Flag& flag) : TableEntry(Value(flag)) {}                  // NOLINT
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
  Program& operator=(const Program& other);
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
  struct Logarithm {
    std::uint32_t base = 2;
    std::uint32_t minus = 0;  ///< of n - minus; 0 or 1
  };
  Program& log_loops_of_letters(const Logarithm& logarithm = {2, 0});
  Program& log_loops_of_vertices(const Logarithm& logarithm = {2, 0});
  /// Longer inputs are refused.
  Program& at_most(std::uint64_t size);

  // Cells.
  Constant constant(const std::string& name = "one");
  Flag flag(const std::string& name, Lifetime lifetime = Lifetime::permanent);
  /// NAME.0, NAME.1, ...: a row of a relation.
  std::vector<Flag> flags(const std::string& name, std::uint32_t count,
                          Lifetime lifetime = Lifetime::permanent);
  OneHot onehot(const std::string& name, const std::vector<std::string>& labels,
                Lifetime lifetime = Lifetime::permanent);
  Key key(const std::string& name, PositionCode code, Lifetime lifetime = Lifetime::permanent);
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
  Program& position_parity(const Flag& flag);           ///< p is even; beside position codes
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
    return append(Phase::initial, {Statements(parts)...});
  }
  template <class... Parts>
  Program& repeated(const Parts&... parts) {
    return append(Phase::repeated, {Statements(parts)...});
  }
  template <class... Parts>
  Program& final(const Parts&... parts) {
    return append(Phase::final, {Statements(parts)...});
  }

  // What is read off: "accept" and "reject", the larger of which answers, or numbers by name.
  Program& output(const std::string& name, const Form& form);
  Program& outputs(const std::string& name, const Vector& cell);  ///< name.0, ..., or just name
  Program& relation();  ///< the outputs are the rows of a relation between vertices
  /// Prefix products from one cell over the elements, each a list of images of the points.
  Program& prefix(const OneHot& cell, const std::vector<std::vector<std::uint32_t>>& elements);
  /// Prefix products point by point: a cell whose labels are numbers of points, or always the same.
  struct Point {
    std::optional<OneHot> cell;
    std::uint32_t image = 0;
  };
  Program& prefix(const std::vector<Point>& points);
  /// In place of products the state after every prefix: per label of the cell the number of a state,
  /// which several labels may mean.
  Program& prefix_states(const OneHot& cell, const std::vector<std::uint32_t>& states);

  /// The place of a cell in the order of declaration. Errors: InputError for a cell that this
  /// program has not declared, nor the one that it is a copy of.
  std::uint32_t place(std::uint32_t id) const;
  const logdepth::Program& program() const { return *program_; }
  logdepth::Program& program() { return *program_; }
  /// The text form of it, which a `.cells` file holds.
  std::string text() const;

 private:
  enum class Phase { initial, repeated, final };
  Program& append(Phase phase, std::initializer_list<Statements> parts);
  std::shared_ptr<const Cell::Declared> find(const std::string& name, Cell::Kind kind) const;

  std::unique_ptr<logdepth::Program> program_;
  std::vector<std::uint32_t> ids_;  ///< of its cells, increasing
};

}  // namespace cells
}  // namespace logdepth
