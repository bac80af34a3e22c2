#include "recheck/weights.hpp"

#include <openssl/evp.h>

#include <algorithm>

#include "recheck/refusal.hpp"

namespace recheck {
namespace {

constexpr int kMostRows = 1 << 24, kMostWidth = 1 << 20, kMostLayers = 4096;

std::string hash_of(const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) != 1)
    throw Malformed("SHA-256 is not available");
  std::string out;
  for (unsigned i = 0; i < size; ++i)
    for (const int digit : {digest[i] >> 4, digest[i] & 15}) out += "0123456789abcdef"[digit];
  return out;
}

int index(const Json& value, int below) {
  return static_cast<int>(value.integer(0, below - 1));
}

void put(Row& row, int at, const Json& value) {
  if (!row.empty() && row.rbegin()->first >= at) throw Malformed("indices do not increase");
  row[at] = value.rational();
  if (row[at] == 0) throw Malformed("a zero is listed");
}

Matrix to_matrix(const Json& value, int rows, int columns) {
  value.only({"rows", "columns", "entries"});
  Matrix matrix;
  matrix.rows = static_cast<int>(value.at("rows").integer(0, kMostRows));
  matrix.columns = static_cast<int>(value.at("columns").integer(0, kMostRows));
  const auto fits = [](int wanted, int found) { return wanted < 0 || wanted == found; };
  if (!fits(rows, matrix.rows) || !fits(columns, matrix.columns))
    throw Malformed("a matrix has the wrong shape");
  int last = 0;
  for (const Json& entry : value.at("entries").array()) {
    if (entry.array().size() != 3) throw Malformed("wrong entry; expected [row, column, rational]");
    const int row = index(entry.items[0], matrix.rows);
    if (row < last) throw Malformed("rows do not increase");
    put(matrix.at[last = row], index(entry.items[1], matrix.columns), entry.items[2]);
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
  std::vector<std::string> sorted = kinds;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw Malformed("alphabet: a letter appears twice");
  return kinds;
}

void check_shape(const Weights& weights, const Json& shape) {
  shape.only({"initial", "repeated", "final"});
  std::size_t n = 0;
  bool good = true;
  for (const char* block : {"initial", "repeated", "final"})
    for (long left = shape.at(block).integer(0, kMostLayers); left > 0; --left, ++n)
      good = good && n < weights.layers.size() && weights.layers[n].block == block;
  if (!good || n != weights.layers.size()) throw Malformed("layers and shape differ");
}

}  // namespace

const Row& Matrix::row(int r) const {
  static const Row empty;
  const auto found = at.find(r);
  return found == at.end() ? empty : found->second;
}

bool Weights::has_loop() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const Layer& layer) { return layer.block == "repeated"; });
}

std::optional<long> Weights::limit() const {
  if (!unroll.has("max_length")) return {};
  return unroll.at("max_length").integer(0, 1L << 60);
}

Row to_row(const Json& vector, int width) {
  Row row;
  for (const Json& entry : vector.array()) {
    if (entry.array().size() != 2) throw Malformed("wrong entry; expected [index, rational]");
    put(row, index(entry.items[0], width), entry.items[1]);
  }
  return row;
}

Weights read_weights(const Json& document) {
  document.only({"format",     "version",    "name",       "construction", "source",
                 "hypotheses", "deviations", "parameters", "alphabet",     "input",
                 "output",     "norm",       "width",      "shape",        "unroll",
                 "position",   "embedding",  "layers",     "unembedding",  "sha256"},
                {"cells", "derived"});
  if (document.at("format").string() != "logdepth-weights") throw Malformed("no weights file");
  document.at("version").integer(1, 1);
  Json hashed = document;
  std::erase_if(hashed.members,
                [](const auto& m) { return m.key == "derived" || m.key == "sha256"; });
  Weights weights;
  weights.sha256 = hash_of(canonical_text(hashed));
  if (weights.sha256 != document.at("sha256").string())
    throw Malformed("wrong sha256; the content hashes to " + weights.sha256);
  weights.width = static_cast<int>(document.at("width").integer(1, kMostWidth));
  weights.layernorm = document.at("norm").string() == "layernorm";
  if (!weights.layernorm && document.at("norm").string() != "rms")
    throw Malformed("norm: expected rms or layernorm");
  weights.input = document.at("input");
  weights.output = document.at("output");
  weights.unroll = document.at("unroll");
  weights.position = document.at("position");
  weights.kinds = kinds_of(document, weights.input);
  const Json& embedding = document.at("embedding");
  for (const std::string& kind : weights.kinds)
    weights.embedding.push_back(to_row(embedding.at(kind), weights.width));
  if (embedding.members.size() != weights.kinds.size())
    throw Malformed("embedding: a token that does not occur");
  for (const Json& layer : document.at("layers").array())
    weights.layers.push_back(to_layer(layer, weights.width));
  check_shape(weights, document.at("shape"));
  weights.unembedding = to_matrix(document.at("unembedding"), -1, weights.width);
  return weights;
}

}  // namespace recheck
