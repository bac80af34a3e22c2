#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// Pages in Markdown, as far as tests read them: fenced blocks, the commands in them, links.
namespace logdepth::support {

/// Paths of all pages below a folder, relative to it and sorted. What git does not keep (folders
/// named build*, hidden ones) is left out.
std::vector<std::string> pages_below(const std::filesystem::path& root);

std::string read_page(const std::filesystem::path& path);

struct FencedBlock {
  std::string kind;               ///< the word after the fence
  std::size_t line = 0;           ///< of the fence, from 1
  std::vector<std::string> text;  ///< without the fences
};
std::vector<FencedBlock> fenced_blocks(const std::string& page);

/// A line that begins with "$ ", and what stands below it up to the next one. An empty line at the
/// end separates it from what follows and does not count.
struct ShownCommand {
  std::size_t line = 0;
  std::string command, prints;
};
/// Of a `console` block. Lines before the first command are a command without text.
std::vector<ShownCommand> shown_commands(const FencedBlock& block);

struct PageLink {
  std::size_t line = 0;
  std::string target;  ///< a path relative to the page; empty for the page itself
  std::string anchor;  ///< after '#'
};
/// All links and pictures that lead to files; addresses on the web are left out, and so is what
/// stands in fenced blocks.
std::vector<PageLink> page_links(const std::string& page);

/// What a link may name after '#': the headings of a page, as GitHub spells them.
std::set<std::string> page_anchors(const std::string& page);

/// One sentence for every link of the pages below a folder that leads nowhere.
std::vector<std::string> dead_links(const std::filesystem::path& root);

}  // namespace logdepth::support
