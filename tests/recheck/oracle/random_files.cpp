#include "tests/recheck/oracle/random_files.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace logdepth::oracle_numbers {
namespace {

using namespace recheck;
using Coordinates = std::vector<int>;

class Draw {
 public:
  explicit Draw(Random& random) : random_(random) {}
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  template <typename Some>
  typename Some::value_type of(const Some& some) {
    return *std::next(some.begin(), static_cast<long>(below(some.size())));
  }
  mpq_class factor() {
    static const std::vector<mpq_class> kFactors = {
        1, 1, 2, mpq_class(3, 5), mpq_class(4, 5), mpq_class(1, 2), -1, 3, 4, mpq_class(1, 4)};
    return of(kFactors);
  }
  Coordinates some(const Coordinates& pool, std::size_t count) {
    Coordinates out;
    std::sample(pool.begin(), pool.end(), std::back_inserter(out), std::min(count, pool.size()),
                random_);
    return out;
  }

 private:
  Random& random_;
};

Matrix matrix(int rows, int columns) {
  Matrix out;
  out.rows = rows, out.columns = columns;
  return out;
}

/// Puts layers into one file; knows which coordinates belong together.
class Grafter {
 public:
  Grafter(File& file, Random& random)
      : weights_(file.weights), draw_(random), root_(std::lround(std::sqrt(weights_.width))) {
    std::set<int> used;
    const auto see = [&](const Row& row) {
      Coordinates group;
      for (const auto& [c, value] : row) group.push_back(c), used.insert(c);
      if (!group.empty() && group.size() <= 6) groups_.push_back(group);
    };
    for (const Row& row : weights_.embedding) see(row);
    for (const char* key : {"first", "rest", "parity"})
      if (weights_.position.has(key)) see(to_row(weights_.position.at(key), weights_.width));
    if (weights_.position.has("fills"))
      for (const Json& fill : weights_.position.at("fills").array()) {
        Row row;
        for (const Json& c : fill.at("at").array())
          row[static_cast<int>(c.integer(0, weights_.width - 1))] = 1;
        see(row), codes_.push_back(groups_.back());
      }
    for (const Layer& layer : weights_.layers) {
      see(layer.attention_mask), see(layer.feedforward_mask);
      for (const Head& head : layer.heads) {
        for (const auto& [c, row] : head.output.at) used.insert(c);
        Row read;
        for (const Matrix* of : {&head.query, &head.key})
          for (const auto& [r, row] : of->at) see(row), read.insert(row.begin(), row.end());
        see(read);
        if (groups_.size() > 0 && read.size() == 2) codes_.push_back(groups_.back());
      }
      for (const auto& [c, row] : layer.out.at) used.insert(c);
    }
    written_ = {used.begin(), used.end()};
    for (int c = 0; c < weights_.width; ++c)
      if (!used.contains(c)) free_.push_back(c);
    if (groups_.empty()) groups_.push_back(written_);
    if (codes_.empty()) codes_ = groups_;
  }

  void graft() {
    for (std::size_t left = 1 + draw_.below(5); left > 0; --left)
      if (draw_.chance(8) && !weights_.layers.empty())
        change_a_number();
      else if (draw_.chance(8) && !weights_.layers.empty())
        insert(draw_.of(weights_.layers));
      else
        insert(draw_.chance(70) ? feed_forward() : attention());
  }

 private:
  /// Behind a layer of its block, the last one most often.
  void insert(Layer layer) {
    auto& layers = weights_.layers;
    std::size_t at = layers.empty() ? 0 : draw_.below(layers.size()) + 1;
    if (draw_.chance(60)) at = layers.size();
    layer.block = at == 0 ? "initial" : layers[at - 1].block;
    layers.insert(layers.begin() + static_cast<long>(at), std::move(layer));
  }

  Coordinates pool() {
    Coordinates out = draw_.of(groups_);
    const auto join = [&](const Coordinates& more) {
      out.insert(out.end(), more.begin(), more.end());
    };
    const std::size_t way = draw_.below(5);
    if (way == 1) join(draw_.of(groups_));
    if (way == 2) out = {draw_.of(written_), draw_.of(written_)};
    if (way >= 3 && !fresh_.empty()) {
      out = {draw_.of(fresh_)};
      if (draw_.chance(40)) out.push_back(draw_.of(fresh_));
      if (draw_.chance(60))
        join(draw_.chance(50) ? draw_.of(groups_) : Coordinates{draw_.of(written_)});
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return draw_.some(out, 1 + draw_.below(5));
  }

  Row mask(const Coordinates& some) {
    static const std::vector<std::pair<mpq_class, mpq_class>> kPairs = {
        {mpq_class(3, 5), mpq_class(4, 5)}, {mpq_class(4, 5), mpq_class(3, 5)}, {1, 2}, {1, 1}};
    Row out;
    for (const int c : some) out[c] = draw_.chance(60) ? mpq_class(1) : draw_.factor();
    if (out.size() == 2 && draw_.chance(50))
      std::tie(out.begin()->second, std::next(out.begin())->second) = draw_.of(kPairs);
    return out;
  }

  int target() {
    const int c = !free_.empty() && draw_.chance(85) ? draw_.of(free_) : draw_.of(written_);
    fresh_.push_back(c), written_.push_back(c);
    return c;
  }

  /// Units that copy sums of what is read, or the positive part of them, to one coordinate each.
  Layer feed_forward() {
    Layer layer;
    layer.feedforward_mask = mask(pool());
    layer.in = matrix(0, weights_.width), layer.out = matrix(weights_.width, 0);
    Coordinates read;
    for (const auto& [c, factor] : layer.feedforward_mask) read.push_back(c);
    for (std::size_t sums = 1 + draw_.below(std::max<std::size_t>(read.size(), 2)); sums > 0;
         --sums) {
      Row sum;
      for (const int c : draw_.some(read, draw_.chance(60) ? 1 : read.size()))
        sum[c] = draw_.chance(60) ? mpq_class(1) : draw_.factor();
      const int to = target();
      for (const int sign : draw_.chance(65) ? Coordinates{1, -1} : Coordinates{1}) {
        const int unit = layer.in.rows++;
        for (const auto& [c, value] : sum) layer.in.at[unit][c] = value * sign;
        layer.out.at[to][unit] = mpq_class(sign, root_);
        layer.out.at[to][unit].canonicalize();
      }
    }
    layer.out.columns = layer.in.rows;
    return layer;
  }

  /// A head that averages, matches two codes, or looks for the last of some tokens.
  Layer attention() {
    Layer layer;
    layer.in = matrix(0, weights_.width), layer.out = matrix(weights_.width, 0);
    Coordinates read = pool();
    Head head;
    const std::size_t way = draw_.below(3);
    const Coordinates query = draw_.of(codes_), key = draw_.of(codes_);
    const int dimension = way == 0   ? 0
                          : way == 1 ? 1
                                     : static_cast<int>(std::min(query.size(), key.size()));
    head.query = matrix(dimension, weights_.width), head.key = head.query;
    std::string contract =
        way == 0 ? R"({"kind":"uniform"})" : R"({"kind":"match","selects":"exactly-one"})";
    if (way == 1) {
      const int one = draw_.of(draw_.of(groups_)), flag = draw_.of(written_), code = draw_.of(key);
      head.query.at[0][one] = draw_.factor();
      head.key.at[0][flag] = draw_.factor();
      head.key.at[0][code] = draw_.chance(50) ? mpq_class(1) : mpq_class(-1);
      read.insert(read.end(), {one, flag, code});
      contract = R"({"kind":"rightmost","flag":[[)" + std::to_string(flag) + R"(,"1"]]})";
    }
    head.contract = parse_json(contract);
    const mpq_class e = draw_.chance(60) ? mpq_class(1) : draw_.factor();
    for (int i = 0; way == 2 && i < dimension; ++i) {
      head.query.at[i][query[static_cast<std::size_t>(i)]] = i == 0 ? mpq_class(1) : e;
      head.key.at[i][key[static_cast<std::size_t>(i)]] = 1;
      read.insert(read.end(),
                  {query[static_cast<std::size_t>(i)], key[static_cast<std::size_t>(i)]});
    }
    if (way == 2 && dimension > 1 && draw_.chance(40)) head.query.at[0][query[1]] = -draw_.factor();
    head.causal = draw_.chance(92);
    head.value = matrix(0, weights_.width), head.output = matrix(weights_.width, 0);
    for (std::size_t values = 1 + draw_.below(2); values > 0; --values) {
      const int row = head.value.rows++;
      for (const int c : draw_.some(read, 1 + draw_.below(2)))
        head.value.at[row][c] = draw_.chance(70) ? mpq_class(1, root_) : draw_.factor();
      for (auto& [c, value] : head.value.at[row]) value.canonicalize();
      head.output.at[target()][row] = 1;
    }
    head.output.columns = head.value.rows;
    layer.attention_mask = draw_.chance(70) ? Row() : mask(read);
    for (const int c : read) layer.attention_mask.emplace(c, 1);
    layer.heads.push_back(std::move(head));
    return layer;
  }

  void change_a_number() {
    Layer& layer = weights_.layers[draw_.below(weights_.layers.size())];
    std::vector<Row*> rows = {&layer.attention_mask, &layer.feedforward_mask};
    const auto see = [&](Matrix& of) {
      for (auto& [r, row] : of.at) rows.push_back(&row);
    };
    see(layer.in), see(layer.out);
    for (Head& head : layer.heads)
      see(head.query), see(head.key), see(head.value), see(head.output);
    std::erase_if(rows, [](const Row* row) { return row->empty(); });
    if (rows.empty()) return;
    Row& row = *draw_.of(rows);
    auto& [c, value] = *std::next(row.begin(), static_cast<long>(draw_.below(row.size())));
    value *= draw_.factor();
  }

  Weights& weights_;
  Draw draw_;
  long root_;
  std::vector<Coordinates> groups_, codes_;
  Coordinates written_, free_, fresh_;
};

Row row_of(std::initializer_list<std::pair<const int, mpq_class>> entries) {
  return Row(entries);
}

}  // namespace

File read_base(const std::string& path, const std::string& certificate) {
  File file;
  file.name = path.substr(path.rfind('/') + 1);
  file.weights = read_weights(read_json(path));
  file.certificate = read_json(certificate);
  file.theorem = file.certificate.at("theorem").string();
  Weights& weights = file.weights;
  if (weights.layernorm || weights.input.has("mirrored")) return file;
  // Four times the width doubles every normalised number.
  const auto widen = [&](int& size) { size = size == weights.width ? 4 * weights.width : size; };
  for (Layer& layer : weights.layers) {
    for (Head& head : layer.heads) {
      for (auto& [r, row] : head.value.at)
        for (auto& [c, value] : row) value /= 2;
      for (Matrix* of : {&head.query, &head.key, &head.value}) widen(of->columns);
      widen(head.output.rows);
    }
    for (auto& [r, row] : layer.in.at)
      for (auto& [c, value] : row) value /= 2;
    widen(layer.in.columns), widen(layer.out.rows);
  }
  widen(weights.unembedding.columns);
  weights.width *= 4;
  return file;
}

File by_hand(Random& random) {
  Draw draw(random);
  File file;
  file.name = "by hand";
  const std::string only =
      R"({"format":"logdepth-certificate","version":1,"sha256":"","theorem":")";
  file.theorem = draw.of(std::vector<std::string>{"resets", "counting", "shift-scan"});
  const bool scan = file.theorem == "shift-scan";
  file.certificate = parse_json(only + file.theorem + "\"" +
                                (scan ? R"(,"cells":[],"decode":[[null,0]])" : "") + "}");
  Weights& w = file.weights;
  w.width = 16;
  w.layernorm = draw.chance(25);
  w.kinds = {"<begin>", "a", "b"};
  // Constants at 0 and 3, the letter at 1, <begin> at 2; the code at 5 and 6, perhaps another one at 7 and 8.
  w.embedding = {row_of({{0, 1}, {1, -1}, {2, 1}, {3, 1}}),
                 row_of({{0, 1}, {1, 1}, {2, -1}, {3, 1}}),
                 row_of({{0, 1}, {1, -1}, {2, -1}, {3, 1}})};
  if (draw.chance(20)) {
    w.kinds.push_back("c");
    w.embedding.push_back(row_of({{0, 1}, {1, draw.chance(50) ? 1 : -1}, {2, -1}, {3, -1}}));
  }
  const auto number = [&](std::size_t most) { return std::to_string(draw.below(most)); };
  const std::string code =
      draw.of(std::vector<std::string>{"first-flag", "first-flag", "fine", "circle"});
  std::string position = R"({"kind":"first-flag","first":[],"rest":[]})";
  if (code != "first-flag") {
    position = R"({"kind":")" + code + R"(","fills":[{"at":[5,6],"back":)" + number(2) +
               R"(,"scale":"1"})";
    if (draw.chance(40)) position += R"(,{"at":[7,8],"back":)" + number(3) + R"(,"scale":"1"})";
    position += "]";
    if (code == "fine") position += R"(,"offset":)" + std::to_string(1 + draw.below(3));
    if (draw.chance(40)) position += R"(,"parity":[[9,"1"]])";
    position += "}";
  }
  w.position = parse_json(position);
  w.input = parse_json(R"({"kind":"word","begin":true})");
  w.output = parse_json(R"({"kind":"accept","accept":0,"reject":1})");
  w.unroll = parse_json(R"({"kind":"fixed","loops":0})");
  w.unembedding = matrix(2, 16);
  w.unembedding.at[0][0] = 1;
  Layer layer;  // 1/(p+1) and the mean of a letter
  layer.block = "initial";
  layer.attention_mask = row_of({{0, 1}, {1, 1}, {2, 1}, {3, 1}});
  Head head;
  head.causal = true;
  head.query = head.key = matrix(0, 16);
  head.value = matrix(2, 16), head.output = matrix(16, 2);
  const mpq_class quarter(1, 4);
  head.value.at = {{0, {{0, quarter}, {1, quarter}}}, {1, {{0, quarter}, {2, quarter}}}};
  head.output.at = {{10, {{0, 1}}}, {11, {{1, 1}}}};
  layer.heads.push_back(head);
  layer.in = matrix(0, 16), layer.out = matrix(16, 0);
  w.layers.push_back(layer);
  return file;
}

void graft(File& file, Random& random) {
  Grafter(file, random).graft();
}

Input draw_input(const File& file, long size, Random& random) {
  Draw draw(random);
  const Weights& weights = file.weights;
  Input input;
  input.size = static_cast<int>(size);
  if (file.theorem == "division") {
    input.divisor = 1 + static_cast<long>(draw.below(9));
    input.kinds.assign(static_cast<std::size_t>(size), 0);
    for (long p = 0; p < size; ++p) {
      input.arguments.push_back(static_cast<long>(draw.below(static_cast<std::size_t>(p + 1))));
      Vector& row = input.rows.emplace_back();
      for (const Json& claim : file.certificate.at("given").array()) {
        const auto named = [&](const std::string& name) {
          return static_cast<Number>(name == "p"   ? p
                                     : name == "m" ? input.divisor
                                     : name == "a" ? input.arguments.back()
                                                   : std::stol(name));
        };
        const std::string &of = claim.items[0].string(), &over = claim.items[1].string();
        const Number x = named(of), y = over.empty() ? 0 : named(over);
        row.push_back(
            over.empty() ? x : (claim.items[2].integer(0, 1) == 0 ? x : y) / std::hypot(x, y));
      }
    }
    return input;
  }
  const bool end = weights.kinds[0] == "<end>";
  if (!end) input.kinds.push_back(0);
  for (long i = 0; i < size; ++i)
    input.kinds.push_back(1 + static_cast<int>(draw.below(weights.kinds.size() - 1)));
  if (end) input.kinds.push_back(0);
  return input;
}

}  // namespace logdepth::oracle_numbers
