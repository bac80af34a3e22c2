#include "objects/dot_outline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/text_place.hpp"

namespace logdepth::inline objects {

namespace {

bool ends_early(const std::string& error) {
  return error.find("<eof>") != std::string::npos ||
         error.find("end of input") != std::string::npos;
}

/// A word (lower case, keywords are in either), `"` for a quoted string, `->` for both arrows, or a
/// single character.
struct Token {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< behind it
};

/// Calls `visit` with each token; white space and comments are skipped.
void for_each_token(const std::string& text, const std::string& source,
                    const std::function<void(const Token&)>& visit) {
  std::size_t i = 0;
  const auto skip_to = [&](std::size_t end) { i = std::max(i, std::min(end, text.size())); };
  const auto skip_behind = [&](std::string_view end) {
    const std::size_t found = text.find(end, i + 2);
    skip_to(found == std::string::npos ? text.size() : found + end.size());
  };
  const auto is_word = [&](std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at]);
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c >= 0x80;
  };
  while (i < text.size()) {
    Token token{std::string(1, text[i]), i};
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      skip_to(i + 1);
    } else if (text.compare(i, 2, "/*") == 0) {
      skip_behind("*/");
    } else if (text[i] == '#' || text.compare(i, 2, "//") == 0) {
      skip_to(text.find('\n', i));
    } else if (text[i] == '"') {
      for (skip_to(i + 1); i < text.size() && text[i] != '"'; skip_to(i + 1)) {
        if (text[i] == '\\') skip_to(i + 1);
      }
      if (i >= text.size())
        throw error_at(text, source, token.begin, "expected '\"' to end the string");
      skip_to(i + 1);
      token.end = i;
      visit(token);
    } else if (text.compare(i, 2, "->") == 0 || text.compare(i, 2, "--") == 0) {
      token.text = "->";
      skip_to(i + 2);
      token.end = i;
      visit(token);
    } else {
      while (i < text.size() && is_word(i)) ++i;
      if (i == token.begin) {
        ++i;
      } else {
        token.text = text.substr(token.begin, i - token.begin);
        std::transform(token.text.begin(), token.text.end(), token.text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      }
      token.end = i;
      visit(token);
    }
  }
}

bool is_dot_mark(const Token& token) {
  return token.text == "->" ||
         (token.text.size() == 1 && token.text != "\"" &&
          std::isalnum(static_cast<unsigned char>(token.text[0])) == 0 && token.text[0] != '_' &&
          token.text[0] != '.' && static_cast<unsigned char>(token.text[0]) < 0x80);
}

/// Where the bracket at `at` is closed; the number of tokens where it is not.
std::size_t closing(const std::vector<Token>& tokens, std::size_t at, std::string_view end) {
  while (at < tokens.size() && tokens[at].text != end) ++at;
  return at;
}

}  // namespace

std::string with_single_edges(const std::string& text, const std::string& source) {
  constexpr std::size_t longest = std::size_t{1} << 28;
  std::vector<Token> tokens;
  for_each_token(text, source, [&](const Token& token) { tokens.push_back(token); });
  const auto raw = [&](const Token& token) {
    return text.substr(token.begin, token.end - token.begin);
  };
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "[") i = closing(tokens, i, "]");
    if (i == 0 || i + 1 >= tokens.size()) continue;
    const bool targets = tokens[i].text == "->" && tokens[i + 1].text == "{";
    const bool alone = targets && !is_dot_mark(tokens[i - 1]) &&
                       (i < 2 || (tokens[i - 2].text != "->" && tokens[i - 2].text != "subgraph" &&
                                  tokens[i - 2].text != ":"));
    if (!alone) continue;
    const std::size_t end = closing(tokens, i, "}");
    std::vector<std::string> names;
    bool plain = end < tokens.size();
    for (std::size_t k = i + 2; plain && k < end; ++k) {
      if (tokens[k].text == ";" || tokens[k].text == ",") continue;
      plain = !is_dot_mark(tokens[k]) && tokens[k].text != "subgraph";
      names.push_back(raw(tokens[k]));
    }
    if (!plain || (end + 1 < tokens.size() && tokens[end + 1].text == "->")) continue;
    std::size_t last = end;
    std::string attributes;
    if (end + 1 < tokens.size() && tokens[end + 1].text == "[") {
      last = closing(tokens, end + 1, "]");
      if (last == tokens.size()) continue;
      attributes = text.substr(tokens[end + 1].begin, tokens[last].end - tokens[end + 1].begin);
      std::ranges::replace(attributes, '\n', ' ');
    }
    const std::string from = raw(tokens[i - 1]);
    result += text.substr(copied, tokens[i - 1].begin - copied);
    if (names.empty()) result += from;
    for (const std::string& name : names) {
      if (result.size() > longest)
        throw SizeLimit(
            fmt::format("{}: with an edge per target the text has more than {} bytes, "
                        "the limit; try a smaller automaton",
                        source, longest));
      result += (&name == &names.front() ? "" : ";") + from + " -> " + name + " " + attributes;
    }
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(tokens[i - 1].begin);
    copied = tokens[last].end;
    result.append(static_cast<std::size_t>(
                      std::count(begin, text.begin() + static_cast<std::ptrdiff_t>(copied), '\n')),
                  '\n');
    i = last;
  }
  return result + text.substr(copied);
}

std::optional<std::size_t> place_of_dot_text(const std::string& text, const std::string& source,
                                             const std::string& wanted) {
  std::optional<std::size_t> place;
  for_each_token(text, source, [&](const Token& token) {
    if (place) return;
    const std::size_t at = text.substr(token.begin, token.end - token.begin).find(wanted);
    if (at != std::string::npos) place = token.begin + at;
  });
  return place;
}

void check_dot_outline(const std::string& text, const std::string& source, StrictGraphs strict) {
  constexpr std::size_t max_nesting = 100;
  constexpr std::size_t max_copies = 5000000;
  std::size_t nesting = 0;
  std::size_t names = 0;
  std::size_t subgraphs = 0;
  std::string last, last_but_one;
  bool directed = false, in_attributes = false;
  for_each_token(text, source, [&](const Token& token) {
    if (nesting == 0) directed = directed || token.text == "digraph";
    if (token.text == "[" || token.text == "]") in_attributes = token.text == "[";
    if (in_attributes && last == "=" && last_but_one == "dir") {
      std::string value = text.substr(token.begin, token.end - token.begin);
      std::erase(value, '"');
      const std::string usual = directed ? "forward" : "none";
      if (value != usual)
        throw error_at(text, source, token.begin,
                       "expected edges with dir=" + usual + ", found dir=" + printable(value) +
                           ", which draws them in another direction than they are written; write "
                           "an edge per direction");
    }
    if (token.text == "<") {
      throw error_at(text, source, token.begin,
                     "expected a quoted string, HTML strings are not read");
    }
    if (token.text == "strict" && last.empty() && strict == StrictGraphs::refused) {
      throw error_at(text, source, token.begin,
                     "expected 'digraph' without 'strict', which merges parallel edges");
    }
    if (token.text == "{" && ++nesting > max_nesting) {
      throw error_at(text, source, token.begin,
                     fmt::format("expected braces nested at most {} deep", max_nesting));
    }
    if (token.text == "}" && nesting > 0) --nesting;
    const bool from_subgraph =
        token.text == "->" && (last == "}" || last == "subgraph" || last_but_one == "subgraph");
    const bool to_subgraph = last == "->" && (token.text == "{" || token.text == "subgraph");
    if (from_subgraph || to_subgraph) {
      throw error_at(text, source, token.begin,
                     "expected an edge between two nodes, edges of subgraphs are not read");
    }
    names += token.text.size() > 1 || token.text == "\"" || std::isalnum(token.text[0]) != 0;
    subgraphs += token.text == "subgraph" || (token.text == "{" && nesting > 1 &&
                                              last != "subgraph" && last_but_one != "subgraph");
    last_but_one = std::exchange(last, token.text);
  });
  if (subgraphs > 0 && names > max_copies / subgraphs) {
    throw SizeLimit(
        fmt::format("{}: {} subgraphs among {} names are more than the limit, a product of {}; try "
                    "without subgraphs",
                    source, subgraphs, names, max_copies));
  }
}

std::string without_attributes(const std::string& text, const std::string& source) {
  std::string emptied = text;
  std::size_t opened = std::string::npos;
  const auto empty_until = [&](std::size_t end) {
    for (std::size_t i = opened + 1; i < end; ++i) {
      if (emptied[i] != '\n') emptied[i] = ' ';
    }
  };
  for_each_token(text, source, [&](const Token& token) {
    if (token.text == "[" && opened == std::string::npos) opened = token.begin;
    if (token.text != "]" || opened == std::string::npos) return;
    empty_until(token.begin);
    opened = std::string::npos;
  });
  return emptied;
}

// Boost's errors have no line. The line of an error is the first one whose end already shows it:
// text cut before it fails only because it ends early. Some name the token that they are at.
InputError dot_error(const std::string& text, const std::string& source,
                     const std::string& expected, const std::string& error,
                     const std::function<std::string(const std::string&)>& parse) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || i + 1 == text.size()) ends.push_back(i + 1);
  }
  if (ends.empty()) return InputError(source, 1, expected + ": " + printable(error, 120));
  std::size_t low = 0;
  std::size_t high = ends.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const std::string early = parse(text.substr(0, ends[middle]));
    if (early.empty() || ends_early(early)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const std::size_t begin = low == 0 ? 0 : ends[low - 1];
  const std::string_view line = std::string_view(text).substr(begin, ends[low] - begin);
  constexpr std::string_view mark = "token is \"";
  std::size_t at = std::min(line.find_first_not_of(" \t\r\n"), line.size() - 1);
  if (const std::size_t named = error.find(mark); named != std::string::npos) {
    const std::size_t first = error.find('\'', named + mark.size());
    const std::size_t last = error.rfind('\'');
    const std::string token =
        first < last && last != std::string::npos ? error.substr(first + 1, last - first - 1) : "";
    if (token.empty()) at = line.size() - 1;
    if (const std::size_t found = line.find(token);
        !token.empty() && found != std::string_view::npos)
      at = found;
  }
  return error_at(text, source, begin + at, expected + ": " + printable(error, 120));
}

std::string dot_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool plain = !name.empty() && is_letter(name[0]) &&
                     std::all_of(name.begin(), name.end(),
                                 [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool keyword = lower == "graph" || lower == "digraph" || lower == "subgraph" ||
                       lower == "node" || lower == "edge" || lower == "strict";
  if (plain && !keyword) return name;
  std::string quoted = "\"";
  std::size_t backslashes = 0;  // right before this place
  for (const char c : name + '"') {
    if (c == '"' && backslashes % 2 == 1) {
      throw InputError("the name " + in_quotes(name) +
                       " cannot be written: DOT has no backslash before a quotation mark or at the "
                       "end of a name");
    }
    backslashes = c == '\\' ? backslashes + 1 : 0;
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  quoted.erase(quoted.size() - 2, 1);  // what ends the name is not part of it
  return quoted;
}

}  // namespace logdepth::inline objects
