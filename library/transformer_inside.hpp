#pragma once

#include <memory>
#include <utility>

#include "logdepth/compile.hpp"
#include "runtime/file/model_rules.hpp"

namespace logdepth {

struct Transformer::Hidden {
  CheckedModel model;
};

inline Transformer transformer_of(CheckedModel model) {
  return Transformer(std::make_shared<Transformer::Hidden>(Transformer::Hidden{std::move(model)}));
}

}  // namespace logdepth
