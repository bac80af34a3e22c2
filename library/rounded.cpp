// Answers in floating point, with certificates: run.hpp.
#include <algorithm>

#include "compiler/file/carried_program.hpp"
#include "library/given_inputs.hpp"
#include "library/requests/rounded_request.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/run.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth {
namespace {

static_assert(static_cast<int>(Certainty::certified) == static_cast<int>(Certificate::certified));
static_assert(static_cast<int>(Certainty::ambiguous) == static_cast<int>(Certificate::ambiguous));
static_assert(static_cast<int>(Certainty::uncertified) ==
              static_cast<int>(Certificate::uncertified));
Certainty certainty_of(Certificate certificate) {
  return static_cast<Certainty>(certificate);
}

/// One input after the other.
class RoundedAnswers {
 public:
  RoundedAnswers(const Transformer& transformer, const RoundedSettings& settings)
      : model_(transformer.hidden().model),
        program_(model_, Trust::recompiled),
        runner_(model_, program_.facts(), requested_engine(settings)) {}

  RoundedAnswer word(const Letters& letters) {
    return answer(tokens_of(model_, letters),
                  [&](const FloatStream& stream, RoundedAnswer& answer) {
                    decide(runner_.accepts(stream, stream.tokens - 1), answer);
                    read_prefixes(stream, letters.size(), answer);
                  });
  }
  RoundedAnswer pair(const Graph& graph, Vertex source, Vertex target) {
    return answer(tokens_of(model_, graph, source, target),
                  [&](const FloatStream& stream, RoundedAnswer& answer) {
                    decide(runner_.connected(stream, source, target), answer);
                  });
  }
  RoundedAnswer streams(const RawStreams& streams) {
    return answer(tokens_of_streams(model_, streams),
                  [&](const FloatStream& stream, RoundedAnswer& answer) {
                    decide(runner_.accepts(stream, stream.tokens - 1), answer);
                  });
  }

 private:
  /// `read` reads the verdict from the stream.
  template <class Read>
  RoundedAnswer answer(const Outcome<Tokens>& tokens, const Read& read) {
    RoundedAnswer answer;
    if (!tokens.has_value()) {
      refuse(tokens.refusal(), answer);
      return answer;
    }
    const auto stream = runner_.run(tokens.value());
    if (!stream.has_value()) {
      refuse(stream.refusal(), answer);
      return answer;
    }
    answer.depth = depth_at(model_, tokens.value().size);
    if (const auto* named = std::get_if<CellsOutput>(&model_.output)) {
      answer.decision = Decision::computed;
      read_numbers(*named, stream.value(), answer);
    } else {
      read(stream.value(), answer);
    }
    return answer;
  }

  static void refuse(const Refusal& refusal, RoundedAnswer& answer) {
    answer.decision = decision_of(refusal);
    answer.reason = describe(refusal);
  }

  void decide(const Outcome<FloatAnswer<bool>>& verdict, RoundedAnswer& answer) const {
    if (!verdict.has_value()) return refuse(verdict.refusal(), answer);
    answer.decision = decision_of(verdict.value().value);
    certify(verdict.value().certificate, verdict.value().reason, answer);
  }

  void certify(Certificate certificate, const std::string& reason, RoundedAnswer& answer) const {
    answer.certainty = certainty_of(certificate);
    answer.reason = reason;
    if (certificate != Certificate::certified && program_.trust() != Trust::recompiled)
      answer.reason += "; " + program_.reason();
  }

  /// The first that is not certified stands for all.
  void read_numbers(const CellsOutput& output, const FloatStream& stream, RoundedAnswer& answer) {
    answer.certainty = Certainty::certified;
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      const auto numbers = runner_.numbers(stream, token);
      if (answer.certainty == Certainty::certified)
        certify(numbers.certificate, numbers.reason, answer);
      for (std::size_t i = 0; i < numbers.value.size(); ++i)
        answer.numbers[output.names[i]].push_back({numbers.value[i].value, numbers.value[i].error});
    }
  }

  void read_prefixes(const FloatStream& stream, std::size_t letters, RoundedAnswer& answer) const {
    if (!reads_prefixes(model_)) return;
    std::vector<PrefixAnswer> found;
    std::vector<Certainty> certainties;
    for (std::size_t i = 0; i < letters; ++i) {
      auto prefix = runner_.prefix(stream, first_letter(model_) + i);
      if (!prefix.has_value()) return;
      found.push_back(std::move(prefix.value().value));
      certainties.push_back(certainty_of(prefix.value().certificate));
    }
    answer.prefixes = std::move(certainties);
    if (reads_states(model_)) {
      answer.states.emplace();
      for (const PrefixAnswer& state : found)
        answer.states->push_back(std::get<std::uint32_t>(state));
    } else {
      answer.products.emplace();
      for (PrefixAnswer& product : found)
        answer.products->push_back(std::get<std::vector<std::uint32_t>>(std::move(product)));
    }
  }

  const Model& model_;
  const CarriedProgram program_;
  FloatRunner runner_;
};

}  // namespace

std::string text(Certainty certainty) {
  return certificate_name(static_cast<Certificate>(certainty));
}

RoundedAnswer run_rounded(const Transformer& transformer, const Letters& word,
                          const RoundedSettings& settings) {
  return RoundedAnswers(transformer, settings).word(word);
}

std::vector<RoundedAnswer> run_rounded_all(const Transformer& transformer,
                                           const std::vector<Letters>& words,
                                           const RoundedSettings& settings) {
  RoundedAnswers answers(transformer, settings);
  std::vector<RoundedAnswer> found;
  for (const Letters& word : words) found.push_back(answers.word(word));
  return found;
}

RoundedAnswer run_rounded(const Transformer& transformer, const DirectedGraph& graph,
                          std::uint32_t source, std::uint32_t target,
                          const RoundedSettings& settings) {
  const Graph named = graph_of(graph, source, target);
  return RoundedAnswers(transformer, settings).pair(named, source, target);
}

RoundedAnswer run_rounded(const Transformer& transformer, const RawStreams& streams,
                          const RoundedSettings& settings) {
  return RoundedAnswers(transformer, settings).streams(streams);
}

}  // namespace logdepth
