#include "report/pictures/draw_attention.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <variant>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "report/pictures/circuit_view.hpp"
#include "report/pictures/draw_reachability.hpp"
#include "report/pictures/run_answers.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

/// Of the name of a state under its token.
constexpr std::size_t kStateCharacters = 14;
constexpr std::size_t kKeyColumns = 104;
constexpr std::size_t kKeyLines = 40;
constexpr std::size_t kExactCharacters = 16;
constexpr std::size_t kCellsListed = 64;

using PrefixAnswers = std::vector<PrefixAnswer>;

/// What is read of the prefixes at all tokens, or nothing when some token has no answer.
PrefixAnswers read_prefixes(Runner& runner, const Stream<ValueId>& stream) {
  PrefixAnswers answers;
  if (!reads_prefixes(runner.model())) return answers;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    auto answer = runner.prefix(stream, token);
    if (!answer.has_value()) return {};
    answers.push_back(std::move(answer).value());
  }
  return answers;
}

/// What a file answers for the first 1, 2, ... letters, and what is right.
struct ComparedPrefixes {
  std::size_t first_letter = 0;                       ///< its token
  std::vector<std::optional<PrefixAnswer>> answered;  ///< absent: no answer
  PrefixAnswers right;

  bool is_wrong(std::size_t letter) const { return answered[letter] != right[letter]; }
};

/// Absent where there is nothing to compare.
std::optional<ComparedPrefixes> compared_prefixes(Runner& runner, const Stream<ValueId>& stream,
                                                  const std::optional<PrefixAnswers>& right) {
  if (!right || !reads_prefixes(runner.model())) return std::nullopt;
  ComparedPrefixes compared{first_letter(runner.model()), {}, *right};
  for (std::size_t i = 0; i < right->size(); ++i) {
    auto answer = runner.prefix(stream, compared.first_letter + i);
    compared.answered.emplace_back();
    if (answer.has_value()) compared.answered.back() = std::move(answer).value();
  }
  return compared;
}

/// How an answer is written under its token. A state: by its name in the file, or its number. A
/// product: the images where they are short, else "m1", "m2", ... in order of first appearance, with
/// a key below the picture.
class PrefixNames {
 public:
  PrefixNames(const Model& model, const PrefixAnswers& answers)
      : states_(reads_states(model)), state_names_(names_of_states(model)) {
    for (const PrefixAnswer& answer : answers) {
      if (const auto* product = std::get_if<Transformation>(&answer))
        spelled_ = spelled_ && product->size() <= 6 &&
                   std::all_of(product->begin(), product->end(), [](State q) { return q < 10; });
      if (known_.try_emplace(answer, order_.size() + 1).second) order_.push_back(answer);
    }
  }

  /// "prefix product" or "state".
  const char* what() const { return states_ ? "state" : "prefix product"; }
  /// Precondition: one of the answers.
  std::string name(const PrefixAnswer& answer) const {
    if (const auto* state = std::get_if<State>(&answer))
      return *state < state_names_.size() ? cut_text(state_names_[*state], kStateCharacters)
                                          : std::to_string(*state);
    if (!spelled_) return fmt::format("m{}", known_.at(answer));
    std::string digits;
    for (const State q : std::get<Transformation>(answer)) digits += std::to_string(q);
    return digits;
  }

  std::vector<std::string> names(const PrefixAnswers& answers) const {
    std::vector<std::string> texts;
    for (const PrefixAnswer& answer : answers) texts.push_back(name(answer));
    return texts;
  }

  /// What stands below the picture to explain them.
  std::vector<std::string> notes() const {
    if (order_.empty()) return {};
    if (states_) return {"state: where the automaton is after the letters up to here"};
    if (spelled_) return {"product: the images of the points 0, 1, 2, \xE2\x80\xA6"};
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < order_.size() && i < kKeyLines; ++i)
      notes.push_back(
          cut_text(fmt::format("m{} = {}", i + 1, prefix_text(order_[i])), kKeyColumns));
    if (order_.size() > kKeyLines)
      notes.push_back(fmt::format("and {} more", order_.size() - kKeyLines));
    return notes;
  }

 private:
  bool states_ = false, spelled_ = true;
  std::vector<std::string> state_names_;
  std::map<PrefixAnswer, std::size_t> known_;
  PrefixAnswers order_;
};

std::string number_of(const Real& value) {
  const std::string exact = value.text();
  if (exact.size() <= kExactCharacters) return exact;
  return "\xE2\x89\x88" + short_text(value.approximate().value, 6);  // almost equal
}

/// What the cells of a token hold, in words: numbers exact where they are short, else rounded; of a
/// one-hot cell its label, where the file's program says it. Cells that are zero and constants are
/// left out.
class CellValues {
 public:
  explicit CellValues(const Model& model) {
    const CarriedProgram carried(model, Trust::plausible);
    for (const auto& [name, index] : model.cells) {
      if (index.type == "constant") continue;
      NamedCell& cell = cells_.emplace_back(NamedCell{name, index.type, index.coordinates, {}});
      if (!carried.fitted()) continue;
      for (const Cell& declared : carried.fitted()->program().cells)
        if (const auto* onehot = std::get_if<OneHotType>(&declared.type);
            onehot && declared.name == name)
          cell.labels = onehot->labels;
    }
    std::sort(cells_.begin(), cells_.end(), [](const NamedCell& a, const NamedCell& b) {
      return std::pair(a.coordinates, a.name) < std::pair(b.coordinates, b.name);
    });
  }

  /// "E = 3/5 4/5, d.0 = 3, ..."; empty where the file names no cells.
  std::string text(const Stream<ValueId>& stream, std::size_t token, const ValuePool& pool) const {
    std::vector<std::string> items;
    for (const NamedCell& cell : cells_) {
      std::vector<std::string> numbers;
      std::size_t nonzero = 0, last = 0;
      for (std::size_t i = 0; i < cell.coordinates.size(); ++i) {
        const ValueId value = stream.at(token, cell.coordinates[i]);
        numbers.push_back(number_of(pool[value]));
        if (value == ValuePool::kZero) continue;
        ++nonzero;
        last = i;
      }
      if (nonzero == 0 || items.size() == kCellsListed) continue;
      const bool label = nonzero == 1 && numbers[last] == "1" && last < cell.labels.size();
      items.push_back(cell.name + " = " + (label ? cell.labels[last] : joined(numbers, " ")));
    }
    return items.empty() ? "" : "Cells after the layer: " + joined(items, "; ") + ".";
  }

  struct NamedCell {
    std::string name, type;
    std::vector<std::uint32_t> coordinates;
    std::vector<std::string> labels;  ///< of a one-hot cell
  };
  /// Empty where the file has no such cell of this type.
  NamedCell cell(const std::string& name, const std::string& type) const {
    for (const NamedCell& one : cells_)
      if (one.name == name && one.type == type) return one;
    return {};
  }

 private:
  std::vector<NamedCell> cells_;
};

constexpr std::size_t kStyleCharacters = 110;
constexpr std::size_t kAlarmCharacters = 150;

using Selected = std::vector<std::vector<std::size_t>>;  ///< per token

struct Level {
  Location location;
  std::vector<Selected> heads;
  std::vector<std::set<std::size_t>> reach;  ///< per token
  PrefixAnswers prefixes;                    ///< per token; empty: none to show
  std::vector<std::string> cells;            ///< per token: what they hold after the layer
};

/// Keeps what every head selects, and the stream as it is after every layer.
class Recorder : public ForwardObserver<ValueId> {
 public:
  explicit Recorder(const Model& model) : model_(model) {}

  void before(const Location& location, const Stream<ValueId>& stream) override {
    const std::size_t heads = model_.layers[location.layer].attention.heads.size();
    if (location.sublayer != Sublayer::attention || heads == 0) return;
    Level& level = levels.emplace_back();
    level.location = location;
    level.heads.assign(heads, Selected(stream.tokens));
  }
  void on_row(const Location&, std::size_t head, const SelectedRow& row) override {
    levels.back().heads[head][row.row] = (*row.positions)();
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    if (location.sublayer == Sublayer::feedforward) streams.emplace(location.step, stream);
  }

  /// The attention in which a run was refused before any head selected something.
  void leave_out_empty() {
    const auto selects_nothing = [](const Selected& head) {
      return std::all_of(head.begin(), head.end(), [](const auto& row) { return row.empty(); });
    };
    if (!levels.empty() && std::ranges::all_of(levels.back().heads, selects_nothing))
      levels.pop_back();
  }

  std::vector<Level> levels;
  std::map<std::size_t, Stream<ValueId>> streams;  ///< by step

 private:
  const Model& model_;
};

/// Tokens that chains of selections lead to. Heads that take the mean of all visible positions, or
/// of all flagged ones, are left out: they count positions, and would hide what the others do.
void trace_reach(const Model& model, std::vector<Level>& levels, std::size_t tokens) {
  std::vector<std::set<std::size_t>> reach(tokens);
  for (std::size_t token = 0; token < tokens; ++token) reach[token] = {token};
  for (Level& level : levels) {
    level.reach = reach;
    const auto& heads = model.layers[level.location.layer].attention.heads;
    for (std::size_t head = 0; head < heads.size(); ++head) {
      const Contract& contract = heads[head].contract;
      if (std::holds_alternative<UniformContract>(contract) ||
          std::holds_alternative<FlaggedContract>(contract))
        continue;
      for (std::size_t token = 0; token < tokens; ++token)
        for (const std::size_t position : level.heads[head][token])
          level.reach[token].insert(reach[position].begin(), reach[position].end());
    }
    reach = level.reach;
  }
}

/// Where a run goes wrong: beside the row of a level, or a selection of one of its heads.
struct WrongRow {
  std::uint64_t step = 0;
  std::size_t token = 0;
  std::optional<std::size_t> head = {};
  std::string sentence;
};

/// Heads that are drawn alike, and the layers of the file that have one.
struct HeadKind {
  std::string meaning;
  std::set<std::size_t> layers;
};

/// What was recorded, as bands.
class AttentionBands {
 public:
  AttentionBands(const Model& model, const Tokens& tokens, const std::vector<Level>& levels,
                 const PrefixAnswers& final_prefixes,
                 const std::optional<ComparedPrefixes>& compared)
      : model_(model),
        tokens_(tokens),
        levels_(levels),
        final_(final_prefixes),
        compared_(compared),
        view_(view_circuit(model_)),
        names_(model, all_prefixes()) {}

  TokenBands make() {
    bands_.title = cut_text(title_of(model_), 60);
    bands_.subtitle = cut_text(model_.construction, 40) + " \xC2\xB7 " + size_text() +
                      " \xC2\xB7 " +
                      counted(depth_at(model_, tokens_.size), "layer run", "layers run") +
                      ", depth " + depth_formula(model_);
    for (const std::string& kind : tokens_.kinds) bands_.tokens.push_back(token(kind));
    for (std::size_t at = 0; at < levels_.size(); ++at) add_band(at);
    add_styles();
    if (compared_) {
      add_compared();
    } else if (!final_.empty()) {
      bands_.results.push_back(
          {.label = names_.what(), .texts = names_.names(final_), .bold = true});
    }
    add_states();
    add_notes();
    return std::move(bands_);
  }

 private:
  PrefixAnswers all_prefixes() const {
    PrefixAnswers all;
    for (const Level& level : levels_)
      all.insert(all.end(), level.prefixes.begin(), level.prefixes.end());
    all.insert(all.end(), final_.begin(), final_.end());
    if (!compared_) return all;
    for (const auto& answered : compared_->answered)
      if (answered) all.push_back(*answered);
    all.insert(all.end(), compared_->right.begin(), compared_->right.end());
    return all;
  }

  /// The state of the user's automaton after each prefix, beside its product.
  void add_states() {
    const std::vector<std::string> states = names_of_states(model_);
    if (states.empty() || final_.empty() || reads_states(model_)) return;
    BandRow row{.label = "state"};
    for (const PrefixAnswer& prefix : final_) {
      const auto& product = std::get<std::vector<std::uint32_t>>(prefix);
      row.texts.push_back(product.empty() || product[0] >= states.size()
                              ? "?"
                              : cut_text(states[product[0]], kStateCharacters));
    }
    bands_.results.push_back(std::move(row));
    bands_.notes.emplace_back("state: where the automaton is after the letters up to here");
  }

  /// Wrong ones in red, and below them the right ones.
  void add_compared() {
    const std::vector<std::string> none(tokens_.kinds.size());
    BandRow answered{.label = names_.what(), .texts = none, .bold = true};
    BandRow right{.label = "right", .texts = none};
    for (std::size_t letter = 0; letter < compared_->right.size(); ++letter) {
      const std::size_t token = compared_->first_letter + letter;
      const auto& answer = compared_->answered[letter];
      answered.texts[token] = answer ? names_.name(*answer) : "none";
      if (!compared_->is_wrong(letter)) continue;
      answered.wrong.push_back(token);
      right.texts[token] = names_.name(compared_->right[letter]);
    }
    const bool all_right = answered.wrong.empty();
    if (!all_right) {
      const std::string what = names_.what();
      bands_.alarms.push_back(fmt::format(
          "{} wrong, the first at token {}",
          counted(answered.wrong.size(), what + " is", what + "s are"), answered.wrong.front()));
    }
    bands_.results.push_back(std::move(answered));
    if (!all_right) bands_.results.push_back(std::move(right));
  }

  /// Raw streams have no kinds; tokens that carry nothing of the input stand back.
  static BandToken token(const std::string& kind) {
    return {kind.empty() ? "\xC2\xB7" : visible_letter(kind),
            kind == kBeginToken || kind == kEndToken || kind == kPadToken || kind == kNoEdgeToken};
  }

  std::string size_text() const {
    if (std::holds_alternative<WordInput>(model_.input)) return counted(tokens_.size, "letter");
    if (std::holds_alternative<GraphInput>(model_.input))
      return counted(tokens_.size, "vertex", "vertices");
    return counted(tokens_.size, "token");
  }

  /// Where in the unrolled network a level is: "iteration 2", "layer 2 of 3".
  std::pair<std::string, std::string> place(const Location& location) const {
    const Shape& shape = model_.shape;
    const std::string layer = fmt::format("layer {}", location.layer + 1);
    if (location.layer < shape.initial) return {"initial", layer};
    if (location.layer >= shape.initial + shape.repeated) return {"final", layer};
    const std::size_t loop = (location.step - 1 - shape.initial) / shape.repeated + 1;
    return {fmt::format("iteration {}", loop), layer};
  }

  /// The styles of the heads of a layer. Heads of one layer get different ones; a head that says
  /// the same under the same name in another layer keeps its own.
  std::vector<std::size_t> styles_of(std::size_t layer, std::size_t heads) {
    std::vector<std::size_t> styles;
    for (std::size_t head = 0; head < heads; ++head) {
      const HeadView& view = view_.layers[layer].heads[head];
      const std::string name = view_.named ? "head " + view.name : view.name;
      const std::string meaning = name + ": selects " + view.contract;
      std::size_t style = 0;
      while (style < kinds_.size() &&
             (kinds_[style].meaning != meaning ||
              (!view_.named && *kinds_[style].layers.begin() != layer) ||
              std::find(styles.begin(), styles.end(), style) != styles.end()))
        ++style;
      if (style == kinds_.size()) kinds_.push_back({meaning, {}});
      kinds_[style].layers.insert(layer);
      styles.push_back(style);
    }
    return styles;
  }

  /// What the lines of each kind are: "layers 3 and 5, head prev: selects exactly one position".
  void add_styles() {
    for (const HeadKind& kind : kinds_) {
      std::vector<std::string> layers;
      for (const std::size_t layer : kind.layers) layers.push_back(std::to_string(layer + 1));
      bands_.styles.push_back(band_style(bands_.styles.size(),
                                         cut_text((layers.size() == 1 ? "layer " : "layers ") +
                                                      joined(layers, " and ") + ", " + kind.meaning,
                                                  kStyleCharacters)));
    }
  }

  void add_band(std::size_t at) {
    const Level& level = levels_[at];
    Band band;
    std::tie(band.name, band.note) = place(level.location);
    band.styles = styles_of(level.location.layer, level.heads.size());
    for (std::size_t head = 0; head < level.heads.size(); ++head)
      for (std::size_t token = 0; token < level.heads[head].size(); ++token) {
        const auto& positions = level.heads[head][token];
        for (const std::size_t position : positions)
          band.lines.push_back(
              {token, position, band.styles[head], 1 / static_cast<double>(positions.size())});
      }
    BandRow reaches{.label = "reaches", .quiet = true};
    for (const std::set<std::size_t>& reach : level.reach) reaches.texts.push_back(text(reach));
    band.rows.push_back(std::move(reaches));
    if (!level.prefixes.empty() && at + 1 < levels_.size())
      band.rows.push_back({.label = reads_states(model_) ? "state" : "product",
                           .texts = names_.names(level.prefixes)});
    band.details = level.cells;
    bands_.bands.push_back(std::move(band));
  }

  static std::string text(const std::set<std::size_t>& reach) {
    const std::size_t first = *reach.begin(), last = *reach.rbegin();
    if (last - first + 1 != reach.size()) return fmt::format("{} of them", reach.size());
    return first == last ? std::to_string(first) : fmt::format("{}\xE2\x80\x93{}", first, last);
  }

  void add_notes() {
    std::vector<std::string>& notes = bands_.notes;
    if (!levels_.empty())
      notes.emplace_back(
          "reaches: receptive field through these attention edges (counting heads excluded)");
    const std::vector<std::string> names = names_.notes();
    notes.insert(notes.end(), names.begin(), names.end());
  }

  const Model& model_;
  const Tokens& tokens_;
  const std::vector<Level>& levels_;
  const PrefixAnswers& final_;
  const std::optional<ComparedPrefixes>& compared_;
  CircuitView view_;
  PrefixNames names_;
  std::vector<HeadKind> kinds_;  // by style
  TokenBands bands_;
};

// --- pointers ------------------------------------------------------------------------------------

/// Of labels of values, in their order; and of tokens without one.
constexpr std::array kLabelFills = {"#CFE3F1", "#FBD9C2", "#CDE9DD", "#EBD3E2",
                                    "#D6D6D6", "#FBE6BF", "#F4F19C"};
constexpr const char* kNoFill = "#FFFFFF";

/// The tree of a formula in postfix order, its columns in infix order, with lines to operands; of another word a row.
Band token_nodes(const std::vector<std::string>& kinds) {
  Band tree, row;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    row.nodes.push_back({.name = "", .place = PlotPoint(static_cast<double>(i), 0)});
  tree.nodes = row.nodes;
  tree.nodes[0].fill = tree.nodes[0].ink = "none";
  std::vector<std::vector<std::size_t>> stack;  // of every operand its tokens, by column
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    const std::size_t arity = kinds[i] == "value" ? 0 : kinds[i] == "unary" ? 1 : 2;
    std::vector<std::size_t> all = {i};
    std::size_t operand = i - 1;  // its last token; the right one first
    for (std::size_t more = arity; more > 0; --more) {
      if (stack.empty()) return row;
      tree.lines.push_back({i, operand, 1});
      operand -= stack.back().size();
      for (const std::size_t token : stack.back()) ++tree.nodes[token].place->second;
      all.insert(more == arity ? all.end() : all.begin(), stack.back().begin(), stack.back().end());
      stack.pop_back();
    }
    stack.push_back(std::move(all));
  }
  if (stack.size() != 1) return row;
  for (std::size_t column = 0; column < stack[0].size(); ++column)
    tree.nodes[stack[0][column]].place->first = static_cast<double>(column + 1);
  return tree;
}

/// Puts bands of iterations in the place of those of layers, where the file names the pointer J, the key I and the
/// labels V, or val with fn, known and open: every token with its label, and an arrow to the token that J names, of
/// known and open ones from those that are open or became known. `kind` tells what is a formula, drawn as its tree.
void draw_pointers(const Model& model, const ValuePool& pool, const CellValues& cells,
                   const std::map<std::size_t, Stream<ValueId>>& streams, TokenBands& bands) {
  using Cell = CellValues::NamedCell;
  const Cell key = cells.cell("I", "direction"), pointer = cells.cell("J", "direction");
  const Cell known = cells.cell("known", "flag"), open = cells.cell("open", "flag");
  const Cell kind = cells.cell("kind", "onehot"), map = cells.cell("fn", "onehot");
  const bool opens = !known.name.empty();
  const Cell value = cells.cell(opens ? "val" : "V", "onehot");
  const auto& [initial, repeated, final] = model.shape;
  if (key.name.empty() || pointer.name.empty() || value.labels.empty() || initial == 0) return;
  std::vector<Band> rounds;
  const std::size_t last = streams.size() - (repeated == 0 ? 0 : final);
  for (std::size_t step = initial; step <= last; step += std::max(repeated, 1U)) {
    const Stream<ValueId>& stream = streams.at(step);
    // Of the first number that is positive; that of a flag is "+". Empty: no number is, or there is no such cell.
    const auto label = [&](std::size_t token, const Cell& of) -> std::string {
      for (std::size_t i = 0; i < of.coordinates.size(); ++i)
        if (pool.sign(stream.at(token, of.coordinates[i])) > 0)
          return i < of.labels.size() ? of.labels[i] : "+";
      return "";
    };
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < stream.tokens; ++i) kinds.push_back(label(i, kind));
    Band round = token_nodes(kinds);
    round.name =
        repeated == 0 ? fmt::format("layer {}", step) : fmt::format("iteration {}", rounds.size());
    round.note = fmt::format("after layer {}", step);
    round.styles = {0};
    for (std::size_t i = 0; i < stream.tokens; ++i) {
      std::size_t to = 0;
      const auto named = [&](auto a, auto b) { return stream.at(i, a) == stream.at(to, b); };
      while (to < i && !std::ranges::equal(pointer.coordinates, key.coordinates, named)) ++to;
      const bool is_open = !label(i, open).empty(), is_known = !opens || !label(i, known).empty();
      const bool was_known = rounds.empty() || rounds.back().nodes[i].fill != kNoFill;
      CircleVertex& node = round.nodes[i];
      node.mark = bands.tokens[i].quiet ? "" : cut_text(bands.tokens[i].name, 2);
      node.name = label(i, is_known ? value : is_open ? map : Cell());
      const auto place = std::ranges::find(value.labels, node.name) - value.labels.begin();
      if (is_known && node.name != "none")
        node.fill = kLabelFills[static_cast<std::size_t>(place) % kLabelFills.size()];
      round.details.push_back(cells.text(stream, i, pool));
      if (to < i && (!opens || is_open || (is_known && !was_known)))
        round.lines.push_back({i, to, 0});
    }
    rounds.push_back(std::move(round));
  }
  const bool tree = rounds.front().nodes[0].fill != kNoFill;
  bands.bands = std::move(rounds);
  bands.styles = {{kInk, "",
                   opens ? "pointer: the value of the token is a map of the value there"
                         : "pointer; a token without one points to itself"}};
  bands.notes = {
      opens ? "below a token: its value; of a white one, the images of all values under its map"
            : "below a token: the letter found; where no pointer moved, read at the end of the "
              "pointer"};
  if (!bands.results.empty() && bands.verdict.text.empty()) {
    const std::string& answer = bands.results.back().texts.back();
    bands.verdict = {"answer: " + answer, answer != "none"};
  }
  if (!tree) return;
  bands.styles.push_back({"#B5B5B5", "", "operand"});
  bands.results.clear();  // they are under the columns of the word
}

/// Quotients and remainders in numbers.
void add_divisions(const std::vector<DivisionResult>& results, TokenBands& bands) {
  if (results.empty()) return;
  const auto text = [](const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : "?";
  };
  BandRow dividends{.label = "dividend", .quiet = true},
      divisors{.label = "divisor", .quiet = true};
  BandRow quotients{.label = "quotient", .bold = true},
      remainders{.label = "remainder", .bold = true};
  for (std::size_t token = 0; token < results.size(); ++token) {
    const DivisionResult& one = results[token];
    dividends.texts.push_back(std::to_string(one.dividend));
    divisors.texts.push_back(std::to_string(one.divisor));
    quotients.texts.push_back(text(one.quotient));
    remainders.texts.push_back(text(one.remainder));
    if (!one.quotient_is_right) quotients.wrong.push_back(token);
    if (!one.remainder_is_right) remainders.wrong.push_back(token);
  }
  for (const BandRow* row : {&quotients, &remainders})
    if (!row->wrong.empty())
      bands.alarms.push_back(fmt::format("wrong {}s: {}, the first at token {}", row->label,
                                         row->wrong.size(), row->wrong.front()));
  bands.results.insert(bands.results.end(), {dividends, divisors, quotients, remainders});
}

/// Where at every token one named value is 1 and all others are 0: its name, the answer there.
std::vector<std::string> named_answers(Runner& runner, const Stream<ValueId>& stream) {
  const auto* named = std::get_if<CellsOutput>(&runner.model().output);
  if (!named) return {};
  std::vector<std::string> answers;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    const std::vector<Real> values = runner.logits(stream, token);
    const auto one = std::ranges::find(values, Real(Rational(1)));
    const auto zeros = static_cast<std::size_t>(std::ranges::count(values, Real()));
    if (one == values.end() || zeros + 1 != values.size()) return {};
    answers.push_back(named->names[static_cast<std::size_t>(one - values.begin())]);
  }
  return answers;
}

/// The answer to the input, if it has one; red where it is not the right one.
Outcome<BandVerdict> verdict_of(Runner& runner, const Stream<ValueId>& stream,
                                const std::optional<std::pair<Vertex, Vertex>>& pair,
                                std::optional<bool> right) {
  const Model& model = runner.model();
  const bool graph = std::holds_alternative<GraphInput>(model.input);
  const auto named = [&](bool yes) {
    return graph ? (yes ? "connected" : "not connected") : (yes ? "accept" : "reject");
  };
  const auto judged = [&](const Outcome<bool>& answer) -> Outcome<BandVerdict> {
    if (!answer.has_value()) return answer.refusal();
    BandVerdict verdict{named(answer.value()), answer.value()};
    verdict.wrong = right && *right != answer.value();
    if (verdict.wrong) verdict.text += std::string(", right is ") + named(*right);
    return verdict;
  };
  if (std::holds_alternative<AcceptOutput>(model.output))
    return judged(runner.accepts(stream, stream.tokens - 1));
  if (std::holds_alternative<RelationOutput>(model.output) && pair)
    return judged(runner.relation(stream, pair->first, pair->second));
  return BandVerdict{};
}

/// Adds to the notes why some lines are lighter than others.
void explain_light_lines(TokenBands& bands) {
  bool shared = false, quiet = false;
  for (const Band& band : bands.bands)
    for (const BandLine& line : band.lines) {
      shared = shared || line.share < 1;
      quiet = quiet || bands.tokens[line.to].quiet;
    }
  if (shared)
    bands.notes.emplace_back("light lines to several tokens: the head takes their average");
  if (quiet) bands.notes.emplace_back("light lines to one token: it holds nothing of the input");
}

/// In the band of the layer, or of the one before that has heads.
void mark(const WrongRow& row, const std::vector<Level>& levels, TokenBands& bands) {
  std::size_t at = levels.size();
  for (std::size_t level = 0; level < levels.size(); ++level)
    if (levels[level].location.step <= row.step) at = level;
  if (at == levels.size()) {
    bands.alarms.push_back(row.sentence);
    return;
  }
  Band& band = bands.bands[at];
  // Sentences count the layers that are run.
  bands.alarms.push_back(row.sentence + " (" + band.name + ", " + band.note + ")");
  band.wrong.push_back(row.token);
  if (row.token < band.details.size())
    band.details[row.token] += (band.details[row.token].empty() ? "" : " ") + row.sentence + ".";
  if (!row.head) return;
  for (BandLine& line : band.lines)
    if (line.from == row.token && line.style == band.styles[*row.head]) line.wrong = true;
}

}  // namespace

Outcome<TokenBands> attention_bands(Runner& runner, const Tokens& tokens,
                                    const std::optional<std::pair<Vertex, Vertex>>& pair,
                                    const RunReview& review) {
  if (tokens.kinds.size() > kMaxDrawnTokens)
    throw InputError(
        fmt::format("a picture of attention takes at most {} tokens, and this input has {}",
                    kMaxDrawnTokens, tokens.kinds.size()));
  const Model& model = runner.model();
  Recorder recorder(model);
  ContractCheck promises(model, runner.arithmetic());
  auto stream = runner.run(tokens, {&recorder, &promises});
  BandVerdict verdict;
  std::optional<Refusal> refusal;
  std::optional<ComparedPrefixes> compared;
  PrefixAnswers prefixes;
  std::vector<DivisionResult> divisions;
  if (stream.has_value()) {
    const auto answer = verdict_of(runner, stream.value(), pair, review.verdict);
    if (answer.has_value()) {
      verdict = answer.value();
    } else {
      refusal = answer.refusal();
    }
    prefixes = read_prefixes(runner, stream.value());
    compared = compared_prefixes(runner, stream.value(), review.prefixes);
    divisions = division_results(runner, tokens, stream.value());
  } else {
    refusal = stream.refusal();
    recorder.leave_out_empty();
  }
  if (refusal && !review.although_refused && !promises.broken_row()) return *refusal;
  const CellValues values(model);
  for (Level& level : recorder.levels) {
    const auto after = recorder.streams.find(level.location.step);
    if (after == recorder.streams.end()) continue;
    level.prefixes = read_prefixes(runner, after->second);
    for (std::size_t token = 0; token < after->second.tokens; ++token)
      level.cells.push_back(values.text(after->second, token, runner.arithmetic().pool()));
  }
  trace_reach(model, recorder.levels, tokens.kinds.size());
  TokenBands bands = AttentionBands(model, tokens, recorder.levels, prefixes, compared).make();
  bands.verdict = std::move(verdict);
  if (stream.has_value())
    if (std::vector<std::string> answers = named_answers(runner, stream.value()); !answers.empty())
      bands.results.push_back({.label = "answer", .texts = std::move(answers), .bold = true});
  if (review.verdict && reads_prefixes(runner.model()) && stream.has_value() && !compared)
    bands.notes.emplace_back(
        reads_states(model) ? "no state was compared: the oracle has no states of this automaton"
                            : "no prefix product was compared: the oracle has none of these "
                              "points");
  if (review.wrong_answer || refusal)
    bands.alarms.insert(bands.alarms.begin(),
                        review.wrong_answer.value_or(refusal ? describe(*refusal) : ""));
  if (const auto& broken = promises.broken_row())
    mark({broken->step, broken->token, broken->head, "contract violated: " + broken->sentence},
         recorder.levels, bands);
  if (const auto& difference = review.difference)
    mark({difference->layer, difference->token, std::nullopt,
          "first difference from the program: " + describe(*difference)},
         recorder.levels, bands);
  add_divisions(divisions, bands);
  for (std::string& alarm : bands.alarms) alarm = cut_text(alarm, kAlarmCharacters);
  if (!refusal && !promises.broken_row() && !review.difference)
    draw_pointers(model, runner.arithmetic().pool(), values, recorder.streams, bands);
  return bands;
}

Outcome<StripPicture> draw_attention(Runner& runner, const Tokens& tokens,
                                     const std::optional<std::pair<Vertex, Vertex>>& pair,
                                     const RunReview& review) {
  auto found = attention_bands(runner, tokens, pair, review);
  if (!found.has_value()) return found.refusal();
  TokenBands bands = std::move(found).value();
  explain_light_lines(bands);
  const bool attention = bands.bands.empty() || bands.bands[0].nodes.empty();
  return token_bands_picture({std::move(bands)}, (attention ? "attention of " : "pointers of ") +
                                                     title_of(runner.model()));
}

RunDrawing draw_run(const Model& model, const Outcome<Tokens>& tokens,
                    const std::optional<Graph>& graph,
                    const std::optional<std::pair<Vertex, Vertex>>& pair, const RunReview& review) {
  if (!tokens.has_value()) return {tokens.refusal(), true, ""};
  Runner runner(model);
  std::string note;
  if (graph) {
    const auto cells = reachability_cells(model);
    if (const auto* known = std::get_if<ReachabilityCells>(&cells)) {
      const auto run = read_reachability(runner, *known, *graph, pair, review);
      if (!run.has_value()) return {run.refusal(), true, ""};
      return {draw_reachability(run.value()), false, ""};
    }
    note = std::get<std::string>(cells);
  }
  return {draw_attention(runner, tokens.value(), pair, review), true, note};
}

}}  // namespace logdepth::report_pictures
