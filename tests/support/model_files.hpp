#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/training_config.hpp"

/// Small language models as bytes, written without the readers' code.
namespace logdepth::support {

/// The least so many bytes of a number, little-endian.
std::string little_endian(std::uint64_t value, std::size_t bytes);
std::string float_bytes(float value);
std::string floats_bytes(const std::vector<float>& values);
/// Numbers that are all different: `first`, `first` + 1/64, ...: F32, BF16 (rounded down) and sums
/// of few of them are exact.
std::vector<float> counted_floats(std::size_t count, float first);

struct SampleTensor {
  std::string name;
  std::vector<std::uint64_t> shape;  ///< row-major
  std::string type = "F32";
  std::string bytes;
};
SampleTensor f32_tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
                        float first);
/// The tensor of this name; it must be there.
SampleTensor& named(std::vector<SampleTensor>& tensors, const std::string& name);

/// Header and arrays, one after the other.
std::string safetensors_bytes(const std::vector<SampleTensor>& tensors);
/// Any header before any data.
std::string safetensors_bytes(const std::string& header, const std::string& data);

/// A value of GGUF metadata with its type in front.
std::string gguf_number(std::uint32_t value);
std::string gguf_real(float value);
std::string gguf_text(const std::string& text);
/// A text, with its length in front.
std::string gguf_string(const std::string& text);
using GgufMetadata = std::vector<std::pair<std::string, std::string>>;
std::string gguf_bytes(const GgufMetadata& metadata, const std::vector<SampleTensor>& tensors,
                       std::uint64_t alignment = 32);

/// A llama of 2 layers, 4 heads of width 8, 2 of them for keys and values, 64 hidden channels and 5
/// tokens, tied: every number is different. Named as in GGUF files, its rows as their writer turns
/// them; and the same model named as Hugging Face does.
GgufMetadata small_gguf_metadata();
std::vector<SampleTensor> small_gguf_tensors();
nlohmann::json small_llama_config();
std::vector<SampleTensor> small_llama_tensors();
/// The same shape as olmo2, with a readout of its own.
nlohmann::json small_olmo2_config();
std::vector<SampleTensor> small_olmo2_tensors();
/// A run on the own lines of encode-think-decode: 1 initial layer, 2 repeated ones three times, 1
/// final, width 8, olmo2's norms. Numbers are different.
RunConfig small_run_config();
std::vector<SampleTensor> small_run_tensors();

}  // namespace logdepth::support
