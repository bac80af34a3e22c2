#include "learned/word_problems/prefix_circuit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/number_text.hpp"
#include "base/phrases.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

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

std::vector<std::optional<AttentionSource>> sources_of(const AttentionMatrix& attention) {
  std::vector<std::optional<AttentionSource>> sources;
  for (std::size_t i = 0; i < attention.size(); ++i)
    sources.push_back(attention_source(attention[i], i + 1));
  return sources;
}

/// Positions that read what the pattern says, and how many it says something of.
std::pair<std::size_t, std::size_t> fitting(
    PrefixPattern pattern, std::size_t level,
    const std::vector<std::optional<AttentionSource>>& sources) {
  std::size_t fit = 0, of = 0;
  for (std::size_t position = 1; position <= sources.size(); ++position)
    if (const auto expected = pattern_source(pattern, level, position)) {
      ++of;
      const auto& source = sources[position - 1];
      fit += source && source->position == *expected;
    }
  return {fit, of};
}

CircuitLevel circuit_level(const AttentionLevel& attention, std::size_t level) {
  CircuitLevel result{
      attention.name, attention.note, sources_of(mean_of_heads(attention.heads)), {}};
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p) {
    PatternFit& fit = result.fits[p];
    std::tie(fit.positions, fit.of_positions) = fitting(kPrefixPatterns[p], level, result.sources);
    for (const AttentionMatrix& head : attention.heads) {
      const auto [heads, of] = fitting(kPrefixPatterns[p], level, sources_of(head));
      fit.heads += heads;
      fit.of_heads += of;
    }
  }
  return result;
}

double share(const PatternFit& fit) {
  return fit.of_positions == 0
             ? 0
             : static_cast<double>(fit.positions) / static_cast<double>(fit.of_positions);
}

const char* possessive(PrefixPattern pattern) {
  return pattern == PrefixPattern::sklansky ? "Sklansky's" : "Hillis and Steele's";
}

}  // namespace

const char* pattern_name(PrefixPattern pattern) {
  return pattern == PrefixPattern::sklansky ? "Sklansky" : "Hillis-Steele";
}

std::optional<std::size_t> pattern_source(PrefixPattern pattern, std::size_t level,
                                          std::size_t position) {
  if (level > 62) return std::nullopt;  // no word is so long
  const std::size_t half = std::size_t{1} << (level - 1), before = position - 1;
  if (pattern == PrefixPattern::hillis_steele)
    return position > half ? std::optional(position - half) : std::nullopt;
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
  for (const AttentionLevel& level : levels)
    circuit.levels.push_back(circuit_level(level, circuit.levels.size() + 1));
  const auto doublings = static_cast<std::size_t>(std::bit_width(circuit.letters - 1));
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p)
    for (std::size_t level = 1; level <= doublings; ++level) {
      PatternFit& all = circuit.fits[p];
      if (level <= levels.size()) {
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
  return circuit;
}

std::string circuit_name(const PrefixCircuit& circuit) {
  const double sklansky = share(circuit.fits[0]), hillis_steele = share(circuit.fits[1]);
  const double most = std::max(sklansky, hillis_steele);
  if (most < kNamedFrom) return "neither Sklansky's nor Hillis and Steele's prefix circuit";
  if (sklansky == hillis_steele) return "Sklansky's and Hillis and Steele's prefix circuit alike";
  return std::string(possessive(kPrefixPatterns[sklansky == most ? 0 : 1])) + " prefix circuit";
}

nlohmann::ordered_json to_json(const PrefixCircuit& circuit) {
  using Json = nlohmann::ordered_json;
  const auto fits_json = [](const PatternFits& fits) {
    Json json;
    for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p)
      json[pattern_name(kPrefixPatterns[p])] = {{"positions", fits[p].positions},
                                                {"of_positions", fits[p].of_positions},
                                                {"heads", fits[p].heads},
                                                {"of_heads", fits[p].of_heads}};
    return json;
  };
  Json levels = Json::array();
  for (const CircuitLevel& level : circuit.levels) {
    Json sources = Json::array();
    for (std::size_t i = 0; i < level.sources.size(); ++i)
      if (const auto& source = level.sources[i])
        sources.push_back(
            {{"position", i + 1}, {"reads", source->position}, {"attention", source->attention}});
    levels.push_back({{"name", level.name},
                      {"note", level.note},
                      {"sources", sources},
                      {"fits", fits_json(level.fits)}});
  }
  Json json = {{"name", circuit_name(circuit)},
               {"letters", circuit.letters},
               {"fits", fits_json(circuit.fits)}};
  for (std::size_t p = 0; p < kPrefixPatterns.size(); ++p)
    json["fits"][pattern_name(kPrefixPatterns[p])]["by_chance"] = circuit.by_chance[p];
  json["levels"] = std::move(levels);
  return json;
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
  return text;
}

}  // namespace logdepth::inline learned_word_problems
