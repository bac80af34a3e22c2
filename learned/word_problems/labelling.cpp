#include "learned/word_problems/labelling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>
#include <string_view>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "oracle/crasp_oracle.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_word_problems {

namespace {

/// A factor of a product: its letter in the name and the points it acts on.
struct Factor {
  char kind = 'Z';
  std::uint32_t points = 0;
};

/// The factors of names such as A4_x_Z5; none when one of them is not S, A or Z.
std::vector<Factor> factors_of(std::string_view name) {
  static constexpr std::string_view kTimes = "_x_";
  std::vector<Factor> factors;
  while (true) {
    const std::size_t end = name.find(kTimes);
    const std::string_view part = name.substr(0, end);
    if (part.size() < 2 || std::string_view("SAZ").find(part[0]) == std::string_view::npos)
      return {};
    const auto points = whole_number(part.substr(1));
    if (!points || *points > kMostElements) return {};
    factors.push_back({part[0], static_cast<std::uint32_t>(*points)});
    if (end == std::string_view::npos) return factors;
    name = name.substr(end + kTimes.size());
  }
}

/// How many permutations come before this one in lexicographic order: image q is followed by
/// (points-1-q)! choices for each unused smaller image.
std::uint32_t lexicographic_rank(const Transformation& images, std::size_t from,
                                 std::size_t points) {
  std::uint32_t rank = 0;
  for (std::size_t q = 0; q < points; ++q) {
    std::uint32_t smaller = 0;
    for (std::size_t later = q + 1; later < points; ++later)
      smaller += images[from + later] < images[from + q];
    rank = rank * static_cast<std::uint32_t>(points - q) + smaller;
  }
  return rank;
}

std::uint32_t number_in_factor(const Factor& factor, const Transformation& images,
                               std::size_t from) {
  if (factor.kind == 'Z') return images[from] - static_cast<std::uint32_t>(from);
  const std::uint32_t rank = lexicographic_rank(images, from, factor.points);
  // The permutations 2m and 2m+1 differ by a swap of the last two images: one of them is even.
  return factor.kind == 'S' || factor.points < 2 ? rank : rank / 2;
}

std::uint32_t size_of(const Factor& factor) {
  if (factor.kind == 'Z') return factor.points;
  std::uint32_t size = 1;
  for (std::uint32_t k = factor.kind == 'S' ? 2 : 3; k <= factor.points; ++k) size *= k;
  return size;
}

/// The numbers that the published word problems (github.com/jopetty/word-problem) give to the
/// elements of a product of groups Sk, Ak and Zk; one per element of `elements`, which are the maps
/// of named_monoids.hpp. Empty for other names: the published generator knows S, A and Z only.
/// That section 7 of "A Little Depth Goes a Long Way" used this generator is unverified.
///
/// Its element lists, as its source src/generate_data.py and the package abstract_algebra that it
/// calls say, and where that was compared with data:
/// - Sk: permutations in lexicographic order of their images. Agrees with rows of S3 that a program
///   derived from the published one was reported to print.
/// - Ak: the commutator subgroup of Sk in the order of Sk. The published file data/A5=2.csv, all
///   3 600 words of length 2, comes out byte for byte (by its SHA-256).
/// - Zk: the k powers of a generator, taken here as the rotation of k points by one. The published
///   file data/Z60=2.csv, of the older form with a length and the last product alone, comes out
///   byte for byte.
/// - Products: pairs in lexicographic order, the first factor slowest; more factors from the left.
///   The published file data/A4_x_Z5=2.csv comes out byte for byte.
/// Unverified: S4 and beyond other than through their even permutations; A1 and A2, which the
/// published generator may refuse.
std::vector<std::uint32_t> published_elements(const std::string& name,
                                              const std::vector<Transformation>& elements) {
  const std::vector<Factor> factors = factors_of(name);
  std::vector<std::uint32_t> numbers;
  if (factors.empty()) return numbers;
  for (const Transformation& element : elements) {
    std::uint32_t number = 0;
    std::size_t from = 0;
    for (const Factor& factor : factors) {
      number = number * size_of(factor) + number_in_factor(factor, element, from);
      from += factor.points;
    }
    numbers.push_back(number);
  }
  return numbers;
}

using Json = nlohmann::ordered_json;

/// A sentence of `compile` without its advice: training has no option for letters.
std::string without_alphabet(std::string sentence) {
  const std::size_t advice = sentence.find("; give the letters with --alphabet");
  if (advice == std::string::npos) return sentence;
  return sentence.substr(0, advice) + "; expected one with letters, such as (a|b)*abb";
}

}  // namespace

MonoidTable make_monoid_table(const std::string& name, NamedLetters letters) {
  const Action action = named_monoid(name, NamedLetters::generators);
  const auto monoid = enumerate_monoid(action.generators, action.points, kMostElements);
  if (!monoid)
    throw SizeLimit(fmt::format(
        "{} has more than {} elements, the limit of multiplication tables; try a smaller degree",
        in_quotes(name), kMostElements));
  MonoidTable table;
  table.name = name;
  table.size = monoid->size();
  table.product = monoid->product_table();
  for (const Transformation& element : monoid->elements)
    table.element_names.push_back(format_transformation(element));
  table.letters = monoid->generator;
  if (letters == NamedLetters::all) {
    table.letters.resize(table.size);
    std::iota(table.letters.begin(), table.letters.end(), 0u);
  }
  table.published = published_elements(name, monoid->elements);
  return table;
}

Dfa own_automaton(const std::string& regex, const std::string& file, const std::string& prefix) {
  require(regex.empty() || file.empty(),
          "task.regex: expected one of task.regex and task.automaton, found both");
  require(!regex.empty() || !file.empty(),
          "task.monoid: expected a group or monoid, or a task.regex or task.automaton, found none");
  const std::string place = prefix + (regex.empty() ? "automaton: " : "regex: ");
  try {
    const Nfa nfa =
        regex.empty() ? read_automaton(read_text_file(file), file) : to_nfa(parse_regex(regex));
    require(nfa.alphabet.size() > 0, "expected an automaton with letters, found none");
    Dfa automaton = minimise(determinise(nfa));
    require(automaton.states() > 1,
            "expected a language that some words are in and some are not, found a minimal "
            "automaton of 1 state");
    require(automaton.states() <= kMostStates,
            fmt::format("expected at most {} states of the minimal automaton, found {}",
                        kMostStates, automaton.states()));
    return automaton;
  } catch (const InputError& error) {
    throw InputError(place + without_alphabet(error.what()));
  } catch (const SizeLimit& error) {
    throw InputError(place + error.what());
  }
}

std::string name_with_digits(const std::string& file, const std::string& content) {
  std::string name = file.empty() ? "regex" : std::filesystem::path(file).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return name + "-" + sha256(content).substr(0, 8);
}

std::string name_of_automaton(const Dfa& automaton, const std::string& file, bool verdicts) {
  return name_with_digits(file, automaton_to_json(automaton).dump()) +
         (verdicts ? "-verdicts" : "");
}

Json automaton_to_json(const Dfa& automaton) {
  return {{"letters", automaton.alphabet.names()},
          {"initial", automaton.initial},
          {"accepting", automaton.accepting},
          {"next", automaton.next}};
}

std::optional<Dfa> automaton_from_json(const Json& json) {
  try {
    Dfa automaton{.alphabet = Alphabet(json.at("letters").get<std::vector<std::string>>()),
                  .initial = json.at("initial").get<State>(),
                  .accepting = json.at("accepting").get<std::vector<bool>>(),
                  .next = json.at("next").get<std::vector<State>>()};
    const auto is_state = [&](State state) { return state < automaton.states(); };
    if (!is_state(automaton.initial) || automaton.alphabet.size() == 0 ||
        automaton.next.size() != automaton.states() * automaton.alphabet.size() ||
        !std::ranges::all_of(automaton.next, is_state))
      return std::nullopt;
    return automaton;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

OwnCrasp own_crasp(const std::string& file, const std::string& prefix) {
  try {
    OwnCrasp own{"", read_text_file(file), {}};
    own.program = parse_crasp(own.text, file);
    own.name = name_with_digits(file, own.text);
    if (own.program.alphabet.size() < 2)
      throw InputError(file + ": expected an alphabet of at least 2 letters, found " +
                       in_quotes(own.program.alphabet.name(0)) + " alone");
    return own;
  } catch (const InputError& error) {
    throw InputError(prefix + "crasp: " + error.what());
  }
}

Labelling labelling_of(const OwnCrasp& own) {
  Labelling verdicts{own.name, static_cast<std::uint32_t>(own.program.alphabet.size()), 0, 2};
  verdicts.of_word = [&program = own.program](std::span<const std::uint32_t> word) {
    CraspRun run(program);
    std::vector<std::uint32_t> labels;
    for (const std::uint32_t letter : word) {
      run.read(letter);
      labels.push_back(run.accepts());
    }
    return labels;
  };
  return verdicts;
}

nlohmann::ordered_json crasp_to_json(const OwnCrasp& own) {
  return {{"letters", own.program.alphabet.names()}, {"program", own.text}};
}

std::optional<CraspProgram> crasp_from_json(const nlohmann::ordered_json& json) {
  try {
    return parse_crasp(json.at("program").get<std::string>(), "program");
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}}  // namespace logdepth::learned_word_problems
