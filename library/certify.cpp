// What is proved of the weights, with its certificate: certify.hpp.
#include "logdepth/certify.hpp"

#include <utility>

#include "library/transformer_inside.hpp"
#include "proofs-check/certify/find_certificate.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {
namespace {

Certification given(LengthProof proof) {
  return {.theorem = std::move(proof.theorem),
          .scope = std::move(proof.scope),
          .statement = std::move(proof.statement),
          .outputs_proved = !proof.selections,
          .certificate = std::move(proof.text),
          .failed = {}};
}

Certification given(std::vector<Attempt> attempts) {
  Certification nothing;
  for (Attempt& attempt : attempts)
    nothing.failed.push_back({std::move(attempt.theorem), std::move(attempt.reason)});
  return nothing;
}

Certification given(Attempt attempt) {
  return given(std::vector<Attempt>{std::move(attempt)});
}

Certification given_found(auto found) {
  return std::visit([](auto&& one) { return given(std::move(one)); }, std::move(found));
}

}  // namespace

Certification certify(const Transformer& transformer) {
  const CheckedModel& model = transformer.hidden().model;
  return given_found(find_certificate(write_weights(model), model->name));
}

Certification recheck(const Transformer& transformer, const std::string& certificate) {
  const CheckedModel& model = transformer.hidden().model;
  return given_found(check_certificate(write_weights(model), certificate, model->name));
}

}  // namespace logdepth
