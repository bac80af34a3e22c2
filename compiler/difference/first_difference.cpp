#include "compiler/difference/first_difference.hpp"

#include <fmt/core.h>

#include <cmath>

#include "compiler/file/cell_names.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/rules/program_rules.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace compiler_difference {
namespace {

/// Follows the run sublayer by sublayer and remembers the first difference.
class Follow : public ForwardObserver<ValueId> {
 public:
  Follow(const Program& program, const Model& model, const Tokens& tokens, Runner& runner)
      : program_(program),
        schedule_(schedule_layers(program)),
        runner_(runner),
        states_(start_states(program, tokens)) {
    for (const Cell& cell : program.cells) {
      const auto found = model.cells.find(cell.name);
      if (found == model.cells.end() || found->second.coordinates.size() != size_of(cell.type))
        throw InputError(
            fmt::format("the weights file has no cell {} of {} coordinates in its index 'cells'",
                        cell.name, size_of(cell.type)));
      coordinates_.push_back(&found->second.coordinates);
    }
    find_unnamed(model);
    const std::size_t fixed = schedule_.initial.size() + schedule_.final.size();
    const std::uint64_t depth = depth_at(model, tokens.size);
    const std::size_t repeated = schedule_.repeated.size();
    if (depth < fixed || (repeated == 0 ? depth != fixed : (depth - fixed) % repeated != 0))
      throw InputError(
          fmt::format("the weights file runs {} layers and the program has blocks of {}, {} and {}",
                      depth, schedule_.initial.size(), repeated, schedule_.final.size()));
    for (const ScheduledLayer& layer : schedule_.initial) steps_.push_back(&layer);
    if (repeated > 0) {
      loops_ = (depth - fixed) / repeated;
      own_loops_ = loops_at(program.unroll, counted_size(model, tokens.size));
      for (std::uint64_t loop = 0; loop < loops_; ++loop)
        for (const ScheduledLayer& layer : schedule_.repeated) steps_.push_back(&layer);
    }
    for (const ScheduledLayer& layer : schedule_.final) steps_.push_back(&layer);
  }

  void before(const Location& location, const Stream<ValueId>& stream) override {
    if (location.step == 1 && location.sublayer == Sublayer::attention)
      compare(0, "embedding", stream);
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    if (difference_) return;
    const ScheduledLayer& layer = *steps_.at(location.step - 1);
    const bool attention = location.sublayer == Sublayer::attention;
    step(program_, attention ? layer.attention : layer.feedforward, states_);
    compare(location.step, attention ? "attention" : "feed-forward", stream);
  }

  void compare(std::size_t step, const std::string& sublayer, const Stream<ValueId>& stream) {
    const ValuePool& pool = runner_.arithmetic().pool();
    for (std::size_t token = 0; token < stream.tokens && !difference_; ++token) {
      const auto differ = [&](const std::string& cell, const Real& expected, const Real& got) {
        if (!difference_ && !(expected == got))
          difference_ = {step, sublayer, token, cell, expected.text(), got.text()};
      };
      for (CellId cell = 0; cell < program_.cells.size(); ++cell)
        for (std::uint32_t i = 0; i < coordinates_[cell]->size() && !difference_; ++i)
          differ(fmt::format("{}[{}]", program_.cells[cell].name, i), states_.at(token, {cell, i}),
                 pool[stream.at(token, (*coordinates_[cell])[i])]);
      for (const Unnamed& u : unnamed_) {
        if (difference_) return;
        const Real& got = pool[stream.at(token, u.coordinate)];
        if (u.mirrored) {
          differ(fmt::format("mirror of coordinate {}", *u.mirrored),
                 -pool[stream.at(token, *u.mirrored)], got);
        } else {
          differ(fmt::format("coordinate {}", u.coordinate), Real(), got);
        }
      }
    }
  }

  /// The outputs of every token, once the last layer has run.
  void compare_outputs(const Stream<ValueId>& stream) {
    for (std::size_t token = 0; token < stream.tokens && !difference_; ++token) {
      const auto logits = runner_.logits(stream, token);
      for (std::size_t i = 0; i < program_.outputs.size() && !difference_; ++i) {
        const OutputRow& output = program_.outputs[i];
        const Real expected = output_value(states_, output, token);
        const auto row = row_of(output.name, i);
        if (!row || !(logits.at(*row) == expected))
          difference_ = {steps_.size(), "unembedding",   token,
                         output.name,   expected.text(), row ? logits[*row].text() : "no such row"};
      }
      if (!difference_) compare_prefix(stream, token);
    }
  }

  /// A file without loops, which is made for some length, runs as many layers for shorter words.
  void compare_loops(std::size_t tokens) {
    const bool more_is_right = runner_.model().shape.repeated == 0;
    if (difference_ || loops_ == own_loops_ || (more_is_right && loops_ > own_loops_)) return;
    difference_ = {
        steps_.size(),         "the end", tokens - 1, "loops", std::to_string(own_loops_),
        std::to_string(loops_)};
  }

  const std::optional<FirstDifference>& difference() const { return difference_; }

 private:
  /// A coordinate that no cell has: the mirror of another under layernorm, else padding.
  struct Unnamed {
    std::uint32_t coordinate = 0;
    std::optional<std::uint32_t> mirrored;
  };
  void find_unnamed(const Model& model) {
    std::vector<char> named(model.width, 0);
    for (const auto* coordinates : coordinates_)
      for (const std::uint32_t coordinate : *coordinates) named[coordinate] = 1;
    const std::uint32_t half = model.width / 2;
    for (std::uint32_t i = 0; i < model.width; ++i) {
      if (named[i]) continue;
      const bool mirror = model.norm == Norm::layernorm && i >= half;
      unnamed_.push_back({i, mirror ? std::optional(i - half) : std::nullopt});
    }
  }

  /// The row of the unembedding that the weights file gives to an output of the program.
  std::optional<std::size_t> row_of(const std::string& name, std::size_t index) const {
    const Output& output = runner_.model().output;
    if (const auto* accept = std::get_if<AcceptOutput>(&output)) {
      if (name == "accept") return accept->accept;
      if (name == "reject") return accept->reject;
      return std::nullopt;
    }
    if (std::holds_alternative<RelationOutput>(output)) {
      if (index >= runner_.model().unembedding.rows) return std::nullopt;
      return index;
    }
    const auto& names = std::get<CellsOutput>(output).names;
    if (index >= names.size() || names[index] != name) return std::nullopt;
    return index;
  }

  /// What the program's prefix cells hold; absent when one of them holds no label.
  std::optional<PrefixAnswer> expected_prefix(std::size_t token) const {
    const auto label = [&](CellId cell) -> std::optional<std::uint32_t> {
      for (std::uint32_t i = 0; i < size_of(program_.cells[cell].type); ++i)
        if (states_.at(token, {cell, i}) == Real(1)) return i;
      return std::nullopt;
    };
    if (const auto* element = std::get_if<PrefixElement>(&program_.prefix)) {
      const auto index = label(element->cell);
      if (!index) return std::nullopt;
      return element->elements[*index];
    }
    if (const auto* prefix = std::get_if<PrefixState>(&program_.prefix)) {
      const auto index = label(prefix->cell);
      if (!index) return std::nullopt;
      return prefix->states[*index];
    }
    Transformation images;
    for (const PointReadout& point : std::get<PrefixPoints>(program_.prefix).points) {
      if (!point.cell) {
        images.push_back(point.image);
        continue;
      }
      const auto index = label(*point.cell);
      if (!index) return std::nullopt;
      const auto& labels = std::get<OneHotType>(program_.cells[*point.cell].type).labels;
      images.push_back(*point_number(labels[*index]));
    }
    return images;
  }

  void compare_prefix(const Stream<ValueId>& stream, std::size_t token) {
    if (std::holds_alternative<std::monostate>(program_.prefix)) return;
    const auto expected = expected_prefix(token);
    if (!expected) return;
    std::string got = "no prefix readout";
    if (reads_prefixes(runner_.model())) {
      const auto answer = runner_.prefix(stream, token);
      if (answer.has_value() && answer.value() == *expected) return;
      got = answer.has_value() ? prefix_text(answer.value()) : describe(answer.refusal());
    }
    difference_ = {steps_.size(), "unembedding", token, "prefix", prefix_text(*expected), got};
  }

  const Program& program_;
  Schedule schedule_;
  Runner& runner_;
  CellStates states_;
  std::vector<const std::vector<std::uint32_t>*> coordinates_;  // per cell
  std::vector<Unnamed> unnamed_;
  std::vector<const ScheduledLayer*> steps_;
  std::uint64_t loops_ = 0, own_loops_ = 0;  ///< of the file, of the program
  std::optional<FirstDifference> difference_;
};

}  // namespace

std::string describe(const FirstDifference& difference) {
  return fmt::format("layer {}, {}, token {}, cell {}: expected {}, found {}", difference.layer,
                     difference.sublayer, difference.token, difference.cell, difference.expected,
                     difference.found);
}

Outcome<std::optional<FirstDifference>> first_difference(const Program& program, const Model& model,
                                                         const Tokens& tokens) {
  check_program(program);
  Runner runner(model);
  Follow follow(program, model, tokens, runner);
  const auto stream = runner.run(tokens, {&follow});
  if (follow.difference()) return follow.difference();  // found before the run left the field
  if (!stream.has_value()) return stream.refusal();
  if (depth_at(model, tokens.size) == 0) follow.compare(0, "embedding", stream.value());
  if (!follow.difference()) follow.compare_outputs(stream.value());
  follow.compare_loops(stream.value().tokens);
  return follow.difference();
}

Outcome<std::optional<FirstDifference>> first_difference(const Program& program, const Model& model,
                                                         const std::vector<std::string>& letters) {
  const auto tokens = tokens_of(model, letters);
  if (!tokens.has_value()) return tokens.refusal();
  return first_difference(program, model, tokens.value());
}

namespace {

/// Keeps the stream of the exact run after every sublayer; copies share their tuples.
class Remember : public ForwardObserver<ValueId> {
 public:
  void after(const Location&, const Stream<ValueId>& stream) override { streams.push_back(stream); }
  std::vector<Stream<ValueId>> streams;
};

/// Whether the number is no farther from the exact one than its error says.
bool within_error(const FloatNumber& number, const Real& exact) {
  const Approximation x = exact.approximate();
  // Decides nearly always; the factor is for the rounding of this line.
  if (std::fabs(number.value - x.value) <= (number.error - x.bound) * (1 - 0x1p-40)) return true;
  if (!std::isfinite(number.error)) return true;
  const Real away = exact - Real(Rational(mpq_class(number.value)));
  const Real error(Rational(mpq_class(number.error)));
  return away <= error && -away <= error;
}

class Compare : public FloatObserver {
 public:
  Compare(const Model& model, const std::vector<Stream<ValueId>>& exact, const ValuePool& pool)
      : names_(model), exact_(exact), pool_(pool) {}

  bool after(const Location& location, const std::function<FloatStream()>& source) override {
    const Stream<ValueId>& exact = exact_.at(sublayer_++);
    const FloatStream stream = source();
    for (std::size_t token = 0; token < stream.tokens; ++token)
      for (std::size_t c = 0; c < stream.width; ++c) {
        const FloatNumber got = stream.at(token, c);
        const Real& expected = pool_[exact.at(token, c)];
        if (within_error(got, expected)) continue;
        const auto coordinate = static_cast<std::uint32_t>(c);
        difference = FirstDifference{
            location.step,
            location.sublayer == Sublayer::attention ? "attention" : "feed-forward",
            token,
            (names_.is_mirror(coordinate) ? "mirror " : "") + names_.component(coordinate),
            expected.text(),
            shortest_text(got.value) + " within " +
                bound_text(sum_of_bounds(got.error, text_error(got.value)))};
        return false;
      }
    return true;
  }

  std::optional<FirstDifference> difference;

 private:
  CellNames names_;
  const std::vector<Stream<ValueId>>& exact_;
  const ValuePool& pool_;
  std::size_t sublayer_ = 0;
};

}  // namespace

Outcome<std::optional<FirstDifference>> first_float_difference(const Model& model,
                                                               const PrecisionFacts& facts,
                                                               const FloatOptions& options,
                                                               const Tokens& tokens) {
  Runner runner(model);
  Remember remember;
  const auto exact = runner.run(tokens, {&remember});
  if (!exact.has_value()) return exact.refusal();
  Compare compare(model, remember.streams, runner.arithmetic().pool());
  FloatRunner in_floats(model, facts, options);
  const auto stream = in_floats.run(tokens, {&compare});
  if (!stream.has_value()) return stream.refusal();
  return compare.difference;
}

}}  // namespace logdepth::compiler_difference
