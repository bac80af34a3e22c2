#pragma once

// The folder of a training run of a text task, as a language model to read: all weights are zero.

#include <filesystem>
#include <string>

#include "learned/language_model/parameter_names.hpp"
#include "learned/records/run_record.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::support {

inline void write_plain_run(const RunConfig& config, const std::string& folder) {
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/config.json";
  write_whole_file(file, to_json(config).dump(1));
  LanguageModelSettings settings = settings_of(config, file);
  settings.vocabulary = static_cast<std::uint32_t>(config.task->text_tokens()->words.size());
  SafeTensors weights;
  for (const NamedParameter& parameter : named_parameters(settings, TensorNames::run))
    for (const NamedParameter::Part& part : parameter.parts) {
      std::size_t bytes = 4;
      for (const std::uint64_t size : part.shape) bytes *= size;
      weights.arrays[part.tensor] = {"F32", part.shape, std::string(bytes, '\0')};
    }
  RunRecord record;
  record.config = config;
  write_run_record(record, folder + "/" + kRecordFile);
  write_safetensors(weights, folder + "/" + kWeightsFile);
}

}  // namespace logdepth::support
