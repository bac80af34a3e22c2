#include "tests/grafts/oracles.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/columns/column_run.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/grafts/grafted_file.hpp"
#include "tests/support/power_of_two.hpp"

namespace logdepth::grafts {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;

/// code(e) of a family, component by component.
void append_code(const ColumnFamily& family, std::size_t e, std::size_t period, Reals& code) {
  switch (family.kind) {
    case ColumnFamily::Kind::code:
      for (const Rational& x : rational_code(family.code, e)) code.emplace_back(x);
      break;
    case ColumnFamily::Kind::direction: {
      const std::int64_t* vector = family.vectors.data() + e * family.dims;
      Rational square;
      for (std::uint32_t d = 0; d < family.dims; ++d)
        square += Rational(vector[d]) * Rational(vector[d]);
      for (std::uint32_t d = 0; d < family.dims; ++d)
        code.push_back(Real(vector[d]).divided_by_root(square));
      break;
    }
    case ColumnFamily::Kind::average: {
      std::vector<std::int64_t> count(family.dims);
      std::int64_t all = 0;
      const Label asked = family.asked ? (*family.asked)[e] : 0;
      for (std::size_t t = e - e % period; t <= e; ++t) {
        if ((family.cell ? (*family.cell)[t] : 0) != asked) continue;
        ++count[family.column ? (*family.column)[t] : 0];
        ++all;
      }
      for (const std::int64_t of : count) code.emplace_back(Rational(of, all));
      break;
    }
    case ColumnFamily::Kind::pair:
      for (const SharedIndex& index : {family.first, family.second})
        append_code(*index->family, index->at(e), period, code);
      break;
  }
}

/// The numbers that columns stand for, against those of the general path.
class ColumnWitness {
 public:
  ColumnWitness(const Model& model, const std::vector<Tokens>& words, Counts& counts)
      : model_(model), words_(words), counts_(counts) {
    for (const Tokens& word : words)
      runs_.emplace_back(std::make_unique<WatchedRun>(model))->run(word);
  }

  std::optional<std::string> difference;

  void look(const Location& location, const ColumnState& state) {
    if (difference) return;
    for (std::size_t word = 0; word < words_.size() && !difference; ++word) {
      const auto found = runs_[word]->moments.find({location.step, location.sublayer});
      if (found == runs_[word]->moments.end()) continue;  // the general path left its field
      const auto place =
          fmt::format("step {}, {}, word {}", location.step,
                      location.sublayer == Sublayer::attention ? "attention" : "units", word);
      if (found->second.broken) difference = place + ": contract missed: " + *found->second.broken;
      for (std::size_t s = 0; s < state.stream.size() && !difference; ++s)
        compare(state, s, word, found->second.of_token, place);
    }
    counts_["sublayers compared"] += words_.size();
  }

  void look(const ColumnLogits& logits) {
    for (std::size_t word = 0; word < words_.size() && !difference; ++word) {
      WatchedRun& run = *runs_[word];
      if (run.broken()) difference = "contract missed: " + *run.broken();
      if (!run.stream->has_value()) continue;
      for (std::size_t token = 0; token < words_[word].kinds.size() && !difference; ++token)
        if (run.runner().logits(run.stream->value(), token) != logits.logits(word, token))
          difference = fmt::format("word {}, token {}: other logits", word, token);
    }
  }

 private:
  void compare(const ColumnState& state, std::size_t segment, std::size_t word, const Reals& right,
               const std::string& place) {
    const Column& column = state.stream[segment];
    const auto& coordinates = state.pools.segments.coordinates[segment];
    for (std::size_t token = 0; token < state.period; ++token) {
      const std::size_t at = word * state.period + token;
      const ColumnEntry& entry = state.pools.entries[segment][column.dictionary[column.at(at)]];
      Reals code;
      if (!entry.m.empty())
        append_code(*column.index->family, column.index->at(at), state.period, code);
      for (std::size_t r = 0; r < coordinates.size(); ++r) {
        Real number = entry.v[r];
        for (std::size_t d = 0; d < code.size(); ++d)
          number = number + entry.m[r * code.size() + d] * code[d];
        const Real& expected = right[token * model_.width + coordinates[r]];
        if (number == expected) continue;
        difference = fmt::format("{}, token {}, coordinate {}: {} in place of {}", place, token,
                                 coordinates[r], number.text(), expected.text());
        return;
      }
    }
  }

  const Model& model_;
  const std::vector<Tokens>& words_;
  Counts& counts_;
  std::vector<std::unique_ptr<WatchedRun>> runs_;
};

/// Whether columns ran all of it.
bool run_columns(ColumnRunner& runner, const Model& model, const std::vector<Tokens>& words,
                 ColumnWitness* witness) {
  ColumnWords input(model);
  for (const Tokens& word : words)
    if (!input.add(word)) return false;
  ColumnRunner::Progress look;
  if (witness)
    look = [&](const Location& location, const ColumnState& state) {
      witness->look(location, state);
    };
  const auto logits = runner.run(input, loops_at(model.unroll, words[0].size), 0, look);
  if (logits && witness) witness->look(*logits);
  return logits.has_value();
}

}  // namespace

std::optional<Wrong> wrong_column(std::uint64_t seed, Counts& counts) {
  GraftedFile file(seed);
  std::vector<std::vector<Tokens>> groups = {
      file.inputs(1 + file.draw.below(12), 1),
      file.inputs(2 + file.draw.below(12), 1 + file.draw.below(4)),
      file.inputs(file.draw.below(4), 1 + file.draw.below(2)),
      file.inputs(12 + file.draw.below(25), 1)};
  std::erase_if(groups, [](const auto& words) { return words.empty(); });
  const auto accepted = [&] {
    if (find_violation(file.model)) return false;
    ColumnRunner runner(file.model, kMemory);
    return std::ranges::all_of(
        groups, [&](const auto& words) { return run_columns(runner, file.model, words, nullptr); });
  };
  const std::size_t wanted = 1 + file.draw.below(6);
  for (std::size_t tries = 0; tries < 14 && file.model.layers.size() < wanted; ++tries) {
    file.graft();
    if (accepted()) continue;
    if (file.draw.chance(.03)) break;  // the columns end before the file does
    file.take_back();
  }
  if (file.model.layers.empty()) return std::nullopt;
  if (file.draw.chance(.3)) file.loop();
  file.read_out();
  if (find_violation(file.model)) return std::nullopt;
  ++counts["files"];
  counts["layers"] += file.model.layers.size();
  ColumnRunner runner(file.model, kMemory);
  for (const std::vector<Tokens>& words : groups) {
    ColumnWitness witness(file.model, words, counts);
    counts["inputs run to the end by columns"] += run_columns(runner, file.model, words, &witness);
    ++counts["inputs"];
    if (witness.difference) return Wrong{*witness.difference, file.model};
  }
  return std::nullopt;
}

namespace {

/// Multiplies weights of every kind, so that they come to the ends of a format and beyond.
class Stretch {
 public:
  Stretch(GraftedFile& file, int most) : draw_(file.draw), most_(most) {
    if (draw_.chance(.6))
      for (Layer& layer : file.model.layers) stretch(layer);
    if (draw_.chance(.3))
      for (auto& [kind, vector] : file.model.embedding) stretch(vector);
    if (draw_.chance(.2)) stretch(file.model.unembedding.entries);
    if (auto* flag = std::get_if<FirstFlagPosition>(&file.model.position)) stretch(flag->rest);
    if (auto* code = std::get_if<CodePosition>(&file.model.position); code && draw_.chance(.1))
      for (CodeFill& fill : code->fills) fill.scale = fill.scale * factor();
  }

 private:
  Rational factor() {
    int exponent = static_cast<int>(draw_.below(2 * static_cast<std::size_t>(most_) + 1)) - most_;
    if (draw_.chance(.3)) exponent /= 8;
    const Rational power = power_of_two(exponent);
    if (!draw_.chance(.3)) return power;
    return power * Rational(1 + static_cast<std::int64_t>(draw_.below(1000)),
                            1 + static_cast<std::int64_t>(draw_.below(1000)));
  }
  template <class Entry>
  void stretch(std::vector<Entry>& entries) {
    if (draw_.chance(.2)) {
      const Rational all = factor();
      for (Entry& entry : entries) entry.value = entry.value * all;
    }
    if (draw_.chance(.15) && !entries.empty()) {
      Entry& one = entries[draw_.below(entries.size())];
      one.value = one.value * factor();
    }
  }
  void stretch(Layer& layer) {
    stretch(layer.attention.mask);
    stretch(layer.feedforward.mask);
    for (Head& head : layer.attention.heads)
      for (SparseMatrix* matrix : {&head.query, &head.key, &head.value, &head.output})
        stretch(matrix->entries);
    stretch(layer.feedforward.in.entries);
    stretch(layer.feedforward.out.entries);
  }

  Draws& draw_;
  int most_;
};

Real exactly(double value) {
  return Real(Rational(mpq_class(value)));
}

/// Every number of a float run, against the exact one.
class FloatWitness final : public FloatObserver {
 public:
  FloatWitness(const WatchedRun& exact, std::uint32_t width, Counts& counts)
      : exact_(exact), width_(width), counts_(counts) {}

  std::optional<std::string> difference;

  bool after(const Location& location, const std::function<FloatStream()>& stream) override {
    const auto found = exact_.moments.find({location.step, location.sublayer});
    if (found == exact_.moments.end()) return false;  // beyond the field
    const FloatStream now = stream();
    for (std::size_t token = 0; token < now.tokens; ++token)
      for (std::uint32_t c = 0; c < width_; ++c) {
        ++counts_["numbers"];
        const FloatNumber& number = now.at(token, c);
        const Real& right = found->second.of_token[token * width_ + c];
        if (within(number, right)) continue;
        difference = fmt::format(
            "step {}, {}, token {}, coordinate {}: {} within {} in place of {}", location.step,
            location.sublayer == Sublayer::attention ? "attention" : "units", token, c,
            number.value, number.error, right.approximate().value);
        return false;
      }
    return true;
  }

 private:
  bool within(const FloatNumber& number, const Real& right) {
    if (number.error == INFINITY) return true;
    ++counts_["numbers with a bound"];
    const Approximation near = right.approximate();
    if ((std::fabs(near.value - number.value) + near.bound) * (1 + 0x1p-40) < number.error * 0.99)
      return true;
    const Real off = right - exactly(number.value);
    const Real most = exactly(number.error);
    return off <= most && -off <= most;
  }

  const WatchedRun& exact_;
  std::uint32_t width_;
  Counts& counts_;
};

FloatOptions arithmetic(std::size_t number, Draws& draw) {
  FloatOptions options;
  options.engine = number == 0   ? FloatOptions::Engine::float64
                   : number == 1 ? FloatOptions::Engine::float32
                                 : FloatOptions::Engine::mpfr;
  const std::uint32_t few = 2 + draw.upto(19), many = 60 + draw.upto(59);
  if (number > 1) options.bits = number == 2 ? few : number == 3 ? 24 : many;
  if (draw.chance(.3)) options.scores = FloatOptions::Scores::product;
  return options;
}

/// What is wrong with the answer at the last token.
std::optional<std::string> wrong_answer(const FloatRunner& floats, const FloatStream& got,
                                        WatchedRun& exact, Counts& counts) {
  if (floats.broken_contract() && !exact.broken()) return "no contract is broken";
  if (floats.contracts_shown() && exact.broken()) return "contract missed: " + *exact.broken();
  const auto answer = floats.accepts(got, got.tokens - 1);
  if (!answer.has_value()) return std::nullopt;
  ++counts[std::string("answers ") + certificate_name(answer.value().certificate)];
  if (answer.value().certificate != Certificate::certified) return std::nullopt;
  const Outcome<bool> right = exact.runner().accepts(exact.stream->value(), got.tokens - 1);
  if (right.has_value() && right.value() == answer.value().value) return std::nullopt;
  return std::string("another answer is certified");
}

}  // namespace

std::optional<Wrong> wrong_float(std::uint64_t seed, Counts& counts) {
  GraftedFile file(seed, true);
  Draws& draw = file.draw;
  for (std::size_t layers = 1 + draw.below(5); layers > 0; --layers) file.graft();
  file.read_out();
  Model& model = file.model;
  model.unembedding = {2, model.width, {}};
  for (std::uint32_t row = 0; row < 2; ++row)
    model.unembedding.entries.push_back({row, draw.upto(model.width - 1), file.number()});
  model.output = AcceptOutput{};
  Stretch(file, draw.of({30, 60, 160, 1100}));
  const std::vector<Tokens> words = file.inputs(1 + draw.below(draw.chance(.1) ? 40 : 9), 1);
  if (find_violation(model) || words.empty()) return std::nullopt;
  ++counts["files"];
  WatchedRun exact(model);
  exact.run(words[0]);
  const PrecisionFacts facts = no_facts(model);
  for (std::size_t number = 0; number < 5; ++number) {
    const FloatOptions options = arithmetic(number, draw);
    FloatRunner floats(model, facts, options);
    FloatWitness witness(exact, model.width, counts);
    const auto got = floats.run(words[0], {&witness});
    if (!witness.difference && got.has_value() && exact.stream->has_value())
      witness.difference = wrong_answer(floats, got.value(), exact, counts);
    const char* const names[] = {"float64", "float32", "mpfr"};
    if (witness.difference)
      return Wrong{fmt::format("{}, {} bits: {}", names[std::min<std::size_t>(number, 2)],
                               options.bits, *witness.difference),
                   model};
  }
  return std::nullopt;
}

}  // namespace logdepth::grafts
