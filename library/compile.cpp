// What can be had of a program or a weights file, and what becomes of it: compile.hpp.
#include "logdepth/compile.hpp"

#include <algorithm>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "compiler/file/circuit.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/program/program.hpp"
#include "library/exports/circuit_files.hpp"
#include "library/exports/network.hpp"
#include "library/exports/write_export.hpp"
#include "library/given.hpp"
#include "library/requests/automaton_request.hpp"
#include "library/requests/compile_request.hpp"
#include "library/requests/ready_networks.hpp"
#include "library/runs/engine.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/certify.hpp"
#include "logdepth/constructions.hpp"
#include "logdepth/draw.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/export.hpp"
#include "logdepth/inspect.hpp"
#include "objects/automaton.hpp"
#include "proofs-check/certify/find_certificate.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "report/pictures/circuit_view.hpp"
#include "report/pictures/draw_attention.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
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
  return letters_of(letters.parse_word(typed), letters);
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

// The constructions of the papers, ready-made: constructions.hpp.

namespace {

Transformer compiled(Program program, const CompileSettings& compiling) {
  return transformer_of(requested_model(std::move(program), compiling));
}

/// By the name of its option; a flag that is not set is absent.
using Setting = std::pair<const char*, std::optional<OptionValue>>;

std::optional<OptionValue> flag(bool set) {
  return set ? std::optional<OptionValue>(1u) : std::nullopt;
}

Values given(const std::vector<Setting>& settings, const CompileSettings& compiling) {
  Values values;
  for (const auto& [name, value] : settings)
    if (value) values[name] = *value;
  return with_unroll(std::move(values), compiling);
}

Say listened_to(const Say& say) {
  return say ? say : [](const std::string&) {};
}

}  // namespace

Transformer compile_regular(const AutomatonSource& automaton, const RegularSettings& settings,
                            const CompileSettings& compiling, const Say& say) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"for-length", s.for_length},
                               {"radix", s.radix},
                               {"block", s.block},
                               {"positions", s.positions},
                               {"table", s.table}},
                              compiling);
  const Construction& construction = chosen_construction(Problem::words, values);
  const LoadedAutomaton loaded = load_automaton(automaton);
  if (say)
    for (const std::string& note : loaded.notes) say(note);
  return compiled(requested_program(loaded, construction, values, listened_to(say)), compiling);
}

Transformer zoo(const std::string& name) {
  const std::vector<ReadyNetwork> all = ready_networks();
  const auto found = std::ranges::find(all, name, &ReadyNetwork::name);
  if (found != all.end()) return transformer_of(found->compile());
  std::vector<std::string> names;
  for (const ReadyNetwork& one : all) names.push_back(one.name);
  const auto near = meant(name, names);
  throw InputError("zoo: expected one of the " + std::to_string(all.size()) +
                   " networks of logdepth zoo, found " + in_quotes(name) +
                   (near ? "; did you mean " + *near + "?" : ""));
}

std::vector<ZooNetwork> zoo_networks() {
  const std::vector<ReadyNetwork> all = ready_networks();
  return {all.begin(), all.end()};
}

Transformer compile_connectivity(const ConnectivitySettings& settings,
                                 const CompileSettings& compiling) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"size", s.size},
                               {"radix", s.radix},
                               {"for-vertices", s.for_vertices},
                               {"padding", s.padding}},
                              compiling);
  return compiled(requested_program(Problem::graphs, values), compiling);
}

Transformer compile_division(const DivisionSettings& settings, const CompileSettings& compiling) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"own-argument", flag(s.own_argument)},
                               {"unit-inputs", flag(s.unit_inputs)},
                               {"for-length", s.for_length}},
                              compiling);
  return compiled(requested_program(Problem::divisions, values), compiling);
}

Transformer compile_crasp(const SourceFile& program, const CompileSettings& compiling,
                          const Say& say) {
  return compiled(requested_program(program, listened_to(say)).program, compiling);
}

Transformer compile_computation_graph(const ComputationGraphSettings& settings,
                                      const CompileSettings& compiling) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"prime", s.prime},
                               {"names", s.names},
                               {"operands", s.operands},
                               {"depth", s.depth}},
                              compiling);
  return compiled(requested_program(Problem::computation_graphs, values), compiling);
}

Transformer compile_khop(const KhopSettings& settings, const CompileSettings& compiling) {
  const auto& s = settings;
  const Values values =
      given({{"hops", s.hops}, {"form", s.form}, {"letters", s.letters}}, compiling);
  return compiled(requested_program(Problem::hops, values), compiling);
}

Transformer compile_formula(const std::string& algebra, const CompileSettings& compiling) {
  return compiled(requested_program(Problem::formulas, given({{"algebra", algebra}}, compiling)),
                  compiling);
}

Transformer compile_ltl(const std::string& formula,
                        const std::optional<std::vector<std::string>>& alphabet,
                        const CompileSettings& compiling) {
  return compiled(requested_formula(formula, alphabet), compiling);
}

// What a transformer says of itself, what is counted, what is proved: inspect.hpp.
ClaimSheet inspect(const Transformer& transformer) {
  const Model& model = transformer.hidden().model;
  const Measures counted = measure(model, 1);
  ClaimSheet sheet;
  sheet.name = model.name;
  sheet.construction = model.construction;
  sheet.source = model.source;
  sheet.hypotheses = model.hypotheses;
  sheet.deviations = model.deviations;
  sheet.alphabet = model.alphabet;
  sheet.initial = counted.initial;
  sheet.repeated = counted.repeated;
  sheet.final = counted.final;
  sheet.depth = depth_formula(model);
  sheet.largest = largest_size(model);
  sheet.width = counted.width;
  sheet.used = counted.cells;
  sheet.heads = counted.heads;
  sheet.units = counted.units;
  sheet.nonzeros = counted.nonzeros;
  sheet.cell_index = cell_meanings(model);
  if (auto numbers = state_numbers(model)) {
    sheet.states = numbers->states;
    sheet.initial_state = numbers->initial;
    sheet.accepting_states = std::move(numbers->accepting);
    sheet.state_names = std::move(numbers->names);
  }

  const CircuitView view = view_circuit(model);
  for (std::size_t l = 0; l < view.layers.size(); ++l)
    for (std::size_t k = 0; k < view.layers[l].heads.size(); ++k) {
      const HeadView& seen = view.layers[l].heads[k];
      sheet.head_index.push_back({l + 1, k, seen.name, seen.contract, seen.match});
    }
  for (PrecisionSentence& sentence : precision_sentences(model))
    (sentence.proved ? sheet.proved : sheet.unproved).push_back(std::move(sentence.text));
  return sheet;
}

// What is certified of the weights, with its certificate: certify.hpp.

Certification certify(const Transformer& transformer) {
  const CheckedModel& model = transformer.hidden().model;
  return find_certificate(write_weights(model), model->name);
}

Certification recheck(const Transformer& transformer, const std::string& certificate) {
  const CheckedModel& model = transformer.hidden().model;
  return check_certificate(write_weights(model), certificate, model->name);
}

// Pictures of a transformer and of its runs: draw.hpp.

namespace {

/// A run that is refused is drawn as far as it came. Errors: InputError where it does not begin.
template <class... Parts>
RunDrawing drawing_of(const Transformer& transformer, const RunComparison& comparison,
                      const Parts&... parts) {
  const Model& model = transformer.hidden().model;
  const OneQuestion question = question_of(model, parts...);
  RunReview review = review_of(comparison, model, question);
  review.although_refused = true;
  RunDrawing drawing = draw_run(model, question.tokens, question.graph, question.pair, review);
  if (!drawing.picture.has_value()) throw InputError(describe(drawing.picture.refusal()));
  return drawing;
}

void save(const Transformer& transformer, const RunDrawing& drawing, const std::string& file) {
  save_run(transformer.hidden().model, drawing.picture.value(), drawing.together, file);
}

}  // namespace

std::string svg(const Transformer& transformer) {
  return circuit_sheet(circuit_cards(transformer.hidden().model)).svg;
}

std::string svg(const Transformer& transformer, const Letters& word,
                const RunComparison& comparison) {
  return strips_svg(drawing_of(transformer, comparison, word).picture.value());
}

std::string svg(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
                std::uint32_t target, const RunComparison& comparison) {
  return strips_svg(drawing_of(transformer, comparison, graph, source, target).picture.value());
}

std::string svg(const Transformer& transformer, const RawStreams& streams,
                const RunComparison& comparison) {
  return strips_svg(drawing_of(transformer, comparison, streams).picture.value());
}

void draw(const Transformer& transformer, const std::string& file) {
  const Model& model = transformer.hidden().model;
  save_circuit(model, circuit_cards(model), file);
}

void draw(const Transformer& transformer, const Letters& word, const std::string& file,
          const RunComparison& comparison) {
  save(transformer, drawing_of(transformer, comparison, word), file);
}

void draw(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
          std::uint32_t target, const std::string& file, const RunComparison& comparison) {
  save(transformer, drawing_of(transformer, comparison, graph, source, target), file);
}

void draw(const Transformer& transformer, const RawStreams& streams, const std::string& file,
          const RunComparison& comparison) {
  save(transformer, drawing_of(transformer, comparison, streams), file);
}

// A transformer for other programs: export.hpp.
ExportReport export_network(const Transformer& transformer, const ExportSettings& settings,
                            const std::string& path) {
  return exports::write_export(transformer.hidden().model, settings, path);
}

std::string circuit(const Transformer& transformer, std::uint64_t letters, bool file_norms) {
  const Model& model = transformer.hidden().model;
  exports::require_length(model, letters, "--letters");
  const CircuitNorms norms = file_norms ? CircuitNorms::file : CircuitNorms::exported;
  return exports::circuit_json(model, circuit_of(model, letters, norms), norms);
}

}  // namespace logdepth
