#include "learned/latent_reasoning/circuit_probes.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <tuple>

namespace logdepth::inline learned_latent_reasoning {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
struct Member {
  const char* name;
  T& value;
};
template <class T>
Member<T> member(const char* name, T& value) {
  return {name, value};
}

template <class T, class Plain>
concept Maybe = std::same_as<std::remove_const_t<T>, Plain>;

// The members of every result that is written, under their names.
auto members(Maybe<HeadVariance> auto& v) {
  return std::tuple(member("name", v.name), member("result", v.result), member("value", v.value));
}
auto members(Maybe<HeadGroup> auto& v) {
  return std::tuple(member("reads", v.reads), member("heads", v.heads),
                    member("amplification", v.amplification));
}
auto members(Maybe<LayerCircuit> auto& v) {
  return std::tuple(member("variance", v.variance), member("by_name", v.by_name),
                    member("by_value", v.by_value), member("change", v.change));
}
auto members(Maybe<FourierPlace::Class> auto& v) {
  return std::tuple(member("frequencies", v.frequencies), member("count", v.count),
                    member("norm", v.norm), member("share", v.share));
}
auto members(Maybe<FourierPlace> auto& v) {
  return std::tuple(member("place", v.place), member("classes", v.classes));
}
auto members(Maybe<ErrorSources> auto& v) {
  return std::tuple(member("nodes", v.nodes), member("graphs", v.graphs),
                    member("equations", v.equations), member("wrong", v.wrong),
                    member("first_attention", v.first_attention), member("copy", v.copy),
                    member("calculation", v.calculation), member("not_judged", v.not_judged));
}
auto members(Maybe<CircuitProbes> auto& v) {
  return std::tuple(member("run", v.run), member("modulus", v.modulus),
                    member("operands", v.operands), member("texts", v.texts),
                    member("layers", v.layers), member("fourier", v.fourier),
                    member("errors", v.errors), member("cosines", v.cosines));
}
template <class T>
concept HasMembers = requires(T& value) {
  members(value);
};

}  // namespace

// Found by the JSON library.
template <HasMembers T>
void to_json(Json& json, const T& value) {
  std::apply([&](const auto&... each) { ((json[each.name] = each.value), ...); }, members(value));
}
template <HasMembers T>
void from_json(const Json& json, T& value) {
  std::apply([&](const auto&... each) { (json.at(each.name).get_to(each.value), ...); },
             members(value));
}

nlohmann::ordered_json to_json(const CircuitProbes& probes) {
  return Json(probes);
}

CircuitProbes circuit_probes_from_json(const nlohmann::ordered_json& json) {
  return json.get<CircuitProbes>();
}

std::vector<std::vector<std::uint32_t>> head_groups(
    const std::vector<std::vector<double>>& variance) {
  std::vector<std::vector<std::uint32_t>> groups(variance.size() + 1);
  for (std::uint32_t head = 0; head < variance.front().size(); ++head) {
    std::size_t largest = 0;
    for (std::size_t thing = 1; thing < variance.size(); ++thing)
      if (variance[thing][head] > variance[largest][head]) largest = thing;
    const bool reads = variance[largest][head] >= kReadsThreshold;
    groups[reads ? largest : variance.size()].push_back(head);
  }
  return groups;
}

CosineSummary summary_of_cosines(const CircuitProbes& probes) {
  const std::size_t values = probes.modulus, block = values + 2;
  const auto cosine = [&](std::size_t i, std::size_t v, std::size_t j, std::size_t w) {
    return probes.cosines[i * block + v][j * block + w];
  };
  std::vector<std::size_t> read;
  for (std::size_t i = 0; i < probes.operands; ++i)
    if (!probes.layers.back().by_value[i].heads.empty()) read.push_back(i);
  CosineSummary summary;
  summary.operands = read.size();
  summary.within.assign(values / 2 + 1, 0);
  const auto operands = static_cast<double>(read.size()), count = static_cast<double>(values);
  for (const std::size_t i : read)
    for (std::size_t v = 0; v < values; ++v) {
      for (std::size_t d = 0; d < summary.within.size(); ++d)
        summary.within[d] += cosine(i, v, i, (v + d) % values) / (operands * count);
      for (const std::size_t j : read)
        for (std::size_t w = 0; i != j && w < values; ++w)
          summary.between +=
              std::abs(cosine(i, v, j, w)) / (operands * (operands - 1) * count * count);
    }
  return summary;
}

}  // namespace logdepth::inline learned_latent_reasoning
