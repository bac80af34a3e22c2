#include "report/pictures/reachability_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/quoted_text.hpp"
#include "report/pictures/circuit_view.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

using Form = ReachabilityCells::Form;
using Names = std::vector<std::string>;

/// How cells are called that keep what is known at tokens of pairs and tuples.
struct TupleNames {
  Form form;
  std::string pair, tuple;
  std::vector<Names> stretches;
  Names answers;
};
const std::vector<TupleNames>& tuple_names() {
  const Names answers = {"zA", "zC", "same"};
  static const std::vector<TupleNames> kNames = {
      {Form::edges, "A", "C", {{"xA", "xC"}, {"yA", "yC"}}, answers},
      {Form::edges, "A", "C", {{"x1", "y1"}, {"x2", "y2"}}, answers},
      {Form::edges, "A", "C", {{"x1", "y1"}, {"x2", "y2"}, {"stay", "x3", "y3"}}, answers},
      {Form::pairs, "B", "C", {{"x1"}, {"y1"}}, {"zB", "same"}}};
  return kNames;
}

/// Looks cells up, and remembers those that the file does not have.
class CellFinder {
 public:
  explicit CellFinder(const Model& model) : model_(model) {}

  NumberCell flag(const std::string& name) {
    const auto found = model_.cells.find(name);
    if (found != model_.cells.end() && found->second.type == "flag" &&
        found->second.coordinates.size() == 1)
      return {name, found->second.coordinates.front()};
    missing_.push_back(name);
    return {};
  }
  std::vector<NumberCell> flags(const Names& names) {
    std::vector<NumberCell> cells;
    for (const std::string& name : names) cells.push_back(flag(name));
    return cells;
  }
  std::vector<NumberCell> numbered(const std::string& family, std::uint32_t count) {
    std::vector<NumberCell> cells;
    for (std::uint32_t i = 0; i < count; ++i)
      cells.push_back(flag(fmt::format("{}.{}", family, i)));
    return cells;
  }
  const Names& missing() const { return missing_; }

 private:
  const Model& model_;
  Names missing_;
};

std::string unknown(const Model& model, const std::string& why) {
  return "the weights file " + in_quotes(model.name) +
         " does not name the cells of its reachability relation: " + why;
}

}  // namespace

std::variant<ReachabilityCells, std::string> reachability_cells(const Model& model) {
  const auto* graph = std::get_if<GraphInput>(&model.input);
  if (!graph) return unknown(model, "it takes no graph");
  if (model.shape.repeated == 0) return unknown(model, "it has no repeated layers");
  ReachabilityCells cells;
  Names missing;
  if (graph->layout == GraphInput::Layout::rows) {
    CellFinder find(model);
    cells.form = Form::rows;
    cells.row = find.numbered("R", graph->size.value_or(0));
    cells.fetched = find.numbered("S", graph->size.value_or(0));
    missing = find.missing();
  } else {
    // The names that the file has most of; tuples have a vertex more where there is padding for it.
    const std::size_t stretches = graph->padding == GraphInput::Padding::n4_minus_n2 ? 3 : 2;
    std::size_t fewest = SIZE_MAX;
    for (const TupleNames& names : tuple_names()) {
      if (names.stretches.size() != stretches) continue;
      CellFinder find(model);
      ReachabilityCells found{names.form, find.flag(names.pair), find.flag(names.tuple)};
      for (const Names& stretch : names.stretches) found.stretches.push_back(find.flags(stretch));
      found.answers = find.flags(names.answers);
      if (find.missing().size() >= fewest) continue;
      fewest = find.missing().size();
      missing = find.missing();
      cells = std::move(found);
    }
  }
  if (!missing.empty())
    return unknown(model, "its index 'cells' has no flag " + in_quotes(missing.front()));
  return cells;
}

namespace {

bool writes(const Head& head, const NumberCell& cell) {
  const auto& entries = head.output.entries;
  return std::any_of(entries.begin(), entries.end(),
                     [&](const MatrixEntry& entry) { return entry.row == cell.coordinate; });
}

/// Fills steps, found pairs and answers while the graph is run.
class ReachabilityReader : public ForwardObserver<ValueId> {
 public:
  ReachabilityReader(Runner& runner, ReachabilityRun& run)
      : runner_(runner),
        model_(runner.model()),
        view_(view_circuit(model_)),
        run_(run),
        cells_(run.cells),
        size_(run.names.size()) {
    run_.found.assign(size_, std::vector<FoundPair>(size_));
    asking_.insert(run_.answer_token);
    if (!cells_.has_tuples()) return;
    for (Vertex v = 0; v < size_; ++v) {
      if (cells_.stretches.size() == 2) between_.push_back({v});
      for (Vertex w = 0; w < size_ && cells_.stretches.size() > 2; ++w) between_.push_back({v, w});
    }
    for (const Between& via : between_) asking_.insert(question_tuple(via));
  }

  void before(const Location& location, const Stream<ValueId>& stream) override {
    if (location.sublayer != Sublayer::attention) return;
    if (run_.steps.empty() && location.layer >= model_.shape.initial) begin(stream);
    if (is_repeated(location)) {
      if (location.layer == model_.shape.initial) run_.steps.emplace_back();
      run_.steps.back().layers.push_back(location.step);
    }
    selected_.clear();
    watched_.clear();
    for (const Head& head : model_.layers[location.layer].attention.heads)
      watched_.push_back(watched_cell(head));
  }

  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    const NumberCell* const cell = watched_[head];
    if (!cell || !is_asked(row.row, *cell)) return;
    selected_[{row.row, cell->coordinate}] = {view_.layers[location.layer].heads[head].name,
                                              (*row.positions)()};
  }

  void after(const Location& location, const Stream<ValueId>& stream) override {
    if (!is_repeated(location)) return;
    if (location.sublayer == Sublayer::attention) {
      if (run_.question && run_.steps.back().middles.empty() && brings_first()) middles(stream);
    } else if (location.layer + 1 == model_.shape.initial + model_.shape.repeated) {
      finish(stream);
    }
  }

  /// The loop in which a run was refused.
  void leave_out_unfinished() {
    if (!run_.steps.empty() && run_.steps.back().reaches.empty()) run_.steps.pop_back();
  }

  /// Once the last layer has run.
  void end(const Stream<ValueId>& stream) {
    run_.finished = true;
    if (run_.steps.empty()) begin(stream);
    for (const NumberCell& cell : cells_.answers)
      run_.answers.push_back(fetched(stream, run_.answer_token, cell));
  }

 private:
  bool is_repeated(const Location& location) const {
    return location.layer >= model_.shape.initial &&
           location.layer < model_.shape.initial + model_.shape.repeated;
  }

  // --- what heads bring --------------------------------------------------------------------------

  const NumberCell* watched_cell(const Head& head) const {
    std::vector<const std::vector<NumberCell>*> watched = {&cells_.fetched, &cells_.answers};
    for (const auto& stretch : cells_.stretches) watched.push_back(&stretch);
    for (const auto* cells : watched)
      for (const NumberCell& cell : *cells)
        if (writes(head, cell)) return &cell;
    return nullptr;
  }
  bool brings_first() const {
    const auto& cells = cells_.has_tuples() ? cells_.stretches.front() : cells_.fetched;
    return std::find(watched_.begin(), watched_.end(), &cells.front()) != watched_.end();
  }
  /// Of rows: the pairs of vertices of the graph that are not found yet, and the question.
  bool is_asked(std::size_t token, const NumberCell& cell) const {
    if (cells_.has_tuples()) return asking_.contains(token);
    const auto to = static_cast<std::size_t>(&cell - cells_.fetched.data());
    return token < size_ && to < size_ &&
           (!run_.found[token][to].step || run_.question == std::pair<Vertex, Vertex>(token, to));
  }
  std::size_t question_tuple(const Between& via) const {
    return run_.tuple_token(run_.question->first, via, run_.question->second);
  }

  bool holds(const Stream<ValueId>& stream, std::size_t token, const NumberCell& cell) const {
    return runner_.arithmetic().pool().sign(stream.at(token, cell.coordinate)) > 0;
  }
  FetchedFlag flag(const Stream<ValueId>& stream, std::size_t token, const NumberCell& cell) const {
    const Real& value = runner_.arithmetic().pool()[stream.at(token, cell.coordinate)];
    return {cell.name, value.text(), holds(stream, token, cell)};
  }
  /// With who brought it in the attention that ran last.
  FetchedFlag fetched(const Stream<ValueId>& stream, std::size_t token,
                      const NumberCell& cell) const {
    FetchedFlag result = flag(stream, token, cell);
    if (const auto found = selected_.find({token, cell.coordinate}); found != selected_.end())
      std::tie(result.head, result.selected) = found->second;
    return result;
  }

  // --- steps -------------------------------------------------------------------------------------

  void begin(const Stream<ValueId>& stream) {
    run_.steps.emplace_back();
    finish(stream);
  }

  void finish(const Stream<ValueId>& stream) {
    ReachabilityStep& step = run_.steps.back();
    const std::size_t number = run_.steps.size() - 1;
    step.reaches.assign(size_, std::vector<char>(size_, 0));
    step.values.assign(size_, std::vector<std::string>(size_));
    for (Vertex from = 0; from < size_; ++from)
      for (Vertex to = 0; to < size_; ++to) {
        const FetchedFlag known = pair_flag(stream, from, to);
        step.values[from][to] = known.value;
        std::vector<Between> joins;
        if (number > 0) joins = joins_of(stream, from, to);
        // Only `edges` leaves a pair to the flags of its tuples.
        if (!known.holds && (cells_.form != Form::edges || joins.empty())) continue;
        step.reaches[from][to] = 1;
        FoundPair& pair = run_.found[from][to];
        if (!pair.step) pair = {number, std::move(joins)};
      }
    for (MiddleVertex& middle : step.middles) middle.joined = joined(stream, middle);
    measure_walks(number);
  }
  FetchedFlag pair_flag(const Stream<ValueId>& stream, Vertex from, Vertex to) const {
    return cells_.has_tuples() ? flag(stream, run_.pair_token(from, to), cells_.pair)
                               : flag(stream, from, cells_.row[to]);
  }
  std::vector<Between> joins_of(const Stream<ValueId>& stream, Vertex from, Vertex to) const {
    std::vector<Between> joins;
    if (cells_.has_tuples()) {
      for (const Between& via : between_)
        if (holds(stream, run_.tuple_token(from, via, to), cells_.tuple)) joins.push_back(via);
    } else if (const auto found = selected_.find({from, cells_.fetched[to].coordinate});
               found != selected_.end()) {
      for (const std::size_t via : found->second.second)
        if (via < size_) joins.push_back({static_cast<Vertex>(via)});
    }
    return joins;
  }

  /// Lengths of the walks that were found in this step, from those that were known before it.
  void measure_walks(std::size_t number) {
    const auto length = [&](Vertex from, Vertex to) {
      const FoundPair& pair = run_.found[from][to];
      return pair.step && *pair.step < number ? pair.length : 0;
    };
    for (Vertex from = 0; from < size_; ++from)
      for (Vertex to = 0; to < size_; ++to) {
        FoundPair& pair = run_.found[from][to];
        if (pair.step != number) continue;
        if (number == 0) pair.length = from == to && !cells_.has_tuples() ? 0 : 1;
        std::pair<std::size_t, std::size_t> best(SIZE_MAX, SIZE_MAX);  // length, longest part
        for (Between via : pair.joins) {
          if (via.size() > 1 && via.back() == to) via.pop_back();  // a tuple may stay where it is
          const std::vector<std::pair<Vertex, Vertex>> parts = parts_of(from, via, to);
          std::pair<std::size_t, std::size_t> here(0, 0);
          for (const auto& [begin, end] : parts) {
            here.first += length(begin, end);
            here.second = std::max(here.second, length(begin, end));
          }
          const bool known = std::ranges::all_of(
              parts, [&](const auto& part) { return length(part.first, part.second) > 0; });
          if (!known || here >= best) continue;
          best = here;
          pair.via = via;
          pair.length = here.first;
        }
      }
  }

  // --- the question ------------------------------------------------------------------------------

  void middles(const Stream<ValueId>& stream) {
    const auto [source, target] = *run_.question;
    for (Vertex via = 0; via < size_; ++via) {
      MiddleVertex& middle = run_.steps.back().middles.emplace_back();
      if (cells_.has_tuples()) {
        middle = middle_tuple(stream, via);
      } else {
        middle.via = {via};
        middle.token = source;
        middle.stretches = {{flag(stream, source, cells_.row[via])},
                            {flag(stream, via, cells_.row[target])}};
      }
      const auto known = [](const std::vector<FetchedFlag>& stretch) {
        return std::ranges::any_of(stretch, &FetchedFlag::holds);
      };
      middle.knows_first = known(middle.stretches.front());
      middle.knows_second =
          std::all_of(middle.stretches.begin() + 1, middle.stretches.end(), known);
    }
  }
  /// The tuple of this vertex: of those that have a second one the first whose way from there to the
  /// target is known, or that which stays at the target.
  MiddleVertex middle_tuple(const Stream<ValueId>& stream, Vertex first) const {
    const Vertex target = run_.question->second;
    std::vector<Between> ways = {{first}};
    if (cells_.stretches.size() > 2) {
      ways = {{first, target}};
      for (Vertex second = 0; second < size_; ++second) ways.push_back({first, second});
      const auto way = std::ranges::find_if(ways, [&](const Between& via) {
        return std::all_of(cells_.stretches.begin() + 1, cells_.stretches.end(),
                           [&](const std::vector<NumberCell>& stretch) {
                             return std::ranges::any_of(stretch, [&](const NumberCell& cell) {
                               return holds(stream, question_tuple(via), cell);
                             });
                           });
      });
      if (way != ways.end()) std::swap(ways.front(), *way);
    }
    MiddleVertex middle{ways.front(), question_tuple(ways.front()), {}};
    for (const auto& stretch : cells_.stretches) {
      auto& flags = middle.stretches.emplace_back();
      for (const NumberCell& cell : stretch) flags.push_back(fetched(stream, middle.token, cell));
    }
    return middle;
  }
  FetchedFlag joined(const Stream<ValueId>& stream, const MiddleVertex& middle) const {
    if (cells_.has_tuples()) return flag(stream, middle.token, cells_.tuple);
    const auto [source, target] = *run_.question;
    FetchedFlag result = flag(stream, source, cells_.row[target]);
    if (const auto found = selected_.find({source, cells_.fetched[target].coordinate});
        found != selected_.end())
      std::tie(result.head, result.selected) = found->second;
    result.holds =
        middle.knows_second && std::ranges::count(result.selected, middle.via.front()) > 0;
    return result;
  }

  Runner& runner_;
  const Model& model_;
  CircuitView view_;
  ReachabilityRun& run_;
  const ReachabilityCells& cells_;
  std::size_t size_;
  std::vector<Between> between_;            // everything that a tuple can have there
  std::set<std::size_t> asking_;            // tokens of the question
  std::vector<const NumberCell*> watched_;  // per head of the sublayer: what it brings
  /// By token and coordinate: the head that brought it, and what it selected.
  std::map<std::pair<std::size_t, std::uint32_t>, std::pair<std::string, std::vector<std::size_t>>>
      selected_;
};

/// The logits that decide the answer.
std::vector<std::pair<std::string, std::string>> deciding_logits(Runner& runner,
                                                                 const Stream<ValueId>& stream,
                                                                 const ReachabilityRun& run) {
  const auto logits = runner.logits(stream, run.answer_token);
  if (const auto* accept = std::get_if<AcceptOutput>(&runner.model().output))
    return {{"accept", logits[accept->accept].text()}, {"reject", logits[accept->reject].text()}};
  return {{run.names[run.question->second], logits[run.question->second].text()}};
}

}  // namespace

bool ReachabilityRun::is_wrong(std::size_t step, Vertex from, Vertex to) const {
  // Tokens of pairs and tuples need not know that a vertex reaches itself.
  if (!review.reaches || (from == to && cells.has_tuples())) return false;
  const bool known = steps[step].reaches[from][to] != 0, right = (*review.reaches)[from][to];
  return known ? !right : right && finished && step + 1 == steps.size();
}

std::vector<Vertex> ReachabilityRun::walk(Vertex from, Vertex to) const {
  const FoundPair& pair = found[from][to];
  if (pair.length == 0) return {from};
  if (pair.via.empty()) return {from, to};
  std::vector<Vertex> vertices = {from};
  for (const auto& [begin, end] : parts_of(from, pair.via, to)) {
    const std::vector<Vertex> part = walk(begin, end);
    vertices.insert(vertices.end(), part.begin() + 1, part.end());
  }
  return vertices;
}

Outcome<ReachabilityRun> read_reachability(Runner& runner, const ReachabilityCells& cells,
                                           const Graph& graph,
                                           const std::optional<std::pair<Vertex, Vertex>>& question,
                                           const RunReview& review) {
  const Model& model = runner.model();
  const auto [source, target] = question.value_or(std::pair<Vertex, Vertex>(0, 0));
  const auto tokens = tokens_of(model, graph, source, target);
  if (!tokens.has_value()) return tokens.refusal();
  ReachabilityRun run;
  run.name = model.name;
  run.construction = model.construction;
  run.cells = cells;
  run.names = graph.names();
  run.edges = graph.edge_count();
  run.size = static_cast<std::size_t>(tokens.value().size);  // no more than tokens
  run.tokens = tokens.value().kinds.size();
  run.layers = static_cast<std::size_t>(depth_at(model, run.size));  // of a run that ends
  run.question = question;
  run.review = review;
  const auto& input = std::get<GraphInput>(model.input);
  if (input.padding == GraphInput::Padding::n3) run.first_tuple = run.size * run.size;
  run.answer_token = cells.has_tuples() ? run.tokens - 1 : source;

  ReachabilityReader reader(runner, run);
  ContractCheck promises(model, runner.arithmetic());
  const auto stream = runner.run(tokens.value(), {&reader, &promises});
  const bool although_refused = review.although_refused || promises.broken_row();
  run.broken_promise = promises.broken();
  if (!stream.has_value()) {
    reader.leave_out_unfinished();
    if (!although_refused || run.steps.empty()) return stream.refusal();
    run.refusal = describe(stream.refusal());
    return run;
  }
  reader.end(stream.value());
  if (question) {
    const auto answer = runner.connected(stream.value(), source, target);
    if (answer.has_value()) {
      run.connected = answer.value();
    } else if (although_refused) {
      run.refusal = describe(answer.refusal());
    } else {
      return answer.refusal();
    }
    run.logits = deciding_logits(runner, stream.value(), run);
  }
  return run;
}

}}  // namespace logdepth::report_pictures
