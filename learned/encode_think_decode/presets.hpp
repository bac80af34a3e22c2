#pragma once

#include <string>

#include "learned/encode_think_decode/pretrained_model.hpp"
#include "learned/encode_think_decode/think_shape.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_encode_think_decode {

/// Encode-Think-Decode: a base is trained as a plain language model, then trained on ("mid-training")
/// with a block of its layers passed several times.

enum class EtdSize {
  small,  ///< for a CPU: 8 layers of width 96, 1200 steps and 300 of mid-training
  large   ///< for a GPU: 12 layers of width 512, 10000 steps and 1500
};

/// The base: the shape of OLMo 2 (norms behind the sublayers, norms of queries and keys over all
/// heads, gated feed-forward layers, rotary positions of base 5e5, no biases, a readout of its own).
RunConfig etd_base(EtdSize size);

/// Mid-training on from a model, on the own corpus or, if not empty, on a file of JSON lines. The
/// data order depends on the seed only. Errors: InputError where shape or corpus do not fit the
/// model.
RunConfig etd_middle(const PretrainedModel& base, const ThinkShape& shape, EtdSize size,
                     const std::string& text);

}  // namespace logdepth::inline learned_encode_think_decode
