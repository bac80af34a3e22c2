#include "proofs-check/check/examine.hpp"

#include <map>
#include <set>

#include "base/phrases.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_check {
namespace {

constexpr std::uint32_t kRight = 1;

std::optional<BrokenCell::Rule> rule_of(const std::string& type) {
  if (type == "flag") return BrokenCell::Rule::flag;
  if (type == "onehot") return BrokenCell::Rule::onehot;
  if (type == "direction") return BrokenCell::Rule::direction;
  if (type == "constant") return BrokenCell::Rule::constant;
  return std::nullopt;
}

}  // namespace

/// Holds exact runs against the file's own index of cells, at every token after every sublayer: what
/// each type allows, what lifetimes say is blank, mirrors under layernorm, and zero wherever no cell
/// is. A file without an index is not looked at. What a sublayer left as it was has been looked at, and
/// so has a tuple that was right in an earlier token or run.
class CellCheck : public ForwardObserver<ValueId> {
 public:
  CellCheck(const Model& model, Exact& arithmetic) : model_(model), arithmetic_(arithmetic) {
    if (model.cells.empty()) return;
    std::set<std::uint32_t> named;
    // What a raw stream holds is what it is given: Lemma A.1 reads (z, 1) where a unit vector may stand.
    const auto* input = std::get_if<CellsInput>(&model.input);
    const auto given = [&](std::uint32_t c) { return input && c < input->names.size(); };
    for (const auto& [name, cell] : model.cells) {
      const auto type =
          std::ranges::any_of(cell.coordinates, given) ? std::nullopt : rule_of(cell.type);
      cells_.push_back({name,
                        cell.coordinates,
                        {},
                        type,
                        cell.lifetime == kScratchLifetime,
                        cell.lifetime == kErasedLifetime,
                        std::nullopt});
      named.insert(cell.coordinates.begin(), cell.coordinates.end());
    }
    // The compiler gives cells the first half of the coordinates and mirrors them in the second.
    const std::uint32_t half = model.width / 2;
    const bool mirrors = model.norm == Norm::layernorm && model.width % 2 == 0 &&
                         (named.empty() || *named.rbegin() < half);
    for (std::uint32_t c = 0; c < (mirrors ? half : model.width); ++c) {
      if (!named.contains(c)) unnamed_.push_back(c);
      if (mirrors) mirrored_.push_back(c);
    }
    const Segments segments = segments_of(model);
    const auto part_of = [&](const std::vector<std::uint32_t>& coordinates) -> Part& {
      std::set<std::uint32_t> in;
      for (const std::uint32_t c : coordinates) in.insert(segments.place[c].segment);
      const std::vector<std::uint32_t> read(in.begin(), in.end());
      const auto found = std::ranges::find(parts_, read, &Part::segments);
      return found != parts_.end() ? *found : parts_.emplace_back(Part{read, {}, {}, {}, {}});
    };
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      Cell& cell = cells_[i];
      for (const std::uint32_t c : cell.coordinates)
        cell.segments.push_back(segments.place[c].segment);
      if (cell.type == BrokenCell::Rule::constant)
        constants_.push_back(i);
      else if (cell.type)
        part_of(cell.coordinates).cells.push_back(i);
    }
    for (const std::uint32_t c : unnamed_) part_of({c}).unnamed.push_back(c);
    for (const std::uint32_t c : mirrored_) part_of({c, c + half}).mirrored.push_back(c);
  }

  void before(const Location& location, const Stream<ValueId>& stream) override {
    if (location.step != 1 || location.sublayer != Sublayer::attention) return;
    begin(stream);
    look({0, 0, Sublayer::feedforward}, stream);
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    look(location, stream);
  }

  /// The first since the latest call of clear_broken().
  const std::optional<BrokenCell>& broken() const { return broken_; }
  void clear_broken() { broken_.reset(); }

 private:
  struct Cell {
    std::string name;
    std::vector<std::uint32_t> coordinates, segments;
    std::optional<BrokenCell::Rule> type;  ///< what its type allows, where that is anything
    bool scratch = false, erased = false;
    std::optional<ValueId> first;  ///< of a constant, in this run
    bool looked_at = false;  ///< it has to be blank after this sublayer, and something is there
  };
  /// What depends on the same segments, and is right or wrong by what stands in these.
  struct Part {
    std::vector<std::uint32_t> segments;
    std::vector<std::size_t> cells;
    std::vector<std::uint32_t> unnamed, mirrored;
    std::optional<Memo> right;  ///< by tuples: kRight
  };
  void begin(const Stream<ValueId>& stream) {
    if (!seen_ || !seen_->shares_tuples_with(stream)) {
      units_.clear();
      negatives_.clear();
      for (Part& part : parts_) part.right.emplace(part.segments.size());
      one_ = arithmetic_.number(Rational(1));
      minus_one_ = arithmetic_.number(Rational(-1));
    }
    seen_.reset();
    for (Cell& cell : cells_) cell.first.reset();
  }
  void look(const Location& location, const Stream<ValueId>& stream) {
    if (broken_ || cells_.empty()) return;
    const std::size_t last_repeated = model_.shape.initial + model_.shape.repeated;
    const bool layer_ends = location.step > 0 && location.sublayer == Sublayer::feedforward;
    const bool loop_ends =
        layer_ends && model_.shape.repeated > 0 && location.layer + 1 == last_repeated;
    // With a final block the run ends there, without one with the last loop; either is also the end of
    // the file, and what is erased before a loop that follows stays erased.
    const bool run_ends = layer_ends && location.layer + 1 == model_.layers.size();
    const auto blank = [&](const Cell& cell) {
      return (cell.scratch && (loop_ends || run_ends)) || (cell.erased && run_ends);
    };
    const auto broken = [&](BrokenCell::Rule rule, const std::string& cell, std::size_t token) {
      std::vector<std::string> values;
      for (const ValueId v : held_) values.push_back(arithmetic_.pool()[v].text());
      broken_ = {rule, cell, location.step, location.sublayer, token, std::move(values)};
    };
    look_at_changes(stream);
    // A segment that is zero at every token is blank, whatever cells it has.
    const auto empty = [&](std::uint32_t segment) {
      return std::ranges::all_of(stream.ids(segment),
                                 [](TupleId id) { return id == TuplePool<ValueId>::kZero; });
    };
    for (Cell& cell : cells_)
      cell.looked_at = blank(cell) && !std::ranges::all_of(cell.segments, empty);
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      const bool unbroken = changes_right_[token];
      if (unbroken && !loop_ends && !run_ends) continue;
      for (Cell& cell : cells_) {
        if (unbroken && !cell.looked_at) continue;
        hold(cell, stream, token);
        if (!unbroken && !allowed(cell)) return broken(*cell.type, cell.name, token);
        if (blank(cell) && !all_zero())
          return broken(cell.scratch ? BrokenCell::Rule::scratch : BrokenCell::Rule::erased,
                        cell.name, token);
      }
      if (unbroken) continue;
      const auto holds = [&](std::uint32_t c) { held_.assign(1, stream.at(token, c)); };
      for (const std::uint32_t c : unnamed_)
        if (holds(c); !all_zero())
          return broken(BrokenCell::Rule::unnamed, std::to_string(c), token);
      for (const std::uint32_t c : mirrored_)
        if (holds(c + model_.width / 2); !is_mirrored(c, stream, token))
          return broken(BrokenCell::Rule::mirror, std::to_string(c + model_.width / 2), token);
    }
    seen_ = stream;
  }
  /// Fills changes_right_.
  void look_at_changes(const Stream<ValueId>& stream) {
    changes_right_.assign(stream.tokens, 1);
    for (Part& part : parts_)
      for (std::size_t token = 0; token < stream.tokens; ++token) {
        const auto is_seen = [&](std::uint32_t segment) {
          return seen_ && stream.id(token, segment) == seen_->id(token, segment);
        };
        if (std::ranges::all_of(part.segments, is_seen)) continue;
        key_.clear();
        for (const std::uint32_t segment : part.segments) key_.push_back(stream.id(token, segment));
        std::uint32_t& known = (*part.right)[key_.data()];
        if (known != kRight && is_right(part, stream, token)) known = kRight;
        if (known != kRight) changes_right_[token] = 0;
      }
    for (const std::size_t i : constants_)
      for (std::size_t token = 0; token < stream.tokens; ++token)
        if (hold(cells_[i], stream, token); !allowed(cells_[i])) changes_right_[token] = 0;
  }
  void hold(const Cell& cell, const Stream<ValueId>& stream, std::size_t token) {
    held_.clear();
    for (const std::uint32_t c : cell.coordinates) held_.push_back(stream.at(token, c));
  }
  bool is_mirrored(std::uint32_t c, const Stream<ValueId>& stream, std::size_t token) {
    return negated(stream.at(token, c)) == stream.at(token, c + model_.width / 2);
  }
  bool all_zero() const {
    return std::ranges::all_of(held_, [&](ValueId v) { return arithmetic_.is_zero(v); });
  }
  bool is_right(const Part& part, const Stream<ValueId>& stream, std::size_t token) {
    for (const std::size_t i : part.cells)
      if (hold(cells_[i], stream, token); !allowed(cells_[i])) return false;
    const auto zero = [&](std::uint32_t c) { return arithmetic_.is_zero(stream.at(token, c)); };
    return std::ranges::all_of(part.unnamed, zero) &&
           std::ranges::all_of(part.mirrored,
                               [&](std::uint32_t c) { return is_mirrored(c, stream, token); });
  }
  bool allowed(Cell& cell) {
    const auto zero = [&](ValueId v) { return arithmetic_.is_zero(v); };
    if (!cell.type) return true;
    if (*cell.type == BrokenCell::Rule::constant) {
      if (!cell.first) cell.first = held_.front();
      return !zero(held_.front()) && *cell.first == held_.front();
    }
    if (all_zero()) return true;
    if (*cell.type == BrokenCell::Rule::flag)
      return std::ranges::all_of(held_, [&](ValueId v) { return v == one_ || v == minus_one_; });
    if (*cell.type == BrokenCell::Rule::onehot)
      return std::ranges::count_if(held_, [&](ValueId v) { return !zero(v); }) == 1 &&
             std::ranges::count(held_, one_) == 1;
    return unit(held_);
  }
  /// The squared norm is 1; of four coordinates, which are two circles, 2.
  bool unit(const std::vector<ValueId>& values) {
    const auto [found, added] = units_.try_emplace(values, false);
    if (added) {
      Real square;
      for (const ValueId v : values)
        square = square + arithmetic_.pool()[v] * arithmetic_.pool()[v];
      found->second = square == Real(1) || (values.size() == 4 && square == Real(2));
    }
    return found->second;
  }
  ValueId negated(ValueId value) {
    if (arithmetic_.is_zero(value)) return value;
    if (value >= negatives_.size()) negatives_.resize(value + 1, ValuePool::kZero);
    if (arithmetic_.is_zero(negatives_[value]))
      negatives_[value] = arithmetic_.multiply(Rational(-1), value);
    return negatives_[value];
  }

  const Model& model_;
  Exact& arithmetic_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> unnamed_, mirrored_;  ///< coordinates; of mirrors the first
  std::vector<Part> parts_;
  std::vector<std::size_t> constants_;  ///< of the cells: the same number in all tokens of a run
  std::optional<BrokenCell> broken_;
  // As long as ids of numbers and tuples keep their meaning.
  ValueId one_{}, minus_one_{};
  std::vector<ValueId> held_;            ///< by the cell that is looked at
  std::vector<std::uint32_t> key_;       ///< of the part that is looked at
  std::optional<Stream<ValueId>> seen_;  ///< after the sublayer before
  std::vector<char> changes_right_;  ///< per token: what the sublayer changed is as it should be
  std::map<std::vector<ValueId>, bool> units_;
  std::vector<ValueId> negatives_;  ///< by the number; zero where it is not yet known
};

ExactRuns::ExactRuns(const Model& model, bool answers_only)
    : model_(model),
      own_loops_(model.unroll.loops),
      answers_only_(answers_only),
      run_(model_),
      contracts_(model_, run_.runner().arithmetic()),
      cells_(std::make_unique<CellCheck>(model_, run_.runner().arithmetic())) {
  const auto& stated = model.derived.depth;
  if (stated && *stated != stated_depth(model)) other_depth_ = {*stated, stated_depth(model)};
}

ExactRuns::~ExactRuns() = default;

std::optional<Failure> ExactRuns::run(const Tokens& tokens, std::optional<std::uint32_t> loops,
                                      const std::function<FileAnswer()>& expected) {
  model_.unroll.loops = loops.value_or(own_loops_);
  count_.layers = 0;
  Runner::Observers observers;
  if (!answers_only_) observers = {&contracts_, cells_.get(), &count_};
  cells_->clear_broken();  // a run without layers looks at nothing
  const auto refusal = run_.run(tokens, observers);
  if (!answers_only_) {
    if (const auto broken = contracts_.broken_row()) {
      contracts_.clear_broken();
      return *broken;
    }
    if (cells_->broken()) return *cells_->broken();
    if (other_depth_ && !loops) return *other_depth_;
    // What looked on saw the layers up to where the numbers left the field.
    const std::uint64_t depth = depth_at(model_, tokens.size);
    if (!refusal && !run_.left_field() && count_.layers != depth)
      return OtherDepth{counted(depth, "layer"), counted(count_.layers, "layer")};
  }
  if (refusal) return NoAnswer{expected(), *refusal};
  return std::nullopt;
}

std::optional<Failure> ExactRuns::not_refused(const Outcome<Tokens>& tokens) {
  std::optional<Refusal> refusal;
  if (tokens.has_value()) {
    model_.unroll.loops = own_loops_;
    refusal = run_.run(tokens.value());
  } else {
    refusal = tokens.refusal();
  }
  if (refusal && std::holds_alternative<OutsideHypotheses>(*refusal)) return std::nullopt;
  return NotRefused{refusal};
}

}}  // namespace logdepth::proofs_check_check
