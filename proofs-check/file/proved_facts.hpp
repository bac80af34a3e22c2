#pragma once

#include <string>

#include "runtime/file/model.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth {

/// What may be taken for granted about the exact numbers of a weights file.
struct ProvedFacts {
  PrecisionFacts facts;
  std::string note;  ///< why nothing is known; empty where the facts are proved
};

/// No hash protects what stands in `derived`. So the program that the file carries is compiled
/// again: if that gives the file's weights, what the compiler proves of them holds; otherwise
/// nothing is taken for granted.
ProvedFacts proved_facts(const Model& model);

}  // namespace logdepth
