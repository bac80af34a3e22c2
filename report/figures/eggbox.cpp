#include "report/figures/eggbox.hpp"

#include <algorithm>

#include "base/quoted_text.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {
namespace {

constexpr double kCharacter = 6.7, kLine = 14;   // of a letter of 11 pixels
constexpr double kPadding = 7, kLeastCell = 18;  // inside a cell; its side
constexpr double kBeside = 34, kBetween = 46;    // between blocks, between levels
constexpr double kMargin = 24, kHeading = 62;

double text_width(const std::string& text) {
  return static_cast<double>(count_characters(text)) * kCharacter;
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return width;
}

/// The sizes of a block and of what is in it.
struct BlockSize {
  double cell_width = kLeastCell, cell_height = kLeastCell;
  double left = 0, top = 0;  ///< from the corner of the block to its first cell
  double box_width = 0, width = 0, height = 0;

  explicit BlockSize(const EggboxBlock& block) {
    for (const auto& row : block.cells)
      for (const EggboxCell& cell : row) {
        const double lines = static_cast<double>(cell.lines.size() + !cell.name.empty());
        cell_width = std::max(cell_width,
                              std::max(widest(cell.lines), text_width(cell.name)) + 2 * kPadding);
        cell_height = std::max(cell_height, lines * kLine + kPadding);
      }
    cell_width = std::max(cell_width, widest(block.columns) + (block.columns.empty() ? 0 : 8));
    box_width = cell_width * static_cast<double>(block.cells.front().size());
    // The box stands in the middle, so that lines meet it there.
    left = block.rows.empty() ? 0 : widest(block.rows) + 8;
    width = std::max({box_width + 2 * left, text_width(block.name), text_width(block.left_out)});
    left = (width - box_width) / 2;
    top = (block.name.empty() ? 0 : kLine + 4) + (block.columns.empty() ? 0 : kLine);
    height = top + cell_height * static_cast<double>(block.cells.size()) +
             (block.left_out.empty() ? 0 : kLine + 2);
  }
};

std::string draw_block(const EggboxBlock& block, const BlockSize& size, PlotPoint corner) {
  const auto [x, y] = corner;
  const double left = x + size.left, top = y + size.top, middle = left + size.box_width / 2;
  std::string result = svg_rect({left, y}, size.box_width, size.height, "fill=\"white\"");
  if (!block.name.empty())
    result +=
        svg_text(middle, y + 12, block.name,
                 "text-anchor=\"middle\" font-weight=\"bold\" " + svg_attribute("fill", kHues[0]));
  const std::string quiet = svg_attribute("fill", kQuietInk) + " font-size=\"10\" text-anchor=\"";
  for (std::size_t c = 0; c < block.columns.size(); ++c)
    result += svg_text(left + (static_cast<double>(c) + 0.5) * size.cell_width, top - 5,
                       block.columns[c], quiet + "middle\"");
  for (std::size_t r = 0; r < block.rows.size(); ++r)
    result += svg_text(left - 6, top + (static_cast<double>(r) + 0.5) * size.cell_height + 4,
                       block.rows[r], quiet + "end\"");
  for (std::size_t r = 0; r < block.cells.size(); ++r)
    for (std::size_t c = 0; c < block.cells[r].size(); ++c) {
      const EggboxCell& cell = block.cells[r][c];
      const PlotPoint at{left + static_cast<double>(c) * size.cell_width,
                         top + static_cast<double>(r) * size.cell_height};
      result += svg_rect(at, size.cell_width, size.cell_height,
                         svg_attribute("fill", cell.filled ? "#DCEBF5" : "white") +
                             " stroke=\"#9A9A9A\" stroke-width=\"0.8\"",
                         cell.title);
      const double lines = static_cast<double>(cell.lines.size() + !cell.name.empty());
      double line = at.second + (size.cell_height - lines * kLine) / 2 + 11;
      const auto write = [&](const std::string& text, const std::string& look) {
        result += svg_text(at.first + size.cell_width / 2, line, text,
                           look + "text-anchor=\"middle\" pointer-events=\"none\"");
        line += kLine;
      };
      for (const std::string& text : cell.lines) write(text, "");
      if (!cell.name.empty())
        write(cell.name, "font-weight=\"bold\" " + svg_attribute("fill", kHues[0]) + " ");
    }
  result += svg_rect({left, top}, size.box_width,
                     size.cell_height * static_cast<double>(block.cells.size()),
                     svg_attribute("stroke", kInk) + " fill=\"none\" stroke-width=\"1.6\"");
  if (!block.left_out.empty())
    result += svg_text(middle, y + size.height - 2, block.left_out, quiet + "middle\"");
  return result;
}

/// What stands in a level: a block, or a line that passes by.
struct Slot {
  std::size_t level = 0;
  double width = 0, middle = 0;
  std::vector<std::size_t> above = {}, below = {};  // slots of the next levels
};

/// Blocks in levels, each below all that are above it; lines lead from level to level.
class Levels {
 public:
  explicit Levels(const Eggbox& eggbox, const std::vector<BlockSize>& sizes) {
    const std::size_t blocks = eggbox.blocks.size();
    for (const BlockSize& size : sizes) slots_.push_back({0, size.width});
    for (std::size_t b = 0; b < blocks; ++b)
      for (const std::size_t to : eggbox.blocks[b].below)
        slots_[to].level = std::max(slots_[to].level, slots_[b].level + 1);
    for (std::size_t b = 0; b < blocks; ++b)
      for (const std::size_t to : eggbox.blocks[b].below) {
        std::size_t from = b;
        while (slots_[from].level + 1 < slots_[to].level) {
          slots_.push_back({slots_[from].level + 1, 0});
          join(from, slots_.size() - 1);
          from = slots_.size() - 1;
        }
        join(from, to);
      }
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (levels_.size() <= slots_[s].level) levels_.resize(slots_[s].level + 1);
      levels_[slots_[s].level].push_back(s);
    }
    for (auto& level : levels_) set_apart(level);
    for (int sweep = 0; sweep < 12; ++sweep) {
      for (std::size_t l = 0; l < levels_.size(); ++l) arrange(levels_[l], &Slot::above);
      for (std::size_t l = levels_.size(); l-- > 0;) arrange(levels_[l], &Slot::below);
    }
    double leftmost = 0;
    for (const Slot& slot : slots_) leftmost = std::min(leftmost, slot.middle - slot.width / 2);
    for (Slot& slot : slots_) slot.middle -= leftmost;
  }

  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<std::vector<std::size_t>>& levels() const { return levels_; }

 private:
  void join(std::size_t from, std::size_t to) {
    slots_[from].below.push_back(to);
    slots_[to].above.push_back(from);
  }

  /// Every slot as near to the middle of those that it is joined to as the others of its level let.
  void arrange(std::vector<std::size_t>& level, std::vector<std::size_t> Slot::*joined) {
    for (const std::size_t s : level) {
      const auto& others = slots_[s].*joined;
      if (others.empty()) continue;
      double sum = 0;
      for (const std::size_t other : others) sum += slots_[other].middle;
      slots_[s].middle = sum / static_cast<double>(others.size());
    }
    std::stable_sort(level.begin(), level.end(), [&](std::size_t a, std::size_t b) {
      return slots_[a].middle < slots_[b].middle;
    });
    set_apart(level);
  }

  /// Pushes what overlaps to the right, then all of the level back by as much on average.
  void set_apart(const std::vector<std::size_t>& level) {
    double right = 0, pushed = 0;
    for (std::size_t i = 0; i < level.size(); ++i) {
      Slot& slot = slots_[level[i]];
      const double least = right + kBeside + slot.width / 2;
      if (i > 0 && slot.middle < least) {
        pushed += least - slot.middle;
        slot.middle = least;
      }
      right = slot.middle + slot.width / 2;
    }
    for (const std::size_t s : level)
      slots_[s].middle -= pushed / static_cast<double>(level.size());
  }

  std::vector<Slot> slots_;
  std::vector<std::vector<std::size_t>> levels_;
};

}  // namespace

std::string eggbox_svg(const Eggbox& eggbox) {
  std::vector<BlockSize> sizes;
  for (const EggboxBlock& block : eggbox.blocks) sizes.emplace_back(block);
  const Levels levels(eggbox, sizes);
  const auto& slots = levels.slots();

  std::vector<double> tops, bottoms;  // of every level
  double y = kHeading, right = std::max(widest({eggbox.title}) * 1.4, widest(eggbox.notes));
  right = std::max(right, text_width(eggbox.subtitle));
  double wide = 0;
  for (const auto& level : levels.levels()) {
    double height = 0;
    for (const std::size_t s : level) {
      if (s < sizes.size()) height = std::max(height, sizes[s].height);
      wide = std::max(wide, slots[s].middle + slots[s].width / 2);
    }
    tops.push_back(y);
    bottoms.push_back(y + height);
    y += height + kBetween;
  }
  right = std::max(right, wide);
  const double offset = kMargin + (right - wide) / 2;
  const auto middle = [&](std::size_t s) { return offset + slots[s].middle; };
  // A block stands in the middle of its level; a line passes from its top to its bottom.
  const auto top = [&](std::size_t s) {
    const std::size_t level = slots[s].level;
    return s < sizes.size() ? (tops[level] + bottoms[level] - sizes[s].height) / 2 : tops[level];
  };
  const auto bottom = [&](std::size_t s) {
    return s < sizes.size() ? top(s) + sizes[s].height : bottoms[slots[s].level];
  };

  std::string lines;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (s >= sizes.size())
      lines += "M" + svg_number(middle(s)) + " " + svg_number(top(s)) + "V" + svg_number(bottom(s));
    for (const std::size_t to : slots[s].below) {
      const std::string half = svg_number((bottom(s) + top(to)) / 2);
      lines += "M" + svg_number(middle(s)) + " " + svg_number(bottom(s) + 3) + "C" +
               svg_number(middle(s)) + " " + half + " " + svg_number(middle(to)) + " " + half +
               " " + svg_number(middle(to)) + " " + svg_number(top(to) - 2);
    }
  }
  std::string elements =
      svg_text(kMargin, 26, eggbox.title, "font-size=\"15\" font-weight=\"bold\"") +
      svg_text(kMargin, 44, eggbox.subtitle, svg_attribute("fill", kQuietInk));
  if (!lines.empty())
    elements += svg_path(lines, "fill=\"none\" stroke=\"#8A8A8A\" stroke-width=\"1.2\"");
  for (std::size_t b = 0; b < sizes.size(); ++b)
    elements += draw_block(eggbox.blocks[b], sizes[b], {middle(b) - sizes[b].width / 2, top(b)});
  y -= kBetween - 30;
  for (const std::string& note : eggbox.notes) {
    elements += svg_text(kMargin, y, note, svg_attribute("fill", kQuietInk));
    y += 16;
  }
  return svg_document(right + 2 * kMargin, y, eggbox.title, elements, "font-size=\"11\"");
}

}}  // namespace logdepth::report_figures
