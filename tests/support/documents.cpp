#include "tests/support/documents.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>

#include "tests/support/processes.hpp"

namespace logdepth::support {
namespace {

namespace fs = std::filesystem;

const std::string kFence = "```";

bool is_fence(const std::string& line) {
  return line.starts_with(kFence);
}

/// GitHub's rule: lower case, blanks become hyphens, punctuation goes, a repeated name is numbered.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (byte >= 0x80 || std::isalnum(byte) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

}  // namespace

std::vector<std::string> pages_below(const fs::path& root) {
  std::vector<std::string> pages;
  for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && (name.starts_with("build") || name.starts_with(".")))
      at.disable_recursion_pending();
    else if (at->path().extension() == ".md")
      pages.push_back(fs::relative(at->path(), root).string());
  }
  std::ranges::sort(pages);
  return pages;
}

std::string read_page(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<FencedBlock> fenced_blocks(const std::string& page) {
  std::vector<FencedBlock> blocks;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines(page)) {
    ++number;
    if (is_fence(line)) {
      if (!inside) blocks.push_back({line.substr(kFence.size()), number, {}});
      inside = !inside;
    } else if (inside) {
      blocks.back().text.push_back(line);
    }
  }
  return blocks;
}

std::vector<ShownCommand> shown_commands(const FencedBlock& block) {
  std::vector<ShownCommand> commands;
  for (std::size_t i = 0; i < block.text.size(); ++i) {
    const std::string& line = block.text[i];
    const bool last = i + 1 == block.text.size() || block.text[i + 1].starts_with("$ ");
    if (line.starts_with("$ "))
      commands.push_back({block.line + 1 + i, line.substr(2), ""});
    else if (commands.empty())
      commands.push_back({block.line + 1 + i, "", line + "\n"});
    else if (!line.empty() || !last)
      commands.back().prints += line + "\n";
  }
  return commands;
}

std::vector<PageLink> page_links(const std::string& page) {
  static const std::regex kLink(R"(\]\(([^)#\s]*)(#([^)\s]*))?\))");
  std::vector<PageLink> links;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines(page)) {
    ++number;
    if (is_fence(line)) inside = !inside;
    if (inside) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), kLink), end; at != end; ++at)
      if ((*at)[1].str().find("://") == std::string::npos)
        links.push_back({number, (*at)[1], (*at)[3]});
  }
  return links;
}

std::set<std::string> page_anchors(const std::string& page) {
  std::set<std::string> anchors;
  std::map<std::string, std::size_t> seen;
  bool inside = false;
  for (const std::string& line : lines(page)) {
    if (is_fence(line)) inside = !inside;
    const std::size_t level = line.find_first_not_of('#');
    if (inside || level == 0 || level == std::string::npos || line[level] != ' ') continue;
    const std::string anchor = anchor_of(line.substr(level + 1));
    const std::size_t before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

std::vector<std::string> dead_links(const fs::path& root) {
  std::vector<std::string> dead;
  std::map<fs::path, std::set<std::string>> anchors;
  for (const std::string& page : pages_below(root)) {
    const fs::path path = root / page;
    for (const PageLink& link : page_links(read_page(path))) {
      const fs::path target =
          link.target.empty() ? path : (path.parent_path() / link.target).lexically_normal();
      const std::string where = page + ":" + std::to_string(link.line) + ": ";
      if (!fs::exists(target)) {
        dead.push_back(where + link.target + " is not there");
      } else if (!link.anchor.empty()) {
        if (!anchors.contains(target)) anchors[target] = page_anchors(read_page(target));
        if (!anchors[target].contains(link.anchor))
          dead.push_back(where + link.target + " has no heading for #" + link.anchor);
      }
    }
  }
  return dead;
}

}  // namespace logdepth::support
