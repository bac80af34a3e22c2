#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learned/language_model/layer_cut.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_encode_think_decode {

/// What a pretrained model of N_E + N_T + N_D layers becomes: its think block of N_T layers is
/// passed several times.
struct ThinkShape {
  enum class Block {
    looped,   ///< N_E-N_T*k-N_D: the same layers k times
    untied,   ///< N_E-N_T+N_T-N_D: layers of their own, which begin as the same k times
    adaptive  ///< a router says for every token when it is done, after `passes` at most in training
  };
  std::uint32_t encoder = 0, think = 1, decoder = 0;
  Block block = Block::looped;
  std::uint32_t passes = 1;
  ModelConfig::Router router = ModelConfig::Router::none;  ///< of adaptive

  std::uint32_t layers() const { return encoder + think + decoder; }
  bool operator==(const ThinkShape&) const = default;
};

/// A cut with its block looped.
ThinkShape looped_shape(const LayerCut& cut, std::uint32_t passes);
/// "3-2*2-3" or "3-2x2-3", "3-2-3" (once), "3-2+2-3" (untied, as many times as it is written).
/// Errors: InputError naming `option`, also for a block of no layers or no passes.
ThinkShape parse_think_shape(const std::string& text, const std::string& option);
/// A cut "3-2-3". Errors: as above.
LayerCut parse_layer_cut(const std::string& text, const std::string& option);
/// As folders are called: "3-2x2-3", "3-2+2-3", "3-2-3-straight-through".
std::string shape_name(const ThinkShape& shape);
const char* router_name(ModelConfig::Router router);

/// Gives a run that begins as a plain model of `layers` layers this shape, and nothing else.
/// Precondition: config.model is that model. Errors: InputError where the shape has other layers.
void set_think_shape(RunConfig& config, const ThinkShape& shape);

/// The paper's comparisons, scaled to the layers of a cut. Each begins with the block passed once,
/// which everything is compared with.
enum class ShapeSeries {
  loops,         ///< k = 1 ... 5 (table 2)
  position,      ///< a block of the same size looped twice, further and further behind (table 7)
  size,          ///< smaller and larger blocks around the same middle, looped twice (table 9)
  alternatives,  ///< all layers twice, all but two at either end twice (table 4)
  untied,        ///< the block twice, and twice with layers of its own (table 5)
  adaptive       ///< k = 1 ... 5, and a router of every kind (figure 4)
};
std::vector<ThinkShape> series_shapes(ShapeSeries series, const LayerCut& cut);
/// The most passes of an adaptive loop in training.
inline constexpr std::uint32_t kAdaptivePasses = 10;

}  // namespace logdepth::inline learned_encode_think_decode
