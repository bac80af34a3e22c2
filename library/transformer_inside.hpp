#pragma once

#include "logdepth/compile.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

struct Transformer::Hidden {
  Model model;
};

}  // namespace logdepth
