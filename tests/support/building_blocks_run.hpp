#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/cell_comparison.hpp"

namespace logdepth::support {

using RealRow = std::vector<Real>;
using RealRows = std::vector<RealRow>;

inline Real phi(const Rational& z, std::size_t index) {
  return Real(index == 0 ? z : Rational(1)).divided_by_root(z * z + Rational(1));
}
inline RealRow phi(const Rational& z) {
  return {phi(z, 0), phi(z, 1)};
}
inline RealRow joined(std::initializer_list<RealRow> parts) {
  RealRow row;
  for (const RealRow& part : parts) row.insert(row.end(), part.begin(), part.end());
  return row;
}

/// Zero, small and large, both signs, and neighbours that differ by 1/10^9.
inline std::vector<Rational> hostile_rationals() {
  std::vector<Rational> values = {Rational(0)};
  const Rational tiny(1, 1000000000);
  for (const Rational& z :
       {tiny, Rational(1, 3), Rational(1, 2), Rational(1), Rational(1) + tiny, Rational(4, 3),
        Rational(2), Rational(7), Rational(7) + tiny, Rational(1000000000)}) {
    values.push_back(z);
    values.push_back(-z);
  }
  return values;
}

/// A block through its weights file: compiled, written, read, and run exactly on raw streams.
class BlockRun {
 public:
  /// `change` edits the weights by hand; the interpreter is then no longer asked.
  explicit BlockRun(Program program, Norm norm = Norm::rms,
                    const std::function<void(Model&)>& change = nullptr)
      : program_(std::move(program)),
        schedule_(schedule_layers(program_)),
        changed_(change != nullptr) {
    Model model = compile(program_, {norm, false, std::nullopt}).model;
    if (change) change(model);
    model_ = parse_weights(write_weights(model), program_.name);
    EXPECT_EQ(model_, model);
    runner_.emplace(model_);
    contracts_.emplace(model_, runner_->arithmetic());
  }
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;
  ~BlockRun() {
    for (const HeadPlace& head : contracts_->unevaluated())
      ADD_FAILURE() << program_.name << ": the promise of " << describe(head)
                    << " was never checked";
  }

  const Model& model() const { return model_; }
  std::size_t layers() const { return model_.layers.size(); }
  bool has_attention(std::size_t layer) const {
    return !model_.layers.at(layer).attention.heads.empty();
  }
  bool has_feedforward(std::size_t layer) const {
    return model_.layers.at(layer).feedforward.in.rows > 0;
  }

  /// Runs rows that the program admits: after every sublayer each cell is what the interpreter
  /// says.
  void run(const RealRows& rows) {
    const Tokens tokens = cells_tokens(rows);
    CellComparison cells(program_, schedule_, model_, runner_->arithmetic(),
                         start_states(program_, tokens));
    go(tokens, changed_ ? nullptr : &cells);
    EXPECT_EQ(cells.difference(), "");
  }
  /// Runs any rows: what the weights do beyond what was proved of the program.
  void run_outside(const RealRows& rows) { go(cells_tokens(rows), nullptr); }

  Real output(std::size_t token, std::size_t row) { return runner_->logits(*end_, token)[row]; }

  /// The listed cells hold these values at the end; every other coordinate of the stream, padding
  /// and mirrors included, holds what it held before the first layer.
  void expect_only(const std::map<std::string, RealRows>& changes, const std::string& what) {
    const bool mirrored = model_.norm == Norm::layernorm;
    for (std::size_t token = 0; token < end_->tokens; ++token) {
      std::map<std::uint32_t, Real> expected;
      for (const auto& [cell, rows] : changes) {
        const auto& coordinates = model_.cells.at(cell).coordinates;
        ASSERT_EQ(rows.at(token).size(), coordinates.size());
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
          expected[coordinates[i]] = rows[token][i];
          if (mirrored) expected[coordinates[i] + model_.width / 2] = -rows[token][i];
        }
      }
      for (std::uint32_t c = 0; c < model_.width; ++c) {
        const auto change = expected.find(c);
        const Real want = change == expected.end() ? value(*start_, token, c) : change->second;
        ASSERT_EQ(value(*end_, token, c), want)
            << "expected " << want.text() << ", found " << value(*end_, token, c).text() << ": "
            << what << ", token " << token << ", coordinate " << c;
      }
    }
  }

 private:
  class Beginning : public ForwardObserver<ValueId> {
   public:
    void before(const Location& location, const Stream<ValueId>& stream) override {
      if (!first) first = stream;
      steps = location.step;
    }
    std::optional<Stream<ValueId>> first;
    std::size_t steps = 0;
  };

  void go(const Tokens& tokens, ForwardObserver<ValueId>* more) {
    Beginning beginning;
    Runner::Observers observers = {&*contracts_, &beginning};
    if (more) observers.push_back(more);
    auto stream = runner_->run(tokens, observers);
    ASSERT_TRUE(stream.has_value()) << describe(stream.refusal());
    EXPECT_EQ(contracts_->broken().value_or(""), "");
    EXPECT_EQ(beginning.steps, layers());
    start_ = beginning.first;
    end_ = std::move(stream).value();
  }
  const Real& value(const Stream<ValueId>& stream, std::size_t token, std::size_t coordinate) {
    return runner_->arithmetic().pool()[stream.at(token, coordinate)];
  }

  Program program_;
  Schedule schedule_;
  bool changed_;
  Model model_;
  std::optional<Runner> runner_;
  std::optional<ContractCheck> contracts_;
  std::optional<Stream<ValueId>> start_, end_;
};

}  // namespace logdepth::support
