#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cli/progress.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth {

/// Shows the layers of a long run, exact or not.
class LayerProgress : public ForwardObserver<ValueId>, public FloatObserver {
 public:
  explicit LayerProgress(const Model& model) : model_(model) {}
  void set_size(std::uint64_t size) { sublayers_ = 2 * depth_at(model_, size); }
  void after(const Location& location, const Stream<ValueId>&) override { show(location); }
  bool after(const Location& location, const std::function<FloatStream()>&) override {
    show(location);
    return true;
  }

 private:
  void show(const Location& location) {
    progress_.update(2 * location.step - (location.sublayer == Sublayer::attention ? 1 : 0),
                     sublayers_);
  }

  const Model& model_;
  Progress progress_{"run", "sublayers"};
  std::size_t sublayers_ = 0;
};

}  // namespace logdepth
