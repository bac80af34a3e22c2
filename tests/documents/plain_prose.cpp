#include "tests/documents/plain_prose.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <regex>
#include <sstream>

#include "tests/support/processes.hpp"

namespace logdepth::plain_prose {
namespace {

using support::lines;

std::size_t characters(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Without targets of links, marks of emphasis and backquotes. A code span of the prose is one word.
std::string visible(const std::string& markdown, bool code_is_a_word) {
  static const std::regex kLink(R"(\]\([^)]*\))"), kSpan("`[^`]*`"),
      kMarks(R"([*`\[\]]|!(?=\[)|\\(?=\|))");
  std::string text = markdown;
  if (code_is_a_word) text = std::regex_replace(text, kSpan, "CODE");
  text = std::regex_replace(text, kLink, "]");
  return std::regex_replace(text, kMarks, "");
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

/// The cells of a row of a table; none of the row that separates the heading.
std::vector<std::string> cells_of(const std::string& row) {
  if (row.find_first_not_of("|-: ") == std::string::npos) return {};
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '|' && row[i - 1] != '\\') {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += row[i];
    }
  }
  return cells;
}

/// A sentence ends at ". " before what can begin one: not within "Thm. 4.1" or "e.g. this".
std::vector<std::string> sentences_of(const std::string& paragraph) {
  static const std::regex kEnd(R"([.!?][)\x22]* +(?=[A-Z(\x22]))");
  std::vector<std::string> sentences;
  std::sregex_iterator at(paragraph.begin(), paragraph.end(), kEnd), end;
  std::size_t from = 0;
  for (; at != end; ++at) {
    const auto to = static_cast<std::size_t>(at->position() + at->length());
    sentences.push_back(trimmed(paragraph.substr(from, to - from)));
    from = to;
  }
  sentences.push_back(trimmed(paragraph.substr(from)));
  return sentences;
}

std::size_t words_in(const std::string& sentence) {
  std::istringstream in(sentence);
  std::size_t words = 0;
  for (std::string word; in >> word;)
    words +=
        std::ranges::any_of(word, [](unsigned char c) { return c >= 0x80 || std::isalnum(c); });
  return words;
}

/// Not those of "12:00".
std::size_t colons_in(const std::string& sentence) {
  std::size_t colons = 0;
  for (std::size_t i = 0; i < sentence.size(); ++i)
    colons += (sentence[i] == ':' || sentence[i] == ';') &&
              (i + 1 == sentence.size() || sentence[i + 1] == ' ');
  return colons;
}

const std::vector<std::regex>& banned() {
  static const std::vector<std::regex> kBanned = [] {
    const auto icase = std::regex::ECMAScript | std::regex::icase;
    std::vector<std::regex> all = {
        std::regex("(?:^|[.:;] )(?:What|Whoever|Whatever|Who|How far|How near) [a-z][^?]*$")};
    for (
        const char* expression :
        {R"(\b(?:stands?|stood) (?:in|on|at|beside|behind|there|for|above|below|once|twice)\b)",
         R"(\b(?:goes|go) (?:on|with)\b|\bto go on\b)", R"(\b(?:says?|said)\b)",
         R"(\basks?\b|\basked\b)", R"(\bheld (?:by|to)\b|\bholds? (?:it|them|against)\b)",
         R"(\bso (?:many|large|deep|much)\b)",
         R"(\b(?:one|line|layer|step|token|hop) an? (?:line|level|shift|group|loop|run|row|second|step)\b)",
         R"(\bof the user's\b|\bof yours\b|\bof one's own\b|\bof ours\b)",
         R"(\banew\b|\bbut for\b|\bunless said\b|\bwhere it is\b)", R"(\bas (?:it is|they are)\b)",
         R"(\bbeside\b)", R"(\bthousand million\b|\bof a processor\b|\ba core\b)",
         R"(\bmade for\b)", R"(\broots of roots\b)", R"(\bpromis(?:e|es|ed)\b)", R"(\d numbers\b)",
         R"(\bstill rising\b|\b(?:is|are) flat\b|, flat\b|\bflat at\b)",
         R"(\bthe inside\b|\bfrom outside\b|\brooms?\b)"})
      all.emplace_back(expression, icase);
    return all;
  }();
  return kBanned;
}

void check_words(const std::string& text, std::size_t line, std::vector<Failure>& found) {
  found.insert(found.end(), banned_words(text), Failure{"words", line, text});
}

void check_paragraph(const std::string& markdown, std::size_t line, std::vector<Failure>& found) {
  for (const std::string& sentence : sentences_of(visible(markdown, true))) {
    if (words_in(sentence) > kMostSentenceWords) found.push_back({"sentence", line, sentence});
    if (colons_in(sentence) > kMostColons) found.push_back({"colons", line, sentence});
    check_words(sentence, line, found);
  }
}

void check_row(const std::string& row, std::size_t line, std::vector<Failure>& found) {
  for (const std::string& cell : cells_of(row)) {
    if (characters(visible(cell, false)) > kMostCellCharacters)
      found.push_back({"cell", line, visible(cell, false)});
    for (const std::string& sentence : sentences_of(visible(cell, true)))
      check_words(sentence, line, found);
  }
}

}  // namespace

std::size_t banned_words(const std::string& text) {
  std::size_t found = 0;
  for (const std::regex& expression : banned()) {
    const std::sregex_iterator at(text.begin(), text.end(), expression), end;
    found += static_cast<std::size_t>(std::distance(at, end));
  }
  return found;
}

std::vector<Failure> findings(const std::string& page, const std::string& unread) {
  static const std::regex kBegins(R"(^ *(?:[-*+]|\d+\.|>|#+) +)");
  std::vector<Failure> found;
  std::string paragraph, heading;
  std::size_t number = 0, begun = 0;
  bool code = false;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) check_paragraph(paragraph, begun, found);
    paragraph.clear();
  };
  for (const std::string& line : lines(page)) {
    ++number;
    const std::string text = trimmed(line);
    const bool fence = text.starts_with("```");
    if (fence) code = !code;
    if (fence || code || text.empty() || text.starts_with('|')) {
      end_paragraph();
      if (!fence && !code && !text.empty() && (unread.empty() || heading != unread))
        check_row(text, number, found);
      continue;
    }
    const bool is_heading = text.starts_with('#');
    if (is_heading) heading = text;
    if (std::regex_search(line, kBegins)) end_paragraph();
    if (paragraph.empty()) begun = number;
    paragraph += (paragraph.empty() ? "" : " ") + std::regex_replace(line, kBegins, "");
    if (is_heading) end_paragraph();
  }
  end_paragraph();
  return found;
}

std::vector<std::string> literals(const std::string& source) {
  std::vector<std::string> found;
  bool adjacent = false;  // to the last literal: only blanks and comments since then
  const auto add = [&](const std::string& text) {
    if (adjacent)
      found.back() += text;
    else
      found.push_back(text);
    adjacent = true;
  };
  for (std::size_t at = 0; at < source.size(); ++at) {
    const char c = source[at];
    const auto begins = [&](const char* text) {
      return source.compare(at, std::strlen(text), text) == 0;
    };
    if (begins("//") || begins("#include")) {
      at = std::min(source.find('\n', at), source.size());
    } else if (begins("R\"")) {
      const std::size_t open = source.find('(', at);
      const std::string end = ")" + source.substr(at + 2, open - at - 2) + "\"";
      const std::size_t close = std::min(source.find(end, open), source.size());
      add(source.substr(open + 1, close - open - 1));
      at = close + end.size() - 1;
    } else if (c == '"' || (c == '\'' && (at == 0 || !std::isalnum(source[at - 1])))) {
      std::size_t close = at + 1;
      while (close < source.size() && source[close] != c) close += source[close] == '\\' ? 2 : 1;
      if (c == '"')
        add(source.substr(at + 1, close - at - 1));
      else
        adjacent = false;
      at = close;
    } else if (std::isspace(c) == 0) {
      adjacent = false;
    }
  }
  return found;
}

std::map<std::string, std::size_t> message_words(const std::vector<std::string>& literals) {
  static const std::vector<std::pair<std::string, std::regex>> kPatterns = {
      {"got", std::regex(R"(\bgot )")},
      {"goes with", std::regex(R"(\bgo(?:es)? with\b)")},
      {"promise", std::regex(R"(\bpromis(?:e|es|ed)\b)")},
      {"stand", std::regex(R"(\b(?:stands?|stood)\b)")},
      {"ask", std::regex(R"(\b(?:asks?|asked)\b)")},
      {"say", std::regex(R"(\b(?:says?|said)\b)")},
      {"from N on", std::regex(R"(\bfrom \S+ on\b)")}};
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, expression] : kPatterns)
    counts[name] = static_cast<std::size_t>(
        std::ranges::count_if(literals, [&expression = expression](const std::string& text) {
          return text.find(' ') != std::string::npos && std::regex_search(text, expression);
        }));
  return counts;
}

std::vector<std::string> wide_lines(const std::string& help) {
  std::vector<std::string> wide;
  for (const std::string& line : lines(help))
    if (characters(line) > kMostHelpColumns) wide.push_back(line);
  return wide;
}

std::vector<std::string> dependent_descriptions(const std::string& manual) {
  static const std::regex kDepends("^(?:of|that|what|who|how|so|as) .*|^$");
  std::vector<std::string> found;
  const std::vector<std::string> all = lines(manual);
  for (std::size_t i = 0; i + 2 < all.size(); ++i)
    if (all[i] == ".TP" && std::regex_match(all[i + 2], kDepends))
      found.push_back(all[i + 1] + ": " + all[i + 2]);
  return found;
}

bool is_stub(const std::string& page) {
  return lines(page).size() < kFewestReadmeLines;
}

Counts read_counts(const std::string& text) {
  std::istringstream in(text);
  Counts counts;
  std::size_t count = 0;
  for (std::string place; in >> count && std::getline(in >> std::ws, place);) counts[place] = count;
  return counts;
}

std::string print_counts(const Counts& counts) {
  std::string text;
  for (const auto& [place, count] : counts)
    if (count > 0) text += std::to_string(count) + " " + place + "\n";
  return text;
}

std::vector<std::string> complaints(const Counts& counted, const Counts& listed) {
  Counts all = listed;
  all.insert(counted.begin(), counted.end());
  std::vector<std::string> found;
  for (const auto& [place, unused] : all) {
    const auto now = counted.find(place), then = listed.find(place);
    const std::size_t count = now == counted.end() ? 0 : now->second;
    const std::size_t most = then == listed.end() ? 0 : then->second;
    const std::string counts =
        place + ": " + std::to_string(count) + " found, " + std::to_string(most) + " listed; ";
    if (count > most) found.push_back(counts + "reword the text");
    if (count < most) found.push_back(counts + "lower the list");
  }
  return found;
}

Counts lowered(const Counts& counted, const Counts& listed) {
  Counts list;
  for (const auto& [place, most] : listed)
    if (const auto now = counted.find(place); now != counted.end())
      list[place] = std::min(now->second, most);
  return list;
}

}  // namespace logdepth::plain_prose
