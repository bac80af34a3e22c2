#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "runtime/model.hpp"
#include "runtime/rational.hpp"

namespace logdepth {

/// The intermediate representation: what happens, not where. A program is a list of named cells
/// and, per block, a list of statements that run one after the other at every token. Its meaning is
/// compiler/interpret.cpp; its text form and the meaning in prose are in compiler/README.md.

/// Which unit code of a position a `key` or `pointer` cell holds.
enum class PositionCode {
  phi,        ///< phi(p) = (p, 1) / sqrt(p^2 + 1): 2 components, single square roots
  circle,     ///< runtime/position_code.hpp: 2 components, rational
  two_circle  ///< runtime/position_code.hpp: 4 components, rational, squared norm 2
};

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
struct DirectionType {  ///< a unit vector
  std::uint32_t size;
  bool operator==(const DirectionType&) const = default;
};
struct NumberType {  ///< any numbers, of any norm
  std::uint32_t size;
  bool operator==(const NumberType&) const = default;
};
using CellType = std::variant<ConstantType, FlagType, OneHotType, KeyType, PointerType,
                              DirectionType, NumberType>;

enum class Lifetime {
  permanent,  ///< not written by the repeated block
  state,      ///< carried from loop to loop
  scratch     ///< zero at the beginning and at the end of the repeated block
};

struct Cell {
  std::string name;
  CellType type;
  Lifetime lifetime = Lifetime::permanent;
  bool operator==(const Cell&) const = default;
};
/// A letter or _, then letters, digits, _ and .; `under` and `from` are words of the text form.
bool is_cell_name(const std::string& name);
using CellId = std::uint32_t;

std::uint32_t size_of(const CellType& type);
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
// arg max of a score, for every length, stands in compiler/head_schema.cpp.
struct SelectAll {  ///< uniform: all visible positions
  bool operator==(const SelectAll&) const = default;
};
struct SelectPointed {  ///< match: the position max(e - back, 0), where `pointer` codes e
  CellId pointer = 0;
  CellId key = 0;
  std::uint32_t back = 0;  ///< > 0 only with the phi code
  bool operator==(const SelectPointed&) const = default;
};
struct SelectSame {  ///< match: all visible positions whose cells equal this token's
  std::vector<CellId> cells;
  bool operator==(const SelectSame&) const = default;
};
struct SelectRightmost {  ///< the last visible position where `flag` holds; if none, the last one
  Literal flag;
  CellId key = 0;
  bool operator==(const SelectRightmost&) const = default;
};
using Selector = std::variant<SelectAll, SelectPointed, SelectSame, SelectRightmost>;

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
using HeadWrite = std::variant<CopyWrite, SumWrite>;

/// One attention head. With `under` the written forms read those cells divided by their joint norm.
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
struct Rule {
  std::vector<Literal> when;  ///< all hold; no cell twice
  std::vector<Assignment> then;
  bool operator==(const Rule&) const = default;
};
/// A finite table: for each assigned cell exactly one rule that assigns it holds, whatever values
/// the cells of the conditions have (proved before emission). Overwrites.
struct LookupStatement {
  std::string name;
  std::vector<Rule> rules;
  bool operator==(const LookupStatement&) const = default;
};
struct MoveStatement {  ///< target := source (same type); overwrites
  CellId target = 0;
  CellId source = 0;
  bool operator==(const MoveStatement&) const = default;
};
struct EraseStatement {  ///< cells := 0
  std::vector<CellId> cells;
  bool operator==(const EraseStatement&) const = default;
};
/// targets := group / ||group||; the targets were blank.
struct NormaliseStatement {
  std::vector<CellId> targets;
  std::vector<Component> group;
  bool operator==(const NormaliseStatement&) const = default;
};
using Statement = std::variant<FetchStatement, LookupStatement, MoveStatement, EraseStatement,
                               NormaliseStatement>;

struct PositionFill {
  CellId cell = 0;
  std::uint32_t back = 0;  ///< codes: position max(p - back, 0)
  bool operator==(const PositionFill&) const = default;
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
/// How the product of a prefix is read: point by point, or from one one-hot cell over the elements.
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
using ProgramPrefix = std::variant<std::monostate, PrefixPoints, PrefixElement>;

struct Program {
  std::string name, construction, source;
  std::vector<std::string> hypotheses, deviations;
  std::map<std::string, std::string> parameters;
  std::vector<std::string> alphabet;
  bool begin = true;
  Unroll unroll;

  std::vector<Cell> cells;
  std::vector<PositionFill> position;
  std::map<std::string, std::vector<TokenFill>> embedding;  ///< per token kind
  std::vector<Statement> initial, repeated, final;
  std::vector<OutputRow> outputs;  ///< "accept" and "reject", or any names (cells output)
  ProgramPrefix prefix;

  bool operator==(const Program&) const = default;

  std::optional<CellId> find(const std::string& cell) const;
  const std::vector<Statement>& block(Block b) const {
    return b == Block::initial ? initial : b == Block::repeated ? repeated : final;
  }
};

/// The program's mistake, found by a rule or a pass: names block, statement, cell and reason.
class ProgramRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string block_name(Block block);
/// "fetch 'prev'", "lookup 'product'", "move E", ... for messages and drawings.
std::string statement_name(const Program& program, const Statement& statement);

}  // namespace logdepth
