// What can be had of a program or a weights file, and what becomes of it: compile.hpp.
#include "logdepth/compile.hpp"

#include "base/quoted_text.hpp"
#include "compiler/program/program_text.hpp"
#include "library/requests/compile_request.hpp"
#include "library/runs/run_review.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {
Transformer Transformer::load(const std::string& file) {
  return transformer_of(read_weights(file));
}
Transformer Transformer::from_text(const std::string& json, const std::string& source) {
  return transformer_of(parse_weights(json, source));
}

void Transformer::save(const std::string& file) const {
  save_weights(hidden_->model, file);
}
std::string Transformer::text() const {
  return write_weights(hidden_->model);
}
std::string Transformer::sha256() const {
  return weights_hash(hidden_->model);
}
const std::string& Transformer::name() const {
  return hidden_->model->name;
}
const Letters& Transformer::alphabet() const {
  return hidden_->model->alphabet;
}
Letters Transformer::word(const std::string& typed) const {
  require(std::holds_alternative<WordInput>(hidden_->model->input),
          "the weights file " + in_quotes(name()) + " does not take words");
  const Alphabet letters(hidden_->model->alphabet);
  Letters word;
  for (const Letter letter : letters.parse_word(typed)) word.push_back(letters.name(letter));
  return word;
}
std::uint64_t Transformer::depth(std::uint64_t n) const {
  return depth_at(hidden_->model, n);
}

Transformer compile(const cells::Program& program, const CompileSettings& settings) {
  return transformer_of(requested_model(program.program(), settings));
}

cells::Program embedded_program(const Transformer& transformer) {
  return cells::Program(carried_by(transformer.hidden().model));
}

cells::Program program_from_text(const std::string& text, const std::string& source) {
  return cells::Program(parse_program(text, source));
}

}  // namespace logdepth
