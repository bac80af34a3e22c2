#pragma once

#include <memory>
#include <utility>

#include "logdepth/compile.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

struct Transformer::Hidden {
  Model model;
};

inline Transformer transformer_of(Model model) {
  return Transformer(std::make_shared<Transformer::Hidden>(Transformer::Hidden{std::move(model)}));
}

}  // namespace logdepth
