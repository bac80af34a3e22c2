#include "learned/depth_recurrent/tasks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_depth_recurrent {
namespace {

using Generator = HopGenerator;

/// Probabilities of edges in `twin` and `natural`.
constexpr double kChainToPool = 0.08, kPoolToPool = 0.15, kNatural = 0.07;

/// The same graph with its vertices, whose order says what they are, in a uniformly random order.
HopGraph shuffled(const HopGraph& plan, std::size_t source, std::size_t target,
                  CounterRandom& random) {
  const std::vector<std::uint32_t> place = random.permutation(plan.vertices);
  HopGraph graph(plan.vertices);
  for (std::size_t from = 0; from < plan.vertices; ++from)
    for (std::size_t to = 0; to < plan.vertices; ++to)
      graph.set_edge(place[from], place[to], plan.has_edge(from, to));
  graph.source = place[source];
  graph.target = place[target];
  return graph;
}

/// Two disjoint chains a_0 ... a_{m-1} and b_0 ... b_{m-1} and a pool; chain vertices have edges to
/// pool vertices with probability 0.08, pool vertices to each other with 0.15, and nothing leads
/// back to a chain. The source is a_r, r uniform with r + hops < m, the target a_{r+hops} if it is
/// to be reachable, else b_{r+hops}. What leaves source and target in fewer than `hops` steps has
/// the same distribution in both cases, so nothing that sees no more answers better than a coin.
HopGraph twin_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                    CounterRandom& random) {
  const std::size_t m = size.chain, pool = 2 * m;  // a_i is vertex i, b_i is m + i, then the pool
  HopGraph plan(size.vertices());
  for (const std::size_t chain : {std::size_t{0}, m})
    for (std::size_t i = 0; i + 1 < m; ++i) plan.set_edge(chain + i, chain + i + 1);
  for (std::size_t from = 0; from < plan.vertices; ++from)
    for (std::size_t to = pool; to < plan.vertices; ++to)
      if (from != to && random.chance(from < pool ? kChainToPool : kPoolToPool))
        plan.set_edge(from, to);
  const std::size_t start = random.below(m - hops);
  // The random order makes an exchange of the two chains, which are alike, superfluous.
  return shuffled(plan, start, start + hops + (reachable ? 0 : m), random);
}

/// Path vertices have the levels 0 ... hops, the others random ones; besides the path there are
/// edges u -> v with probability 0.07 where level(v) <= level(u) + 1, so that no path is shorter
/// than the planted one. If the target is not to be reachable, all edges from one random level to
/// the next are cut: the number of edges then tells something about the answer, which is the
/// shortcut that this generator is for.
HopGraph natural_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                       CounterRandom& random) {
  HopGraph plan(size.vertices());
  std::vector<std::uint64_t> level(plan.vertices);
  for (std::size_t v = 0; v < level.size(); ++v) level[v] = v <= hops ? v : random.below(hops + 1);
  for (std::size_t from = 0; from < level.size(); ++from)
    for (std::size_t to = 0; to < level.size(); ++to)
      if (from != to && level[to] <= level[from] + 1 && random.chance(kNatural))
        plan.set_edge(from, to);
  for (std::size_t v = 0; v < hops; ++v) plan.set_edge(v, v + 1);
  if (!reachable) {
    const std::uint64_t cut = random.below(hops);
    for (std::size_t from = 0; from < level.size(); ++from)
      for (std::size_t to = 0; to < level.size(); ++to)
        if (level[from] == cut && level[to] == cut + 1) plan.set_edge(from, to, false);
  }
  return shuffled(plan, 0, hops, random);
}

}  // namespace

const char* generator_name(Generator generator) {
  return generator == Generator::twin ? "twin" : "natural";
}

std::uint32_t most_hops(Generator generator, const HopGraphSize& size) {
  if (generator == Generator::twin) return size.chain == 0 ? 0 : size.chain - 1;
  return size.vertices() == 0 ? 0 : static_cast<std::uint32_t>(size.vertices()) - 1;
}

HopGraph hop_graph(Generator generator, const HopGraphSize& size, std::uint32_t hops,
                   bool reachable, CounterRandom& random) {
  return generator == Generator::twin ? twin_graph(size, hops, reachable, random)
                                      : natural_graph(size, hops, reachable, random);
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostVertices = 1024;
/// Rows of the table of roles.
constexpr std::uint32_t kRoles = 3;
constexpr std::int32_t kNoRole = 0, kSource = 1, kTarget = 2;

/// "task.chain = 8" or what else bounds the hops of a generator.
std::string bound_text(Generator generator, const char* chain, const HopGraphSize& size) {
  if (generator == Generator::twin) return fmt::format("less than {} = {}", chain, size.chain);
  return fmt::format("less than the {} vertices of 2 * {} + task.pool", size.vertices(), chain);
}

class HopTask final : public DifficultyTask {
 public:
  HopTask(const HopTaskConfig& config, std::uint64_t seed)
      : DifficultyTask(seed),
        config_(config),
        trained_{config.chain, config.pool},
        measured_{config.test_chain, config.pool} {
    check_difficulties();
    const HopTaskConfig& c = config_;
    for (const auto& [size, name] :
         {std::pair(trained_, "task.chain"), std::pair(measured_, "task.test_chain")}) {
      require(size.chain >= 2, std::string(name) + ": expected at least 2");
      require(size.vertices() <= kMostVertices,
              fmt::format("{}, task.pool: expected at most {} vertices", name, kMostVertices));
    }
    require(c.hardest <= most_hops(c.generator, trained_),
            fmt::format("task.hardest: expected {}, found {}",
                        bound_text(c.generator, "task.chain", trained_), c.hardest));
    require(c.tested.back() <= most_hops(c.generator, measured_),
            fmt::format("task.tested: expected {}, found {}",
                        bound_text(c.generator, "task.test_chain", measured_), c.tested.back()));
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {kRoles};
    format.view = TaskFormat::View::given;
    format.readout = TaskFormat::Readout::pair;
    return format;
  }

 private:
  const DifficultySettings& settings() const override { return config_; }
  const char* unit() const override { return "hops"; }
  std::string difficulty_text(std::uint32_t hops) const override { return counted(hops, "hop"); }
  std::string subject() const override {
    return fmt::format("{}, {} vertices", generator_name(config_.generator), measured_.vertices());
  }

  Samples inputs(Questions questions, Use use) const override {
    const HopGraphSize& size = use == Use::training ? trained_ : measured_;
    const std::size_t count = questions.size();
    Samples samples;
    samples.count = count;
    samples.tokens = samples.size = size.vertices();
    samples.indices.assign(count * samples.tokens, kNoRole);
    samples.view.assign(count * samples.tokens * samples.tokens, 0);
    samples.read.resize(2 * count);
    for (std::size_t i = 0; i < count; ++i) fill(samples, i, size, questions[i]);
    return samples;
  }

  void fill(Samples& samples, std::size_t i, const HopGraphSize& size,
            DifficultyQuestion& question) const {
    const HopGraph graph =
        hop_graph(config_.generator, size, question.difficulty, question.answer, question.random);
    const std::size_t n = samples.tokens;
    samples.indices[i * n + graph.source] = kSource;
    samples.indices[i * n + graph.target] = kTarget;
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        samples.view[(i * n + from) * n + to] = from == to || graph.has_edge(from, to);
    samples.read[2 * i] = static_cast<std::int32_t>(graph.source);
    samples.read[2 * i + 1] = static_cast<std::int32_t>(graph.target);
  }

  void add_to_result(Json& result) const override {
    result["generator"] = generator_name(config_.generator);
  }

  HopTaskConfig config_;
  HopGraphSize trained_, measured_;
};

}  // namespace

HopTaskConfig::HopTaskConfig() {
  tested = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  test_loops = {1, 2, 3, 5, 8, 12, 15, 20};
}

void HopTaskConfig::visit(SettingVisitor& visit) {
  visit("generator", generator, {"twin", "natural"});
  visit("chain", chain);
  visit("pool", pool);
  visit("test_chain", test_chain);
  visit_difficulties(visit);
}

std::unique_ptr<Task> HopTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<HopTask>(*this, seed);
}

namespace {

constexpr double kNegation = 0.2;

NestedExpression draw(const ExpressionSettings& settings, std::uint32_t depth,
                      CounterRandom& random);

NestedExpression draw_operation(const ExpressionSettings& settings, std::uint32_t depth,
                                CounterRandom& random) {
  const bool negation = random.chance(kNegation);
  // The value that decides the operator alone: F of &, T of |.
  const bool deciding = random.chance(0.5);
  NestedExpression deep = draw(settings, depth - 1, random);
  if (negation) {
    deep.value = !deep.value;
    deep.text.insert(deep.text.begin(), '!');
    deep.depth = depth;
    ++deep.rounds;
    return deep;
  }
  const bool critical = random.chance(settings.critical);
  const std::uint32_t depths = std::min(settings.sibling_depth, depth - 1) + 1;
  const auto draw_other = [&] {
    return draw(settings, static_cast<std::uint32_t>(random.below(depths)), random);
  };
  NestedExpression other = draw_other();
  while (critical && other.value == deciding) other = draw_other();
  const bool swapped = random.chance(0.5);
  const NestedExpression &left = swapped ? other : deep, &right = swapped ? deep : other;
  NestedExpression result;
  result.text = "(" + left.text + (deciding ? "|" : "&") + right.text + ")";
  result.value = deciding ? left.value || right.value : left.value && right.value;
  // Of operands that decide alone the first one known is enough, else both are needed.
  const bool one_decides = left.value != right.value;
  const std::uint32_t rounds = one_decides ? (left.value == deciding ? left : right).rounds
                               : left.value == deciding ? std::min(left.rounds, right.rounds)
                                                        : std::max(left.rounds, right.rounds);
  result.depth = depth;
  result.rounds = rounds + 1;
  return result;
}

NestedExpression draw(const ExpressionSettings& settings, std::uint32_t depth,
                      CounterRandom& random) {
  if (depth > 0) return draw_operation(settings, depth, random);
  const bool value = random.chance(0.5);
  return {value ? "T" : "F", 0, value, 0};
}

}  // namespace

NestedExpression nested_expression(const ExpressionSettings& settings, std::uint32_t depth,
                                   bool value, CounterRandom& random) {
  for (std::size_t i = 0; i < kExpressionDraws; ++i) {
    NestedExpression drawn = draw(settings, depth, random);
    if (drawn.value == value && drawn.text.size() <= settings.most_letters) return drawn;
  }
  throw InputError(
      fmt::format("task.most_letters: expected room for expressions of depth {}, found none of at "
                  "most {} letters in {} draws",
                  depth, settings.most_letters, kExpressionDraws));
}

namespace {

/// The tokens from kFirstLetter on; those before are padding and [CLS].
constexpr std::string_view kLetters = "()TF&|!";
constexpr std::int32_t kFirstLetter = kClassToken + 1;
/// Rounds of evaluation that a shortcut is granted.
constexpr std::uint32_t kShortcutRounds = 2;
constexpr std::uint32_t kMostLetters = 4096;

class ExpressionTask final : public DifficultyTask {
 public:
  ExpressionTask(const ExpressionTaskConfig& config, std::uint64_t seed)
      : DifficultyTask(seed), config_(config) {
    check_difficulties();
    const ExpressionSettings& c = config_.expressions;
    require(c.sibling_depth <= kDeepestSibling,
            fmt::format("task.sibling_depth: expected at most {}", kDeepestSibling));
    require(c.critical >= 0 && c.critical <= 1, "task.critical: expected 0 to 1");
    require(c.most_letters <= kMostLetters,
            fmt::format("task.most_letters: expected at most {}", kMostLetters));
    for (const auto& [depth, name] : {std::pair(config_.hardest, "task.hardest"),
                                      std::pair(config_.tested.back(), "task.tested")})
      require(depth <= kDeepestExpression, fmt::format("{}: expected depths up to {}, found {}",
                                                       name, kDeepestExpression, depth));
    try_every_difficulty();
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {static_cast<std::uint32_t>(kFirstLetter + kLetters.size())};
    format.view = TaskFormat::View::everything;
    format.readout = TaskFormat::Readout::one_token;
    return format;
  }

 private:
  const DifficultySettings& settings() const override { return config_; }
  std::string subject() const override { return "nested expressions"; }

  Samples inputs(Questions questions, Use) const override {
    std::vector<std::vector<std::int32_t>> texts;
    for (DifficultyQuestion& question : questions) {
      std::vector<std::int32_t>& text = texts.emplace_back(1, kClassToken);
      for (const char letter : expression_of(question).text)
        text.push_back(kFirstLetter + static_cast<std::int32_t>(kLetters.find(letter)));
    }
    Samples samples = samples_of_texts(texts);
    samples.read.resize(samples.count);  // the first token
    return samples;
  }

  NestedExpression expression_of(DifficultyQuestion& question) const {
    return nested_expression(config_.expressions, question.difficulty, question.answer,
                             question.random);
  }

  void add_to_result(Json& result) const override {
    result["decided_in_two_rounds"] = Json::array();
    for (const std::uint32_t depth : config_.tested) {
      Questions questions = validation_questions(depth);
      std::size_t decided = 0;
      for (DifficultyQuestion& question : questions)
        decided += expression_of(question).rounds <= kShortcutRounds;
      result["decided_in_two_rounds"].push_back(static_cast<double>(decided) /
                                                static_cast<double>(questions.size()));
    }
  }

  ExpressionTaskConfig config_;
};

}  // namespace

ExpressionTaskConfig::ExpressionTaskConfig() {
  hardest = 4;
  tested = {1, 2, 3, 4, 5, 6, 7, 8};
  test_loops = {1, 2, 4, 6, 8, 10, 12, 16};
}

void ExpressionTaskConfig::visit(SettingVisitor& visit) {
  visit("sibling_depth", expressions.sibling_depth);
  visit("critical", expressions.critical);
  visit("most_letters", expressions.most_letters);
  visit_difficulties(visit);
}

std::unique_ptr<Task> ExpressionTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<ExpressionTask>(*this, seed);
}

namespace {

/// Words of family text by their tokens: padding, [CLS], full stop and question mark, ...; names come last. "great-" is
/// a word of its own.
enum FamilyWord : std::int32_t {
  kPad,
  kClassify,
  kStop,
  kAsk,
  kIs,
  kThe,
  kOf,
  kParent,
  kChild,
  kSibling,
  kGrandparent,
  kGrandchild,
  kGreat,
  kWords
};

/// Person `who` lives `offset` generations above person `whose`.
struct Relation {
  std::uint32_t who;
  std::int32_t offset;
  std::uint32_t whose;
};

Relation from_the_other_side(const Relation& told) {
  return {told.whose, -told.offset, told.who};
}

/// The facts of a question. People 0 ... depth are the chain, the next one is the stranger.
class Family {
 public:
  Family(const FamilySettings& settings, std::uint32_t depth, CounterRandom& random)
      : depth_(depth), newcomer_(depth + 2) {
    draw_chain(settings.sibling, random);
    const std::uint64_t least = std::uint64_t{settings.distractors_least} * depth;
    const std::uint64_t most = std::min(std::uint64_t{settings.distractors_most} * depth,
                                        std::uint64_t{settings.names} - depth - 2);
    const std::uint64_t distractors = least + random.below(most - least + 1);
    for (std::uint64_t made = 0; made < distractors; ++made, ++newcomer_)
      facts_.push_back(made == 0 || random.chance(0.5) ? decoy(random)
                                                       : outsider(settings.sibling, random));
  }

  const std::vector<Relation>& facts() const { return facts_; }
  Relation true_answer() const { return {depth_, 2 * ups_ - moves_, 0}; }

  Relation false_answer(CounterRandom& random) const {
    Relation answer = true_answer();
    if (random.chance(0.5))
      answer.offset = answer.offset == moves_ ? -moves_ : answer.offset + 2;
    else
      answer.offset = answer.offset == -moves_ ? moves_ : answer.offset - 2;
    return answer;
  }

 private:
  void draw_chain(double sibling, CounterRandom& random) {
    const bool with_sibling = depth_ >= 2 && random.chance(sibling);
    moves_ = static_cast<std::int32_t>(depth_) - (with_sibling ? 1 : 0);
    ups_ = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(moves_) + 1));
    const std::uint64_t sibling_at = with_sibling ? random.below(depth_) : depth_;
    for (std::uint32_t step = 0; step < depth_; ++step) {
      if (step == sibling_at) {
        facts_.push_back({step + 1, 0, step});
        continue;
      }
      const bool up = static_cast<std::int32_t>(moved_.size()) < ups_;
      facts_.push_back({step + 1, up ? 1 : -1, step});
      moved_.push_back(facts_.back());
    }
  }

  /// To one person of a step up or down what the other one is not. Siblings are left out, wherever
  /// they are: where decoys are must not tell how many steps lead up.
  Relation decoy(CounterRandom& random) const {
    Relation step = moved_[random.below(moved_.size())];
    if (random.chance(0.5)) step = from_the_other_side(step);
    return {newcomer_, -step.offset, step.whose};
  }

  Relation outsider(double sibling, CounterRandom& random) const {
    const std::uint32_t stranger = depth_ + 1;
    const auto joined = static_cast<std::uint32_t>(random.below(newcomer_ - stranger));
    const std::int32_t offset = random.chance(sibling) ? 0 : random.chance(0.5) ? 1 : -1;
    return {newcomer_, offset, stranger + joined};
  }

  std::uint32_t depth_, newcomer_;
  std::int32_t moves_ = 0, ups_ = 0;
  std::vector<Relation> facts_, moved_;
};

/// Appends "WHO is the RELATION of WHOSE" and `end`; name[p] is the token of person p.
void write(const Relation& told, FamilyWord end, const std::vector<std::int32_t>& name,
           std::vector<std::int32_t>& tokens) {
  tokens.insert(tokens.end(), {name[told.who], kIs, kThe});
  const std::int32_t generations = std::abs(told.offset);
  for (std::int32_t great = 2; great < generations; ++great) tokens.push_back(kGreat);
  if (generations == 0)
    tokens.push_back(kSibling);
  else if (generations == 1)
    tokens.push_back(told.offset > 0 ? kParent : kChild);
  else
    tokens.push_back(told.offset > 0 ? kGrandparent : kGrandchild);
  tokens.insert(tokens.end(), {kOf, name[told.whose], end});
}

/// Whether questions of this depth can be drawn: a chain has depth + 1 people, each distractor
/// brings one more, and one is a stranger. Errors: InputError naming the setting, as in task.names.
void check_family_settings(const FamilySettings& settings, std::uint32_t depth) {
  require(depth > 0, "family text: a depth of 0, expected at least 1");
  require(settings.names <= kFamilyNamePool,
          fmt::format("task.names: {}, expected at most {}", settings.names, kFamilyNamePool));
  require(settings.sibling >= 0 && settings.sibling <= 1,
          fmt::format("task.sibling: {}, expected a probability", settings.sibling));
  require(settings.distractors_least <= settings.distractors_most,
          fmt::format("task.distractors_least: {}, expected at most task.distractors_most = {}",
                      settings.distractors_least, settings.distractors_most));
  const std::uint64_t needed = 2 + depth * (1 + std::uint64_t{settings.distractors_least});
  require(settings.names >= needed,
          fmt::format("task.names: {}, expected at least {} for questions of depth {} with "
                      "task.distractors_least = {}",
                      settings.names, needed, depth, settings.distractors_least));
}

}  // namespace

FamilyQuestion family_question(const FamilySettings& settings, std::uint32_t depth, bool answer,
                               CounterRandom& random) {
  check_family_settings(settings, depth);
  const Family family(settings, depth, random);
  std::vector<std::int32_t> name;
  for (const std::uint32_t place : random.permutation(settings.names))
    name.push_back(kWords + static_cast<std::int32_t>(place));

  FamilyQuestion question;
  question.tokens = {kClassify};
  for (const std::uint32_t place : random.permutation(family.facts().size())) {
    const Relation& fact = family.facts()[place];
    write(random.chance(0.5) ? fact : from_the_other_side(fact), kStop, name, question.tokens);
  }
  question.first_name = question.tokens.size();
  write(answer ? family.true_answer() : family.false_answer(random), kAsk, name, question.tokens);
  question.second_name = question.tokens.size() - 2;
  question.answer = answer;
  question.depth = depth;
  return question;
}

namespace {

class FamilyTask final : public DifficultyTask {
 public:
  FamilyTask(const FamilyTaskConfig& config, std::uint64_t seed)
      : DifficultyTask(seed), config_(config) {
    check_difficulties();
    check_family_settings(config_.families, std::max(config_.hardest, config_.tested.back()));
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {static_cast<std::uint32_t>(kWords) + config_.families.names};
    format.view = TaskFormat::View::everything;
    format.readout = TaskFormat::Readout::pair;
    return format;
  }

 private:
  const DifficultySettings& settings() const override { return config_; }
  std::string subject() const override {
    return fmt::format("family text, {} names", config_.families.names);
  }

  Samples inputs(Questions questions, Use) const override {
    std::vector<std::vector<std::int32_t>> texts;
    std::vector<std::int32_t> read;
    for (DifficultyQuestion& question : questions) {
      FamilyQuestion family =
          family_question(config_.families, question.difficulty, question.answer, question.random);
      texts.push_back(std::move(family.tokens));
      read.push_back(static_cast<std::int32_t>(family.first_name));
      read.push_back(static_cast<std::int32_t>(family.second_name));
    }
    Samples samples = samples_of_texts(texts);
    samples.read = std::move(read);
    return samples;
  }

  FamilyTaskConfig config_;
};

}  // namespace

FamilyTaskConfig::FamilyTaskConfig() {
  easiest = 2;
  hardest = 3;
  tested = {2, 3, 4, 5};
  test_loops = {1, 2, 4, 6, 8, 10, 12};
}

void FamilyTaskConfig::visit(SettingVisitor& visit) {
  visit("names", families.names);
  visit("sibling", families.sibling);
  visit("distractors_least", families.distractors_least);
  visit("distractors_most", families.distractors_most);
  visit_difficulties(visit);
}

std::unique_ptr<Task> FamilyTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<FamilyTask>(*this, seed);
}

}}  // namespace logdepth::learned_depth_recurrent
