// Everything that happened in an exact run, as arrays: run.hpp.
#include <fmt/core.h>

#include <unordered_map>

#include "library/given_answers.hpp"
#include "library/given_inputs.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/run.hpp"
#include "report/pictures/circuit_view.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 28;

std::vector<TraceColumn> columns_of(const Model& model) {
  std::vector<TraceColumn> columns;
  for (const auto& [name, cell] : model.cells)
    for (std::uint32_t i = 0; i < cell.coordinates.size(); ++i)
      columns.push_back({name, i, cell.coordinates[i]});
  if (model.cells.empty())
    for (std::uint32_t i = 0; i < model.width; ++i) columns.push_back({std::to_string(i), 0, i});
  return columns;
}

/// Looks on and writes it down.
class TraceTaker : public MomentObserver {
 public:
  TraceTaker(const Model& model, Trace& trace)
      : model_(model), view_(view_circuit(model)), trace_(trace) {
    trace_.columns = columns_of(model);
  }

  /// Before the run. What is selected is not known yet; the streams alone can be too many.
  void expect_room_for(const Tokens& tokens) const {
    expect_room(1 + 2 * depth_at(model_, tokens.size), tokens.kinds.size() * trace_.columns.size());
  }

  void on_head(const Location& location, std::size_t head, const HeadRows<ValueId>&) override {
    TraceHead& taken = trace_.heads.emplace_back();
    taken.layer = location.step;
    taken.head = head;
    taken.name = view_.layers[location.layer].heads[head].name;
    taken.selected.resize(trace_.tokens);
  }
  void on_row(const Location&, std::size_t, const SelectedRow& row) override {
    const std::vector<std::size_t> positions = (*row.positions)();
    take_room(positions.size());
    trace_.heads.back().selected[row.row].assign(positions.begin(), positions.end());
  }
  void moment(std::size_t layer, const char* sublayer, const Stream<ValueId>& stream) override {
    take_room(stream.tokens * trace_.columns.size());
    trace_.moments.push_back({layer, sublayer});
    trace_.tokens = stream.tokens;
    for (std::size_t token = 0; token < stream.tokens; ++token)
      for (const TraceColumn& column : trace_.columns)
        trace_.entries.push_back(entry(stream.at(token, column.coordinate)));
  }

 private:
  std::uint32_t entry(ValueId value) {
    const auto [place, added] =
        entries_.try_emplace(value, static_cast<std::uint32_t>(trace_.numbers.size()));
    if (added) {
      trace_.numbers.push_back({number(value).text(), number(value).approximate().value});
    }
    return place->second;
  }

  void take_room(std::size_t entries) {
    expect_room(1, entries);
    taken_ += entries;
  }
  /// For so many more entries, so many times.
  void expect_room(std::uint64_t times, std::size_t entries) const {
    if (entries > 0 && times > (kMostEntries - taken_) / entries)
      throw SizeLimit(
          fmt::format("the trace has more than {} entries; expected a shorter input, or "
                      "`logdepth run --trace FILE`, which writes as it goes",
                      kMostEntries));
  }

  const Model& model_;
  const CircuitView view_;
  Trace& trace_;
  std::unordered_map<ValueId, std::uint32_t> entries_;
  std::size_t taken_ = 0;
};

/// `ask` asks for the answer whose run is looked at.
template <class Ask>
Trace taken(const Transformer& transformer, const Ask& ask) {
  const Model& model = transformer.hidden().model;
  Trace trace;
  TraceTaker taker(model, trace);
  RunAnswers answers(model, exact_engine(model, 1, {.moments = &taker}), {});
  answers.before_runs([&](const Outcome<Tokens>& tokens) {
    if (tokens.has_value()) taker.expect_room_for(tokens.value());
  });
  give(model, ask(answers), trace.answer);
  return trace;
}

}  // namespace

Trace trace(const Transformer& transformer, const Letters& word) {
  return taken(transformer, [&](RunAnswers& answers) { return answers.word(word); });
}

Trace trace(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
            std::uint32_t target) {
  const Graph named = graph_of(graph, source, target);
  return taken(transformer,
               [&](RunAnswers& answers) { return answers.pair(named, source, target); });
}

Trace trace(const Transformer& transformer, const RawStreams& streams) {
  const auto tokens = [&] { return tokens_of_streams(transformer.hidden().model, streams); };
  return taken(transformer, [&](RunAnswers& answers) { return answers.streams(tokens); });
}

}  // namespace logdepth
