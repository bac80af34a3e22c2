#include "learned/core/loss_history.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_core {
namespace {

constexpr const char* kHeader = "step,seconds,stage,loss,accuracy,tokens\n";
constexpr std::uint64_t kMostRows = 4000;

}  // namespace

LossHistory::LossHistory(std::string folder, const TrainingConfig& training,
                         const TrainingState& state)
    : file_(std::move(folder) + kLossesFile), text_(kHeader) {
  const std::uint64_t readings = std::max<std::uint64_t>(1, training.steps / training.read_every);
  every_ = training.read_every * ((readings + kMostRows - 1) / kMostRows);
  if (state.step == 0 || !std::filesystem::exists(file_)) return;
  std::istringstream before(read_whole_file(file_));
  std::string line;
  std::getline(before, line);
  while (std::getline(before, line)) {
    std::uint64_t step = 0;
    const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), step);
    if (failure == std::errc() && step <= state.step) text_ += line + "\n";
  }
}

void LossHistory::add(const TrainingState& state, const std::string& stage) {
  if (state.step % every_ != 0) return;
  text_ += fmt::format("{},{:.1f},{},{:.6g},{:.4f},{}\n", state.step, state.seconds, stage,
                       state.loss, state.accuracy, state.tokens);
}

void LossHistory::write() const {
  write_whole_file(file_, text_);
}

}  // namespace logdepth::inline learned_core
