#pragma once

#include <string>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_file {

/// Something that a run in floating point would like to know of the exact numbers of a file, and
/// whether it is proved. N is what precision_facts.hpp calls the size of a run.
struct PrecisionSentence {
  bool proved = false;
  std::string text;  ///< the law, or what there is none for
};

/// For every head that selects: by how much what it selects outscores the rest. For every test: how
/// near its number comes to zero. In the order of the layers, with the names of the program that the
/// file carries; of a file that cannot be proved to be of such a program one sentence that says why.
std::vector<PrecisionSentence> precision_sentences(const Model& model);

}  // namespace logdepth::inline compiler_file
