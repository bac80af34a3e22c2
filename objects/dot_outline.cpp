#include "objects/dot_outline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {

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
    } else if (text[i] == '<') {
      std::size_t open = 0;
      do {
        if (i >= text.size())
          throw error_at(text, source, token.begin, "expected '>' to end the HTML string");
        open += text[i] == '<' ? 1 : 0;
        open -= text[i++] == '>' ? 1 : 0;
      } while (open > 0);
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
        token.text = lower_case(text.substr(token.begin, i - token.begin));
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

namespace {

/// The value of an attribute that is an HTML string, as a quoted string: its text, with line breaks.
std::string text_of_html(const std::string& html) {
  std::string text = "\"", lines;
  bool in_tag = false;
  for (std::size_t i = 1; i + 1 < html.size(); ++i) {
    const char c = html[i];
    if (c == '\n') lines += c;
    if (c == '<' && lower_case(html.substr(i, 3)) == "<br") text += "\\n";
    if (c == '"' || c == '\\') text += in_tag ? "" : "\\";
    in_tag = c == '<' || (in_tag && c != '>');
    if (!in_tag && c != '>') text += c == '\n' ? ' ' : c;
  }
  const std::size_t length = text.size() + 1 + lines.size();
  return text + '"' + std::string(html.size() - std::min(length, html.size()), ' ') + lines;
}

/// One end of an edge: a node, perhaps with a port, or the nodes in braces.
struct EdgeEnd {
  std::vector<std::string> names;
  bool braces = false;
  std::size_t end = 0;  ///< the token behind it
};

class EdgeReader {
 public:
  EdgeReader(const std::string& text, const std::vector<Token>& tokens)
      : text_(text), tokens_(tokens) {}

  std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? std::string_view(tokens_[i].text) : std::string_view();
  }
  std::string raw(std::size_t first, std::size_t end) const {
    return text_.substr(tokens_[first].begin, tokens_[end - 1].end - tokens_[first].begin);
  }
  bool is_name(std::size_t i) const {
    return i < tokens_.size() && !is_dot_mark(tokens_[i]) && at(i) != "subgraph";
  }

  /// Absent where it is something else, also braces with more than names and attributes of their own.
  std::optional<EdgeEnd> end_from(std::size_t i) const {
    if (is_name(i)) {
      std::size_t end = i + 1;
      while (at(end) == ":" && is_name(end + 1)) end += 2;
      return EdgeEnd{{raw(i, end)}, false, end};
    }
    if (at(i) == "subgraph") i += is_name(i + 1) ? 2 : 1;
    if (at(i) != "{") return std::nullopt;
    EdgeEnd result{{}, true, i + 1};
    for (std::size_t& k = result.end; at(k) != "}"; ++k) {
      if (at(k) == ";" || at(k) == ",") continue;
      if (!is_name(k)) return std::nullopt;
      if (at(k + 1) == "=") {
        k += 2;
        continue;
      }
      result.names.push_back(raw(k, k + 1));
    }
    ++result.end;
    return result;
  }

  /// The ends between arrows from this token on.
  std::vector<EdgeEnd> ends_from(std::size_t i) const {
    std::vector<EdgeEnd> ends;
    for (auto end = end_from(i); end; end = end_from(end->end + 1)) {
      ends.push_back(*end);
      if (at(end->end) != "->") return ends;
    }
    return {};
  }

 private:
  const std::string& text_;
  const std::vector<Token>& tokens_;
};

std::vector<Token> tokens_of(const std::string& text, const std::string& source) {
  std::vector<Token> tokens;
  for_each_token(text, source, [&](const Token& token) { tokens.push_back(token); });
  return tokens;
}

std::string without_html(const std::string& text, const std::string& source) {
  std::string result;
  std::size_t copied = 0;
  bool value = false;
  for (const Token& token : tokens_of(text, source)) {
    if (value && token.text == "<") {
      result += text.substr(copied, token.begin - copied) +
                text_of_html(text.substr(token.begin, token.end - token.begin));
      copied = token.end;
    }
    value = token.text == "=";
  }
  return result + text.substr(copied);
}

}  // namespace

std::string plain_dot(const std::string& file, const std::string& source) {
  constexpr std::size_t longest = std::size_t{1} << 28;
  constexpr std::size_t kMostProducts = 20000;
  const std::string text = without_html(file, source);
  const std::vector<Token> tokens = tokens_of(text, source);
  const EdgeReader reader(text, tokens);
  std::string result;
  std::size_t copied = 0, braces = 0, products = 0;
  const auto copy_until = [&](std::size_t offset) {
    result += text.substr(copied, offset - copied);
    copied = offset;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "[") {
      i = closing(tokens, i, "]");
      continue;
    }
    const bool opens = tokens[i].text == "{";
    const bool begins = braces > 0 && reader.at(i - 1) != "->" && reader.at(i - 1) != "subgraph" &&
                        (opens || !is_dot_mark(tokens[i]));
    const std::vector<EdgeEnd> ends = begins ? reader.ends_from(i) : std::vector<EdgeEnd>();
    const bool expands =
        ends.size() > 1 && std::ranges::any_of(ends, [](const EdgeEnd& end) { return end.braces; });
    if (!expands) {
      const std::string_view before = reader.at(i - 1), behind = reader.at(i + 1);
      if (tokens[i].text == "->" && (before == "}" || before == "subgraph" || behind == "{" ||
                                     behind == "subgraph" || reader.at(i - 2) == "subgraph"))
        throw error_at(text, source, tokens[i].begin,
                       "expected an edge between nodes, edges of subgraphs that have more than "
                       "names are not read");
      if (opens && braces++ > 0 && reader.at(i - 1) != "subgraph" &&
          reader.at(i - 2) != "subgraph") {
        copy_until(tokens[i].begin);
        result += "subgraph ";
      }
      if (ends.size() > 1) i = ends.back().end - 1;
      continue;
    }
    copy_until(tokens[i].begin);
    std::size_t last = ends.back().end;
    std::string attributes;
    if (reader.at(last) == "[") {
      const std::size_t end = std::min(closing(tokens, last, "]"), tokens.size() - 1) + 1;
      attributes = ' ' + reader.raw(last, end);
      std::replace(attributes.begin(), attributes.end(), '\n', ' ');
      last = end;
    }
    std::size_t added = 0;
    const auto add = [&](const std::string& statement) {
      if (result.size() > longest || products > kMostProducts)
        throw SizeLimit(
            fmt::format("{}: the edges of subgraphs are more than the limit of {} edges from "
                        "subgraphs to subgraphs and {} bytes; try a smaller one",
                        source, kMostProducts, longest));
      result += (added++ == 0 ? "" : ";") + statement;
    };
    for (std::size_t k = 1; k < ends.size(); ++k) {
      const auto& sources = ends[k - 1].names;
      const auto& targets = ends[k].names;
      const std::string arrow = reader.raw(ends[k - 1].end, ends[k - 1].end + 1);
      if (targets.empty()) std::for_each(sources.begin(), sources.end(), add);
      if (sources.empty()) std::for_each(targets.begin(), targets.end(), add);
      if (sources.size() > 1) products += sources.size() * targets.size();
      for (const std::string& from : sources)
        for (const std::string& to : targets) add(from + arrow + to + attributes);
    }
    if (added == 0) add("node []");
    copied = tokens[last - 1].end;
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(tokens[i].begin);
    const auto behind = text.begin() + static_cast<std::ptrdiff_t>(copied);
    result.append(static_cast<std::size_t>(std::count(first, behind, '\n')), '\n');
    i = last - 1;
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
    if (token.text == "<" && last != "=") {
      throw error_at(text, source, token.begin,
                     "expected a name, HTML strings are read as values of attributes alone");
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
InputError dot_error(const std::string& text, const std::string& file, const std::string& source,
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
  const std::string_view line = lines_of(file).at(low);
  constexpr std::string_view mark = "token is \"";
  const std::size_t end = line.empty() ? 0 : line.size() - 1;
  std::size_t at = std::min(line.find_first_not_of(" \t\r\n"), end);
  if (const std::size_t named = error.find(mark); named != std::string::npos) {
    const std::size_t first = error.find('\'', named + mark.size());
    const std::size_t last = error.rfind('\'');
    const std::string token =
        first < last && last != std::string::npos ? error.substr(first + 1, last - first - 1) : "";
    if (token.empty()) at = end;
    if (const std::size_t found = line.find(token);
        !token.empty() && found != std::string_view::npos)
      at = found;
  }
  return error_at(file, source, line.substr(at), expected + ": " + printable(error, 120));
}

std::string dot_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool plain = !name.empty() && is_letter(name[0]) &&
                     std::all_of(name.begin(), name.end(),
                                 [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  const std::string lower = lower_case(name);
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

}}  // namespace logdepth::objects
