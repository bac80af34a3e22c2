#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/numbers/rational.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

// The members of every object of a weights file, once, for what writes them and what reads them. How a member is
// spelled follows from its type, and from these where its type does not say it.

/// An integer within limits, or one that may be absent.
template <class T>
struct Bounded {
  T& value;
  std::int64_t from = 0, to = std::numeric_limits<std::uint32_t>::max();
};
template <class T>
Bounded(T&, std::int64_t) -> Bounded<T>;
template <class T>
Bounded(T&, std::int64_t, std::int64_t) -> Bounded<T>;
/// Written only to say yes, so that a model has one canonical text.
template <class T>
struct Flag {
  T& value;
};
template <class T>
Flag(T&) -> Flag<T>;
/// Left out where it is empty, for the same reason; the sentence refuses what is there and empty.
template <class T>
struct LeftOut {
  T& value;
  const char* sentence = nullptr;
};
template <class T>
LeftOut(T&) -> LeftOut<T>;
template <class T>
LeftOut(T&, const char*) -> LeftOut<T>;
/// One of some names.
template <class T>
struct Named {
  T& value;
  std::vector<std::pair<std::remove_const_t<T>, std::string_view>> names;
};
template <class T, class Names>
Named(T&, Names) -> Named<T>;

/// Whether a member may be missing.
template <class T>
constexpr bool kMayBeMissing = false;
template <class T>
constexpr bool kMayBeMissing<std::optional<T>> = true;
template <class T>
constexpr bool kMayBeMissing<Bounded<T>> = kMayBeMissing<std::remove_const_t<T>>;
template <class T>
constexpr bool kMayBeMissing<Flag<T>> = true;
template <class T>
constexpr bool kMayBeMissing<LeftOut<T>> = true;

/// What F writes is constant.
template <class F, class T>
using Of = std::conditional_t<std::remove_reference_t<F>::kReads, T, const T>;

constexpr std::int64_t kAnyInteger = std::numeric_limits<std::uint32_t>::max();

void describe(auto& f, Of<decltype(f), SparseMatrix>& matrix) {
  f("rows", Bounded{matrix.rows, 0, kMaxUnits});
  f("columns", Bounded{matrix.columns, 0, kMaxUnits});
  f("entries", matrix.entries);
}
void describe(auto& f, Of<decltype(f), WordInput>& word) {
  f("begin", word.begin);
  f("end", Flag{word.end});
}
void describe(auto& f, Of<decltype(f), CellsInput>& cells) {
  f("names", cells.names);
  f("mirrored", Flag{cells.mirrored});
}
template <class T>
Named<T> named_layout(T& layout) {
  return {layout,
          {{GraphInput::Layout::adjacency, "adjacency"}, {GraphInput::Layout::rows, "rows"}}};
}
void describe(auto& f, Of<decltype(f), GraphInput>& graph) {
  f("layout", named_layout(graph.layout));
  if (graph.layout == GraphInput::Layout::rows) {
    f("size", Bounded{graph.size, 1}, true);
    f("mirrored", Flag{graph.mirrored});
    return;
  }
  Named<Of<decltype(f), GraphPadding>> padding{graph.padding, {}};
  for (const GraphPadding known : kGraphPaddings)
    padding.names.emplace_back(known, padding_name(known));
  f("padding", padding);
  f("size", Bounded{graph.size, 1});
}
void describe(auto& f, Of<decltype(f), TransformationReadout>& readout) {
  f("points", readout.points);
  f("images", readout.images);
  f("first_row", readout.first_row);
}
void describe(auto& f, Of<decltype(f), ElementReadout>& readout) {
  f("elements", readout.elements);
  f("first_row", readout.first_row);
}
void describe(auto& f, Of<decltype(f), StateReadout>& readout) {
  f("states", readout.states);
  f("first_row", readout.first_row);
}
void describe(auto&, const std::monostate&) {}
void describe(auto& f, Of<decltype(f), AcceptOutput>& accept) {
  f("accept", accept.accept);
  f("reject", accept.reject);
  f("prefix", LeftOut{accept.prefix});
}
void describe(auto& f, Of<decltype(f), CellsOutput>& cells) {
  f("names", cells.names);
}
void describe(auto&, const RelationOutput&) {}
void describe(auto& f, Of<decltype(f), Shape>& shape) {
  f("initial", Bounded{shape.initial, 0, kMaxLayers});
  f("repeated", Bounded{shape.repeated, 0, kMaxLayers});
  f("final", Bounded{shape.final, 0, kMaxLayers});
}
void describe(auto& f, Of<decltype(f), Unroll>& unroll) {
  if (unroll.kind == Unroll::Kind::fixed) {
    f("loops", unroll.loops);
  } else {
    // Base 2 has a kind of its own, so that every model has one text.
    if (unroll.base != 2) f("base", Bounded{unroll.base, 3, kAnyInteger});
    f("of", Named<Of<decltype(f), Unroll::Kind>>{unroll.kind,
                                                 {{Unroll::Kind::ceil_log2_letters, "letters"},
                                                  {Unroll::Kind::ceil_log2_vertices, "vertices"}}});
    f("minus", Bounded{unroll.minus, 0, 1});
  }
  f("max_length", Bounded{unroll.max_length, 0, std::numeric_limits<std::int64_t>::max()});
}
void describe(auto& f, Of<decltype(f), FirstFlagPosition>& flag) {
  f("first", flag.first);
  f("rest", flag.rest);
}
void describe(auto& f, Of<decltype(f), CodeFill>& fill) {
  f("at", fill.at);
  f("back", fill.back);
  f("scale", fill.scale);
}
void describe(auto& f, Of<decltype(f), CodePosition>& code) {
  f("fills", code.fills);
  if (code.code.kind == PositionCode::Kind::fine) f("offset", code.code.parameter);
  f("parity", LeftOut{code.parity, "the vector is zero; leave it out"});
}
void describe(auto& f, Of<decltype(f), TablePosition>& table) {
  f("rows", table.rows);
}
void describe(auto&, const UniformContract&) {}
template <class T>
Named<T> named_selects(T& exactly_one) {
  return {exactly_one, {{true, "exactly-one"}, {false, "at-least-one"}}};
}
void describe(auto& f, Of<decltype(f), MatchContract>& match) {
  f("selects", named_selects(match.exactly_one));
}
void describe(auto& f, Of<decltype(f), RightmostContract>& rightmost) {
  f("flag", rightmost.flag);
}
void describe(auto& f, Of<decltype(f), FlaggedContract>& flagged) {
  f("flag", flagged.flag);
  f("when", flagged.when);
}
void describe(auto& f, Of<decltype(f), FindContract>& find) {
  f("terms", Bounded{find.terms, 1, kMaxUnits});
  f("prefer", find.prefer);
  f("selects", named_selects(find.exactly_one));
}
void describe(auto& f, Of<decltype(f), RelatedContract>& related) {
  f("pairs", related.pairs);
  f("prefer", related.prefer);
}
void describe(auto& f, Of<decltype(f), Head>& head) {
  f("causal", head.causal);
  f("query", head.query);
  f("key", head.key);
  f("value", head.value);
  f("output", head.output);
  f("promise", head.contract);
}
void describe(auto& f, Of<decltype(f), Attention>& attention) {
  f("mask", attention.mask);
  f("heads", attention.heads);
}
void describe(auto& f, Of<decltype(f), FeedForward>& feedforward) {
  f("mask", feedforward.mask);
  f("in", feedforward.in);
  f("out", feedforward.out);
}
void describe(auto& f, Of<decltype(f), Layer>& layer) {
  f("block",
    Named<Of<decltype(f), Block>>{
        layer.block,
        {{Block::initial, "initial"}, {Block::repeated, "repeated"}, {Block::final, "final"}}});
  f("attention", layer.attention);
  f("feedforward", layer.feedforward);
}
void describe(auto& f, Of<decltype(f), CellIndex>& cell) {
  f("coordinates", cell.coordinates);
  f("type", cell.type);
  f("lifetime", cell.lifetime);
}
void describe(auto& f, Of<decltype(f), KeyBlock>& block) {
  f("rows", block.rows);
  f("square", block.square);
}
void describe(auto& f, Of<decltype(f), HeadFacts>& head) {
  f("blocks", LeftOut{head.blocks, "empty; leave it out"});
  f("scaled", Flag{head.scaled});
  f("gap", head.gap);
}
void describe(auto& f, Of<decltype(f), MaskFacts>& mask) {
  f("scale", mask.scale);
  f("zero", mask.zero);
}
void describe(auto& f, Of<decltype(f), LayerFacts>& layer) {
  f("attention", LeftOut{layer.attention, "nothing is known; leave it out"});
  f("feedforward", LeftOut{layer.feedforward, "nothing is known; leave it out"});
  f("heads", LeftOut{layer.heads, "empty; leave it out"});
}
void describe(auto& f, Of<decltype(f), Model>& model) {
  f("name", model.name);
  f("construction", model.construction);
  f("source", model.source);
  f("hypotheses", model.hypotheses);
  f("parameters", model.parameters);
  f("deviations", model.deviations);
  f("alphabet", model.alphabet);
  f("input", model.input);
  f("output", model.output);
  Named<Of<decltype(f), Norm>> norm{model.norm, {}};
  for (const Norm known : kNorms) norm.names.emplace_back(known, norm_name(known));
  f("norm", norm);
  f("width", Bounded{model.width, 1, kMaxWidth});
  f("shape", model.shape);
  f("unroll", model.unroll);
  f("position", model.position);
  f("embedding", model.embedding);
  f("layers", model.layers);
  f("unembedding", model.unembedding);
  f("cells", LeftOut{model.cells, "the index is empty; leave it out"});
  f("derived", LeftOut{model.derived});
}

// Short arrays.

void elements(auto& f, Of<decltype(f), SparseEntry>& entry) {
  f.array("[index,\"p/q\"]", entry.index, entry.value);
}
void elements(auto& f, Of<decltype(f), MatrixEntry>& entry) {
  f.array("[row,column,\"p/q\"]", entry.row, entry.column, entry.value);
}
void elements(auto& f, Of<decltype(f), RelatedContract::Pair>& pair) {
  f.array("[coordinate,coordinate]", pair.query, pair.key);
}
void elements(auto& f, Of<decltype(f), SeparationLaw>& law) {
  f.array("[\"p/q\",exponent]", law.coefficient, law.exponent);
}
template <class T>
constexpr bool kIsShortArray =
    std::is_same_v<T, SparseEntry> || std::is_same_v<T, MatrixEntry> ||
    std::is_same_v<T, RelatedContract::Pair> || std::is_same_v<T, SeparationLaw>;

/// The kinds of a variant, in its order.
template <class Variant>
std::vector<std::string_view> kinds_of() {
  if constexpr (std::is_same_v<Variant, Input>) return {"word", "cells", "graph"};
  if constexpr (std::is_same_v<Variant, Output>) return {"accept", "cells", "relation"};
  if constexpr (std::is_same_v<Variant, PrefixReadout>)
    return {"", "transformation", "element", "state"};
  return {"uniform", "match", "rightmost", "flagged", "find", "related"};
}

class Writer {
 public:
  static constexpr bool kReads = false;

  JsonTape model(const Model& model) {
    tape_.open_object();
    (*this)("format", std::string("logdepth-weights"));
    (*this)("version", std::uint32_t{1});
    describe(*this, model);
    tape_.close();
    return std::move(tape_);
  }

  template <class T>
  void operator()(std::string_view key, const T& value, bool /*needed*/ = false) {
    if (is_absent(value)) return;
    tape_.add_key(key);
    write(value);
  }
  /// The elements of a short array.
  template <class... Values>
  void array(const char* /*shape*/, const Values&... values) {
    tape_.open_array();
    (write(values), ...);
    tape_.close();
  }

 private:
  template <class T>
  static bool is_absent(const T& value) {
    if constexpr (requires { value.has_value(); }) return !value.has_value();
    if constexpr (requires { value.from; }) return is_absent(value.value);
    if constexpr (kMayBeMissing<T> && requires { value.value == value.value; })
      return value.value == std::remove_cvref_t<decltype(value.value)>{};
    return false;
  }

  void write(bool value) { tape_.add_boolean(value); }
  void write(std::uint32_t value) { tape_.add_integer(value); }
  void write(std::uint64_t value) { tape_.add_integer(static_cast<std::int64_t>(value)); }
  void write(const std::string& value) { tape_.add_string(value); }
  void write(const Rational& value) { tape_.add_string(value.text()); }
  void write(const OpenMember& member) {
    if (const auto* json = std::get_if<JsonText>(&member)) {
      tape_.add_json(json->text, "");
    } else {
      write(std::get<std::string>(member));
    }
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(*value);
  }
  template <class T>
  void write(const Bounded<T>& bounded) {
    write(bounded.value);
  }
  template <class T>
  void write(const Flag<T>& flag) {
    write(flag.value);
  }
  template <class T>
  void write(const LeftOut<T>& part) {
    write(part.value);
  }
  template <class T>
  void write(const Named<T>& named) {
    for (const auto& [value, name] : named.names)
      if (value == named.value) tape_.add_string(name);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    tape_.open_array();
    for (const T& value : values) write(value);
    tape_.close();
  }
  template <class T>
  void write(const std::map<std::string, T>& values) {
    tape_.open_object();
    for (const auto& [key, value] : values) (*this)(key, value);
    tape_.close();
  }
  template <class... Alternatives>
  void write(const std::variant<Alternatives...>& value) {
    const auto kinds = kinds_of<std::variant<Alternatives...>>();
    std::visit([&](const auto& of) { object(of, kinds[value.index()]); }, value);
  }
  void write(const Unroll& unroll) {
    object(unroll, unroll.kind == Unroll::Kind::fixed ? "fixed"
                   : unroll.base == 2                 ? "ceil_log2"
                                                      : "ceil_log");
  }
  void write(const Position& position) {
    std::visit([&](const auto& of) { object(of, position_name(position)); }, position);
  }
  void write(const Derived& derived) {
    tape_.open_object();
    for (const auto& [key, member] : derived.others) (*this)(key, member);
    (*this)("depth", derived.depth);
    if (derived.precision) (*this)("precision", derived.precision->layers);
    (*this)("program", derived.program);
    tape_.close();
  }
  template <class T>
  void write(const T& value) {
    if constexpr (kIsShortArray<T>) {
      elements(*this, value);
    } else {
      object(value, "");
    }
  }
  template <class T>
  void object(const T& value, std::string_view kind) {
    tape_.open_object();
    if (!kind.empty()) tape_.add_key("kind"), tape_.add_string(kind);
    describe(*this, value);
    tape_.close();
  }

  JsonTape tape_;
};

/// The keys of an object, and which of them it needs.
struct Keys {
  static constexpr bool kReads = false;

  template <class T>
  void operator()(std::string_view key, const T&, bool needed = !kMayBeMissing<T>) {
    known.emplace_back(key, needed);
  }

  std::vector<std::pair<std::string_view, bool>> known;
};

/// Refuses whatever is not exactly what it reads, with an InputError that names key and line.
class Reader {
 public:
  Reader(const JsonTape& tape, const std::string& source) : tape_(tape), source_(source) {}

  Model model() {
    check_format();
    Keys keys;
    for (const char* key : {"format", "version"}) keys(key, 0);
    describe(keys, model_);
    keys("sha256", 0);
    check_keys(0, keys);
    Members members{*this, 0};
    describe(members, model_);
    const Node sha256 = *find(0, "sha256");
    std::string hash;
    read(sha256, hash);
    if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
      fail(sha256, "expected 64 lower-case hexadecimal digits, found " + shown(hash));
    }
    return std::move(model_);
  }

 private:
  using Node = JsonTape::Node;
  using Kind = JsonTape::Kind;

  /// The members of an object, whose keys are known to be right.
  struct Members {
    static constexpr bool kReads = true;
    Reader& reader;
    Node object;

    template <class T>
    void operator()(std::string_view key, T&& value, bool /*needed*/ = false) {
      if (const auto node = reader.find(object, key)) reader.read(*node, value);
    }
  };
  /// The elements of a short array.
  struct Elements {
    static constexpr bool kReads = true;
    Reader& reader;
    Node node;

    template <class... Values>
    void array(const char* shape, Values&... values) {
      const JsonTape& tape = reader.tape_;
      std::array<Node, sizeof...(Values)> nodes{};
      std::size_t count = 0;
      if (tape.kind(node) == Kind::array)
        for (Node child = tape.first_child(node); child != tape.end(node);
             child = tape.next(child), ++count)
          if (count < nodes.size()) nodes[count] = child;
      if (count != nodes.size()) reader.fail(node, std::string("expected ") + shape);
      const Node* next = nodes.data();
      (reader.read(*next++, values), ...);
    }
  };

  [[noreturn]] void fail(Node node, const std::string& sentence) const {
    refuse(tape_, node, source_, sentence);
  }
  void expect(Node node, Kind kind) const {
    if (tape_.kind(node) != kind) {
      fail(node,
           std::string("expected ") + kind_name(kind) + ", found " + kind_name(tape_.kind(node)));
    }
  }

  std::vector<Node> keys_of(Node object) const {
    expect(object, Kind::object);
    std::vector<Node> keys;
    for (Node key = tape_.first_child(object); key != tape_.end(object);
         key = tape_.next(tape_.next(key)))
      keys.push_back(key);
    return keys;
  }
  std::optional<Node> find(Node object, std::string_view name) const {
    for (const Node key : keys_of(object))
      if (tape_.text(key) == name) return tape_.next(key);
    return std::nullopt;
  }
  void check_keys(Node object, const Keys& keys) const {
    std::vector<char> seen(keys.known.size());
    for (const Node key : keys_of(object)) {
      std::size_t i = 0;
      while (i < seen.size() && tape_.text(key) != keys.known[i].first) ++i;
      if (i == seen.size()) fail(key, "unknown key");
      seen[i] = 1;
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (!seen[i] && keys.known[i].second) missing(object, keys.known[i].first);
  }
  [[noreturn]] void missing(Node object, std::string_view key) const {
    fail(object, fmt::format("the key \"{}\" is missing", key));
  }
  std::size_t one_of(Node node, const std::vector<std::string_view>& known) const {
    expect(node, Kind::string);
    const auto found = std::find(known.begin(), known.end(), tape_.text(node));
    if (found == known.end()) {
      std::string sentence = "expected one of";
      const char* separator = " ";
      for (const auto word : known) {
        sentence += separator;
        append_quoted(word, sentence);
        separator = ", ";
      }
      fail(node, sentence + ", not " + shown(tape_.text(node)));
    }
    return static_cast<std::size_t>(found - known.begin());
  }
  Node needed(Node object, std::string_view key) const {
    const auto node = find(object, key);
    if (!node) missing(object, key);
    return *node;
  }
  std::uint64_t integer64(Node node, std::int64_t from, std::int64_t to) const {
    const bool fits = tape_.kind(node) == Kind::integer && tape_.integer(node) >= from &&
                      tape_.integer(node) <= to;
    if (!fits) {
      std::string got = kind_name(tape_.kind(node));
      if (tape_.kind(node) == Kind::integer) got = std::to_string(tape_.integer(node));
      if (tape_.kind(node) == Kind::number) got = shown(tape_.text(node));
      fail(node, fmt::format("expected an integer from {} to {}, found {}", from, to, got));
    }
    return static_cast<std::uint64_t>(tape_.integer(node));
  }

  void read(Node node, bool& value) {
    expect(node, Kind::boolean);
    value = tape_.boolean(node);
  }
  void read(Node node, std::uint32_t& value) { read(node, Bounded{value, 0}); }
  void read(Node node, std::string& value) {
    expect(node, Kind::string);
    value = tape_.text(node);
  }
  void read(Node node, Rational& number) {
    expect(node, Kind::string);
    const std::string_view spelling = tape_.text(node);
    if (spelling.size() > kMaxRationalDigits) {
      fail(node, fmt::format("a number of {} characters; the limit is {}", spelling.size(),
                             kMaxRationalDigits));
    }
    auto value = Rational::parse(spelling);
    if (!value) {
      fail(node, "expected a rational number in lowest terms, such as \"-3/4\" or \"2\", found " +
                     shown(spelling));
    }
    number = std::move(*value);
  }

  void read(Node node, OpenMember& member) {
    if (tape_.kind(node) == Kind::string) {
      member = std::string(tape_.text(node));
    } else {
      tape_.append_canonical(node, member.emplace<JsonText>(JsonText{""}).text);
    }
  }
  template <class T>
  void read(Node node, std::optional<T>& value) {
    read(node, value.emplace());
  }
  template <class T>
  void read(Node node, Bounded<T> bounded) {
    bounded.value = static_cast<std::uint32_t>(integer64(node, bounded.from, bounded.to));
  }
  void read(Node node, Bounded<std::optional<std::uint64_t>> bounded) {
    bounded.value = integer64(node, bounded.from, bounded.to);
  }
  void read(Node node, Flag<bool> flag) {
    read(node, flag.value);
    if (!flag.value) fail(node, "leave the key out instead of writing false");
  }
  template <class T>
  void read(Node node, LeftOut<T> part) {
    read(node, part.value);
    if (part.sentence && part.value == T{}) fail(node, part.sentence);
  }
  template <class T>
  void read(Node node, Named<T> named) {
    std::vector<std::string_view> names;
    for (const auto& [value, name] : named.names) names.push_back(name);
    named.value = named.names[one_of(node, names)].first;
  }
  template <class T>
  void read(Node node, std::vector<T>& values) {
    constexpr std::size_t limit = std::is_same_v<T, SparseEntry> ? kMaxWidth
                                  : std::is_same_v<T, Layer>     ? kMaxLayers
                                                                 : kMaxJsonValues;
    expect(node, Kind::array);
    const std::size_t count = tape_.count_elements(node);
    if (count > limit) fail(node, fmt::format("{} elements; the limit is {}", count, limit));
    values.reserve(count);
    for (Node child = tape_.first_child(node); child != tape_.end(node); child = tape_.next(child))
      read(child, values.emplace_back());
  }
  template <class T>
  void read(Node node, std::map<std::string, T>& values) {
    for (const Node key : keys_of(node))
      read(tape_.next(key), values[std::string(tape_.text(key))]);
  }
  template <class... Alternatives>
  void read(Node node, std::variant<Alternatives...>& value) {
    auto kinds = kinds_of<std::variant<Alternatives...>>();
    const auto nameless = std::ranges::count(kinds, "");
    kinds.erase(kinds.begin(), kinds.begin() + nameless);
    const std::size_t kind =
        one_of(needed(node, "kind"), kinds) + static_cast<std::size_t>(nameless);
    std::size_t i = 0;
    (..., (i++ == kind ? static_cast<void>(value = Alternatives{}) : static_cast<void>(0)));
    std::visit([&](auto& of) { object(node, of, true); }, value);
  }
  void read(Node node, Unroll& unroll) {
    const std::size_t kind = one_of(needed(node, "kind"), {"ceil_log2", "ceil_log", "fixed"});
    if (kind == 1) unroll.base = 3;  // or another that is read
    if (kind == 2) unroll.kind = Unroll::Kind::fixed;
    object(node, unroll, true);
  }
  void read(Node node, Position& position) {
    const std::size_t kind =
        one_of(needed(node, "kind"), {kFirstFlag, kTable, kCircle, kTwoCircle, kFine});
    if (kind == 0) return object(node, position.emplace<FirstFlagPosition>(), true);
    if (kind == 1) return object(node, position.emplace<TablePosition>(), true);
    auto& code = position.emplace<CodePosition>();
    code.code = kind == 2   ? PositionCode::circle
                : kind == 3 ? PositionCode::two_circle
                            : PositionCode::fine(1);
    if (const auto offset = find(node, "offset"); offset && kind != 4)
      fail(*offset, "only the fine code has an offset");
    object(node, code, true);
  }
  /// What does not fit is kept as it is.
  void read(Node node, Derived& derived) {
    for (const Node key_node : keys_of(node)) {
      const std::string key(tape_.text(key_node));
      const Node value = tape_.next(key_node);
      const bool is_text = tape_.kind(value) == Kind::string;
      if (key == "depth" && is_text) {
        read(value, derived.depth);
      } else if (key == "program" && is_text) {
        read(value, derived.program);
      } else {
        if (key == "precision") derived.precision = precision_that_fits(value);
        if (key != "precision" || !derived.precision) read(value, derived.others[key]);
      }
    }
  }
  template <class T>
  void read(Node node, T& value) {
    if constexpr (kIsShortArray<T>) {
      Elements in{*this, node};
      elements(in, value);
    } else {
      object(node, value, false);
    }
  }
  template <class T>
  void object(Node node, T& value, bool has_kind) {
    if constexpr (std::is_same_v<T, GraphInput>)
      read(needed(node, "layout"), named_layout(value.layout));
    Keys keys;
    if (has_kind) keys("kind", 0);
    describe(keys, value);
    check_keys(node, keys);
    Members members{*this, node};
    describe(members, value);
  }

  /// Version 1 is recognised before anything else, so that a later version is not blamed for its
  /// new keys.
  void check_format() {
    const auto format = find(0, "format");
    if (!format) fail(0, "the key \"format\" is missing; this is not a weights file");
    std::string text;
    read(*format, text);
    if (text != "logdepth-weights") fail(*format, "expected \"logdepth-weights\"");
    const Node version = needed(0, "version");
    expect(version, Kind::integer);
    if (tape_.integer(version) != 1) {
      fail(version, fmt::format("expected version 1, found {}", tape_.integer(version)));
    }
  }

  /// Absent where it is not spelled as the format says, or is of other layers and heads.
  std::optional<PrecisionFacts> precision_that_fits(Node node) {
    try {
      PrecisionFacts facts;
      read(node, facts.layers);
      const std::vector<Layer>& layers = model_.layers;
      if (facts.layers.size() != layers.size()) return std::nullopt;
      for (std::size_t l = 0; l < layers.size(); ++l)
        if (!fits(facts.layers[l], layers[l].attention.heads)) return std::nullopt;
      return facts;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  static bool fits(const LayerFacts& facts, const std::vector<Head>& heads) {
    if (facts.heads.size() != heads.size() || !fits(facts.attention) || !fits(facts.feedforward))
      return false;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const HeadFacts& head = facts.heads[h];
      if (!fits(head.gap) || (head.scaled && head.blocks.empty())) return false;
      std::set<std::uint32_t> seen;
      for (const KeyBlock& block : head.blocks) {
        if (block.rows.empty() || !std::is_sorted(block.rows.begin(), block.rows.end()) ||
            block.square.sign() <= 0)
          return false;
        for (const std::uint32_t row : block.rows)
          if (row >= heads[h].key.rows || !seen.insert(row).second) return false;
      }
    }
    return true;
  }
  static bool fits(const MaskFacts& mask) {
    return fits(mask.zero) && (!mask.scale || mask.scale->sign() > 0);
  }
  static bool fits(const std::optional<SeparationLaw>& law) {
    return !law || (law->coefficient.sign() > 0 && law->exponent <= kMaxSeparationExponent);
  }

  static const char* kind_name(Kind kind) {
    constexpr const char* kNames[] = {"null",     "a boolean", "an integer", "a number",
                                      "a string", "an array",  "an object"};
    return kNames[static_cast<std::size_t>(kind)];
  }

  const JsonTape& tape_;
  const std::string& source_;
  Model model_;
};

}  // namespace

JsonTape model_to_json(const Model& model) {
  return Writer().model(model);
}

Model model_from_json(const JsonTape& tape, const std::string& source) {
  return Reader(tape, source).model();
}

}}  // namespace logdepth::runtime_file
