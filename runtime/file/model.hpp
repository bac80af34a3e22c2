#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "logdepth/vocabulary.hpp"
#include "runtime/numbers/rational.hpp"

namespace logdepth { inline namespace runtime_file {

/// A JSON value that is no text, as canonical text: of files of others.
struct JsonText {
  std::string text = "null";
  bool operator==(const JsonText&) const = default;
};

/// The members of an open-ended object of a file: texts, as this program writes them, or any value.
using OpenMember = std::variant<std::string, JsonText>;
using OpenMembers = std::map<std::string, OpenMember>;

/// The member of this name, where it is a text; else null.
const std::string* text_in(const OpenMembers& members, const std::string& name);
/// For people: a text as it is, other values as JSON on one line.
std::string member_text(const OpenMember& member);

/// What a float run has to know about the exact numbers of a weights file, beyond the weights: all
/// of it follows from what the cells hold, and the compiler proves it (compiler/passes/prove_precision).
/// N, the size of a run, is its number of tokens, or the largest given number if that is larger.

/// Of a law that a file may state; a larger one would say nothing in any number format.
constexpr std::uint32_t kMaxSeparationExponent = 64;

/// A quantity that is zero, or at least coefficient * N^-exponent in absolute value.
struct SeparationLaw {
  Rational coefficient;
  std::uint32_t exponent = 0;
  bool operator==(const SeparationLaw&) const = default;
  /// The bound at size N, rounded down.
  double at(double size) const;
};

/// Rows of a head's keys that have one squared norm at all tokens.
struct KeyBlock {
  std::vector<std::uint32_t> rows;
  Rational square;
  bool operator==(const KeyBlock&) const = default;
};

struct HeadFacts {
  std::vector<KeyBlock> blocks;
  /// The query may be scaled, block by block, to the norm of the key without changing what is
  /// selected.
  bool scaled = false;
  /// Of the distance of any visible score from the largest one, queries scaled as said.
  std::optional<SeparationLaw> gap;
  bool operator==(const HeadFacts&) const = default;
};

struct MaskFacts {
  /// norm(mask * h) = scale * mask * h at every token.
  std::optional<Rational> scale;
  /// Of the number that the mask reads alone (and of its mirror).
  std::optional<SeparationLaw> zero;
  bool operator==(const MaskFacts&) const = default;
};

struct LayerFacts {
  MaskFacts attention, feedforward;
  std::vector<HeadFacts> heads;
  bool operator==(const LayerFacts&) const = default;
};

/// One entry per layer of the file.
struct [[nodiscard]] PrecisionFacts {
  std::vector<LayerFacts> layers;
  bool operator==(const PrecisionFacts&) const = default;
};

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
struct UniformContract {  ///< all visible positions
  bool operator==(const UniformContract&) const = default;
};
struct MatchContract {  ///< positions that share one key: exactly one of them, or at least one
  bool exactly_one = true;
  bool operator==(const MatchContract&) const = default;
};
struct RightmostContract {  ///< the last of the visible positions where flag . h is largest
  SparseVector flag;        ///< linear form on the residual stream before the sublayer
  bool operator==(const RightmostContract&) const = default;
};
/// A token where `when . h > 0` (or any, if `when` is absent) selects all visible positions where
/// flag . h > 0, or all visible ones if there is none; every other token selects all visible ones.
struct FlaggedContract {
  SparseVector flag;
  std::optional<SparseVector> when;
  bool operator==(const FlaggedContract&) const = default;
};
/// Score dimensions 2i and 2i+1 are the i-th of `terms` pairs. A position matches if in every pair
/// its key is a positive multiple of the query; at least one visible position does. Selected are
/// all that match; with `prefer` those of them whose next key component is largest. With
/// `exactly_one` a single position is selected.
struct FindContract {
  std::uint32_t terms = 1;
  bool prefer = false;
  bool exactly_one = false;
  bool operator==(const FindContract&) const = default;
};
/// Position j is related to token i if h_i[query] > 0 and h_j[key] > 0 for one of the pairs. At
/// least one visible position is; selected are all that are, or of these those where prefer . h >
/// 0, if there is one. All of h before the sublayer.
struct RelatedContract {
  struct Pair {
    std::uint32_t query = 0, key = 0;  ///< coordinates
    bool operator==(const Pair&) const = default;
  };
  std::vector<Pair> pairs;
  SparseVector prefer;
  bool operator==(const RelatedContract&) const = default;
};
using Contract = std::variant<UniformContract, MatchContract, RightmostContract, FlaggedContract,
                              FindContract, RelatedContract>;

struct Head {
  bool causal = true;
  SparseMatrix query, key;  ///< head dimension x width
  SparseMatrix value;       ///< value dimension x width
  SparseMatrix output;      ///< width x value dimension
  Contract contract;
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
  bool end = false;   ///< an end token ($) stands after the letters
  bool operator==(const WordInput&) const = default;
};
/// Raw residual streams: every token is given a value per name. Value k goes to coordinate k and,
/// if `mirrored`, its negative to coordinate k + width/2.
struct CellsInput {
  std::vector<std::string> names;
  bool mirrored = false;
  bool operator==(const CellsInput&) const = default;
};
/// A directed graph with a source s and a target t, vertices 0..n-1.
struct GraphInput {
  enum class Layout {
    adjacency,  ///< n^2 tokens <edge>/<no-edge> row by row, padding, s+1 <source>, t+1 <target>
    rows        ///< n tokens <vertex>; token i is given the values +-1 of row i of the adjacency
                ///< matrix with diagonal +1, placed as in CellsInput; s and t only at read-out
  };
  using Padding = GraphPadding;  ///< layout adjacency
  Layout layout = Layout::adjacency;
  Padding padding = Padding::n3_minus_n2;
  std::optional<std::uint32_t> size;  ///< made for this n: smaller graphs get isolated vertices
  bool mirrored = false;              ///< rows, as in CellsInput
  bool operator==(const GraphInput&) const = default;
};
using Input = std::variant<WordInput, CellsInput, GraphInput>;
/// Paddings as weights files and programs name them: "n3", "n3-n2", "n4-n2".
inline constexpr std::array kGraphPaddings = {GraphPadding::n3, GraphPadding::n3_minus_n2,
                                              GraphPadding::n4_minus_n2};
const char* padding_name(GraphPadding padding);

// How every prefix product, or the state after every prefix, is read from the logits of its token.
/// Row first_row + offset of (point, image); for each point one image wins.
struct TransformationReadout {
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
struct StateReadout {  ///< one row per state; the winner's number is that of the state
  std::uint32_t states = 0;
  std::uint32_t first_row = 0;
  bool operator==(const StateReadout&) const = default;
};
using PrefixReadout =
    std::variant<std::monostate, TransformationReadout, ElementReadout, StateReadout>;

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
/// Row j of token i: positive if vertex j can be reached from vertex i, negative if not, zero is
/// undecided.
struct RelationOutput {
  bool operator==(const RelationOutput&) const = default;
};
using Output = std::variant<AcceptOutput, CellsOutput, RelationOutput>;

enum class Norm { rms, layernorm };
inline constexpr std::array kNorms = {Norm::rms, Norm::layernorm};
/// "rms" or "layernorm", as in a weights file.
const char* norm_name(Norm norm);

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
      max_length;          ///< the file is right up to this n; `run` exits 3 beyond
  std::uint32_t base = 2;  ///< of the logarithm; "ceil_log2" is the one of base 2
  bool operator==(const Unroll&) const = default;
};

/// Position encodings, rational functions of the 0-based position p.
struct FirstFlagPosition {  ///< MS25 Def. 2.1: separates the first position from the others
  SparseVector first, rest;
  bool operator==(const FirstFlagPosition&) const = default;
};
struct CodeFill {
  std::vector<std::uint32_t> at;  ///< coordinates: 2, or 4 (two-circle)
  std::uint32_t back = 0;         ///< the code of position max(p - back, 0)
  Rational scale = 1;
  bool operator==(const CodeFill&) const = default;
};
struct CodePosition {                            ///< see model_meaning.hpp
  PositionCode code = PositionCode::two_circle;  ///< circle, two-circle or fine
  std::vector<CodeFill> fills;
  SparseVector parity = {};  ///< added where p is even, subtracted where it is odd
  bool operator==(const CodePosition&) const = default;
};
/// One sparse vector per position; longer inputs are outside the hypotheses.
struct TablePosition {
  std::vector<SparseVector> rows;
  bool operator==(const TablePosition&) const = default;
};
using Position = std::variant<FirstFlagPosition, CodePosition, TablePosition>;
/// Position encodings as weights files name them.
inline constexpr const char *kFirstFlag = "first-flag", *kCircle = "circle",
                            *kTwoCircle = "two-circle", *kFine = "fine", *kTable = "table";
const char* position_name(const Position& position);

/// Optional index for people, traces and drawings; never needed to run.
struct CellIndex {
  std::vector<std::uint32_t> coordinates;
  std::string type;      ///< flag, onehot, direction, scratch, constant
  std::string lifetime;  ///< permanent, state, scratch
  bool operator==(const CellIndex&) const = default;
};

/// What follows from the rest of a model. No hash protects it, so whoever uses it has to prove it first.
struct Derived {
  std::optional<std::string> depth;         ///< as stated_depth() spells it (model_meaning.hpp)
  std::optional<std::string> program;       ///< the text of the program that was compiled
  std::optional<PrecisionFacts> precision;  ///< proved of the numbers, one entry per layer
  /// What is of others, or does not fit: a precision of other layers.
  OpenMembers others;
  bool operator==(const Derived&) const = default;
};

struct Model {
  // Claim sheet, static part.
  std::string name, construction, source;
  std::vector<std::string> hypotheses, deviations;
  OpenMembers parameters;

  std::vector<std::string> alphabet;  ///< without the beginning token
  Input input;
  Output output;
  Norm norm = Norm::rms;
  std::uint32_t width = 0;
  Shape shape;
  Unroll unroll;
  Position position;
  /// Token kind -> vector; the kinds are the letters and extra_kinds(input).
  std::map<std::string, SparseVector> embedding;
  std::vector<Layer> layers;
  SparseMatrix unembedding;
  std::map<std::string, CellIndex> cells;
  Derived derived;  ///< outside the hash

  bool operator==(const Model&) const = default;
};

/// Token kinds in `Model::embedding` that are not letters.
inline constexpr const char* kBeginToken = "<begin>";
inline constexpr const char* kEndToken = "<end>";
inline constexpr const char* kEdgeToken = "<edge>";
inline constexpr const char* kNoEdgeToken = "<no-edge>";
inline constexpr const char* kPadToken = "<pad>";
inline constexpr const char* kSourceToken = "<source>";
inline constexpr const char* kTargetToken = "<target>";
inline constexpr const char* kVertexToken = "<vertex>";

/// The kinds that the input adds to the letters of the alphabet, in the order of first occurrence.
std::vector<std::string> extra_kinds(const Input& input);

/// Where a head stands in a weights file: the layer of the file, and the head within it.
struct HeadPlace {
  std::size_t layer = 0, head = 0;
  auto operator<=>(const HeadPlace&) const = default;
};

/// "layer 1 of the file, head 0": for people; places are compared as values.
std::string describe(const HeadPlace& place);
std::vector<std::string> descriptions(const std::vector<HeadPlace>& places);

}}  // namespace logdepth::runtime_file
