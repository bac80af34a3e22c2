#include <fmt/core.h>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/latent_reasoning/circuit_probes.hpp"
#include "learned/latent_reasoning/published.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

constexpr const char* kProbesIntroduction =
    R"(# Circuits of a discrete latent model

Measured at the token of the sum of `x_a + x_b + ... = x_r`, an equation at the end of a text in which all operands are known.
Numbers marked "published" are those of the paper (two layers of 16 heads, addition modulo 23); all others are measured on

`{}` (modulo {}, {}, {}).

![relative variance of heads, shares of frequencies](latent-reasoning-probe.svg)
)";

std::string head_list(const std::vector<std::uint32_t>& heads) {
  std::vector<std::string> texts;
  for (const std::uint32_t head : heads) texts.push_back(std::to_string(head));
  return texts.empty() ? "none" : joined(texts);
}

std::string group_table(const std::vector<HeadGroup>& groups) {
  std::string text =
      "\n" + markdown_headings({"reads", "heads", "syntax", "variable", "operation", "value"}, 2);
  for (const HeadGroup& group : groups) {
    std::vector<std::string> cells = {group.reads, head_list(group.heads)};
    for (const double amplification : group.amplification)
      cells.push_back(group.heads.empty() ? "–" : fixed_text(amplification, 2));
    text += markdown_row(cells);
  }
  return text;
}

std::string published_groups(std::uint32_t layer) {
  std::vector<std::string> texts;
  for (const latent::PublishedHeadGroup& group : latent::published_head_groups(layer))
    texts.push_back(group.attends_to + ": " + head_list(group.heads));
  return joined(texts, "; ");
}

std::string layers_text(const CircuitProbes& probes) {
  std::string text = fmt::format(R"(
## Heads

A head reads what changes at least {} of its output when it alone changes (tr Cov / E |out|², {} texts). For each
group of heads, the table gives by how much they together stretch the embeddings of each factor.
)",
                                 short_text(kReadsThreshold, 2), probes.texts);
  for (std::size_t layer = 0; layer < probes.layers.size(); ++layer) {
    const LayerCircuit& circuit = probes.layers[layer];
    text += fmt::format("\nLayer {}, names changed:\n{}\nLayer {}, values changed:\n{}", layer + 1,
                        group_table(circuit.by_name), layer + 1, group_table(circuit.by_value));
  }
  text += fmt::format(R"(
Published: layer 1, {}; layer 2, {}. Amplification in layer 1 about 15 of variables and 5 of other factors; values dominate in
layer 2.

The first feed-forward layer changes the state by {} of its norm (published: little).
)",
                      published_groups(1), published_groups(2),
                      percent_text(probes.layers.front().change));
  const CosineSummary cosines = summary_of_cosines(probes);
  text += "\nValues as the last layer copies them: ";
  if (cosines.operands == 0) return text + "no head reads one.\n";
  std::vector<std::string> within;
  for (const double cosine : cosines.within) within.push_back(fixed_text(cosine, 2));
  text +=
      fmt::format("cosine of v and v + d of one operand, d = 0, 1, ...: {} (published: periodic)",
                  joined(within));
  if (cosines.operands > 1)
    text += fmt::format("; mean |cosine| between operands {} (published: almost orthogonal)",
                        fixed_text(cosines.between, 2));
  return text + ".\n";
}

std::string fourier_text(const CircuitProbes& probes) {
  std::string text = R"(
## Frequencies of the addition

The last feed-forward layer and the answer as tables over all values of the operands, Fourier transformed: the share of each
class of frequencies in the power beyond the constant, in brackets the mean norm. An exact sum has equal frequencies only.

)";
  std::vector<std::string> cells = {"frequencies", "number"};
  for (const FourierPlace& place : probes.fourier) cells.push_back(place.place);
  text += markdown_headings(cells, 1);
  for (std::size_t i = 0; i < probes.fourier.front().classes.size(); ++i) {
    const FourierPlace::Class& first = probes.fourier.front().classes[i];
    cells = {first.frequencies, std::to_string(first.count)};
    for (const FourierPlace& place : probes.fourier)
      cells.push_back(fmt::format("{} ({})", i == 0 ? "–" : fixed_text(place.classes[i].share, 3),
                                  short_text(place.classes[i].norm, 3)));
    text += markdown_row(cells);
  }
  return text +
         "\nPublished: the class of equal frequencies grows from the activation to the output.\n";
}

std::string errors_text(const CircuitProbes& probes) {
  const ErrorSources& errors = probes.errors;
  std::string text = fmt::format(R"(
## Where errors come from

Sums of {} of {}, each computed once from an exact state: {} are wrong.

)",
                                 counted(errors.graphs, "graph"), counted(errors.nodes, "node"),
                                 share_text(errors.wrong, errors.equations));
  text += markdown_headings({"source", "ours", "published"}, 1);
  const auto row = [&](const std::string& source, std::size_t ours, const std::string& published) {
    text += markdown_row({source, std::to_string(ours), published});
  };
  row(fmt::format("attention of the first layer, below {} at an operand", short_text(kAttended, 2)),
      errors.first_attention, std::to_string(latent::kPublishedErrors.first_attention));
  row(fmt::format("copy by the last layer, cosine below {}", short_text(kCopied, 2)), errors.copy,
      std::to_string(latent::kPublishedErrors.second_copy));
  row("calculation by the last feed-forward layer", errors.calculation,
      std::to_string(latent::kPublishedErrors.calculation));
  row("not judged, no head reads the value of an operand", errors.not_judged, "–");
  return text + fmt::format("\nPublished: {} errors in {} sentences at N = 128.\n",
                            latent::kPublishedErrors.total, latent::kPublishedErrors.sentences);
}

}  // namespace

std::string circuit_probes_markdown(const nlohmann::ordered_json& json) {
  const CircuitProbes probes = circuit_probes_from_json(json);
  return fmt::format(kProbesIntroduction, probes.run, probes.modulus,
                     counted(probes.operands, "operand"), counted(probes.layers.size(), "layer")) +
         layers_text(probes) + fourier_text(probes) + errors_text(probes);
}

}  // namespace logdepth::inline learned_latent_reasoning
