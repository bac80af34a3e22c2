#pragma once

#include <gtest/gtest.h>

#include <string>

#include "learned/language_model/model_file.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"

namespace logdepth::support {

/// The sentence with which a model is refused, without its folder; empty when it is read.
inline std::string model_refusal(const runtime_file::TemporaryFolder& folder,
                                 const std::string& path) {
  try {
    const LanguageModelFile file(path);
    for (const auto& parameter : file.parameters()) file.values(parameter);
    return "";
  } catch (const InputError& error) {
    std::string sentence = error.what();
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    for (std::size_t at; (at = sentence.find(folder.path())) != std::string::npos;)
      sentence.erase(at, folder.path().size() + 1);
    return sentence;
  }
}

}  // namespace logdepth::support
