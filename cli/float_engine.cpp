#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/layer_progress.hpp"
#include "cli/run_engine.hpp"
#include "compiler/file/carried_program.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/float_text.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth {
namespace {

class FloatEngine final : public RunEngine {
 public:
  FloatEngine(const Model& model, const FloatOptions& options)
      : model_(model),
        program_(model, Trust::recompiled),
        runner_(model, program_.facts(), options),
        progress_(model) {}

  void begin(const nlohmann::json&) override {}
  std::optional<Refusal> run(const Tokens& tokens) override {
    confidence_ = {};
    progress_.set_size(tokens.size);
    auto stream = runner_.run(tokens, {&progress_});
    if (!stream.has_value()) return stream.refusal();
    stream_ = std::move(stream).value();
    total_ += runner_.statistics();
    return std::nullopt;
  }
  std::size_t tokens() const override { return stream_.tokens; }
  Outcome<bool> accepts(std::size_t token) override {
    return plain(runner_.accepts(stream_, token));
  }
  Outcome<bool> connected(std::size_t source, std::size_t target) override {
    return plain(runner_.connected(stream_, source, target));
  }
  Outcome<PrefixAnswer> prefix(std::size_t letter) override {
    return plain(runner_.prefix(stream_, first_letter(model_) + letter));
  }
  Outcome<std::vector<std::string>> logits(std::size_t token) override {
    std::vector<std::string> texts;
    for (const FloatNumber& logit : plain_numbers(token))
      texts.push_back(shortest_text(logit.value));
    return texts;
  }
  std::optional<std::string> left_field() const override { return std::nullopt; }
  std::optional<Confidence> certificate() const override { return confidence_; }
  /// A promise that is not seen to be kept takes the certificate away; what broke it, if anything
  /// did, is for an exact run to say.
  std::optional<std::string> broken_promise() const override { return std::nullopt; }
  void finish() override {}

  void report(nlohmann::json& out, bool statistics) const override {
    out["facts"] = proved() ? "proved" : program_.reason();
    out["promises"] = {{"confirmed", total_.promises_kept}, {"unread", total_.promises_unread}};
    if (!statistics) return;
    const FloatStatistics& s = total_;
    out["statistics"] = {{"rows", s.rows},
                         {"single", s.single},
                         {"ties", s.ties},
                         {"alike", s.alike},
                         {"ambiguous", s.ambiguous},
                         {"tests", s.tests},
                         {"open_tests", s.open_tests},
                         {"scores", s.scores}};
  }
  void print_statistics(std::ostream& out) const override {
    const FloatStatistics& s = total_;
    out << "attention: " << s.rows << " rows: in " << s.single << " one score stands out, "
        << s.ties << " tie, " << s.alike << " average equal values, " << s.ambiguous
        << " ambiguous\n"
        << "scores: " << s.scores << '\n'
        << "promises: " << s.promises_kept << " rows confirmed by their scores, "
        << s.promises_unread << " not read from scores\n"
        << "tests for zero: " << s.tests << ", " << s.open_tests << " open\n"
        << "facts: " << (proved() ? "proved from the file's program" : program_.reason()) << '\n';
  }

 private:
  template <class T>
  Outcome<T> plain(Outcome<FloatAnswer<T>> answer) {
    if (!answer.has_value()) return answer.refusal();
    note(answer.value().certificate, answer.value().reason);
    return answer.value().value;
  }
  /// Of the text that is printed.
  static double printed_error(const FloatNumber& number) {
    return sum_of_bounds(number.error, text_error(number.value));
  }
  std::vector<FloatNumber> plain_numbers(std::size_t token) {
    const auto numbers = runner_.numbers(stream_, token);
    note(numbers.certificate, numbers.reason);
    for (const FloatNumber& number : numbers.value)
      confidence_.bound = std::max(confidence_.bound.value_or(0), printed_error(number));
    return numbers.value;
  }
  /// The worst of what is read stands for the whole answer.
  void note(Certificate certificate, const std::string& reason) {
    if (confidence_.certificate == Certificate::certified) {
      confidence_.certificate = certificate;
      confidence_.reason = reason;
    }
    if (confidence_.certificate != Certificate::certified && !proved())
      confidence_.reason = reason + "; " + program_.reason();
  }

  bool proved() const { return program_.trust() == Trust::recompiled; }

  const Model& model_;
  const CarriedProgram program_;
  FloatRunner runner_;
  LayerProgress progress_;
  FloatStream stream_;
  FloatStatistics total_;
  Confidence confidence_;
};

}  // namespace

std::unique_ptr<RunEngine> float_engine(const Model& model, const FloatOptions& options) {
  return std::make_unique<FloatEngine>(model, options);
}

}  // namespace logdepth
