#include "proofs-check/pictures/draw_attention.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "figures/colours.hpp"
#include "figures/svg_elements.hpp"
#include "objects/action.hpp"
#include "objects/input_error.hpp"
#include "objects/number_text.hpp"
#include "objects/phrases.hpp"
#include "objects/xml_text.hpp"
#include "proofs-check/pictures/circuit_view.hpp"
#include "proofs-check/pictures/svg_text.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

constexpr std::array<const char*, 4> kDashes = {"", "6 3", "2 3", "8 3 2 3"};

constexpr double kMargin = 24;
constexpr double kLeft = 136;        ///< room for the labels of the levels
constexpr double kBandHeight = 108;  ///< between the two rows of dots of a level
constexpr double kRowHeight = 17;
constexpr double kDigit = 6.7;  ///< width of a character of the small monospaced rows
constexpr std::size_t kKeyColumns = 104;
constexpr std::size_t kKeyLines = 40;

using Selected = std::vector<std::vector<std::size_t>>;  ///< per token

struct Level {
  Location location;
  std::vector<Selected> heads;
  std::vector<std::set<std::size_t>> reach;          ///< per token
  std::vector<std::vector<std::uint32_t>> products;  ///< per token; empty: none to show
};

/// Keeps what every head selects, and the stream as it is after every layer.
class Recorder : public ForwardObserver<ValueId> {
 public:
  explicit Recorder(const Model& model) : model_(model) {}

  void before(const Location& location, const Stream<ValueId>& stream) override {
    const std::size_t heads = model_.layers[location.layer].attention.heads.size();
    recording_ = location.sublayer == Sublayer::attention && heads > 0;
    if (!recording_) return;
    Level& level = levels.emplace_back();
    level.location = location;
    level.heads.assign(heads, Selected(stream.tokens));
  }
  void on_row(const Location&, std::size_t head, const SelectedRow& row) override {
    levels.back().heads[head][row.row] = (*row.positions)();
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    if (location.sublayer == Sublayer::feedforward && !levels.empty() &&
        levels.back().location.step == location.step)
      streams.emplace(levels.size() - 1, stream);
  }

  std::vector<Level> levels;
  std::map<std::size_t, Stream<ValueId>> streams;  ///< by level

 private:
  const Model& model_;
  bool recording_ = false;
};

/// The prefix products of all tokens, or nothing when some token has none.
std::vector<std::vector<std::uint32_t>> read_products(Runner& runner,
                                                      const Stream<ValueId>& stream) {
  std::vector<std::vector<std::uint32_t>> products;
  if (!runner.has_prefixes()) return products;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    auto product = runner.prefix(stream, token);
    if (!product.has_value()) return {};
    products.push_back(std::move(product).value());
  }
  return products;
}

/// Tokens that chains of selections lead to. Heads that take the mean of all visible positions, or
/// of all flagged ones, are left out: they count positions, and would hide what the others do.
void trace_reach(const Model& model, std::vector<Level>& levels, std::size_t tokens) {
  std::vector<std::set<std::size_t>> reach(tokens);
  for (std::size_t token = 0; token < tokens; ++token) reach[token] = {token};
  for (Level& level : levels) {
    level.reach = reach;
    const auto& heads = model.layers[level.location.layer].attention.heads;
    for (std::size_t head = 0; head < heads.size(); ++head) {
      const Promise& promise = heads[head].promise;
      if (std::holds_alternative<UniformPromise>(promise) ||
          std::holds_alternative<FlaggedPromise>(promise))
        continue;
      for (std::size_t token = 0; token < tokens; ++token)
        for (const std::size_t position : level.heads[head][token])
          level.reach[token].insert(reach[position].begin(), reach[position].end());
    }
    reach = level.reach;
  }
}

std::string opacity(std::size_t count) {
  // Below 6 % a line could not be seen at all.
  return fixed_text(std::max(0.06, 0.85 / static_cast<double>(std::max<std::size_t>(count, 1))), 2);
}

/// How a product is written under its token: the images where they are short, else "m1", "m2", ...
/// in order of first appearance, with a key below the picture.
class ProductNames {
 public:
  explicit ProductNames(const std::vector<const std::vector<std::vector<std::uint32_t>>*>& rows) {
    for (const auto* row : rows)
      for (const auto& product : *row) {
        spelled_ = spelled_ && product.size() <= 6 &&
                   std::all_of(product.begin(), product.end(), [](auto q) { return q < 10; });
        if (known_.try_emplace(product, order_.size() + 1).second) order_.push_back(product);
      }
  }
  std::string name(const std::vector<std::uint32_t>& product) const {
    if (!spelled_) return fmt::format("m{}", known_.at(product));
    std::string digits;
    for (const std::uint32_t q : product) digits += std::to_string(q);
    return digits;
  }
  bool needs_key() const { return !spelled_; }
  const std::vector<std::vector<std::uint32_t>>& key() const { return order_; }

 private:
  bool spelled_ = true;
  std::map<std::vector<std::uint32_t>, std::size_t> known_;
  std::vector<std::vector<std::uint32_t>> order_;
};

struct HeadKey {
  std::string label, colour, dash;
};

class Picture {
 public:
  Picture(const Model& model, const Tokens& tokens, std::vector<Level> levels,
          std::vector<std::vector<std::uint32_t>> final_products, std::string verdict)
      : model_(model),
        kinds_(tokens.kinds),
        size_(tokens.size),
        levels_(std::move(levels)),
        final_(std::move(final_products)),
        verdict_(std::move(verdict)),
        view_(view_circuit(model_)),
        names_(product_rows()) {
    tokens_ = kinds_.size();
    choose_colours();
  }

  std::string draw() {
    choose_step();
    title();
    token_row();
    for (std::size_t level = 0; level < levels_.size(); ++level) draw_level(level);
    answer();
    explain();
    y_ += kMargin - 8;
    const double width = std::max(x(tokens_ - 1) + step_ / 2 + kMargin, widest_ + kMargin);
    return svg_document(width, y_, "attention of " + shown_name(), back_ + lines_ + front_, "");
  }

 private:
  std::vector<const std::vector<std::vector<std::uint32_t>>*> product_rows() const {
    std::vector<const std::vector<std::vector<std::uint32_t>>*> rows;
    for (const Level& level : levels_) rows.push_back(&level.products);
    rows.push_back(&final_);
    return rows;
  }

  std::string shown_name() const { return model_.name.empty() ? "unnamed model" : model_.name; }

  /// What the token is; raw streams have no kinds.
  std::string letter(std::size_t token) const {
    return kinds_[token].empty() ? "\xC2\xB7" : visible_letter(kinds_[token]);
  }
  /// Tokens that carry nothing of the input stand back.
  bool is_quiet(std::size_t token) const {
    const std::string& kind = kinds_[token];
    return kind == kBeginToken || kind == kEndToken || kind == kPadToken || kind == kNoEdgeToken;
  }
  std::string size_text() const {
    if (std::holds_alternative<WordInput>(model_.input)) return counted(size_, "letter");
    if (std::holds_alternative<GraphInput>(model_.input))
      return counted(size_, "vertex", "vertices");
    return counted(size_, "token");
  }

  /// Heads of one layer get different colours; a second layer goes on where the first stopped.
  void choose_colours() {
    std::size_t next = 0;
    for (const Level& level : levels_) {
      const std::size_t layer = level.location.layer;
      if (keys_.contains(layer)) continue;
      for (std::size_t head = 0; head < level.heads.size(); ++head, ++next) {
        const HeadView& view = view_.layers[layer].heads[head];
        keys_[layer].push_back({fmt::format("layer {}, {}{}: selects {}", layer + 1,
                                            view_.named ? "head " : "", view.name, view.promise),
                                kHues[next % kHues.size()],
                                kDashes[next / kHues.size() % kDashes.size()]});
      }
    }
  }

  /// Tokens stand as close as the widest text of their column lets them.
  void choose_step() {
    std::size_t characters = 0;
    for (std::size_t token = 0; token < tokens_; ++token) {
      characters = std::max(characters, count_characters(cut_text(letter(token), 10)) + 1);
      for (const auto* row : product_rows())
        if (!row->empty()) characters = std::max(characters, names_.name((*row)[token]).size());
      for (const Level& level : levels_)
        characters = std::max(characters, count_characters(reach_text(level.reach[token])));
    }
    const double roomy = tokens_ <= 9 ? 76 : tokens_ <= 18 ? 58 : 42;
    step_ = std::max(roomy, static_cast<double>(characters) * kDigit + 8);
  }

  double x(std::size_t token) const { return kLeft + step_ * (static_cast<double>(token) + 0.5); }

  void text(std::string& layer, double at, double y, const std::string& content,
            const std::string& style) {
    layer += svg_text(at, y, content, style);
  }

  void left_text(double y, const std::string& content, const std::string& style, double size = 12) {
    text(front_, kMargin, y, content, "font-size=\"" + svg_number(size) + "\" " + style);
    widest_ =
        std::max(widest_, kMargin + static_cast<double>(count_characters(content)) * size * 0.66);
  }

  void title() {
    y_ = kMargin + 14;
    left_text(y_, cut_text(shown_name(), 60), "font-weight=\"bold\"", 17);
    y_ += 20;
    const std::size_t steps = depth_at(model_, size_);
    left_text(y_,
              cut_text(model_.construction, 40) + " \xC2\xB7 " + size_text() + " \xC2\xB7 " +
                  counted(steps, "layer run", "layers run") + ", depth " + depth_formula(model_),
              "");
    for (const auto& [layer, keys] : keys_)
      for (const HeadKey& key : keys) {
        y_ += 19;
        front_ += svg_line({kMargin, y_ - 4}, {kMargin + 26, y_ - 4}, stroke(key));
        const std::string label = cut_text(key.label, 110);
        text(front_, kMargin + 34, y_, label, "font-size=\"12\"");
        widest_ =
            std::max(widest_, kMargin + 34 + static_cast<double>(count_characters(label)) * 7.9);
      }
    y_ += 18;
  }

  static std::string stroke(const HeadKey& key) {
    return "stroke=\"" + key.colour + "\" stroke-width=\"1.8\"" +
           (key.dash.empty() ? "" : " stroke-dasharray=\"" + key.dash + "\"");
  }

  void token_row() {
    y_ += 20;
    for (std::size_t token = 0; token < tokens_; ++token) {
      const std::string shown = cut_text(letter(token), 10);
      const bool quiet = is_quiet(token);
      const double half = std::max(13.0, static_cast<double>(count_characters(shown)) * 4.0 + 5);
      front_ += svg_rect({x(token) - half, y_ - 15}, 2 * half, 22,
                         std::string("rx=\"5\" fill=\"") + (quiet ? "#ECECEC" : "#E3EEF6") +
                             "\" stroke=\"#8A8A8A\"",
                         letter(token));
      text(front_, x(token), y_, shown,
           std::string("text-anchor=\"middle\" font-size=\"") + (quiet ? "11" : "13") +
               "\" font-weight=\"" + (quiet ? "normal" : "bold") + "\"");
      text(front_, x(token), y_ + 22, std::to_string(token),
           "text-anchor=\"middle\" font-size=\"10\" fill=\"" + std::string(kQuietInk) + "\"");
    }
    left_text(y_, "tokens", "fill=\"" + std::string(kQuietInk) + "\"", 11);
    left_text(y_ + 22, "position", "fill=\"" + std::string(kQuietInk) + "\"", 10);
    y_ += 36;
  }

  /// Where in the unrolled network a level stands: "loop 2", "layer 2 of 3".
  std::pair<std::string, std::string> place(const Location& location) const {
    const Shape& shape = model_.shape;
    const std::string layer = fmt::format("layer {}", location.layer + 1);
    if (location.layer < shape.initial) return {"initial", layer};
    if (location.layer >= shape.initial + shape.repeated) return {"final", layer};
    const std::size_t loop = (location.step - 1 - shape.initial) / shape.repeated + 1;
    return {fmt::format("loop {}", loop), layer};
  }

  void draw_level(std::size_t at) {
    const Level& level = levels_[at];
    const bool last = at + 1 == levels_.size();
    const bool products = !level.products.empty() && !last;
    const double top = y_ + 12, bottom = top + kBandHeight;
    const double end = bottom + 12 + kRowHeight * (products ? 2 : 1) + 6;
    back_ +=
        svg_rect({kMargin - 10, y_}, x(tokens_ - 1) + step_ / 2 - kMargin + 16, end - y_,
                 std::string("rx=\"7\" fill=\"") + (at % 2 == 0 ? "#F4F4F1" : "#FAFAF8") + "\"");
    const auto [name, layer] = place(level.location);
    left_text(top + 14, name, "font-weight=\"bold\"", 14);
    left_text(top + 31, layer, "fill=\"" + std::string(kQuietInk) + "\"", 11);
    for (std::size_t head = 0; head < level.heads.size(); ++head)
      draw_lines(level, head, top, bottom);
    for (std::size_t token = 0; token < tokens_; ++token)
      for (const double y : {top, bottom})
        front_ += svg_circle({x(token), y}, 3.2, "fill=\"#3A3A3A\"");
    y_ = bottom + 12 + 10;
    value_row(
        "reaches", level.reach.size(),
        [&](std::size_t token) { return reach_text(level.reach[token]); }, kQuietInk, false);
    if (products)
      value_row(
          "product", level.products.size(),
          [&](std::size_t token) { return names_.name(level.products[token]); }, "#202020", false);
    y_ = end + 8;
  }

  /// From the reading token below to the selected position above.
  void draw_lines(const Level& level, std::size_t head, double top, double bottom) {
    const HeadKey& key = keys_[level.location.layer][head];
    // Heads stand a little apart, so that equal choices stay visible.
    const double shift =
        3.0 * (static_cast<double>(head) - static_cast<double>(level.heads.size() - 1) / 2);
    const double middle = (top + bottom) / 2;
    for (std::size_t token = 0; token < tokens_; ++token) {
      const auto& positions = level.heads[head][token];
      for (const std::size_t position : positions)
        lines_ += "<path class=\"select\" d=\"M" + svg_number(x(token) + shift) + " " +
                  svg_number(bottom) + "C" + svg_number(x(token) + shift) + " " +
                  svg_number(middle) + " " + svg_number(x(position) + shift) + " " +
                  svg_number(middle) + " " + svg_number(x(position) + shift) + " " +
                  svg_number(top) + "\" fill=\"none\" " + stroke(key) + " stroke-opacity=\"" +
                  opacity(positions.size()) + "\"/>\n";
    }
  }

  static std::string reach_text(const std::set<std::size_t>& reach) {
    const std::size_t first = *reach.begin(), last = *reach.rbegin();
    if (last - first + 1 != reach.size()) return fmt::format("{} of them", reach.size());
    return first == last ? std::to_string(first) : fmt::format("{}\xE2\x80\x93{}", first, last);
  }

  template <class Text>
  void value_row(const std::string& label, std::size_t tokens, Text content,
                 const std::string& colour, bool bold) {
    left_text(y_, label, "fill=\"" + std::string(kQuietInk) + "\"", 11);
    for (std::size_t token = 0; token < tokens; ++token)
      text(front_, x(token), y_, content(token),
           "text-anchor=\"middle\" font-size=\"11\" font-family=\"DejaVu Sans Mono,monospace\" "
           "fill=\"" +
               colour + "\"" + (bold ? " font-weight=\"bold\"" : ""));
    y_ += kRowHeight;
  }

  void answer() {
    y_ += 12;
    if (!final_.empty()) {
      value_row(
          "prefix product", final_.size(),
          [&](std::size_t token) { return names_.name(final_[token]); }, "#000000", true);
      y_ += 6;
    }
    if (verdict_.empty()) return;
    const double at = x(tokens_ - 1);
    const double half = std::max(40.0, static_cast<double>(verdict_.size()) * 4.4 + 8);
    const std::string colour =
        verdict_ == "accept" || verdict_ == "connected" ? "#00664F" : "#A34700";
    const double left = std::max(kLeft, std::min(at - half, at + step_ / 2 - 2 * half));
    front_ += svg_rect({left, y_ - 6}, 2 * half, 26, "rx=\"6\" fill=\"" + colour + "\"");
    widest_ = std::max(widest_, left + 2 * half);
    text(front_, left + half, y_ + 12, verdict_,
         "text-anchor=\"middle\" font-size=\"14\" font-weight=\"bold\" fill=\"white\"");
    left_text(y_ + 11, "verdict", "fill=\"" + std::string(kQuietInk) + "\"", 11);
    y_ += 34;
  }

  void note(const std::string& content) {
    left_text(y_ + 4, content, "fill=\"" + std::string(kQuietInk) + "\"", 11);
    y_ += 16;
  }

  void explain() {
    y_ += 4;
    if (!levels_.empty())
      note(
          "reaches: the tokens that chains of these lines lead to, heads that count positions left "
          "out");
    if (final_.empty()) return;
    if (!names_.needs_key()) return note("product: the images of the points 0, 1, 2, \xE2\x80\xA6");
    const auto& key = names_.key();
    for (std::size_t i = 0; i < key.size() && i < kKeyLines; ++i)
      note(cut_text(fmt::format("m{} = {}", i + 1, format_transformation(key[i])), kKeyColumns));
    if (key.size() > kKeyLines) note(fmt::format("and {} more", key.size() - kKeyLines));
  }

  const Model& model_;
  std::vector<std::string> kinds_;
  std::uint64_t size_;
  std::vector<Level> levels_;
  std::vector<std::vector<std::uint32_t>> final_;
  std::string verdict_;
  CircuitView view_;
  ProductNames names_;
  std::map<std::size_t, std::vector<HeadKey>> keys_;  // by layer of the file
  std::size_t tokens_ = 0;
  double step_ = 0, y_ = 0, widest_ = 0;
  std::string back_, lines_, front_;
};

}  // namespace

Outcome<std::string> draw_attention(Runner& runner, const Tokens& tokens,
                                    const std::optional<std::pair<Vertex, Vertex>>& pair) {
  if (tokens.kinds.size() > kMaxDrawnTokens)
    throw InputError(
        fmt::format("a picture of attention takes at most {} tokens, and this input has {}",
                    kMaxDrawnTokens, tokens.kinds.size()));
  const Model& model = runner.model();
  Recorder recorder(model);
  auto stream = runner.run(tokens, {&recorder});
  if (!stream.has_value()) return stream.refusal();

  std::string verdict;
  const bool graph = std::holds_alternative<GraphInput>(model.input);
  if (std::holds_alternative<AcceptOutput>(model.output)) {
    const auto accepts = runner.accepts(stream.value(), stream.value().tokens - 1);
    if (!accepts.has_value()) return accepts.refusal();
    verdict = graph ? (accepts.value() ? "connected" : "not connected")
                    : (accepts.value() ? "accept" : "reject");
  } else if (std::holds_alternative<RelationOutput>(model.output) && pair) {
    const auto related = runner.relation(stream.value(), pair->first, pair->second);
    if (!related.has_value()) return related.refusal();
    verdict = related.value() ? "connected" : "not connected";
  }
  for (auto& [level, after] : recorder.streams)
    recorder.levels[level].products = read_products(runner, after);
  trace_reach(model, recorder.levels, stream.value().tokens);
  return Picture(model, tokens, std::move(recorder.levels), read_products(runner, stream.value()),
                 std::move(verdict))
      .draw();
}

Outcome<std::string> draw_attention(Runner& runner, const std::vector<std::string>& letters) {
  const auto tokens = tokens_of(runner.model(), letters);
  if (!tokens.has_value()) return tokens.refusal();
  return draw_attention(runner, tokens.value());
}

}  // namespace logdepth
