#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "logdepth/errors.hpp"
#include "logdepth/vocabulary.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/rational.hpp"

namespace logdepth { inline namespace compiler_program {

/// The intermediate representation: what happens, not where. A program is a list of named cells
/// and, per block, a list of statements that run one after the other at every token. Its meaning is
/// compiler/meaning/interpret.cpp; its text form and the meaning in prose are in compiler/README.md.

struct ConstantType {  ///< the number 1 at every token
  bool operator==(const ConstantType&) const = default;
};
struct FlagType {  ///< +1 or -1
  bool operator==(const FlagType&) const = default;
};
struct OneHotType {  ///< one component per label, exactly one of them 1 and the others 0
  std::vector<std::string> labels;
  bool operator==(const OneHotType&) const = default;
};
struct KeyType {  ///< the code of the token's own position
  PositionCode code;
  bool operator==(const KeyType&) const = default;
};
struct PointerType {  ///< the code of some position not after the token
  PositionCode code;
  bool operator==(const PointerType&) const = default;
};
struct DirectionType {  ///< a unit vector; with 2 components also the code of a rational, dir(x, 1)
  std::uint32_t size;
  /// Whatever the cell holds is a positive multiple of a vector of integers that are at most
  /// integers * N in absolute value, N the size of the run (CellStates). Owed by the construction,
  /// checked by the interpreter at every write.
  std::optional<std::uint32_t> integers = std::nullopt;
  bool operator==(const DirectionType&) const = default;
};
struct NumberType {  ///< any numbers, of any norm
  std::uint32_t size;
  bool operator==(const NumberType&) const = default;
};
using CellType = std::variant<ConstantType, FlagType, OneHotType, KeyType, PointerType,
                              DirectionType, NumberType>;

struct Cell {
  std::string name;
  CellType type;
  Lifetime lifetime = Lifetime::permanent;
  bool operator==(const Cell&) const = default;
};
/// A letter or _, then letters, digits, _ and .; `under`, `from` and `label` are words of the text
/// form.
bool is_cell_name(const std::string& name);
using CellId = std::uint32_t;

std::uint32_t size_of(const CellType& type);
/// The code that a key or pointer holds; absent for other types.
std::optional<PositionCode> held_code(const CellType& type);
/// A key or pointer of phi(p / L), for any L.
bool is_phi_code(const CellType& type);
/// Squared norm of a cell that holds a value of its type; absent for NumberType.
std::optional<Rational> squared_norm(const CellType& type);

struct Component {
  CellId cell = 0;
  std::uint32_t index = 0;
  bool operator==(const Component&) const = default;
};
struct Term {
  Component component;
  Rational factor;
  bool operator==(const Term&) const = default;
};
using LinearForm = std::vector<Term>;

/// Condition on a flag (value 1: true, 0: false) or a one-hot cell (value: index of the label).
struct Literal {
  CellId cell = 0;
  std::uint32_t value = 0;
  bool operator==(const Literal&) const = default;
};

// What a head selects among the visible positions. The inequality that makes each of them the
// arg max of a score, for every length, stands in compiler/lemmas/head_schema.cpp.
struct SelectAll {  ///< uniform: all visible positions
  bool operator==(const SelectAll&) const = default;
};
struct SelectPointed {  ///< match: the position max(e - back, 0), where `pointer` codes e
  CellId pointer = 0;
  CellId key = 0;
  std::uint32_t back = 0;  ///< > 0 only with phi codes
  bool operator==(const SelectPointed&) const = default;
};
struct SelectSame {  ///< match: all visible positions whose cells equal this token's
  std::vector<CellId> cells;
  bool operator==(const SelectSame&) const = default;
};
/// The position's `there` has the label of the token's `own`: one-hot cells of the same labels.
struct SharedLabel {
  CellId own = 0;
  CellId there = 0;
  bool operator==(const SharedLabel&) const = default;
};
/// The last of the visible positions where most of the conditions hold: flags, and a shared label.
struct SelectRightmost {
  std::vector<Literal> flags;
  std::optional<SharedLabel> shared;
  CellId key = 0;
  bool operator==(const SelectRightmost&) const = default;
};
/// The number numerator / denominator, read from the token's cells.
struct Ratio {
  LinearForm numerator, denominator;
  bool operator==(const Ratio&) const = default;
};
/// The visible position whose code is nearest in angle to the direction of (numerator,
/// denominator): the one that codes it, if there is one. With the phi code there is never a tie
/// between rationals; with the fine code the program is broken where there is one.
struct SelectNearest {
  Ratio target;
  CellId key = 0;  ///< key phi or fine
  bool operator==(const SelectNearest&) const = default;
};
/// All visible positions where `flag` holds, or all visible ones if there is none; tokens where
/// `when` does not hold select all visible ones.
struct SelectFlagged {
  Literal flag;
  std::optional<Literal> when;
  bool operator==(const SelectFlagged&) const = default;
};
struct FindTerm {  ///< the position's `key` is the direction of (numerator, denominator)
  Ratio wanted;
  CellId key = 0;  ///< two components of squared norm 1
  bool operator==(const FindTerm&) const = default;
};
/// Among what matches, positions where `flag` holds if there is one. `margin` is positive and so
/// small that it never outweighs a mismatch: a hypothesis that the construction has to prove.
struct Preference {
  Literal flag;
  Term margin;
  bool operator==(const Preference&) const = default;
};
/// All visible positions that match in every term; the program is broken where none does, or with
/// `one` where several do.
struct SelectFound {
  std::vector<FindTerm> terms;
  std::optional<Preference> prefer;
  bool one = false;
  bool operator==(const SelectFound&) const = default;
};
/// The visible positions whose one-hot `label` is some l with flags[l] true at the token; of these
/// those where `prefer` holds, if there is one. The program is broken where there is none at all.
struct SelectRelated {
  std::vector<CellId> flags;  ///< one flag per label
  CellId label = 0;
  Literal prefer;
  bool operator==(const SelectRelated&) const = default;
};
using Selector = std::variant<SelectAll, SelectPointed, SelectSame, SelectRightmost, SelectNearest,
                              SelectFlagged, SelectFound, SelectRelated>;
/// The token itself alone: its own key as the pointer.
bool selects_self(const Selector& selector);

struct CopyWrite {  ///< target := the selected positions' common value of source; target was blank
  CellId target = 0;
  CellId source = 0;
  bool operator==(const CopyWrite&) const = default;
};
struct SumWrite {  ///< target += average over the selected positions of a linear form
  Component target;
  LinearForm form;
  bool operator==(const SumWrite&) const = default;
};
struct SetWrite {  ///< a flag or one-hot cell := value; overwrites, which needs selects_self
  CellId cell = 0;
  std::uint32_t value = 0;
  bool operator==(const SetWrite&) const = default;
};
using HeadWrite = std::variant<CopyWrite, SumWrite, SetWrite>;

/// One attention head. With `under` the selector and the written forms read those cells divided by
/// their joint norm; the selector is then uniform, or `same` over exactly these cells, which may be
/// numbers and may be copied into a cell of directions.
struct FetchStatement {
  std::string name;
  bool causal = true;
  Selector selector;
  std::vector<CellId> under;
  std::vector<HeadWrite> writes;
  bool operator==(const FetchStatement&) const = default;
};

struct Assignment {
  CellId cell = 0;
  std::uint32_t value = 0;
  bool operator==(const Assignment&) const = default;
};
/// What these give the cell, if they do.
std::optional<std::uint32_t> value_in(const std::vector<Assignment>& assignments, CellId cell);
struct Rule {
  std::vector<Literal> when;  ///< all hold; no cell twice
  std::vector<Assignment> then;
  bool operator==(const Rule&) const = default;
};
/// A finite table: for each assigned cell exactly one rule that assigns it holds, whatever values
/// the cells of the conditions have (proved before emission). A cell of `otherwise` gets that value
/// where no rule that assigns it holds. Overwrites.
struct LookupStatement {
  std::string name;
  std::vector<Rule> rules;
  std::vector<Assignment> otherwise = {};  ///< of cells that some rule assigns
  bool operator==(const LookupStatement&) const = default;
};
/// target := source (same type) where all of `when` hold; else the target, full before, keeps its
/// value. No cell twice in `when`.
struct MoveStatement {
  CellId target = 0;
  CellId source = 0;
  std::vector<Literal> when = {};
  bool operator==(const MoveStatement&) const = default;
};
struct EraseStatement {  ///< cells := 0
  std::vector<CellId> cells;
  bool operator==(const EraseStatement&) const = default;
};
/// targets := group / ||group||, each component of the group multiplied by its factor > 0 first;
/// the targets were blank.
struct NormaliseStatement {
  std::vector<CellId> targets;
  std::vector<Term> group;
  bool operator==(const NormaliseStatement&) const = default;
};
/// MS25 Lemma A.7, repaired: flag := [number = 0] (zero), where the flag was true at every token,
/// or flag := [number > 0] (positive), where it was false at every token.
struct TestStatement {
  enum class Kind { zero, positive };
  CellId flag = 0;
  Kind kind = Kind::zero;
  Component number;
  bool operator==(const TestStatement&) const = default;
};
using Statement = std::variant<FetchStatement, LookupStatement, MoveStatement, EraseStatement,
                               NormaliseStatement, TestStatement>;

struct PositionFill {
  CellId cell = 0;
  std::uint32_t back = 0;  ///< codes: position max(p - back, 0)
  bool parity = false;     ///< a flag: [p is even], not [p = 0]
  bool operator==(const PositionFill&) const = default;
};
/// An entry of a table of positions. A flag or one-hot cell gets `value`; a direction of two
/// components gets the circle code of the number `value`, a circle key that of its own position.
struct TableFill {
  CellId cell = 0;
  std::uint32_t value = 0;
  bool operator==(const TableFill&) const = default;
};
/// A cell whose values come with the input (raw streams; the rows of a graph).
struct GivenCell {
  enum class Holds {
    value,     ///< a value of the cell's type; a pointer points to a visible position
    position,  ///< number 2: (p, 1) at position p
    natural,   ///< number 2: (m, 1), m >= 1 an integer, the same at all tokens
    ratio      ///< direction 2: of (x, 1) for a rational x
  };
  CellId cell = 0;
  Holds holds = Holds::value;
  bool operator==(const GivenCell&) const = default;
};
struct TokenFill {
  CellId cell = 0;
  std::uint32_t value = 0;  ///< label index, or 0/1 for a flag
  bool operator==(const TokenFill&) const = default;
};
struct OutputRow {
  std::string name;
  LinearForm form;
  bool operator==(const OutputRow&) const = default;
};
/// How the product of a prefix is read: point by point, or from one one-hot cell over the elements;
/// or, in place of the product, the state that the letters lead to.
struct PointReadout {
  std::optional<CellId> cell;  ///< one-hot, labels are the images' numbers; absent: always `image`
  std::uint32_t image = 0;
  bool operator==(const PointReadout&) const = default;
};
struct PrefixPoints {
  std::vector<PointReadout> points;
  bool operator==(const PrefixPoints&) const = default;
};
struct PrefixElement {
  CellId cell = 0;
  std::vector<std::vector<std::uint32_t>> elements;  ///< images of the points, one list per label
  bool operator==(const PrefixElement&) const = default;
};
struct PrefixState {
  CellId cell = 0;
  std::vector<std::uint32_t> states;  ///< one per label; several labels may mean the same state
  /// One more than the largest of them; there may be states among these that no label means.
  std::uint32_t count() const;
  bool operator==(const PrefixState&) const = default;
};
using ProgramPrefix = std::variant<std::monostate, PrefixPoints, PrefixElement, PrefixState>;

struct Program {
  std::string name, construction, source;
  std::vector<std::string> hypotheses, deviations;
  std::map<std::string, std::string> parameters;
  std::vector<std::string> alphabet;  ///< of words
  Input input = WordInput{};          ///< names, mirrors and graph rows are filled by the compiler
  Unroll unroll;

  std::vector<Cell> cells;
  std::vector<GivenCell> given;  ///< in order; the first cells of the layout
  std::vector<PositionFill> position;
  std::vector<std::vector<TableFill>> table;  ///< instead of `position`: one list per position
  std::map<std::string, std::vector<TokenFill>> embedding;  ///< per token kind
  std::vector<Statement> initial, repeated, final;
  bool relation = false;           ///< the outputs are the rows of a relation (graphs, layout rows)
  std::vector<OutputRow> outputs;  ///< "accept" and "reject", or any names (cells output)
  ProgramPrefix prefix;

  bool operator==(const Program&) const = default;

  std::optional<CellId> find(const std::string& cell) const;
  const std::vector<Statement>& block(Block b) const {
    return b == Block::initial ? initial : b == Block::repeated ? repeated : final;
  }
};

/// Gives the cells of a program, or of a part of one, other numbers, everywhere where it names one.
class Renumbering {
 public:
  explicit Renumbering(std::function<CellId(CellId)> number) : number_(std::move(number)) {}

  void operator()(Program& program) const {
    apply(program.given, program.position, program.table, program.initial, program.repeated,
          program.final, program.prefix);
    for (auto& [kind, fills] : program.embedding) (*this)(fills);
    for (OutputRow& row : program.outputs) (*this)(row.form);
  }

  void operator()(CellId& cell) const { cell = number_(cell); }
  template <class T>
  void operator()(std::vector<T>& list) const {
    for (T& element : list) (*this)(element);
  }
  template <class T>
  void operator()(std::optional<T>& value) const {
    if (value) (*this)(*value);
  }
  template <class... Kinds>
  void operator()(std::variant<Kinds...>& value) const {
    std::visit(*this, value);
  }

  // Conditions, assignments, components, and all that fills a cell.
  template <class Part>
  requires requires(Part part) { part.cell; }
  void operator()(Part& part) const { (*this)(part.cell); }
  void operator()(Term& term) const { (*this)(term.component); }
  void operator()(Ratio& ratio) const { apply(ratio.numerator, ratio.denominator); }
  void operator()(Rule& rule) const { apply(rule.when, rule.then); }

  void operator()(SharedLabel& shared) const { apply(shared.own, shared.there); }
  void operator()(SelectAll&) const {}
  void operator()(SelectPointed& s) const { apply(s.pointer, s.key); }
  void operator()(SelectSame& s) const { (*this)(s.cells); }
  void operator()(SelectRightmost& s) const { apply(s.flags, s.shared, s.key); }
  void operator()(SelectNearest& s) const { apply(s.target, s.key); }
  void operator()(SelectFlagged& s) const { apply(s.flag, s.when); }
  void operator()(FindTerm& term) const { apply(term.wanted, term.key); }
  void operator()(Preference& prefer) const { apply(prefer.flag, prefer.margin); }
  void operator()(SelectFound& s) const { apply(s.terms, s.prefer); }
  void operator()(SelectRelated& s) const { apply(s.flags, s.label, s.prefer); }

  void operator()(CopyWrite& write) const { apply(write.target, write.source); }
  void operator()(SumWrite& write) const { apply(write.target, write.form); }
  void operator()(FetchStatement& s) const { apply(s.selector, s.under, s.writes); }
  void operator()(LookupStatement& s) const { apply(s.rules, s.otherwise); }
  void operator()(MoveStatement& s) const { apply(s.target, s.source, s.when); }
  void operator()(EraseStatement& s) const { (*this)(s.cells); }
  void operator()(NormaliseStatement& s) const { apply(s.targets, s.group); }
  void operator()(TestStatement& s) const { apply(s.flag, s.number); }

  void operator()(std::monostate&) const {}
  void operator()(PrefixPoints& prefix) const { (*this)(prefix.points); }

 private:
  template <class... Parts>
  void apply(Parts&... parts) const {
    ((*this)(parts), ...);
  }

  std::function<CellId(CellId)> number_;
};

/// All cells that a part of a program names.
template <class Part>
std::vector<CellId> cells_named(Part part) {
  std::vector<CellId> cells;
  Renumbering([&](CellId cell) {
    cells.push_back(cell);
    return cell;
  })(part);
  return cells;
}

std::string block_name(Block block);
/// "fetch 'prev'", "lookup 'product'", "move E", ... for messages and drawings.
std::string statement_name(const Program& program, const Statement& statement);

/// The text form of a program (`.cells`), specified in compiler/README.md.
/// parse_program(print_program(p)) == p, and printing what was parsed is the canonical text.
std::string print_program(const Program& program);

inline constexpr const char* kPhi = "phi";  ///< the others are named as in weights files
/// "phi", "phi over 9", "circle", "two-circle" or "fine 3".
std::string code_name(PositionCode code);

/// Reads the text form. Names are resolved; whether the program obeys the rules is another
/// question (program_rules.hpp). Errors: InputError with source, line and what was expected.
[[nodiscard]] Program parse_program(std::string_view text, const std::string& source);

}}  // namespace logdepth::compiler_program
