#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace proofs_check_check {

// What a weights file answers, or should answer, by the kind of its questions.
struct Acceptance {
  bool accepted = false;
};
struct Connection {
  std::uint32_t source = 0, target = 0;
  bool connected = false;
};
/// The product of the first letters, or the state after them.
struct PrefixValue {
  std::size_t letters = 0;
  bool state = false;
  PrefixAnswer value;
};
/// Named numbers of one token (absent: of the last one, which answers a word), exactly as they are
/// spelled.
struct NamedNumbers {
  std::optional<std::size_t> token;
  std::vector<std::string> names, values;
};
/// One number of the division lemma.
struct DividedNumber {
  std::size_t token = 0;
  std::uint64_t dividend = 0, divisor = 1;
  std::string name, value;
};
/// The value at a letter of a computation graph: 0 ... prime - 1, `prime` for none yet, `prime` + 1
/// at what is no variable; absent where a token answers with no single value.
struct NodeValue {
  std::size_t letter = 0;  ///< from 1
  std::string name;
  std::uint32_t iterations = 0, prime = 0;
  std::optional<std::uint32_t> value;
};
/// An answer at every token, of a question that asks for more than one.
enum class EveryToken { divisions, outputs, node_values };
using FileAnswer = std::variant<Acceptance, Connection, PrefixValue, NamedNumbers, DividedNumber,
                                NodeValue, EveryToken>;

// What is wrong about a file on an input. Sentences are made where they are printed.

/// Another answer than the right one; both of one kind.
struct WrongAnswer {
  FileAnswer expected, got;
};
struct NoAnswer {
  FileAnswer expected;
  Refusal refusal;
};
/// One product stands for two states of the language's minimal automaton.
struct ProductOfTwoStates {
  std::size_t letters = 0;
  PrefixAnswer product;
};
/// Other layers than the file states.
struct OtherDepth {
  std::string stated, counted;  ///< formulas, or numbers of layers
};
/// An input that is outside the hypotheses and is not refused as that.
struct NotRefused {
  std::optional<Refusal> refusal;  ///< another one; absent: there is an answer
};
/// A cell that holds what the file's own index says it does not.
struct BrokenCell {
  enum class Rule {
    flag,       ///< 1, -1, or 0 where nothing is written yet
    onehot,     ///< a unit vector of the coordinates, or 0
    direction,  ///< a vector of one norm, or 0
    constant,   ///< the same number always
    scratch,    ///< 0 at the end of every loop and of the run
    erased,     ///< 0 at the end of the run
    mirror,     ///< under layernorm, minus the coordinate half the width before it
    unnamed     ///< no cell's: 0 always
  };
  Rule rule = Rule::flag;
  std::string cell;  ///< its name; of `mirror` and `unnamed` the coordinate
  std::uint64_t step = 0;
  Sublayer sublayer = Sublayer::attention;
  std::size_t token = 0;
  std::vector<std::string> values;  ///< of its coordinates
};
/// A cell that a lemma leaves blank and that holds something in the end.
struct CellLeft {
  std::string cell, value;
  std::size_t token = 0;
};
using Failure = std::variant<WrongAnswer, NoAnswer, ProductOfTwoStates, BrokenContract, OtherDepth,
                             NotRefused, BrokenCell, CellLeft>;

/// What a finding is about.
enum class TestedProperty {
  answer,    ///< the verdict, or the numbers, that the oracle gives
  prefix,    ///< the product of the first letters, or the state after them
  contract,  ///< every head selects what it promises
  depth,     ///< as many layers run as the file states
  limit,     ///< an input outside the hypotheses is refused
  cell       ///< a cell holds what its type and lifetime allow
};
TestedProperty property_of(const Failure& finding);

// In words: "expected <expected_text>, found <got_text>".
std::string expected_text(const Failure& finding);
std::string got_text(const Failure& finding);
/// "accept"; "token 3, 7 by 2: quotient.0 = 3/5"
std::string answer_text(const FileAnswer& answer);

/// What was compared with what is right.
struct ComparedCounts {
  std::uint64_t answers = 0;   ///< single answers compared, of all kinds
  std::uint64_t positive = 0;  ///< words accepted, pairs connected
  std::uint64_t prefixes = 0;  ///< products, or states after prefixes
  std::uint64_t numbers = 0;   ///< named ones, quotients with remainders, values of nodes
};

/// Questions of one kind to one weights file: how an input becomes tokens, what is right, which
/// inputs are smaller. `Input` is a word, a graph with pairs of vertices, ...
template <class Input>
class TestDomain {
 public:
  /// Keeps a reference.
  explicit TestDomain(const Model& model) : model_(model) {}
  virtual ~TestDomain() = default;
  const Model& model() const { return model_; }
  virtual Outcome<Tokens> tokens(const Input& input) const = 0;
  /// Of the repeated block, where the input asks for others than the file.
  virtual std::optional<std::uint32_t> loops(const Input&) const { return std::nullopt; }
  /// The input is outside the file's hypotheses.
  virtual bool outside(const Input& input) const = 0;
  /// The answer that the question is after.
  virtual FileAnswer expected(const Input& input) const = 0;
  /// What is wrong about the answers of the run of this input; adds to what was compared.
  virtual std::optional<Failure> judge(const Input& input, DecidedRun& run,
                                       ComparedCounts& counts) = 0;
  /// The smallest input that still fails, found by leaving out what can be left out.
  virtual Input shrunk(Input input, const std::function<bool(const Input&)>& fails) const = 0;
  /// The input in words.
  virtual std::string text(const Input& input) const = 0;

 protected:
  const Model& model_;
};

/// Where an input comes from.
enum class CaseStage {
  exhaustive,  ///< one of all inputs up to a size, in the order of size
  chosen,      ///< picked by hand
  random,      ///< drawn
  given,       ///< by who asks
  limit        ///< just beyond the file's limit
};

/// Inputs that are asked together and counted as one: the pairs of one graph.
template <class Input>
struct AskedCase {
  CaseStage stage = CaseStage::exhaustive;
  std::vector<Input> inputs;
};

/// CaseGenerator one after the other, made when they are asked for.
template <class Input>
struct CaseGenerator {
  std::function<std::optional<AskedCase<Input>>()> next;
  std::size_t total = 0;  ///< about, for progress
};

/// All of the first, then all of the second.
template <class Input>
CaseGenerator<Input> operator+(CaseGenerator<Input> first, CaseGenerator<Input> second) {
  const std::size_t total = first.total + second.total;
  return {[first = std::move(first.next),
           second = std::move(second.next)]() -> std::optional<AskedCase<Input>> {
            if (auto found = first()) return found;
            return second();
          },
          total};
}

/// These cases.
template <class Input>
CaseGenerator<Input> listed_cases(std::vector<AskedCase<Input>> cases) {
  const std::size_t total = cases.size();
  return {
      [cases = std::move(cases), at = std::size_t{0}]() mutable -> std::optional<AskedCase<Input>> {
        if (at == cases.size()) return std::nullopt;
        return std::move(cases[at++]);
      },
      total};
}

}}  // namespace logdepth::proofs_check_check
