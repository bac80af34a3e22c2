#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/exact.hpp"
#include "runtime/model.hpp"
#include "runtime/outcome.hpp"

namespace logdepth {

/// Runs words through a weights file, exactly. Numbers stay interned between words.
class WordRunner {
 public:
  /// Keeps a reference to the model. Errors: InputError when the model does not take words.
  explicit WordRunner(const Model& model);

  /// The residual stream after the last layer. `letters` are names from the model's alphabet.
  /// Errors: InputError for a letter outside the alphabet.
  Outcome<Stream<ValueId>> run(const std::vector<std::string>& letters,
                               const std::vector<ForwardObserver<ValueId>*>& observers = {});

  /// The verdict at one token (the last one decides the word).
  Outcome<bool> accepts(const Stream<ValueId>& stream, std::size_t token);
  /// The prefix product at one token, as the list of images of the points.
  /// Precondition: has_prefixes().
  Outcome<std::vector<std::uint32_t>> prefix(const Stream<ValueId>& stream, std::size_t token);
  bool has_prefixes() const;
  /// Number of tokens before the first letter: 1 with a beginning token, else 0.
  std::size_t first_letter() const { return begin_ ? 1 : 0; }
  /// Named logits at one token, for output kind `cells`.
  std::vector<Real> logits(const Stream<ValueId>& stream, std::size_t token);

  const Model& model() const { return model_; }
  Exact& arithmetic() { return arithmetic_; }

 private:
  const Model& model_;
  Exact arithmetic_;
  Forward<Exact> forward_;
  SparseMap unembedding_;
  bool begin_ = true;
};

}  // namespace logdepth
