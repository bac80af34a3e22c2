#include "learned/word_problems/radix_circuit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/number_text.hpp"
#include "base/phrases.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

/// Of a scan that is looked for. Larger ones than the heads of a layer could not be read.
constexpr std::uint32_t kLargestRadix = 4;
constexpr std::size_t kKept = 10, kPrinted = 3;  ///< scans

using Sources = std::vector<std::optional<AttentionSource>>;  ///< of every position

/// Of every head of every level.
std::vector<std::vector<Sources>> sources_of(const std::vector<AttentionLevel>& levels) {
  std::vector<std::vector<Sources>> all;
  for (const AttentionLevel& level : levels) {
    auto& heads = all.emplace_back();
    for (const AttentionMatrix& head : level.heads) {
      Sources& sources = heads.emplace_back();
      for (std::size_t i = 0; i < head.size(); ++i)
        sources.push_back(attention_source(head[i], i + 1));
    }
  }
  return all;
}

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

RadixCircuit radix_circuit(const std::vector<AttentionLevel>& levels) {
  const std::size_t letters = levels.front().heads.front().size();
  const std::vector<std::vector<Sources>> sources = sources_of(levels);
  RadixCircuit circuit;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    circuit.levels.push_back(levels[level].name);
    std::transform(sources[level].begin(), sources[level].end(),
                   std::back_inserter(circuit.heads.emplace_back()), distance_of);
  }
  std::vector<Radices> scans;
  Radices begun;
  list_radices(letters, levels.size(), 1, begun, scans);
  LevelFits fits(letters, sources);
  for (const Radices& radices : scans) circuit.fits.push_back(fits.of(radices));
  std::stable_sort(circuit.fits.begin(), circuit.fits.end(), fits_better);
  circuit.fits.resize(std::min(kKept, circuit.fits.size()));
  return circuit;
}

nlohmann::ordered_json to_json(const RadixCircuit& circuit) {
  using Json = nlohmann::ordered_json;
  Json levels = Json::array(), scans = Json::array();
  for (std::size_t level = 0; level < circuit.levels.size(); ++level) {
    Json heads = Json::array();
    for (const HeadDistance& head : circuit.heads[level])
      heads.push_back({{"distance", head.distance},
                       {"positions", head.positions},
                       {"of_positions", head.of_positions}});
    levels.push_back({{"name", circuit.levels[level]}, {"heads", heads}});
  }
  for (const RadixFit& fit : circuit.fits)
    scans.push_back({{"radices", fit.radices},
                     {"edges", fit.edges},
                     {"of_edges", fit.of_edges},
                     {"by_chance", fit.by_chance}});
  return {{"levels", levels}, {"scans", scans}};
}

nlohmann::ordered_json circuit_of_result(const std::vector<AttentionLevel>& levels,
                                         std::size_t words) {
  using Json = nlohmann::ordered_json;
  const PrefixCircuit prefix = prefix_circuit(levels);
  const RadixCircuit radix = radix_circuit(levels);
  constexpr auto kDoubling = static_cast<std::size_t>(PrefixPattern::hillis_steele);
  Json list = Json::array();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const PatternFit& fit = prefix.levels[level].fits[kDoubling];
    Json distances = Json::array();
    for (const HeadDistance& head : radix.heads[level]) distances.push_back(head.distance);
    // A level behind the circuit has no positions that read in it.
    const double share = fit.of_positions == 0 ? 0
                                               : static_cast<double>(fit.positions) /
                                                     static_cast<double>(fit.of_positions);
    list.push_back({{"name", levels[level].name},
                    {kDoublingShare, share},
                    {"distances", std::move(distances)}});
  }
  Json circuit = {{"letters", prefix.letters}, {"words", words}, {"levels", std::move(list)}};
  if (!radix.fits.empty())
    circuit["nearest"] = {{"radices", radix.fits.front().radices},
                          {"edges", radix.fits.front().edges},
                          {"of_edges", radix.fits.front().of_edges},
                          {"by_chance", radix.fits.front().by_chance}};
  return circuit;
}

std::string radix_text(const RadixCircuit& circuit) {
  std::string text = "most frequent distance back of every head, and at how many positions:\n";
  for (std::size_t level = 0; level < circuit.levels.size(); ++level) {
    std::vector<std::string> heads;
    for (const HeadDistance& head : circuit.heads[level])
      heads.push_back(head.distance == 0
                          ? "none"
                          : fmt::format("{} ({})", head.distance,
                                        share_text(head.positions, head.of_positions)));
    text += fmt::format("{}: {}\n", circuit.levels[level], joined(heads));
  }
  text += "edges of a scan that some head reads:\n";
  for (std::size_t i = 0; i < std::min(kPrinted, circuit.fits.size()); ++i) {
    const RadixFit& fit = circuit.fits[i];
    text += fmt::format("radices {}: {}, by chance {}\n", radices_text(fit.radices),
                        share_text(fit.edges, fit.of_edges), fixed_text(fit.by_chance, 1));
  }
  return text;
}

}  // namespace logdepth::inline learned_word_problems
