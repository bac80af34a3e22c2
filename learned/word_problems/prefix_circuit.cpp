#include "learned/word_problems/prefix_circuit.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/phrases.hpp"
#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned_word_problems {
namespace {

using Json = nlohmann::ordered_json;
using Sources = std::vector<std::optional<AttentionSource>>;  ///< of every position

/// Attention that is equal but for rounding has no source.
constexpr double kTied = 1e-6;

AttentionMatrix mean_of_heads(const std::vector<AttentionMatrix>& heads) {
  AttentionMatrix mean = heads.front();
  for (std::size_t i = 0; i < mean.size(); ++i)
    for (std::size_t j = 0; j < mean[i].size(); ++j) {
      mean[i][j] = 0;
      for (const AttentionMatrix& head : heads)
        mean[i][j] += head[i][j] / static_cast<double>(heads.size());
    }
  return mean;
}

Sources sources_of(const AttentionMatrix& attention) {
  Sources sources;
  for (std::size_t i = 0; i < attention.size(); ++i)
    sources.push_back(attention_source(attention[i], i + 1));
  return sources;
}

/// Positions that read what the pattern says, and how many it says something of.
std::pair<std::size_t, std::size_t> fitting(PrefixPattern pattern, std::size_t level,
                                            const Sources& sources) {
  std::size_t fit = 0, of = 0;
  for (std::size_t position = 1; position <= sources.size(); ++position)
    if (const auto expected = pattern_source(pattern, level, position)) {
      ++of;
      const auto& source = sources[position - 1];
      fit += source && source->position == *expected;
    }
  return {fit, of};
}

double share(const PatternFit& fit) {
  return share_of(fit.positions, fit.of_positions);
}

const char* possessive(PrefixPattern pattern) {
  return pattern == PrefixPattern::sklansky ? "Sklansky's" : "Hillis and Steele's";
}

/// Of a scan that is looked for. Larger ones than the heads of a layer could not be read.
constexpr std::uint32_t kLargestRadix = 4;
constexpr std::size_t kKept = 10, kPrinted = 3;  ///< scans

HeadDistance distance_of(const Sources& sources) {
  std::map<std::size_t, std::size_t> found;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i] && sources[i]->position <= i) ++found[i + 1 - sources[i]->position];
  HeadDistance most;
  for (const auto& [distance, positions] : found)
    if (positions > most.positions) most = {distance, positions, sources.size() - distance};
  return most;
}

/// All lists of radices whose product reaches `letters` with the last one, or that have a radix for each of
/// `levels`.
void list_radices(std::size_t letters, std::size_t levels, std::size_t product, Radices& begun,
                  std::vector<Radices>& all) {
  if (begun.size() == levels || product >= letters) {
    all.push_back(begun);
    return;
  }
  for (std::uint32_t radix = 2; radix <= kLargestRadix; ++radix) {
    begun.push_back(radix);
    list_radices(letters, levels, product * radix, begun, all);
    begun.pop_back();
  }
}

/// The edges of scans of which some head has the source, level by level: scans share their levels.
class LevelFits {
 public:
  LevelFits(std::size_t letters, const std::vector<std::vector<Sources>>& levels)
      : letters_(letters), levels_(levels) {}

  RadixFit of(const Radices& radices) {
    RadixFit all{radices};
    std::size_t window = 1;
    for (std::size_t level = 0; level < radices.size(); ++level) {
      const RadixFit& one = of_level(level, window, radices[level]);
      all.edges += one.edges;
      all.of_edges += one.of_edges;
      all.by_chance += one.by_chance;
      window *= radices[level];
    }
    return all;
  }

 private:
  const RadixFit& of_level(std::size_t level, std::size_t window, std::uint32_t radix) {
    const auto [found, added] = fits_.try_emplace({level, window, radix});
    RadixFit& fit = found->second;
    if (!added) return fit;
    const std::vector<Sources>& heads = levels_[level];
    for (std::size_t position = 2; position <= letters_; ++position) {
      const double missed =
          std::pow(1 - 1 / static_cast<double>(position - 1), static_cast<double>(heads.size()));
      for (const std::size_t source : radix_sources(window, radix, position)) {
        ++fit.of_edges;
        fit.edges +=
            std::any_of(heads.begin(), heads.end(), [&, at = position - 1](const Sources& sources) {
              return sources[at] && sources[at]->position == source;
            });
        fit.by_chance += 1 - missed;
      }
    }
    return fit;
  }

  std::size_t letters_;
  const std::vector<std::vector<Sources>>& levels_;
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, RadixFit> fits_;
};

/// Whether a has the larger share of its edges, or of equal shares more edges.
bool fits_better(const RadixFit& a, const RadixFit& b) {
  const std::size_t one = a.edges * b.of_edges, other = b.edges * a.of_edges;
  return one == other ? a.edges > b.edges : one > other;
}

CircuitLevel circuit_level(const AttentionLevel& attention, const std::vector<Sources>& heads,
                           std::size_t level) {
  CircuitLevel result{
      attention.name, attention.note, sources_of(mean_of_heads(attention.heads)), {}, {}};
  std::ranges::transform(heads, std::back_inserter(result.heads), distance_of);
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p) {
    PatternFit& fit = result.fits[p];
    std::tie(fit.positions, fit.of_positions) = fitting(kPrefixPatterns[p], level, result.sources);
    for (const Sources& head : heads) {
      const auto [fits, of] = fitting(kPrefixPatterns[p], level, head);
      fit.heads += fits;
      fit.of_heads += of;
    }
  }
  return result;
}

/// Over all levels that the pattern has on so many letters.
void add_pattern(PrefixCircuit& circuit, std::size_t p) {
  const auto doublings = static_cast<std::size_t>(std::bit_width(circuit.letters - 1));
  PatternFit& all = circuit.fits[p];
  for (std::size_t level = 1; level <= doublings; ++level) {
    if (level <= circuit.levels.size()) {
      const PatternFit& one = circuit.levels[level - 1].fits[p];
      all.positions += one.positions;
      all.heads += one.heads;
      all.of_heads += one.of_heads;
    }
    for (std::size_t position = 1; position <= circuit.letters; ++position)
      if (pattern_source(kPrefixPatterns[p], level, position)) {
        ++all.of_positions;
        circuit.by_chance[p] += 1 / static_cast<double>(position - 1);
      }
  }
}

/// The scans that fit best.
std::vector<RadixFit> best_scans(std::size_t letters,
                                 const std::vector<std::vector<Sources>>& levels) {
  std::vector<Radices> all;
  Radices begun;
  list_radices(letters, levels.size(), 1, begun, all);
  LevelFits fits(letters, levels);
  std::vector<RadixFit> scans;
  for (const Radices& radices : all) scans.push_back(fits.of(radices));
  std::ranges::stable_sort(scans, fits_better);
  scans.resize(std::min(kKept, scans.size()));
  return scans;
}

Json to_json(const RadixFit& fit) {
  return {{"radices", fit.radices},
          {"edges", fit.edges},
          {"of_edges", fit.of_edges},
          {"by_chance", fit.by_chance}};
}

Json fits_json(const PatternFits& fits) {
  Json json;
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p)
    json[pattern_name(kPrefixPatterns[p])] = {{"positions", fits[p].positions},
                                              {"of_positions", fits[p].of_positions},
                                              {"heads", fits[p].heads},
                                              {"of_heads", fits[p].of_heads}};
  return json;
}

}  // namespace

std::string radices_text(const Radices& radices) {
  return fmt::format("{}", fmt::join(radices, ", "));
}

std::vector<std::size_t> radix_sources(std::size_t window, std::uint32_t radix,
                                       std::size_t position) {
  std::vector<std::size_t> sources;
  for (std::uint32_t step = 1; step < radix && window < position; ++step) {
    position -= window;
    sources.push_back(position);
  }
  return sources;
}

Radices levels_within(const Radices& radices, std::size_t letters) {
  Radices within;
  for (std::size_t window = 1; within.size() < radices.size() && window < letters;
       window *= within.back())
    within.push_back(radices[within.size()]);
  return within;
}

std::vector<std::vector<std::uint8_t>> ReadEdges::views(std::size_t letters,
                                                        std::size_t before) const {
  const std::size_t tokens = before + letters;
  std::vector<std::vector<std::uint8_t>> views;
  if (radices.empty()) return views;
  std::size_t window = 1;
  for (std::size_t level = 0; level <= radices.size(); ++level) {
    std::vector<std::uint8_t>& view = views.emplace_back(tokens * tokens, cut ? 1 : 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint8_t& {
      return view[i * tokens + j];
    };
    for (std::size_t i = 0; i < tokens; ++i) {
      at(i, i) = 1;
      for (std::size_t j = 0; j < before; ++j) at(i, j) = 1;
      if (level == radices.size() || i < before) continue;
      for (const std::size_t source : radix_sources(window, radices[level], i - before + 1))
        at(i, before + source - 1) = cut ? 0 : 1;
    }
    // Nothing is further back than the first letter, and the product of many radices is too large a number.
    if (level < radices.size() && window < letters) window *= radices[level];
  }
  return views;
}

const char* pattern_name(PrefixPattern pattern) {
  return pattern == PrefixPattern::sklansky ? "Sklansky" : "Hillis-Steele";
}

std::optional<std::size_t> pattern_source(PrefixPattern pattern, std::size_t level,
                                          std::size_t position) {
  if (level > 62) return std::nullopt;  // no word is so long
  const std::size_t half = std::size_t{1} << (level - 1), before = position - 1;
  if (pattern == PrefixPattern::hillis_steele) {
    const std::vector<std::size_t> sources = radix_sources(half, 2, position);
    return sources.empty() ? std::nullopt : std::optional(sources.front());
  }
  const std::size_t in_block = before % (2 * half);
  return in_block >= half ? std::optional(before - in_block + half) : std::nullopt;
}

std::optional<AttentionSource> attention_source(const std::vector<double>& row,
                                                std::size_t position) {
  std::optional<AttentionSource> most;
  double next = 0;
  for (std::size_t other = 1; other <= row.size(); ++other) {
    if (other == position) continue;
    const double attention = row[other - 1];
    if (!most || attention > most->attention) {
      if (most) next = most->attention;
      most = {other, attention};
    } else {
      next = std::max(next, attention);
    }
  }
  if (!most || most->attention - next <= kTied) return std::nullopt;
  return most;
}

PrefixCircuit prefix_circuit(const std::vector<AttentionLevel>& levels) {
  PrefixCircuit circuit;
  circuit.letters = levels.front().heads.front().size();
  std::vector<std::vector<Sources>> sources;  // of every head of every level
  for (const AttentionLevel& level : levels) {
    std::ranges::transform(level.heads, std::back_inserter(sources.emplace_back()), sources_of);
    circuit.levels.push_back(circuit_level(level, sources.back(), sources.size()));
  }
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p) add_pattern(circuit, p);
  circuit.scans = best_scans(circuit.letters, sources);
  return circuit;
}

std::string circuit_name(const PrefixCircuit& circuit) {
  const double sklansky = share(circuit.fits[0]), hillis_steele = share(circuit.fits[1]);
  const double most = std::max(sklansky, hillis_steele);
  if (most < kNamedFrom) return "neither Sklansky's nor Hillis and Steele's prefix circuit";
  if (sklansky == hillis_steele) return "Sklansky's and Hillis and Steele's prefix circuit alike";
  return std::string(possessive(kPrefixPatterns[sklansky == most ? 0 : 1])) + " prefix circuit";
}

Json to_json(const PrefixCircuit& circuit) {
  Json levels = Json::array(), distances = Json::array(), scans = Json::array();
  for (const CircuitLevel& level : circuit.levels) {
    Json sources = Json::array(), heads = Json::array();
    for (std::size_t i = 0; i < level.sources.size(); ++i)
      if (const auto& source = level.sources[i])
        sources.push_back(
            {{"position", i + 1}, {"reads", source->position}, {"attention", source->attention}});
    for (const HeadDistance& head : level.heads)
      heads.push_back({{"distance", head.distance},
                       {"positions", head.positions},
                       {"of_positions", head.of_positions}});
    levels.push_back({{"name", level.name},
                      {"note", level.note},
                      {"sources", sources},
                      {"fits", fits_json(level.fits)}});
    distances.push_back({{"name", level.name}, {"heads", heads}});
  }
  for (const RadixFit& fit : circuit.scans) scans.push_back(to_json(fit));
  Json json = {{"name", circuit_name(circuit)},
               {"letters", circuit.letters},
               {"fits", fits_json(circuit.fits)}};
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p)
    json["fits"][pattern_name(kPrefixPatterns[p])]["by_chance"] = circuit.by_chance[p];
  json["levels"] = std::move(levels);
  json["radices"] = {{"levels", distances}, {"scans", scans}};
  return json;
}

Json circuit_of_result(const PrefixCircuit& circuit, std::size_t words) {
  Json list = Json::array();
  for (const CircuitLevel& level : circuit.levels) {
    Json distances = Json::array();
    for (const HeadDistance& head : level.heads) distances.push_back(head.distance);
    // A level behind the circuit has no positions that read in it.
    list.push_back({{"name", level.name},
                    {kDoublingShare,
                     share(level.fits[static_cast<std::size_t>(PrefixPattern::hillis_steele)])},
                    {"distances", std::move(distances)}});
  }
  Json result = {{"letters", circuit.letters}, {"words", words}, {"levels", std::move(list)}};
  if (!circuit.scans.empty()) result["nearest"] = to_json(circuit.scans.front());
  return result;
}

std::string circuit_text(const PrefixCircuit& circuit) {
  const auto row = [](const std::string& name, const PatternFits& fits) {
    std::string text = fmt::format("{:<10}", name);
    for (const PatternFit& fit : fits)
      text += fmt::format("  {:>12}  {:>14}", share_text(fit.positions, fit.of_positions),
                          share_text(fit.heads, fit.of_heads));
    return text;
  };
  std::string text = fmt::format("{:<10}  {:<28}  {:<28}\n{:<10}  {:>12}  {:>14}  {:>12}  {:>14}\n",
                                 "", "  as Sklansky's", "  as Hillis and Steele's", "", "positions",
                                 "heads", "positions", "heads");
  for (const CircuitLevel& level : circuit.levels) text += row(level.name, level.fits) + "\n";
  text += row("all", circuit.fits) + "\n";
  text += fmt::format("{:<10}  {:>12}  {:>14}  {:>12}\n", "by chance",
                      fixed_text(circuit.by_chance[0], 1), "", fixed_text(circuit.by_chance[1], 1));
  for (const CircuitLevel& level : circuit.levels) {
    text += fmt::format("{}: ", level.name);
    std::vector<std::string> reads;
    for (std::size_t i = 1; i < level.sources.size(); ++i) {
      const auto& source = level.sources[i];
      reads.push_back(fmt::format(
          "{} reads {}", i + 1,
          source ? fmt::format("{} ({})", source->position, fixed_text(source->attention, 2))
                 : std::string("none")));
    }
    text += joined(reads) + "\n";
  }
  text += "most frequent distance back of every head, and at how many positions:\n";
  for (const CircuitLevel& level : circuit.levels) {
    std::vector<std::string> heads;
    for (const HeadDistance& head : level.heads)
      heads.push_back(head.distance == 0
                          ? "none"
                          : fmt::format("{} ({})", head.distance,
                                        share_text(head.positions, head.of_positions)));
    text += fmt::format("{}: {}\n", level.name, joined(heads));
  }
  text += "edges of a scan that some head reads:\n";
  for (std::size_t i = 0; i < std::min(kPrinted, circuit.scans.size()); ++i) {
    const RadixFit& fit = circuit.scans[i];
    text += fmt::format("radices {}: {}, by chance {}\n", radices_text(fit.radices),
                        share_text(fit.edges, fit.of_edges), fixed_text(fit.by_chance, 1));
  }
  return text;
}

}}  // namespace logdepth::learned_word_problems
