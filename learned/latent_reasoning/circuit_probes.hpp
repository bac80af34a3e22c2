#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/latent_reasoning/factored_tokens.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// What the probes of the paper (section 4, appendix E) find in a discrete model, at the sum of
/// `x_a + x_b + x_c = x_r` unless said otherwise. "logdepth-train --inspect" writes it as JSON with
/// the names used here; `report latent-reasoning --probe` shows it.

/// Of every head: tr Cov(out) / E |out|^2, where out is what the head adds to the state at the sum,
/// its bias aside, and one thing changes. 1: the output says that thing and nothing else; 0: nothing
/// of it, or the output is zero.
struct HeadVariance {
  std::vector<std::vector<double>> name;   ///< [operand, head], with the name of the operand
  std::vector<double> result;              ///< [head], with the name of the sum
  std::vector<std::vector<double>> value;  ///< [operand, head], with the value of the operand
};

/// Heads that read one thing, and the mean of |W x| / |x| over the embeddings x of each factor that
/// mean something (no N/A, empty or padding), W the sum of W_O W_V over these heads.
struct HeadGroup {
  std::string reads;  ///< "operand 0", ..., "result" or "other"
  std::vector<std::uint32_t> heads;
  std::array<double, kFactors> amplification{};
};

struct LayerCircuit {
  HeadVariance variance;
  std::vector<HeadGroup> by_name;   ///< one for each operand, "result", "other"
  std::vector<HeadGroup> by_value;  ///< one for each operand, "other"
  double change = 0;  ///< mean of |after - before| / |before| of the feed-forward layer
};

/// A group needs this relative variance; a head is in the group of its largest.
inline constexpr double kReadsThreshold = 0.5;
/// For each row of `variance` [thing, head] the heads that read it, then those that read nothing.
std::vector<std::vector<std::uint32_t>> head_groups(
    const std::vector<std::vector<double>>& variance);

/// The table of a vector over all values of the operands, by frequency (discrete Fourier transform
/// modulo p, orthonormal, the norm taken over the channels).
struct FourierPlace {
  std::string place;
  struct Class {
    std::string frequencies;  ///< as FrequencyClasses names them
    std::size_t count = 0;
    double norm = 0;   ///< mean norm
    double share = 0;  ///< of the power beyond the constant; of the constant, of all power
  };
  std::vector<Class> classes;
};

/// Where the wrong sums of graphs without a probe equation come from.
struct ErrorSources {
  std::uint32_t nodes = 0;  ///< of each graph
  std::size_t graphs = 0;
  std::size_t equations = 0;  ///< with operands, each asked for once, from an exact state
  std::size_t wrong = 0;
  /// The heads of the first layer that read the name of an operand attend to it by less than .9.
  std::size_t first_attention = 0;
  /// Else: what the heads of the last layer that read the value of an operand add has a cosine
  /// below .9 with what they add in probe equations for this value, the mean over values taken off
  /// both.
  std::size_t copy = 0;
  std::size_t calculation = 0;  ///< else
  /// Wrong ones without an error of attention where the last layer has no heads for some operand.
  std::size_t not_judged = 0;
};
inline constexpr double kAttended = 0.9, kCopied = 0.9;

struct CircuitProbes {
  std::string run;  ///< its folder
  std::uint32_t modulus = 0, operands = 0;
  std::size_t texts = 0;  ///< probe texts of which each thing was changed
  std::vector<LayerCircuit> layers;
  /// Cosines of the new values W value(v), W that of the heads of the last layer that read the
  /// value of operand i: rows and columns (i, v), v running fastest over the values, N/A, empty; 0
  /// where there are no heads.
  std::vector<std::vector<double>> cosines;
  std::vector<FourierPlace> fourier;
  ErrorSources errors;
};

nlohmann::ordered_json to_json(const CircuitProbes& probes);
/// Precondition: made by the above.
CircuitProbes circuit_probes_from_json(const nlohmann::ordered_json& json);

/// What the cosines say in short, of the operands whose values are read by heads of the last layer.
struct CosineSummary {
  std::size_t operands = 0;    ///< how many there are; without any all means are 0
  double between = 0;          ///< mean |cosine| of values of different operands
  std::vector<double> within;  ///< mean cosine of v and v + d of one operand, d = 0 ... modulus / 2
};
CosineSummary summary_of_cosines(const CircuitProbes& probes);

/// As a page, and as a picture: head groups of the first and the last layer, Fourier shares. The
/// same JSON gives the same bytes.
std::string circuit_probes_markdown(const nlohmann::ordered_json& json);
std::string circuit_probes_svg(const nlohmann::ordered_json& json);

}  // namespace logdepth::inline learned_latent_reasoning
