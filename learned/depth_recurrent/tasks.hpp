#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "learned/depth_recurrent/difficulty_task.hpp"
#include "learned/records/counter_random.hpp"

namespace logdepth { inline namespace learned_depth_recurrent {

/// How graphs are drawn; tasks.cpp says how.
enum class HopGenerator { twin, natural };

/// Vertices of a graph of the hop task: two chains and a pool. The generator without chains makes
/// graphs of as many vertices.
struct HopGraphSize {
  std::uint32_t chain = 8, pool = 8;
  std::size_t vertices() const { return 2 * std::size_t{chain} + pool; }
};

/// A directed graph without self-loops and the question whether `source` reaches `target`.
struct HopGraph {
  /// Without edges.
  explicit HopGraph(std::size_t count) : vertices(count), adjacency(count * count) {}

  std::size_t vertices;
  std::vector<std::uint8_t> adjacency;  ///< [vertices, vertices]: 1 for an edge from row to column
  std::uint32_t source = 0, target = 0;

  bool has_edge(std::size_t from, std::size_t to) const {
    return adjacency[from * vertices + to] != 0;
  }
  void set_edge(std::size_t from, std::size_t to, bool there = true) {
    adjacency[from * vertices + to] = there;
  }
};

/// The word for a generator in configurations and reports.
const char* generator_name(HopGenerator generator);

/// The longest distance that a generator can ask about in graphs of this size.
std::uint32_t most_hops(HopGenerator generator, const HopGraphSize& size);

/// The graph of a generator; its vertices are in a uniformly random order, so that numbers of
/// vertices tell nothing. Precondition: 1 <= hops <= most_hops(generator, size).
HopGraph hop_graph(HopGenerator generator, const HopGraphSize& size, std::uint32_t hops,
                   bool reachable, CounterRandom& random);

/// Is there a path from source to target (specification of depth-recurrent transformers, section
/// 4.1)? The difficulty is the number of hops that is asked for, also where there is no path. A token
/// per vertex, which knows its role (0 none, 1 source, 2 target). Under the mask vertex i reads itself
/// and its successors, so that information goes from the target towards the source, one edge a step.
struct HopTaskConfig final : SettingsOf<HopTaskConfig, DifficultySettings> {
  using Generator = HopGenerator;
  Generator generator = Generator::twin;
  std::uint32_t chain = 8, pool = 8;  ///< sizes of training graphs
  std::uint32_t test_chain = 14;      ///< of the graphs that are measured

  HopTaskConfig();
  const char* kind() const override { return "hops"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;

 protected:
  const char* difficulty() const override { return "hops"; }
};

/// How nested boolean expressions are drawn; see `nested_expression`.
struct ExpressionSettings {
  std::uint32_t sibling_depth = 1;   ///< the shallower operand of & and | is at most so deep
  double critical = 0.5;             ///< share of & and | whose shallower operand decides nothing
  std::uint32_t most_letters = 127;  ///< of an expression; longer ones are drawn anew
};

/// Deeper expressions are refused, and
inline constexpr std::uint32_t kDeepestExpression = 64;
/// deeper shallow operands: the longest expression doubles with each.
inline constexpr std::uint32_t kDeepestSibling = 6;
/// Draws of `nested_expression` before it gives up.
inline constexpr std::size_t kExpressionDraws = 10000;
/// An expression of the grammar E := T | F | !E | (E&E) | (E|E), as in "!((T&F)|!(T|F))".
struct NestedExpression {
  std::string text;
  std::uint32_t depth = 0;  ///< 0 for T and F, an operator is one deeper than its deeper operand
  bool value = false;
  /// Rounds of evaluation that decide the value, at most `depth`: in each an operator becomes known
  /// if its operands are, or one that decides it alone (F under &, T under |).
  std::uint32_t rounds = 0;
};

/// An expression of exactly this depth and value. Its root is ! with probability 0.2, else & or |
/// evenly. One operand is drawn of the depth that is left, on either side; the depth of the other is
/// uniform in 0 ... min(sibling_depth, depth - 1). With probability `critical` the other is drawn
/// anew until it does not decide the operator alone, so that the deep one does. The whole is drawn anew until value and length fit, so values are balanced exactly; with
/// the default settings expressions of depth k have at most 8k - 3 letters, about 5k on average.
/// Errors: InputError after kExpressionDraws draws. Precondition: depth >= 1.
NestedExpression nested_expression(const ExpressionSettings& settings, std::uint32_t depth,
                                   bool value, CounterRandom& random);

/// The value of a nested boolean expression (specification of depth-recurrent transformers, section
/// 4.2). The difficulty is its depth; tokens are [CLS], off which the answer is read, and the
/// letters ( ) T F & | !, padded at the end to the longest expression of the batch. Results also
/// have the share of the measured expressions that two rounds of evaluation decide, by depth: what a
/// shortcut answers right without guessing.
struct ExpressionTaskConfig final : SettingsOf<ExpressionTaskConfig, DifficultySettings> {
  ExpressionSettings expressions;

  ExpressionTaskConfig();
  const char* kind() const override { return "expressions"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;

 protected:
  const char* difficulty() const override { return "nesting depth"; }
};

/// How many names there are to choose from.
inline constexpr std::uint32_t kFamilyNamePool = 40;

/// How family text is drawn.
struct FamilySettings {
  std::uint32_t names = 12;             ///< people there can be, at most kFamilyNamePool
  double sibling = 0.2;                 ///< probability that one step of the chain is a sibling
  std::uint32_t distractors_least = 1;  ///< sentences beside the chain, by step of the chain
  std::uint32_t distractors_most = 2;   ///< as many at most, or fewer where names run out
};

/// Facts on a family in random order and a question about two people.
struct FamilyQuestion {
  std::vector<std::int32_t> tokens;             ///< [CLS], the facts, the question
  std::size_t first_name = 0, second_name = 0;  ///< where the question's names are in `tokens`
  bool answer = false;
  std::uint32_t depth = 0;  ///< facts on the path that joins the two people
};

/// A question of relational composition after section 4.3 of Chen 2026 (arXiv 2603.21676v1), which
/// leaves most of it open. "A is the R of B" says that A lives as many generations above B as R
/// names: 1 for a parent, 0 for a sibling, -3 for a great-grandchild; nothing else is meant by it.
///
/// - Chain: `depth` facts lead from B to A, first up to an ancestor, then down ("apex routing"). The
///   number of steps up is uniform; from depth 2 on, one step anywhere is a sibling with probability
///   `sibling`. A chain of one sibling would have no wrong relation that another chain makes true.
/// - Decoys: an outsider is to a person of the chain what the next one is not, child in place of
///   parent. Who turns off there and goes on as the chain does is wrong by two generations. The first
///   distractor is a decoy, each further one with probability 1/2.
/// - The other distractors join a new outsider to an earlier one, which may be a decoy or the
///   stranger whom nothing joins to the chain.
/// - Every fact brings one new person, so the facts are a forest and the path is the only one. Each
///   is told from either side with probability 1/2: A is the parent of B, or B the child of A.
///
/// A chain of m steps up or down has one of the offsets -m, -m+2 ... m, all equally likely. The false
/// answer to an offset is the next one or the previous one of that list, closed to a ring: two
/// generations off, or the negated offset at the ends. The asked relation is therefore uniform on
/// the same list whatever the answer, and facts do not depend on the answer. Nor does the undirected
/// graph of the facts depend on the number of steps up; neither do counts of words and names, so
/// that these, together with the question, have the same distribution for both answers.
///
/// Errors: InputError naming the setting, as in task.names, where there are no questions of this depth: a chain has
/// depth + 1 people, each distractor brings one more, and one is a stranger.
FamilyQuestion family_question(const FamilySettings& settings, std::uint32_t depth, bool answer,
                               CounterRandom& random);

/// Is one person the relation of another that the question names, by facts in random order
/// (specification of depth-recurrent transformers, section 4.3)? The difficulty is the number of
/// facts on the path between the two; tokens are [CLS] and words, padded at the end to the longest
/// text of the batch. The answer is read off the two names in the question, which is last.
struct FamilyTaskConfig final : SettingsOf<FamilyTaskConfig, DifficultySettings> {
  FamilySettings families;

  FamilyTaskConfig();
  const char* kind() const override { return "families"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;

 protected:
  const char* difficulty() const override { return "facts between"; }
};

}}  // namespace logdepth::learned_depth_recurrent
