// The circuit of a file, against dense products of its matrices, and what letters and erasures reach.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "compiler/file/circuit.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/KR65/regular_language_cascade.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth::circuits_tests { namespace {

constexpr std::uint64_t kLetters = 5;

using Kind = CircuitEdge::Kind;
using Dense = std::vector<std::vector<Rational>>;

Dense zeros(std::size_t rows, std::size_t columns) {
  return Dense(rows, std::vector<Rational>(columns));
}
Dense dense(const SparseMatrix& sparse) {
  Dense matrix = zeros(sparse.rows, sparse.columns);
  for (const MatrixEntry& e : sparse.entries) matrix[e.row][e.column] = e.value;
  return matrix;
}
Dense diagonal(const SparseVector& mask, std::size_t width) {
  Dense matrix = zeros(width, width);
  for (const SparseEntry& e : mask) matrix[e.index][e.index] = e.value;
  return matrix;
}
Dense operator*(const Dense& a, const Dense& b) {
  Dense product = zeros(a.size(), b.empty() ? 0 : b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      if (!a[i][k].is_zero())
        for (std::size_t j = 0; j < b[k].size(); ++j) product[i][j] += a[i][k] * b[k][j];
  return product;
}
std::size_t nonzeros(const Dense& matrix) {
  std::size_t count = 0;
  for (const auto& row : matrix)
    for (const Rational& value : row) count += !value.is_zero();
  return count;
}

Rational largest(const Dense& matrix) {
  Rational most;
  for (const auto& row : matrix)
    for (const Rational& value : row)
      if (most < value.abs()) most = value.abs();
  return most;
}

/// What a node writes: a column for each token, position, coordinate or unit.
Dense written(const Model& model, const CircuitNode& node, std::size_t tokens) {
  Dense columns = zeros(model.width, 0);
  const auto add = [&](const SparseVector& vector) {
    for (auto& row : columns) row.emplace_back();
    for (const SparseEntry& e : vector) columns[e.index].back() = e.value;
  };
  if (node.kind == CircuitNode::Kind::embed)
    for (const auto& [kind, vector] : model.embedding) add(vector);
  if (node.kind == CircuitNode::Kind::pos)
    for (std::size_t p = 0; p < tokens; ++p) add(position_row(model.position, p));
  if (node.kind == CircuitNode::Kind::embed || node.kind == CircuitNode::Kind::pos) return columns;
  const Layer& layer = model.layers[node.file_layer];
  if (node.kind == CircuitNode::Kind::mlp) {
    // A unit that reads nothing behind the mask is 0.
    Dense out = dense(layer.feedforward.out);
    const Dense in = dense(layer.feedforward.in) * diagonal(layer.feedforward.mask, model.width);
    for (std::size_t unit = 0; unit < in.size(); ++unit)
      if (nonzeros({in[unit]}) == 0)
        for (auto& row : out) row[unit] = 0;
    return out;
  }
  const Head& head = layer.attention.heads[node.head];
  return dense(head.output) * dense(head.value) * diagonal(layer.attention.mask, model.width);
}

struct Read {
  Dense matrix, mask;
  bool masked = true, folded = true;
};
Read read(const Model& model, const Circuit& circuit, const CircuitNode& node,
          const std::string& part) {
  if (node.kind == CircuitNode::Kind::logits) return {dense(model.unembedding), {}, false, true};
  const Layer& layer = model.layers[node.file_layer];
  if (node.kind == CircuitNode::Kind::mlp)
    return {dense(layer.feedforward.in), diagonal(layer.feedforward.mask, model.width), true,
            circuit.feedforward_folded[node.layer]};
  const Head& head = layer.attention.heads[node.head];
  const std::map<std::string, const SparseMatrix*> matrices = {
      {"q", &head.query}, {"k", &head.key}, {"v", &head.value}};
  return {dense(*matrices.at(part)), diagonal(layer.attention.mask, model.width), true,
          circuit.attention_folded[node.layer]};
}

/// Of the edges to one node, or of all.
void expect_dense_products(const Model& model, CircuitNorms norms,
                           std::optional<std::size_t> reader_at = std::nullopt) {
  const Circuit circuit = circuit_of(model, kLetters, norms);
  for (const CircuitEdge& edge : circuit.edges) {
    if (reader_at && edge.target != *reader_at % circuit.nodes.size()) continue;
    const CircuitNode& source = circuit.nodes[edge.source];
    const CircuitNode& target = circuit.nodes[edge.target];
    const Read reader = read(model, circuit, target, edge.part);
    Dense seen = written(model, source, circuit.tokens);
    const bool computed = reader.masked && (norms == CircuitNorms::file || !reader.folded);
    if (reader.masked) seen = reader.mask * seen;
    if (computed && model.norm == Norm::layernorm)
      for (std::size_t column = 0; column < seen[0].size(); ++column) {
        Rational mean;
        for (const auto& row : seen) mean += row[column] / Rational(model.width);
        for (auto& row : seen) row[column] -= mean;
      }
    const Dense map = reader.matrix * seen;
    const std::size_t entries = nonzeros(map);
    const bool scales = computed && edge.part != "q" && nonzeros(seen) > 0;
    const std::string name = source.name + "->" + target.name + edge.part;
    EXPECT_EQ(edge.entries, entries) << name;
    EXPECT_EQ(edge.reason ? edge.reason->value.abs() : Rational(), largest(map)) << name;
    EXPECT_EQ(edge.kind, entries > 0 ? Kind::structural : scales ? Kind::norm : Kind::none) << name;
  }
}

Model scan(const std::string& group, Norm norm = Norm::rms) {
  return *with_derived(compile(regular_language_scan_MS25_thm4_1(named_monoid(group), group, {}),
                               {norm, false, std::nullopt}));
}
Model cascade(const std::string& group) {
  return *with_derived(
      compile(regular_language_cascade_KR65(cascade_of(named_monoid(group)), group, {})));
}

TEST(Circuits, EdgesAreTheNonzeroProductsOfTheMatrices) {
  for (const CircuitNorms norms : {CircuitNorms::exported, CircuitNorms::file}) {
    expect_dense_products(scan("Z2"), norms);
    expect_dense_products(scan("S3", Norm::layernorm), norms);
    expect_dense_products(cascade("S3"), norms);
  }
}

RC_GTEST_PROP(Circuits, OfAFileWithWeightsRemovedAreTheProductsOfWhatIsLeft, ()) {
  static const std::vector<Model> kModels = {scan("Z3"), scan("Z2", Norm::layernorm),
                                             cascade("Z2")};
  Model model = *rc::gen::elementOf(kModels);
  std::vector<SparseMatrix*> matrices = {&model.unembedding};
  for (Layer& layer : model.layers) {
    for (Head& head : layer.attention.heads)
      matrices.insert(matrices.end(), {&head.query, &head.key, &head.value, &head.output});
    matrices.insert(matrices.end(), {&layer.feedforward.in, &layer.feedforward.out});
  }
  std::erase_if(matrices, [](const SparseMatrix* matrix) { return matrix->entries.empty(); });
  for (int removed = 0; removed < 3; ++removed) {
    auto& entries = matrices[*rc::gen::inRange<std::size_t>(0, matrices.size())]->entries;
    if (!entries.empty())
      entries.erase(entries.begin() + *rc::gen::inRange<std::ptrdiff_t>(
                                          0, static_cast<std::ptrdiff_t>(entries.size())));
  }
  expect_dense_products(model, *rc::gen::element(CircuitNorms::exported, CircuitNorms::file),
                        *rc::gen::inRange<std::size_t>(0, 100));
}

TEST(Circuits, MasksScaleWhatHeadsReadAndAUnitBehindThemWritesNothing) {
  Model model = scan("Z2");
  for (SparseEntry& entry : model.layers[0].attention.mask) entry.value = Rational(3);
  FeedForward& block = model.layers[0].feedforward;
  const std::uint32_t unit = block.out.entries.front().column;
  std::set<std::uint32_t> read;
  for (const MatrixEntry& e : block.in.entries)
    if (e.row == unit) read.insert(e.column);
  std::erase_if(block.mask, [&](const SparseEntry& e) { return read.contains(e.index); });
  expect_dense_products(model, CircuitNorms::file);
}

std::set<std::string> edges_of(const Model& model,
                               const std::function<bool(const CircuitEdge&)>& wanted) {
  const Circuit circuit = circuit_of(model, kLetters, CircuitNorms::exported);
  std::set<std::string> names;
  for (const CircuitEdge& edge : circuit.edges)
    if (wanted(edge))
      names.insert(circuit.nodes[edge.source].name + "->" + circuit.nodes[edge.target].name +
                   edge.part);
  return names;
}

TEST(Circuits, LettersReachTheProductsOfAScanAndNeverItsPositions) {
  const auto varying = edges_of(scan("S3"), [](const CircuitEdge& edge) { return edge.varies; });
  EXPECT_TRUE(varying.contains("embed->a0.h0v"));
  EXPECT_TRUE(varying.contains("a0.h0->m0"));
  EXPECT_TRUE(varying.contains("m2->logits"));
  for (const std::string& name : varying) {
    EXPECT_FALSE(name.starts_with("pos")) << name;
    EXPECT_FALSE(name.ends_with("q") || name.ends_with("k")) << name;
  }
  EXPECT_EQ(varying.size(), 22u);
}

TEST(Circuits, ANormWithoutAProvedScaleTakesLettersToWhateverItsHeadWrites) {
  Model model = scan("S3");
  const auto varies = [](const CircuitEdge& edge) { return edge.varies; };
  EXPECT_FALSE(edges_of(model, varies).contains("a0.h0->a1.h0q"));
  const std::size_t before = edges_of(model, varies).size();
  model.derived = {};  // nothing is proved
  // Pointers, which the head and the units write beside the products, may now depend on letters.
  EXPECT_TRUE(edges_of(model, varies).contains("m0->a1.h0q"));
  EXPECT_GT(edges_of(model, varies).size(), before);
}

TEST(Circuits, WhatIsErasedIsNotReadLater) {
  const auto read = [](const CircuitEdge& edge) {
    return edge.read_cells && !edge.read_cells->empty();
  };
  const auto structural = [](const CircuitEdge& edge) { return edge.kind == Kind::structural; };
  const Model model = scan("S3");
  EXPECT_TRUE(edges_of(model, structural).contains("a0.h0->m1"));
  EXPECT_FALSE(edges_of(model, read).contains("a0.h0->m1"));  // m0 erases sd
  EXPECT_TRUE(edges_of(model, read).contains("m0->m1"));
  EXPECT_EQ(edges_of(model, read).size(), 34u);
}

TEST(Circuits, UnitsHaveTheRulesOfTheirLookUps) {
  const Circuit circuit = circuit_of(scan("Z2"), kLetters, CircuitNorms::exported);
  for (const CircuitNode& node : circuit.nodes)
    if (node.kind == CircuitNode::Kind::mlp) {
      const auto& units = node.units;
      EXPECT_EQ(std::ranges::count(units, "product", &CircuitUnit::lookup), 4);
      EXPECT_LT(4u, units.size());
    }
}

TEST(Circuits, AreOfNetworksThatReadWords) {
  Model model = scan("Z2");
  model.input = CellsInput{};
  EXPECT_THROW(static_cast<void>(circuit_of(model, kLetters, CircuitNorms::file)), InputError);
}

}}  // namespace logdepth::circuits_tests
