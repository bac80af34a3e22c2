#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::grafts {

/// What a test draws from; the same on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::uint32_t upto(std::uint32_t most) { return static_cast<std::uint32_t>(below(most + 1)); }
  bool chance(double share) { return static_cast<double>(random_() >> 11) * 0x1p-53 < share; }
  template <class T>
  const T& of(const std::vector<T>& some) {
    return some[below(some.size())];
  }
  template <class T>
  T of(std::initializer_list<T> some) {
    return some.begin()[below(some.size())];
  }

 private:
  std::mt19937_64 random_;
};

/// A random file that grows by a layer at a time. Its sublayers are those that columns and float runs
/// have rules for: heads that average, match codes, take the last flag, compare angles, numbers and
/// planes; units that make directions of averages, signs, sums of codes and numbers. They read what the
/// layers before have written, whichever these are: parts of constructions that never met.
class GraftedFile {
 public:
  explicit GraftedFile(std::uint64_t seed, bool words_only = false)
      : draw(seed), long_numbers_(seed % 2 == 0 && !words_only) {
    width_ = model.width = draw.of<std::uint32_t>({16, 16, 16, 25, 36, 18, 32, 20, 24, 49});
    model.norm = draw.chance(.88) ? Norm::rms : Norm::layernorm;
    model.name = "grafted";
    model.unroll.kind = Unroll::Kind::fixed;
    model.output = CellsOutput{};
    model.unembedding = {0, width_, {}};
    for (std::uint32_t c = 0; c < width_; ++c) known_.free.push_back(c);
    const std::size_t kind = words_only ? 0 : draw.below(10);
    if (kind < 8) {
      model.input = WordInput{draw.chance(.6), draw.chance(.2)};
      model.alphabet = draw.of<std::vector<std::string>>({{"a", "b"}, {"a", "b", "c"}, {"a"}});
    } else {
      draw_graph(kind < 9 ? GraphInput::Layout::adjacency : GraphInput::Layout::rows);
    }
    draw_embedding();
    draw_position();
  }

  Model model;  ///< without rows of the unembedding
  Draws draw;

  void graft() {
    before_ = known_;
    Layer& layer = model.layers.emplace_back();
    layer.block = Block::initial;
    layer.feedforward = {{}, {0, width_, {}}, {width_, 0, {}}};
    ++model.shape.initial;
    const bool attends = draw.chance(.6);
    if (attends) layer.attention = attention();
    if (!attends || draw.chance(.3)) layer.feedforward = feed_forward();
  }
  /// Drops the latest layer; the next one is another.
  void take_back() {
    known_ = before_;
    model.layers.pop_back();
    --model.shape.initial;
  }
  /// Makes a block of some layers, which runs several times or not at all.
  void loop() {
    const std::uint32_t layers = model.shape.initial, first = draw.upto(layers - 1);
    const std::uint32_t last = first + 1 + draw.upto(layers - first - 1);
    for (std::uint32_t l = first; l < layers; ++l)
      model.layers[l].block = l < last ? Block::repeated : Block::final;
    model.shape = {first, last - first, layers - last};
    if (draw.chance(.5))
      model.unroll.loops = draw.upto(3);
    else
      model.unroll.kind = std::holds_alternative<WordInput>(model.input)
                              ? Unroll::Kind::ceil_log2_letters
                              : Unroll::Kind::ceil_log2_vertices;
  }
  /// Logits of single coordinates, as the output that the input allows.
  void read_out() {
    Rows rows;
    CellsOutput cells;
    for (const std::uint32_t c : known_.numbers) {
      if (rows.size() == 8) break;
      rows.push_back({{c, 1}});
      cells.names.push_back("y" + std::to_string(rows.size()));
    }
    model.output = cells;
    const auto* graph = std::get_if<GraphInput>(&model.input);
    if (graph && graph->size) {
      rows.resize(*graph->size);
      model.output = RelationOutput{};
    }
    model.unembedding = matrix(rows, width_);
  }

  /// Words of a number of letters, or graphs with one number of tokens; those that the file takes.
  std::vector<Tokens> inputs(std::size_t letters, std::size_t count) {
    std::vector<Tokens> result;
    for (; count > 0; --count) {
      const auto* word = std::get_if<WordInput>(&model.input);
      const auto made =
          word ? word_tokens(*word, random_letters(letters)) : random_graph(letters, count);
      if (made.has_value() &&
          (result.empty() || result[0].kinds.size() == made.value().kinds.size()))
        result.push_back(made.value());
    }
    return result;
  }
  Rational number() {
    using Numbers = std::vector<Rational>;
    constexpr std::int64_t one = 1;
    static const Numbers usual = {1, 1,      1,      -1,      2,      -2,      {1, 2},
                                  3, {3, 5}, {4, 5}, {-3, 4}, {1, 3}, {5, 13}, -3};
    static const Numbers long_ones = {{(one << 61) - 1, (one << 40) + 1},
                                      {one << 31},
                                      {1, one << 31},
                                      {1000000000000000000},
                                      {1, 999999999999999989},
                                      {one << 62},
                                      {3037000500},
                                      {-4294967297, 65537}};
    return draw.of(long_numbers_ && draw.chance(.08) ? long_ones : usual);
  }

 private:
  using Coordinates = std::vector<std::uint32_t>;
  using Row = std::map<std::uint32_t, Rational>;
  using Rows = std::vector<Row>;
  struct Part {
    std::set<std::uint32_t> read;
    Head head;
    void reads(const Coordinates& more) { read.insert(more.begin(), more.end()); }
    void reads(const Rows& rows) {
      for (const Row& row : rows)
        for (const auto& entry : row) read.insert(entry.first);
    }
  };
  /// Which coordinates hold what.
  struct Known {
    std::deque<std::uint32_t> free;
    Coordinates numbers, averages, directions, fetched, flags;
    std::vector<Coordinates> codes, averaged_together, planes;

    void flag(const Coordinates& more) {
      append(flags, more);
      append(numbers, more);
    }
  };
  static void append(Coordinates& to, const Coordinates& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  /// Values that are given stand at coordinates of their own.
  void draw_graph(GraphInput::Layout layout) {
    GraphInput graph;
    graph.layout = layout;
    graph.padding = draw.of({GraphPadding::n3, GraphPadding::n3_minus_n2});
    if (layout == GraphInput::Layout::rows) {
      const std::uint32_t size = 2 + draw.upto(4);
      graph.size = size;
      graph.mirrored = width_ % 2 == 0 && draw.chance(.3);
      std::erase_if(known_.free, [&](std::uint32_t c) {
        const bool mirror = graph.mirrored && c >= width_ / 2 && c < width_ / 2 + size;
        if (mirror) known_.numbers.push_back(c);
        if (c < size) known_.flag({c});
        return mirror || c < size;
      });
    }
    model.input = graph;
  }
  void draw_embedding() {
    std::vector<std::string> kinds = model.alphabet;
    for (const std::string& kind : extra_kinds(model.input)) kinds.push_back(kind);
    one_ = fresh();
    letter_ = fresh();
    known_.numbers.push_back(one_);
    known_.flag({letter_});
    const Coordinates flags = fresh(draw.below(3));
    known_.flag(flags);
    for (const std::string& kind : kinds) {
      Row row = {{one_, 1}, {letter_, kind == kinds[0] ? 1 : -1}};
      for (const std::uint32_t c : flags) row[c] = draw.of<Rational>({1, -1, 0, 2, {1, 2}});
      model.embedding[kind] = vector(row);
    }
  }
  void draw_position() {
    const std::size_t kind = draw.below(8);
    if (kind == 0) {
      const std::uint32_t at = fresh();
      known_.flag({at});
      model.position = FirstFlagPosition{vector({{at, draw.of<Rational>({1, -1, 2})}}),
                                         vector({{at, draw.of<Rational>({-1, 0, {1, 2}})}})};
    } else if (kind == 1) {
      const Coordinates at = fresh(1 + draw.below(3));
      known_.flag(at);
      Rows period(1 + draw.below(8));
      for (Row& row : period)
        for (const std::uint32_t c : at) row[c] = draw.chance(.3) ? Rational(0) : number();
      TablePosition table;
      for (std::size_t p = 0; p < 160; ++p) table.rows.push_back(vector(period[p % period.size()]));
      model.position = table;
    } else {
      model.position = code_position(kind);
    }
  }
  CodePosition code_position(std::size_t kind) {
    CodePosition position;
    const auto offset = draw.of<std::uint32_t>({1, 1, 2, 3, 7, 1000, 1u << 20, 1u << 30});
    position.code = kind < 4   ? PositionCode::circle
                    : kind < 6 ? PositionCode::two_circle
                               : PositionCode::fine(offset);
    const std::size_t dims = position.code.kind == PositionCode::Kind::two_circle ? 4 : 2;
    for (std::size_t fills = 1 + draw.below(3); fills > 0 && known_.free.size() >= dims; --fills) {
      const auto back = draw.of<std::uint32_t>({0, 0, 1, 1, 2, 3, 5, 31, 4000000000u});
      position.fills.push_back(
          {fresh(dims), position.fills.empty() ? (draw.chance(.8) ? 0 : 1) : back,
           draw.chance(.75) ? Rational(1) : draw.of<Rational>({-1, 2, {1, 2}, {3, 5}})});
      known_.codes.push_back(position.fills.back().at);
    }
    if (draw.chance(.3) && !known_.free.empty()) {
      position.parity = vector({{fresh(), number()}});
      known_.flag({position.parity[0].index});
    }
    return position;
  }

  std::vector<std::string> random_letters(std::size_t count) {
    std::vector<std::string> letters;
    const std::size_t kind = draw.below(5), most = model.alphabet.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t random = kind == 2 && draw.chance(.9) ? most - 1 : draw.below(most);
      letters.push_back(model.alphabet[kind == 0 ? 0 : kind == 1 ? i % most : random]);
    }
    return letters;
  }
  Outcome<Tokens> random_graph(std::size_t letters, std::size_t left) {
    const auto& input = std::get<GraphInput>(model.input);
    const auto vertices = static_cast<Vertex>(1 + letters % input.size.value_or(3));
    Graph graph;
    for (Vertex v = 0; v < vertices; ++v) graph.add_vertex("v" + std::to_string(v));
    for (Vertex from = 0; from < vertices; ++from)
      for (Vertex to = 0; to < vertices; ++to)
        if (draw.chance(.35)) graph.add_edge(from, to);
    return graph_tokens(input, graph, left > 1 ? 0 : vertices - 1, 0);
  }

  std::uint32_t any() { return draw.upto(width_ - 1); }
  std::uint32_t fresh() {
    if (known_.free.empty()) return any();
    std::swap(known_.free[0], known_.free[draw.chance(.5) ? draw.below(known_.free.size()) : 0]);
    const std::uint32_t at = known_.free.front();
    known_.free.pop_front();
    return at;
  }
  Coordinates fresh(std::size_t count) {
    Coordinates at;
    for (; count > 0; --count) at.push_back(fresh());
    return at;
  }
  static SparseVector vector(const Row& row) {
    SparseVector result;
    for (const auto& [at, value] : row)
      if (!value.is_zero()) result.push_back({at, value});
    return result;
  }
  static SparseMatrix matrix(const Rows& rows, std::uint32_t columns) {
    SparseMatrix result{static_cast<std::uint32_t>(rows.size()), columns, {}};
    for (std::uint32_t r = 0; r < result.rows; ++r)
      for (const SparseEntry& e : vector(rows[r])) result.entries.push_back({r, e.index, e.value});
    return result;
  }
  SparseVector mask(const std::set<std::uint32_t>& read) {
    Row row;
    const bool weighted = draw.chance(.2);
    for (const std::uint32_t c : read)
      row[c] = weighted && draw.chance(.5) ? number() : Rational(1);
    return vector(row);
  }

  // --- heads ---------------------------------------------------------------------------------------

  std::uint32_t some_number() { return draw.of(known_.numbers); }
  SparseVector flag() { return vector({{draw.of(known_.flags), draw.chance(.5) ? 1 : -1}}); }
  Contract some_key() { return MatchContract{draw.chance(.4)}; }
  /// Now and then a contract that has nothing to do with the head.
  Contract promise(Contract own) {
    return draw.chance(.9) ? own
                           : draw.of<Contract>({UniformContract{}, MatchContract{true},
                                                MatchContract{false}, RightmostContract{flag()},
                                                FlaggedContract{flag(), std::nullopt},
                                                FlaggedContract{flag(), vector({{letter_, 1}})}});
  }
  Rational weight() { return draw.of<Rational>({{1, 4}, {1, 5}, 1, {1, 3}, {1, 6}, {1, 7}}); }
  bool has_planes() const { return !known_.codes.empty() || !known_.planes.empty(); }
  /// Coordinates that hold a direction: of a code, or of averages.
  Coordinates plane() {
    const bool code = known_.planes.empty() || (!known_.codes.empty() && draw.chance(.7));
    return draw.of(code ? known_.codes : known_.planes);
  }
  /// The values of a head, and where they go.
  Coordinates write(Part& part, const Coordinates& from) {
    Rows value(1 + draw.below(3)), output(width_);
    Coordinates to;
    for (std::uint32_t r = 0; r < value.size(); ++r) {
      value[r][draw.of(from)] = number();
      if (draw.chance(.25)) value[r][draw.of(from)] = number();
      to.push_back(draw.chance(.85) ? fresh() : any());
      output[to.back()][r] = draw.chance(.5) ? Rational(1) : number();
    }
    part.reads(value);
    part.head.value = matrix(value, width_);
    part.head.output = matrix(output, part.head.value.rows);
    return to;
  }
  /// A head that selects by these scores, and what it takes from there.
  Part fetch(double causal, const Rows& query, const Rows& key, const Coordinates& beside,
             const Contract& contract) {
    Part part;
    part.head.causal =
        draw.chance(std::holds_alternative<WordInput>(model.input) ? causal : causal / 3);
    part.head.query = matrix(query, width_);
    part.head.key = matrix(key, width_);
    part.reads(query);
    part.reads(key);
    part.reads(beside);
    Coordinates from;
    const std::size_t kind = draw.below(9);
    if (kind == 0)
      for (const Coordinates& code : known_.codes) append(from, code);
    if (kind == 1) from = known_.averages;
    if (kind == 2) from = known_.directions;
    if (kind == 3) from.assign(part.read.begin(), part.read.end());
    if (kind > 6) from = {one_};  // so that nothing shows which tokens are selected
    const bool numbers = from.empty();
    append(numbers ? known_.numbers : known_.fetched, write(part, numbers ? known_.numbers : from));
    part.head.contract = promise(contract);
    return part;
  }
  /// Now and then a score beside the own ones, or a row that reads more.
  void add_row(Rows& query, Rows& key) {
    const bool more = draw.chance(.3);
    for (Rows* rows : {&query, &key}) {
      if (more) rows->push_back({{some_number(), number()}});
      if (draw.chance(.06)) (*rows)[0][some_number()] = number();
    }
  }

  Part uniform() {
    Part part;
    part.head.causal = draw.chance(.7);
    const Rows key = draw.chance(.3) ? Rows{{{one_, 1}}} : Rows{};
    part.head.query = matrix(Rows(key.size()), width_);
    part.head.key = matrix(key, width_);
    part.reads(Coordinates{one_});
    const Coordinates to = write(part, known_.numbers);
    append(part.head.causal ? known_.averages : known_.numbers, to);
    if (part.head.causal && to.size() > 1) known_.averaged_together.push_back(to);
    part.head.contract = promise(UniformContract{});
    return part;
  }
  Part match() {
    if (known_.codes.empty()) return compared_numbers();
    const Coordinates a = draw.of(known_.codes), b = draw.of(known_.codes);
    Rows query, key;
    const bool scaled = draw.chance(.1);
    for (std::size_t d = 0; d < a.size(); ++d) {
      query.push_back({{a[d], scaled ? (d < 2 ? 2 : 3) : draw.chance(.04) ? number() : 1}});
      key.push_back({{b[d], 1}});
    }
    add_row(query, key);
    return fetch(.8, query, key, {one_, letter_}, some_key());
  }
  /// One query for all: a flag, and the code among equal flags.
  Part last_flag() {
    if (!has_planes()) return compared_numbers();
    const Coordinates at = plane();
    const std::uint32_t flagged = draw.of(known_.flags);
    Row key = {{flagged, draw.of<Rational>({1, -1, 3, -3, {1, 2}, 0, 2})}};
    key[draw.of(at)] = draw.of<Rational>({1, -1, {1, 4}, {-1, 4}, 2});
    if (draw.chance(.2)) key[draw.of(at)] = number();
    if (draw.chance(.1)) key[draw.of(known_.flags)] = number();
    Coordinates beside = {one_, flagged};
    append(beside, at);
    return fetch(.92, {{{one_, draw.chance(.9) ? 1 : number()}}}, {key}, beside,
                 draw.chance(.6) ? some_key() : RightmostContract{vector({{flagged, 1}})});
  }
  Part angle() {
    if (!has_planes()) return compared_numbers();
    const Coordinates a = plane(), b = plane();
    const auto slope = [&] { return draw.of<Rational>({1, 1, -1, 2, {1, 2}}); };
    const Rational sign = draw.chance(.1) ? -1 : 1;
    Rows query = {{{a[0], slope()}}, {{a[1], slope()}}};
    Rows key = {{{b[0], sign}}, {{b[1], sign}}};
    if (draw.chance(.2)) query[0][a[1]] = number();
    if (draw.chance(.1)) query[1][a[0]] = number();
    if (draw.chance(.1)) key[0][b[1]] = number();
    if (draw.chance(.2)) std::swap(query, key);
    if (draw.chance(.2)) add_row(query, key);
    return fetch(.6, query, key, {one_}, some_key());
  }
  Part compared_numbers() {
    Rows query, key;
    for (std::size_t rows = 1 + draw.below(2); rows > 0; --rows)
      for (Rows* of : {&query, &key}) {
        of->push_back({{some_number(), number()}});
        if (draw.chance(.2)) of->back()[some_number()] = number();
      }
    const RelatedContract related{{{some_number(), some_number()}}, flag()};
    return fetch(.3, query, key, {one_, letter_},
                 draw.of<Contract>({some_key(), some_key(), FlaggedContract{flag(), std::nullopt},
                                    FlaggedContract{flag(), vector({{draw.of(known_.flags), 1}})},
                                    RightmostContract{flag()}, related}));
  }
  Part several_planes() {
    Rows query, key;
    const auto add = [&](std::uint32_t of_query, std::uint32_t of_key, const Rational& q,
                         const Rational& k) {
      query.push_back({{of_query, q}});
      key.push_back({{of_key, k}});
    };
    const std::uint32_t terms = 1 + draw.upto(2);
    for (std::uint32_t t = 0; t < terms; ++t) {
      if (has_planes() && draw.chance(.4)) {
        const Coordinates a = plane(), b = plane();
        const std::size_t at = 2 * draw.below(std::min(a.size(), b.size()) / 2);
        const Rational scale = draw.chance(.7) ? 1 : number();
        for (const std::size_t d : {at, at + 1}) add(a[d], b[d], scale, 1);
      } else {
        // What was written last is often no rational multiple of what stands beside it.
        const std::uint32_t x = draw.chance(.6) ? known_.numbers.back() : some_number();
        const Rational scale = number();
        add(one_, one_, 1, 1);
        add(x, draw.chance(.7) ? x : some_number(), scale, scale);
      }
    }
    const bool prefers = draw.chance(.4);
    if (prefers)
      add(draw.chance(.7) ? one_ : some_number(), some_number(),
          draw.of<Rational>({{1, 100}, {1, 10}, 1, -1, {1, 1000000}, {1, 4}}), number());
    if (draw.chance(.5))  // keys that differ and tie
      for (int row = 0; row < 2; ++row) add(one_, some_number(), 0, number());
    const bool whole = draw.chance(.8);
    const FindContract find{whole ? terms : 1 + draw.upto(terms - 1), prefers && whole,
                            draw.chance(.2)};
    return fetch(.4, query, key, {one_}, draw.chance(.4) ? find : some_key());
  }
  Attention attention() {
    static const std::vector<Part (GraftedFile::*)()> kinds = {
        &GraftedFile::uniform,        &GraftedFile::uniform,
        &GraftedFile::match,          &GraftedFile::match,
        &GraftedFile::last_flag,      &GraftedFile::angle,
        &GraftedFile::angle,          &GraftedFile::angle,
        &GraftedFile::several_planes, &GraftedFile::compared_numbers,
        &GraftedFile::several_planes};
    Attention result;
    std::set<std::uint32_t> read;
    do {
      Part drawn = (this->*draw.of(kinds))();
      read.insert(drawn.read.begin(), drawn.read.end());
      result.heads.push_back(std::move(drawn.head));
    } while (draw.chance(.25));
    // Whole codes: then the norm is rational.
    if (draw.chance(.3))
      for (const Coordinates& code : known_.codes)
        if (read.contains(code[0])) read.insert(code.begin(), code.end());
    result.mask = mask(read);
    return result;
  }

  // --- units ---------------------------------------------------------------------------------------

  struct Units {
    Rows in, out;
    std::set<std::uint32_t> read;

    void one(Row row, std::uint32_t to, const Rational& weight) {
      out[to][static_cast<std::uint32_t>(in.size())] = weight;
      in.push_back(row);
      for (const auto& entry : row) read.insert(entry.first);
    }
    /// ReLU(x) - ReLU(-x) = x.
    void pair(Row row, std::uint32_t to, const Rational& weight) {
      one(row, to, weight);
      for (auto& entry : row) entry.second = -entry.second;
      one(row, to, -weight);
    }
  };
  void of_averages(Units& units) {
    Coordinates from = known_.averages, to;
    if (!known_.averaged_together.empty() && draw.chance(.8))
      from = draw.of(known_.averaged_together);
    from.resize(std::min<std::size_t>(from.size(), 1 + draw.below(3)));
    const Rational scale = weight();
    for (const std::uint32_t c : from) {
      to.push_back(fresh());
      units.pair({{c, 1}}, to.back(), draw.chance(.15) ? -scale : scale);
    }
    if (draw.chance(.1)) units.read.insert(one_);
    append(known_.directions, to);
    if (to.size() > 1 && to[0] != to[1]) known_.planes.push_back({to[0], to[1]});
  }
  void of_a_sign(Units& units) {
    const std::uint32_t from = draw.of(known_.fetched), to = fresh();
    const Rational scale = weight();
    const std::size_t halves = draw.below(3);
    if (halves != 1) units.one({{from, 1}}, to, scale);
    if (halves != 0) units.one({{from, -1}}, to, -scale);
    if (draw.chance(.3)) units.read.insert(draw.of(known_.fetched));
    known_.numbers.push_back(to);
  }
  void of_a_code(Units& units) {
    const Coordinates at = plane();
    units.read.insert(at.begin(), at.end());
    if (draw.chance(.6)) units.read.insert(one_);
    const std::uint32_t to = draw.chance(.7) ? fresh() : draw.of(at);
    Row row = {{draw.of(at), number()}};
    if (draw.chance(.4)) row[draw.of(at)] = number();
    if (draw.chance(.2)) row[one_] = number();
    (units.*(draw.chance(.7) ? &Units::pair : &Units::one))(row, to, weight());
    known_.fetched.push_back(to);
  }
  void of_numbers(Units& units) {
    for (std::size_t count = 1 + draw.below(3); count > 0; --count) {
      Row row;
      for (std::size_t terms = 1 + draw.below(3); terms > 0; --terms) row[some_number()] = number();
      if (draw.chance(.6)) row[one_] = draw.of<Rational>({-1, 1, {-1, 2}, -2});
      const std::uint32_t to = draw.chance(.6) ? fresh() : draw.chance(.5) ? some_number() : any();
      (units.*(draw.chance(.25) ? &Units::pair : &Units::one))(row, to, number());
      known_.numbers.push_back(to);
    }
  }
  FeedForward feed_forward() {
    Units units{{}, Rows(width_), {}};
    const std::size_t kind = draw.below(20);
    if (kind < 8 && !known_.averages.empty()) {
      of_averages(units);
    } else if (kind < 11 && !known_.fetched.empty()) {
      of_a_sign(units);
    } else if (kind < 14 && has_planes()) {
      of_a_code(units);
    } else {
      of_numbers(units);
    }
    FeedForward result{mask(units.read), matrix(units.in, width_), {}};
    result.out = matrix(units.out, result.in.rows);
    return result;
  }

  bool long_numbers_;
  std::uint32_t width_ = 0, one_ = 0, letter_ = 0;
  Known known_, before_;
};

}  // namespace logdepth::grafts
