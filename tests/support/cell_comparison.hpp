#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/schedule.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth::support {

/// Where two states of one program differ, as a sentence; empty when they are equal.
inline std::string first_difference(const Program& program, const CellStates& a,
                                    const CellStates& b) {
  for (std::size_t token = 0; token < a.tokens; ++token)
    for (CellId cell = 0; cell < program.cells.size(); ++cell)
      for (std::uint32_t i = 0; i < size_of(program.cells[cell].type); ++i)
        if (const Component c{cell, i}; !(a.at(token, c) == b.at(token, c)))
          return "token " + std::to_string(token) + ", cell " + program.cells[cell].name + "[" +
                 std::to_string(i) + "]: " + a.at(token, c).text() + " against " +
                 b.at(token, c).text();
  return "";
}

/// Steps the interpreter through the schedule beside an exact run. After every sublayer each cell
/// must hold what the interpreter says, each mirror its negative, and each pad zero.
class CellComparison : public ForwardObserver<ValueId> {
 public:
  CellComparison(const Program& program, const Schedule& schedule, const Model& model,
                 const Exact& arithmetic, CellStates states)
      : p_(program), model_(model), arithmetic_(arithmetic), states_(std::move(states)) {
    for (const Block block : {Block::initial, Block::repeated, Block::final})
      layers_.insert(layers_.end(), schedule.block(block).begin(), schedule.block(block).end());
  }

  void before(const Location& location, const Stream<ValueId>& stream) override {
    if (location.step == 1 && location.sublayer == Sublayer::attention)
      compare(stream, "embedding");
    location_ = location;
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    advance(location);
    compare(stream,
            "layer " + std::to_string(location.step) +
                (location.sublayer == Sublayer::attention ? " attention" : " feed-forward"));
    ++sublayers_;
  }
  /// After a refused run: the interpreter must break at the same sublayer.
  void advance_to_the_refusal() { advance(location_); }

  void compare(const Stream<ValueId>& stream, const std::string& where) {
    if (!difference_.empty()) return;
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      std::set<std::uint32_t> known;
      const auto expect = [&](std::uint32_t coordinate, const Real& expected,
                              const std::string& what) {
        known.insert(coordinate);
        const Real& got = arithmetic_.pool()[stream.at(token, coordinate)];
        if (difference_.empty() && !(got == expected))
          difference_ = where + ", token " + std::to_string(token) + ", " + what + ": expected " +
                        expected.text() + ", found " + got.text();
      };
      for (CellId id = 0; id < p_.cells.size(); ++id) {
        const auto& coordinates = model_.cells.at(p_.cells[id].name).coordinates;
        if (coordinates.size() != size_of(p_.cells[id].type))
          difference_ = "cell " + p_.cells[id].name + " has a coordinate too many or too few";
        for (std::uint32_t i = 0; i < coordinates.size(); ++i) {
          const Real& value = states_.at(token, {id, i});
          expect(coordinates[i], value, p_.cells[id].name + "[" + std::to_string(i) + "]");
          if (model_.norm == Norm::layernorm)
            expect(coordinates[i] + model_.width / 2, -value, "mirror of " + p_.cells[id].name);
        }
      }
      for (std::uint32_t c = 0; c < model_.width; ++c)
        if (!known.contains(c)) expect(c, Real(), "padding " + std::to_string(c));
      if (model_.norm == Norm::layernorm && difference_.empty()) {
        Real mean;
        for (std::uint32_t c = 0; c < model_.width; ++c)
          mean = mean + arithmetic_.pool()[stream.at(token, c)];
        if (!mean.is_zero()) difference_ = where + ": the mean is " + mean.text();
      }
    }
  }

  const std::string& difference() const { return difference_; }
  const CellStates& states() const { return states_; }
  std::size_t sublayers() const { return sublayers_; }

 private:
  void advance(const Location& location) {
    const ScheduledLayer& layer = layers_.at(location.layer);
    step(p_, location.sublayer == Sublayer::attention ? layer.attention : layer.feedforward,
         states_);
  }

  const Program& p_;
  const Model& model_;
  const Exact& arithmetic_;
  std::vector<ScheduledLayer> layers_;
  CellStates states_;
  Location location_;
  std::string difference_;
  std::size_t sublayers_ = 0;
};

/// Runs a word through a compiled model beside the interpreter of its program, to the end: the
/// first difference, or a wrong number of sublayers, or nothing.
inline std::string difference_on(const std::vector<std::string>& letters, const Program& program,
                                 const Model& model) {
  const auto tokens = tokens_of(model, letters);
  if (!tokens.has_value()) return describe(tokens.refusal());
  Runner runner(model);
  CellComparison comparison(program, schedule_layers(program), model, runner.arithmetic(),
                            start_states(program, tokens.value()));
  const auto stream = runner.run(tokens.value(), {&comparison});
  if (!stream.has_value()) return describe(stream.refusal());
  comparison.compare(stream.value(), "the end");
  if (comparison.sublayers() != 2 * depth_at(model, letters.size()))
    return std::to_string(comparison.sublayers()) + " sublayers have run";
  return comparison.difference();
}

}  // namespace logdepth::support
