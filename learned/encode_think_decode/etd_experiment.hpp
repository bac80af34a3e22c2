#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learned/encode_think_decode/presets.hpp"
#include "learned/records/experiment.hpp"

namespace logdepth::inline learned_encode_think_decode {

/// `train etd`: a base, or models of several shapes that go on from one base on the same lines.
class EtdExperiment final : public Experiment {
 public:
  const char* name() const override { return "etd"; }
  const char* help() const override;
  void visit(OptionVisitor& visit) override;
  TrainingPlan runs() const override;

 private:
  /// Of ModelConfig::Router, those that a loop can have.
  enum class LoopRouter { straight_through, mixture, untrained };

  void refuse_options_of_mid_training() const;
  LayerCut cut_of(const PretrainedModel& base) const;
  std::vector<ThinkShape> shapes(const PretrainedModel& base) const;

  bool pretrain_ = false;
  std::string base_, cut_, text_;
  std::vector<std::string> shapes_;
  std::vector<std::uint32_t> loops_;
  std::vector<LoopRouter> routers_;
  std::vector<ShapeSeries> series_;
  EtdSize size_ = EtdSize::small;
};

}  // namespace logdepth::inline learned_encode_think_decode
