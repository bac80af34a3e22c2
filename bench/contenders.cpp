#include "bench/contenders.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>
#include <variant>

#include "bench/direct_algorithms.hpp"
#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/reachability_oracle.hpp"
#include "runtime/columns/column_run.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_memory.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr const char* kUndecided = "undecided";
const char* verdict(bool yes) {
  return yes ? "yes" : "no";
}

/// The letters of a word are the tokens first .. first + n - 1.
std::size_t first_letter(const Model& model) {
  const auto* word = std::get_if<WordInput>(&model.input);
  return word && word->begin ? 1 : 0;
}

/// What an exact run answers, whichever way it went.
class ExactContender : public Contender {
 public:
  explicit ExactContender(const TimedQuestion& question) : question_(question) {}

  std::vector<std::string> answers() override {
    std::vector<std::string> lines;
    if (std::holds_alternative<RelationOutput>(question_.model.output)) {
      const std::size_t size = question_.graph->size();
      for (Vertex i = 0; i < size; ++i) {
        lines.emplace_back();
        for (Vertex j = 0; j < size; ++j) {
          const auto answer = relation(i, j);
          lines.back() += !answer.has_value() ? '?' : answer.value() ? '1' : '0';
        }
      }
      return lines;
    }
    const auto& output = std::get<AcceptOutput>(question_.model.output);
    if (!std::holds_alternative<std::monostate>(output.prefix))
      for (std::size_t i = 0; i < question_.word.size(); ++i) {
        const auto product = prefix(first_letter(question_.model) + i);
        lines.push_back(product.has_value() ? prefix_text(product.value()) : kUndecided);
      }
    const auto answer = accepts(question_.tokens.kinds.size() - 1);
    lines.push_back(answer.has_value() ? verdict(answer.value()) : kUndecided);
    return lines;
  }

 protected:
  virtual Outcome<bool> relation(Vertex source, Vertex target) = 0;
  virtual Outcome<PrefixAnswer> prefix(std::size_t token) = 0;
  virtual Outcome<bool> accepts(std::size_t token) = 0;

  const TimedQuestion& question_;
};

/// By columns, as `logdepth run`: every selection contract is proved.
class ColumnContender : public ExactContender {
 public:
  ColumnContender(const TimedQuestion& question, std::size_t threads)
      : ExactContender(question), threads_(threads) {}

  RunSeconds run() override {
    logits_.reset();
    const auto start = Clock::now();
    ColumnRunner runner(question_.model, kRunMemory, threads_);
    ColumnWords words(question_.model);
    if (!words.add(question_.tokens)) throw InputError("the input is none of columns");
    auto logits = runner.run(words, loops_at(question_.model.unroll, question_.tokens.size));
    const double seconds = seconds_since(start);
    if (!logits) throw InputError("handed over: " + runner.statistics().reason);
    logits_.emplace(std::move(*logits));
    return {.total = seconds, .dense = std::nullopt};
  }

 protected:
  Outcome<bool> relation(Vertex source, Vertex target) override {
    return logits_->connected(source, target);
  }
  Outcome<PrefixAnswer> prefix(std::size_t token) override { return logits_->prefix(0, token); }
  Outcome<bool> accepts(std::size_t token) override { return logits_->accepts(0, token); }

 private:
  std::size_t threads_;
  std::optional<ColumnLogits> logits_;
};

/// Value by value, every selection contract checked: the path of inputs that columns hand over.
class GeneralContender : public ExactContender {
 public:
  using ExactContender::ExactContender;

  RunSeconds run() override {
    stream_.reset();
    runner_ = std::make_unique<Runner>(question_.model);
    ContractCheck check(question_.model, runner_->arithmetic());
    const auto start = Clock::now();
    auto outcome = runner_->run(question_.tokens, {&check});
    const double seconds = seconds_since(start);
    if (!outcome.has_value()) throw InputError(describe(outcome.refusal()));
    if (check.broken()) throw InputError("selection contract violated: " + *check.broken());
    stream_.emplace(std::move(outcome).value());
    return {.total = seconds, .dense = std::nullopt};
  }

 protected:
  Outcome<bool> relation(Vertex source, Vertex target) override {
    return runner_->relation(*stream_, source, target);
  }
  Outcome<PrefixAnswer> prefix(std::size_t token) override {
    return runner_->prefix(*stream_, token);
  }
  Outcome<bool> accepts(std::size_t token) override { return runner_->accepts(*stream_, token); }

 private:
  std::unique_ptr<Runner> runner_;
  std::optional<Stream<ValueId>> stream_;
};

template <class Number>
class DenseContender : public Contender {
 public:
  DenseContender(const TimedQuestion& question, const DenseOptions& options)
      : question_(question), options_(options), forward_(question.model, options) {}

  RunSeconds run() override {
    forward_.run(question_.tokens);
    DenseCost cost = forward_.cost();
    cost.attention *= static_cast<double>(options_.row_stride);
    return {.total = cost.attention + cost.other, .dense = cost};
  }

  std::vector<std::string> answers() override {
    std::vector<std::string> lines;
    const Model& model = question_.model;
    if (std::holds_alternative<RelationOutput>(model.output)) {
      for (Vertex i = 0; i < question_.graph->size(); ++i) {
        const auto logits = forward_.logits(i);
        lines.emplace_back();
        for (Vertex j = 0; j < question_.graph->size(); ++j)
          lines.back() += logits[j] > 0 ? '1' : logits[j] < 0 ? '0' : '?';
      }
      return lines;
    }
    const auto& output = std::get<AcceptOutput>(model.output);
    if (!std::holds_alternative<std::monostate>(output.prefix))
      for (std::size_t i = 0; i < question_.word.size(); ++i)
        lines.push_back(prefix(output.prefix, forward_.logits(first_letter(model) + i)));
    const auto logits = forward_.logits(question_.tokens.kinds.size() - 1);
    const Number margin = logits[output.accept] - logits[output.reject];
    lines.push_back(margin == Number(0) ? kUndecided : verdict(margin > 0));
    return lines;
  }

 private:
  static std::string prefix(const PrefixReadout& readout, const std::vector<Number>& logits) {
    const auto winner = [&](std::size_t row, std::size_t choices) {
      const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row);
      return static_cast<std::size_t>(
          std::max_element(begin, begin + static_cast<std::ptrdiff_t>(choices)) - begin);
    };
    if (const auto* element = std::get_if<ElementReadout>(&readout))
      return format_transformation(
          element->elements[winner(element->first_row, element->elements.size())]);
    const auto& transformation = std::get<TransformationReadout>(readout);
    Transformation images;
    std::size_t row = transformation.first_row;
    for (const auto& candidates : transformation.images) {
      images.push_back(candidates[winner(row, candidates.size())]);
      row += candidates.size();
    }
    return format_transformation(images);
  }

  const TimedQuestion& question_;
  DenseOptions options_;
  DenseForward<Number> forward_;
};

/// Repeats a short run until the clock can be trusted.
RunSeconds repeat(const std::function<void()>& run) {
  constexpr double enough = 0.02;
  RunSeconds seconds;
  const auto start = Clock::now();
  for (seconds.repeats = 0; seconds.repeats == 0 || seconds_since(start) < enough;)
    run(), ++seconds.repeats;
  seconds.total = seconds_since(start) / static_cast<double>(seconds.repeats);
  return seconds;
}

class ProductContender : public Contender {
 public:
  ProductContender(const TimedQuestion& question, bool sequential)
      : question_(question),
        action_(named_monoid(question.group)),
        products_(action_, table_of(question.model)),
        sequential_(sequential) {}

  RunSeconds run() override {
    return repeat([this] {
      if (sequential_)
        products_.run_sequentially(question_.word);
      else
        products_.run_scan(question_.word);
    });
  }

  std::vector<std::string> answers() override {
    std::vector<std::string> lines;
    Transformation product = identity_transformation(action_.points);
    for (std::size_t i = 0; i < question_.word.size(); ++i) {
      product = products_.product(i);
      lines.push_back(format_transformation(product));
    }
    lines.push_back(verdict(action_.accepts(product)));
    return lines;
  }

 private:
  /// The table that the construction chose, from its model card; a cascade has none of products.
  static ProductTable table_of(const Model& model) {
    const std::string* table = text_in(model.parameters, "table");
    if (table && *table == "matrix") return ProductTable::matrix;
    if (!table || *table == "monoid") return ProductTable::monoid;
    throw InputError("the weights file '" + model.name + "' has a table " + *table +
                     "; expected matrix or monoid");
  }

  const TimedQuestion& question_;
  Action action_;
  DirectProducts products_;
  bool sequential_;
};

class ReachabilityContender : public Contender {
 public:
  ReachabilityContender(const TimedQuestion& question, bool squaring)
      : question_(question),
        whole_(std::holds_alternative<RelationOutput>(question.model.output)),
        search_(*question.graph),
        squaring_(*question.graph),
        by_squaring_(squaring) {}

  RunSeconds run() override {
    return repeat([this] {
      if (by_squaring_)
        squaring_.run();
      else if (whole_)
        closure_ = search_.transitive_closure();
      else
        reached_ = search_.reaches(question_.source, question_.target);
    });
  }

  std::vector<std::string> answers() override {
    if (!whole_)
      return {
          verdict(by_squaring_ ? squaring_.reaches(question_.source, question_.target) : reached_)};
    std::vector<std::string> lines;
    for (Vertex i = 0; i < question_.graph->size(); ++i) {
      lines.emplace_back();
      for (Vertex j = 0; j < question_.graph->size(); ++j)
        lines.back() += (by_squaring_ ? squaring_.reaches(i, j) : closure_[i][j]) ? '1' : '0';
    }
    return lines;
  }

 private:
  const TimedQuestion& question_;
  bool whole_;
  ReachabilityOracle search_;
  BooleanSquaring squaring_;
  bool by_squaring_;
  bool reached_ = false;
  std::vector<std::vector<bool>> closure_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(const std::string& name, const TimedQuestion& question,
                                          const DenseOptions& dense) {
  if (name == "exact") return std::make_unique<ColumnContender>(question, 1);
  if (name == "exact-2") return std::make_unique<ColumnContender>(question, 2);
  if (name == "general") return std::make_unique<GeneralContender>(question);
  if (name == "float64") return std::make_unique<DenseContender<double>>(question, dense);
  if (name == "float32") return std::make_unique<DenseContender<float>>(question, dense);
  if ((name == "scan" || name == "sequential") && !question.graph)
    return std::make_unique<ProductContender>(question, name == "sequential");
  if ((name == "search" || name == "squaring") && question.graph)
    return std::make_unique<ReachabilityContender>(question, name == "squaring");
  throw InputError("'" + name + "' is not a contender for this input");
}

}  // namespace logdepth
