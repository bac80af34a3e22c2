#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "learned/records/network_settings.hpp"

namespace logdepth::inline learned_relit {

/// A recursive block on the states of a frozen language model (Panwar, Singh and Bansal, "Think
/// Deep, Speak Once", ReLIT): x are the states, y the answer, z the scratchpad, all of the language
/// model's width. A latent step is h = W_c [x; y; z] + e_step, z = norm(z + R(h)); after
/// `latent_steps` of them y = norm(y + W_y [y; z]), which is a recursion. A macro step is
/// `recursions` of them, the last one with gradient, then the loss and a step of the optimiser.
///
/// What the paper leaves open, or says twice, is a setting; the defaults are those of the text
/// rather than the pseudocode, sizes those of a CPU.
struct RelitSettings final : NetworkSettings {
  enum class States {
    last,       ///< of the last layer, after its norm
    embedding,  ///< what the language model reads, without its layers
    random      ///< of the last layer, all weights of the language model drawn anew
  };
  enum class ZStart {
    gaussian,  ///< a learned mean and deviation per channel; the mean when it is measured
    zero,
    from_x
  };
  enum class UpdateY {
    linear,  ///< W_y [y; z]
    block    ///< R (W_y [y; z])
  };
  enum class Head { frozen, trainable };
  enum class Probe {
    none,
    linear  ///< y = W x + b in place of the recursive block
  };

  std::string backbone;  ///< the language model: a GGUF file, a folder, or the folder of a run
  States states = States::last;
  std::string states_folder;      ///< where states are kept; empty: the user's cache folder
  std::uint32_t state_batch = 8;  ///< samples that the language model reads at once
  std::uint32_t macro_steps = 3, recursions = 2, latent_steps = 2;
  std::uint32_t layers = 1, heads = 4;
  std::uint32_t hidden = 0;  ///< of R's SwiGLU; 0: 8/3 of the width, rounded up to 64
  ZStart z_start = ZStart::gaussian;
  UpdateY update_y = UpdateY::linear;
  bool y_every_latent = false;    ///< y after every latent step, as in the pseudocode
  bool subtract_input = false;    ///< z = norm(z + R(h) - h): R's residuals are not added again
  bool replace = false;           ///< z = norm(R(h)), without the residual refinement
  bool through_time = false;      ///< the gradient passes all recursions of all macro steps
  bool deep_supervision = true;   ///< a loss after every macro step; else after the last
  bool halting = true;            ///< a head that says when the answer is right
  double halting_weight = 0.1;    ///< of its loss
  std::uint32_t least_steps = 2;  ///< macro steps before a sample may halt
  double loss_epsilon = 1e-3;  ///< a batch ends when its loss changes by less, relatively; 0: never
  Head head = Head::frozen;
  std::uint32_t adapters = 0;    ///< rank of the language model's adapters; 0: none
  bool cross_attention = false;  ///< to the prompt's embeddings in every latent step
  Probe probe = Probe::none;

  const char* kind() const override { return "relit"; }
  std::unique_ptr<NetworkSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  void validate(const RunConfig& config) const override;
};

}  // namespace logdepth::inline learned_relit
