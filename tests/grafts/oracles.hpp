#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::grafts {

/// An exact run on the general path, every number of which is kept.
class WatchedRun final : public ForwardObserver<ValueId> {
 public:
  using Moment = std::pair<std::size_t, Sublayer>;  ///< step
  struct Numbers {
    std::vector<Real> of_token;         ///< token by token
    std::optional<std::string> broken;  ///< the first contract that was broken so far
  };

  /// Keeps a reference.
  explicit WatchedRun(const Model& model)
      : runner_(model, std::size_t{1} << 30), contracts_(model, runner_.arithmetic()) {}

  void run(const Tokens& tokens) {
    moments.clear();
    contracts_.clear_broken();
    stream.emplace(runner_.run(tokens, {&contracts_, this}));
  }
  std::optional<std::string> broken() const { return contracts_.broken(); }
  Runner& runner() { return runner_; }

  std::map<Moment, Numbers> moments;
  std::optional<Outcome<Stream<ValueId>>> stream;

 private:
  void after(const Location& location, const Stream<ValueId>& now) override {
    Numbers& numbers = moments[{location.step, location.sublayer}];
    numbers.broken = contracts_.broken();
    for (std::size_t token = 0; token < now.tokens; ++token)
      for (std::uint32_t c = 0; c < runner_.model().width; ++c)
        numbers.of_token.push_back(runner_.arithmetic().pool()[now.at(token, c)]);
  }

  Runner runner_;
  ContractCheck contracts_;
};

/// What happened, and how often.
using Counts = std::map<std::string, std::uint64_t>;

/// A number, an answer or a contract that is wrong, and the file.
struct Wrong {
  std::string sentence;
  Model model;
};

/// The file of a seed, grown by what columns accept, by columns and on the general path: every number of
/// every token after every sublayer, every logit, every contract. Errors: what ends the work.
std::optional<Wrong> wrong_column(std::uint64_t seed, Counts& counts);

/// The file of a seed, its weights drawn to the ends of the formats, in five arithmetics and exactly: every
/// number of every token within its bound after every sublayer, and certified answers. Errors: as above.
std::optional<Wrong> wrong_float(std::uint64_t seed, Counts& counts);

}  // namespace logdepth::grafts
