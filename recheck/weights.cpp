#include "recheck/weights.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <set>

#include "recheck/refusal.hpp"

namespace recheck {
namespace {

constexpr int kMostRows = 1 << 24, kMostWidth = 1 << 20, kMostLayers = 4096;
constexpr std::int64_t kMostIndex = (std::int64_t{1} << 32) - 1, kMostLength = 0x7fffffffffffffff;

// The rules of the format (runtime/README.md, "The format") for the members that no theorem reads, or only some do: what the
// reader of `logdepth` refuses is no weights file here either.

const std::string& one_of(const Json& value, std::initializer_list<const char*> known) {
  const std::string& text = value.string();
  if (std::find(known.begin(), known.end(), text) != known.end()) return text;
  std::string expected;
  for (const char* word : known) expected += (expected.empty() ? "" : ", ") + std::string(word);
  value.fail("expected one of " + expected + ", found " + quoted(text.substr(0, 40)));
}

/// A key that is written only to say yes.
bool flag(const Json& object, const char* key) {
  if (!object.has(key)) return false;
  if (!object.at(key).boolean())
    object.at(key).fail(std::string(key) + " is false; expected true, or no such key");
  return true;
}

void check_texts(const Json& list) {
  for (const Json& text : list.array()) text.string();
}

std::size_t check_names(const Json& list) {
  std::set<std::string> seen;
  for (const Json& name : list.array())
    if (name.string().empty() || !seen.insert(name.text).second)
      name.fail("a name is empty or appears twice; expected distinct names");
  return seen.size();
}

/// White space, control characters, characters without a width, that turn the direction of a line or are none; of UTF-8.
bool disturbs(const std::string& letter) {
  for (std::size_t i = 0; i < letter.size(); ++i) {
    const auto byte = [&](std::size_t k) {
      return i + k < letter.size() ? static_cast<unsigned char>(letter[i + k]) : 0u;
    };
    const unsigned pair = byte(0) << 8 | byte(1), last = byte(2);
    if (byte(0) <= ' ' || byte(0) == 0x7f || (pair >= 0xc280 && pair <= 0xc2a0) || pair == 0xc2ad ||
        (pair == 0xe19a && last == 0x80) ||
        (pair == 0xe280 && (last <= 0x8f || (last >= 0xa8 && last <= 0xaf))) ||
        (pair == 0xe281 && last >= 0x9f && last <= 0xa9) || (pair == 0xe380 && last == 0x80) ||
        (pair == 0xefbb && last == 0xbf) || (pair == 0xefbf && last >= 0xbe))
      return true;
  }
  return false;
}

void check_letters(const Json& alphabet, bool of_words) {
  check_names(alphabet);
  for (const Json& letter : alphabet.array())
    if (letter.text == "<begin>" || letter.text == "<end>" || disturbs(letter.text))
      letter.fail("alphabet: expected letters without white space and control characters");
  if (alphabet.items.empty() == of_words)
    alphabet.fail(of_words ? "alphabet: expected at least one letter"
                           : "alphabet: expected none, the input is not a word");
}

/// As many given values per token, and as many negatives in the other half if they are mirrored.
void check_given(const Json& input, std::size_t values, int width) {
  const bool mirrored = flag(input, "mirrored");
  if ((mirrored && width % 2 != 0) || values > static_cast<std::size_t>(width / (mirrored ? 2 : 1)))
    input.fail("more values per token than the width has room for");
}

void check_input(const Json& input, int width) {
  const std::string& kind = one_of(input.at("kind"), {"word", "cells", "graph"});
  if (kind == "word") {
    input.only({"kind", "begin"}, {"end"});
    input.at("begin").boolean();
    flag(input, "end");
  } else if (kind == "cells") {
    input.only({"kind", "names"}, {"mirrored"});
    check_given(input, check_names(input.at("names")), width);
  } else if (one_of(input.at("layout"), {"adjacency", "rows"}) == "rows") {
    input.only({"kind", "layout", "size"}, {"mirrored"});
    check_given(input, static_cast<std::size_t>(input.at("size").integer(1, kMostIndex)), width);
  } else {
    input.only({"kind", "layout", "padding"}, {"size"});
    one_of(input.at("padding"), {"n3", "n3-n2", "n4-n2"});
    if (input.has("size")) input.at("size").integer(1, kMostIndex);
  }
}

void check_unroll(const Json& unroll, bool of_graphs) {
  const std::string& kind = one_of(unroll.at("kind"), {"ceil_log2", "ceil_log", "fixed"});
  if (unroll.has("max_length")) unroll.at("max_length").integer(0, kMostLength);
  if (kind == "fixed") {
    unroll.only({"kind", "loops"}, {"max_length"});
    unroll.at("loops").integer(0, kMostIndex);
    return;
  }
  if (kind == "ceil_log2") {
    unroll.only({"kind", "of", "minus"}, {"max_length"});
  } else {
    unroll.only({"kind", "base", "of", "minus"}, {"max_length"});
    unroll.at("base").integer(3, kMostIndex);
  }
  unroll.at("minus").integer(0, 1);
  one_of(unroll.at("of"), {of_graphs ? "vertices" : "letters"});
}

void check_fills(const Json& position, const std::string& kind, int width) {
  position.only({"kind", "fills"}, {"parity", "offset"});
  if (position.has("offset") != (kind == "fine"))
    position.fail("position: expected an offset of the code fine, and of no other");
  if (kind == "fine") position.at("offset").integer(1, kMostIndex);
  std::set<std::int64_t> filled;
  if (position.has("parity"))
    for (const auto& [at, value] : to_row(position.at("parity"), width)) filled.insert(at);
  if (position.has("parity") && filled.empty())
    position.at("parity").fail("parity: zero; expected a number, or no such key");
  for (const Json& fill : position.at("fills").array()) {
    fill.only({"at", "back", "scale"});
    fill.at("back").integer(0, kMostIndex);
    if (fill.at("scale").rational() == 0) fill.fail("scale: zero");
    if (fill.at("at").array().size() != (kind == "two-circle" ? 4 : 2))
      fill.fail("fill: expected as many coordinates as the code has components");
    for (const Json& at : fill.at("at").items)
      if (!filled.insert(at.integer(0, width - 1)).second) at.fail("a coordinate is filled twice");
  }
}

void check_position(const Json& position, int width) {
  const std::string& kind =
      one_of(position.at("kind"), {"first-flag", "table", "circle", "two-circle", "fine"});
  if (kind == "first-flag") {
    position.only({"kind", "first", "rest"});
    for (const char* key : {"first", "rest"}) to_row(position.at(key), width);
  } else if (kind == "table") {
    position.only({"kind", "rows"});
    for (const Json& row : position.at("rows").array()) to_row(row, width);
  } else {
    check_fills(position, kind, width);
  }
}

/// The rows of the unembedding, each of which has one meaning.
class RowsOfTheOutput {
 public:
  explicit RowsOfTheOutput(std::int64_t rows) : claimed_(static_cast<std::size_t>(rows)) {}
  void claim(const Json& place, std::int64_t row) {
    const auto r = static_cast<std::size_t>(row);
    if (r >= claimed_.size() || claimed_[r]) place.fail("expected a row without another meaning");
    claimed_[r] = true;
  }
  bool all() const { return std::find(claimed_.begin(), claimed_.end(), false) == claimed_.end(); }

 private:
  std::vector<bool> claimed_;
};

/// Images of points, or a whole element: numbers below `points`; the former increase.
void check_points(const Json& list, std::int64_t points, bool increasing) {
  std::int64_t least = 0;
  if (list.array().empty()) list.fail("expected at least one point");
  for (const Json& point : list.items)
    least = point.integer(least, points - 1) + 1, least = increasing ? least : 0;
}

void check_prefix(const Json& prefix, RowsOfTheOutput& rows) {
  const std::string& kind = one_of(prefix.at("kind"), {"transformation", "element", "state"});
  std::int64_t row = prefix.at("first_row").integer(0, kMostIndex), choices = 0;
  if (kind == "state") {
    prefix.only({"kind", "states", "first_row"});
    choices = prefix.at("states").integer(1, kMostIndex);
  } else if (kind == "element") {
    prefix.only({"kind", "elements", "first_row"});
    const std::vector<Json>& elements = prefix.at("elements").array();
    if (elements.empty()) prefix.fail("prefix: expected at least one element");
    const std::size_t points = elements[0].array().size();
    std::set<std::string> seen;
    for (const Json& element : elements) {
      check_points(element, static_cast<std::int64_t>(points), false);
      if (element.items.size() != points || !seen.insert(canonical_text(element)).second)
        element.fail("prefix: expected distinct elements of the same points");
    }
    choices = static_cast<std::int64_t>(elements.size());
  } else {
    prefix.only({"kind", "points", "images", "first_row"});
    const std::int64_t points = prefix.at("points").integer(1, kMostIndex);
    if (prefix.at("images").array().size() != static_cast<std::size_t>(points))
      prefix.fail("prefix: expected one list of images per point");
    for (const Json& images : prefix.at("images").items) {
      check_points(images, points, true);
      choices += static_cast<std::int64_t>(images.items.size());
    }
  }
  for (; choices > 0; --choices) rows.claim(prefix, row++);
}

void check_output(const Json& output, const Json& input, std::int64_t rows) {
  const std::string& kind = one_of(output.at("kind"), {"accept", "cells", "relation"});
  const bool rows_of_graph = input.at("kind").text == "graph" && input.at("layout").text == "rows";
  bool all = true;
  if (kind == "cells") {
    output.only({"kind", "names"});
    all = check_names(output.at("names")) == static_cast<std::size_t>(rows);
  } else if (kind == "relation") {
    output.only({"kind"});
    all = rows_of_graph && input.at("size").integer(1, kMostIndex) == rows;
  } else {
    if (rows_of_graph) output.fail("output: expected a relation or cells of rows of a graph");
    output.only({"kind", "accept", "reject"}, {"prefix"});
    RowsOfTheOutput claimed(rows);
    for (const char* key : {"accept", "reject"})
      claimed.claim(output.at(key), output.at(key).integer(0, kMostIndex));
    if (output.has("prefix")) check_prefix(output.at("prefix"), claimed);
    all = claimed.all();
  }
  if (!all) output.fail("output: expected a meaning for every row of the unembedding");
}

void check_cells(const Json& cells, int width) {
  if (cells.object().empty()) cells.fail("cells: expected named cells");
  for (const auto& [name, cell] : cells.members) {
    cell.only({"coordinates", "type", "lifetime"});
    for (const char* key : {"type", "lifetime"}) cell.at(key).string();
    for (const Json& at : cell.at("coordinates").array()) at.integer(0, width - 1);
  }
}

/// What a head promises, as far as the format goes: its truth is for the theorem of selections. `rows`: of its query.
void check_contract(const Json& contract, int rows, int width) {
  const std::string& kind =
      one_of(contract.at("kind"), {"uniform", "match", "rightmost", "flagged", "find", "related"});
  if (kind == "uniform") contract.only({"kind"});
  if (kind == "match") contract.only({"kind", "selects"});
  if (kind == "rightmost") contract.only({"kind", "flag"});
  if (kind == "flagged") contract.only({"kind", "flag"}, {"when"});
  if (kind == "find") contract.only({"kind", "terms", "prefer", "selects"});
  if (kind == "related") contract.only({"kind", "pairs", "prefer"});
  if (contract.has("selects")) one_of(contract.at("selects"), {"exactly-one", "at-least-one"});
  for (const char* key : {"flag", "when"})
    if (contract.has(key)) to_row(contract.at(key), width);
  if (kind == "find") {
    const std::int64_t terms = contract.at("terms").integer(1, kMostRows);
    if (rows < 2 * terms + (contract.at("prefer").boolean() ? 1 : 0))
      contract.fail("find: expected two rows of the query per term, and one for a preference");
  }
  if (kind == "related") {
    to_row(contract.at("prefer"), width);
    if (contract.at("pairs").array().empty()) contract.fail("related: expected at least one pair");
    for (const Json& pair : contract.at("pairs").items) {
      if (pair.array().size() != 2) pair.fail("related: expected pairs of coordinates");
      for (const Json& at : pair.items) at.integer(0, width - 1);
    }
  }
}

/// All but layers and embedding, which `read_weights` reads itself; Malformed for what is not the format.
void check_format(const Json& document) {
  document.only({"format",     "version",    "name",       "construction", "source",
                 "hypotheses", "deviations", "parameters", "alphabet",     "input",
                 "output",     "norm",       "width",      "shape",        "unroll",
                 "position",   "embedding",  "layers",     "unembedding",  "sha256"},
                {"cells", "derived"});
  const Json &format = document.at("format"), &input = document.at("input");
  if (format.string() != "logdepth-weights") format.fail("expected format logdepth-weights");
  document.at("version").integer(1, 1);
  for (const char* key : {"name", "construction", "source"}) document.at(key).string();
  for (const char* key : {"hypotheses", "deviations"}) check_texts(document.at(key));
  document.at("parameters").object();
  if (document.has("derived")) document.at("derived").object();
  one_of(document.at("norm"), {"rms", "layernorm"});
  const int width = static_cast<int>(document.at("width").integer(1, kMostWidth));
  check_input(input, width);
  check_letters(document.at("alphabet"), input.at("kind").text == "word");
  check_unroll(document.at("unroll"), input.at("kind").text == "graph");
  check_position(document.at("position"), width);
  check_output(document.at("output"), input,
               document.at("unembedding").at("rows").integer(0, kMostRows));
  if (document.has("cells")) check_cells(document.at("cells"), width);
}

// What theorems read.

int to_index(const Json& value, int below) {
  return static_cast<int>(value.integer(0, below - 1));
}

/// Adds an entry; Malformed where indices do not increase or a zero is listed.
void put(Row& row, int at, const Json& value) {
  if (!row.empty() && row.rbegin()->first >= at) value.fail("indices do not increase");
  row[at] = value.rational();
  if (row[at] == 0) value.fail("a zero is listed");
}

Matrix to_matrix(const Json& value, int rows, int columns) {
  value.only({"rows", "columns", "entries"});
  Matrix matrix;
  matrix.rows = static_cast<int>(value.at("rows").integer(0, kMostRows));
  matrix.columns = static_cast<int>(value.at("columns").integer(0, kMostRows));
  const auto fits = [](int wanted, int found) { return wanted < 0 || wanted == found; };
  if (!fits(rows, matrix.rows) || !fits(columns, matrix.columns))
    value.fail("a matrix has the wrong shape");
  int last = 0;
  for (const Json& entry : value.at("entries").array()) {
    if (entry.array().size() != 3) entry.fail("wrong entry; expected [row, column, rational]");
    const int row = to_index(entry.items[0], matrix.rows);
    if (row < last) entry.fail("rows do not increase");
    put(matrix.at[last = row], to_index(entry.items[1], matrix.columns), entry.items[2]);
  }
  return matrix;
}

Head to_head(const Json& value, int width) {
  value.only({"causal", "query", "key", "value", "output", "promise"});
  Head head;
  head.causal = value.at("causal").boolean();
  head.key = to_matrix(value.at("key"), -1, width);
  head.query = to_matrix(value.at("query"), head.key.rows, width);
  head.output = to_matrix(value.at("output"), width, -1);
  head.value = to_matrix(value.at("value"), head.output.columns, width);
  head.contract = value.at("promise");
  check_contract(head.contract, head.query.rows, width);
  return head;
}

Layer to_layer(const Json& value, int width) {
  value.only({"block", "attention", "feedforward"});
  const Json &attention = value.at("attention"), &feedforward = value.at("feedforward");
  attention.only({"mask", "heads"});
  feedforward.only({"mask", "in", "out"});
  Layer layer;
  layer.block = value.at("block").string();
  layer.attention_mask = to_row(attention.at("mask"), width);
  for (const Json& head : attention.at("heads").array())
    layer.heads.push_back(to_head(head, width));
  layer.feedforward_mask = to_row(feedforward.at("mask"), width);
  layer.in = to_matrix(feedforward.at("in"), -1, width);
  layer.out = to_matrix(feedforward.at("out"), width, layer.in.rows);
  return layer;
}

/// The kinds of the tokens, in the order of the theorems: what the input adds comes first.
std::vector<std::string> kinds_of(const Json& document, const Json& input) {
  std::vector<std::string> kinds;
  const std::string& kind = input.at("kind").string();
  if (kind == "word" && input.has("begin") && input.at("begin").boolean())
    kinds.push_back("<begin>");
  if (kind == "word" && input.has("end")) kinds.push_back("<end>");
  if (kind == "graph" && input.at("layout").string() == "rows") kinds = {"<vertex>"};
  if (kind == "graph" && kinds.empty())
    kinds = {"<edge>", "<no-edge>", "<pad>", "<source>", "<target>"};
  for (const Json& letter : document.at("alphabet").array()) kinds.push_back(letter.string());
  return kinds;
}

void check_shape(const Weights& weights, const Json& shape) {
  shape.only({"initial", "repeated", "final"});
  std::size_t n = 0;
  bool good = true;
  for (const char* block : {"initial", "repeated", "final"})
    for (std::int64_t left = shape.at(block).integer(0, kMostLayers); left > 0; --left, ++n)
      good = good && n < weights.layers.size() && weights.layers[n].block == block;
  if (!good || n != weights.layers.size()) shape.fail("layers and shape differ");
}

}  // namespace

Row to_row(const Json& vector, int width) {
  Row row;
  for (const Json& entry : vector.array()) {
    if (entry.array().size() != 2) entry.fail("wrong entry; expected [index, rational]");
    put(row, to_index(entry.items[0], width), entry.items[1]);
  }
  return row;
}

std::string sha256_of(const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) != 1)
    throw Malformed("SHA-256 is not available");
  std::string out;
  for (unsigned i = 0; i < size; ++i)
    for (const int digit : {digest[i] >> 4, digest[i] & 15}) out += "0123456789abcdef"[digit];
  return out;
}

const Row& Matrix::row(int r) const {
  static const Row empty;
  const auto found = at.find(r);
  return found == at.end() ? empty : found->second;
}

bool Weights::has_loop() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const Layer& layer) { return layer.block == "repeated"; });
}

std::string layer_name(std::size_t n) {
  return "layer " + std::to_string(n + 1);
}

std::optional<std::int64_t> Weights::limit() const {
  if (!unroll.has("max_length")) return {};
  return unroll.at("max_length").integer(0, std::int64_t{1} << 60);
}

Weights read_weights(const Json& document) {
  check_format(document);
  Json hashed = document;
  std::erase_if(hashed.members,
                [](const auto& m) { return m.key == "derived" || m.key == "sha256"; });
  Weights weights;
  weights.sha256 = sha256_of(canonical_text(hashed));
  if (weights.sha256 != document.at("sha256").string())
    document.at("sha256").fail("wrong sha256; the content hashes to " + weights.sha256);
  weights.width = static_cast<int>(document.at("width").integer(1, kMostWidth));
  weights.layernorm = document.at("norm").string() == "layernorm";
  weights.input = document.at("input");
  weights.output = document.at("output");
  weights.unroll = document.at("unroll");
  weights.position = document.at("position");
  weights.kinds = kinds_of(document, weights.input);
  const Json& embedding = document.at("embedding");
  for (const std::string& kind : weights.kinds)
    weights.embedding.push_back(to_row(embedding.at(kind), weights.width));
  if (embedding.object().size() != weights.kinds.size())
    embedding.fail("embedding: a token that does not occur");
  for (const Json& layer : document.at("layers").array())
    weights.layers.push_back(to_layer(layer, weights.width));
  check_shape(weights, document.at("shape"));
  weights.unembedding = to_matrix(document.at("unembedding"), -1, weights.width);
  return weights;
}

}  // namespace recheck
