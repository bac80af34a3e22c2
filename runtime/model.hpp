#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/rational.hpp"

namespace logdepth {

/// The model of MS25 Def. 2.1-2.3 as data: exactly what a weights file says, nothing else. The
/// meaning of each field, and how a file spells it, is in runtime/README.md.

struct SparseEntry {
  std::uint32_t index = 0;
  Rational value;
  bool operator==(const SparseEntry&) const = default;
};
using SparseVector = std::vector<SparseEntry>;  ///< increasing index, no zero values

struct MatrixEntry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  Rational value;
  bool operator==(const MatrixEntry&) const = default;
};
struct SparseMatrix {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<MatrixEntry> entries;  ///< row-major order, no zero values, no repetition
  bool operator==(const SparseMatrix&) const = default;
};

/// What a head promises to select among the visible positions; checked by every exact run.
struct UniformPromise {  ///< all visible positions
  bool operator==(const UniformPromise&) const = default;
};
struct MatchPromise {  ///< positions that share one key: exactly one of them, or at least one
  bool exactly_one = true;
  bool operator==(const MatchPromise&) const = default;
};
struct RightmostPromise {  ///< the last visible position where flag . h > 0; if none, the last one
  SparseVector flag;       ///< linear form on the residual stream before the sublayer
  bool operator==(const RightmostPromise&) const = default;
};
using Promise = std::variant<UniformPromise, MatchPromise, RightmostPromise>;

struct Head {
  bool causal = true;
  SparseMatrix query, key;  ///< head dimension x width
  SparseMatrix value;       ///< value dimension x width
  SparseMatrix output;      ///< width x value dimension
  Promise promise;
  bool operator==(const Head&) const = default;
};
struct Attention {
  SparseVector mask;
  std::vector<Head> heads;
  bool operator==(const Attention&) const = default;
};
struct FeedForward {
  SparseVector mask;
  SparseMatrix in;   ///< units x width
  SparseMatrix out;  ///< width x units
  bool operator==(const FeedForward&) const = default;
};
enum class Block { initial, repeated, final };
struct Layer {
  Block block = Block::repeated;
  Attention attention;
  FeedForward feedforward;
  bool operator==(const Layer&) const = default;
};

/// How a user's input becomes tokens.
struct WordInput {
  bool begin = true;  ///< a beginning token stands at position 0
  bool operator==(const WordInput&) const = default;
};
struct CellsInput {  ///< raw residual streams, one value per name and token
  std::vector<std::string> names;
  bool operator==(const CellsInput&) const = default;
};
using Input = std::variant<WordInput, CellsInput>;

/// How every prefix product is read from the logits of its token.
struct TransformationReadout {  ///< row first_row + offset of (point, image); one image wins a
                                ///< point
  std::uint32_t points = 0;
  /// images[q] lists the possible images of point q in increasing order; the rows of the
  /// unembedding follow in the same order, starting at first_row.
  std::vector<std::vector<std::uint32_t>> images;
  std::uint32_t first_row = 0;
  bool operator==(const TransformationReadout&) const = default;
};
struct ElementReadout {  ///< one row per element; the winner's transformation is the product
  std::vector<std::vector<std::uint32_t>> elements;
  std::uint32_t first_row = 0;
  bool operator==(const ElementReadout&) const = default;
};
using PrefixReadout = std::variant<std::monostate, TransformationReadout, ElementReadout>;

struct AcceptOutput {  ///< rows of the unembedding; the larger logit wins, a tie is undecided
  std::uint32_t accept = 0;
  std::uint32_t reject = 1;
  PrefixReadout prefix;
  bool operator==(const AcceptOutput&) const = default;
};
struct CellsOutput {  ///< the named logits of every token are the answer
  std::vector<std::string> names;
  bool operator==(const CellsOutput&) const = default;
};
using Output = std::variant<AcceptOutput, CellsOutput>;

enum class Norm { rms, layernorm };

struct Shape {
  std::uint32_t initial = 0, repeated = 0, final = 0;
  bool operator==(const Shape&) const = default;
};

/// How often the repeated block runs, from the size n of the input.
struct Unroll {
  enum class Kind { ceil_log2_letters, ceil_log2_vertices, fixed };
  Kind kind = Kind::ceil_log2_letters;
  std::uint32_t minus = 0;  ///< ceil_log2: the argument is n - minus, 0 loops if <= 1
  std::uint32_t loops = 0;  ///< fixed
  std::optional<std::uint64_t>
      max_length;  ///< the file is right up to this n; `run` exits 3 beyond
  bool operator==(const Unroll&) const = default;
};

/// Position encodings, rational functions of the 0-based position p.
struct FirstFlagPosition {  ///< MS25 Def. 2.1: separates the first position from the others
  SparseVector first, rest;
  bool operator==(const FirstFlagPosition&) const = default;
};
struct CodeFill {
  std::vector<std::uint32_t> at;  ///< coordinates: 2 (circle) or 4 (two-circle)
  std::uint32_t back = 0;         ///< the code of position max(p - back, 0)
  Rational scale = 1;
  bool operator==(const CodeFill&) const = default;
};
struct CodePosition {  ///< circle: (1-t^2, 2t)/(1+t^2), t = p+1; two-circle: see position_code.hpp
  bool two_circle = true;
  std::vector<CodeFill> fills;
  bool operator==(const CodePosition&) const = default;
};
struct TablePosition {  ///< one sparse vector per position; longer inputs are outside the
                        ///< hypotheses
  std::vector<SparseVector> rows;
  bool operator==(const TablePosition&) const = default;
};
using Position = std::variant<FirstFlagPosition, CodePosition, TablePosition>;

/// Optional index for people, traces and drawings; never needed to run.
struct CellIndex {
  std::vector<std::uint32_t> coordinates;
  std::string type;      ///< flag, onehot, direction, scratch, constant
  std::string lifetime;  ///< permanent, state, scratch
  bool operator==(const CellIndex&) const = default;
};

/// A JSON value kept as canonical text, for the open-ended fields of the claim sheet.
struct JsonText {
  std::string text = "{}";
  bool operator==(const JsonText&) const = default;
};

struct Model {
  // Claim sheet, static part.
  std::string name, construction, source;
  std::vector<std::string> hypotheses, deviations;
  JsonText parameters;  ///< object

  std::vector<std::string> alphabet;  ///< without the beginning token
  Input input;
  Output output;
  Norm norm = Norm::rms;
  std::uint32_t width = 0;
  Shape shape;
  Unroll unroll;
  Position position;
  /// Token kind -> vector; the kinds of a word are its letters and, with begin, "<begin>".
  std::map<std::string, SparseVector> embedding;
  std::vector<Layer> layers;
  SparseMatrix unembedding;
  std::map<std::string, CellIndex> cells;
  JsonText derived;  ///< object, outside the hash

  bool operator==(const Model&) const = default;
};

/// The token kind of the beginning token in `Model::embedding`.
inline constexpr const char* kBeginToken = "<begin>";

}  // namespace logdepth
