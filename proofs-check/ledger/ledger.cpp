#include "proofs-check/ledger/ledger.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>
#include <variant>

#include "base/phrases.hpp"
#include "base/worker_threads.hpp"
#include "compiler/passes/compile.hpp"
#include "proofs-check/certify/find_certificate.hpp"
#include "proofs-check/check/computation_graphs.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/started_program.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace proofs_check_ledger {
namespace {

/// The file without its last loop at inputs of this size; without loops, without its last layer.
Model one_fewer(Model model, std::uint64_t size) {
  if (model.shape.repeated > 0) {
    const std::uint64_t loops = loops_at(model.unroll, size);
    model.unroll =
        Unroll{Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops == 0 ? 0 : loops - 1),
               model.unroll.max_length};
    return model;
  }
  if (model.layers.empty()) return model;
  model.layers.pop_back();
  --(model.shape.final > 0 ? model.shape.final : model.shape.initial);
  return model;
}

/// What an examination comes to.
template <class Input>
void conclude(FileVerdict& verdict, const Examination<Input>& found,
              const TestDomain<Input>& questions) {
  static_cast<ExaminationCounts&>(verdict) = found;
  const auto shown =
      [&](const std::optional<FoundInput<Input>>& one) -> std::optional<FailedInput> {
    if (!one) return std::nullopt;
    return FailedInput{questions.text(one->input), one->finding};
  };
  verdict.counterexample = shown(found.counterexample);
  verdict.without_answer = shown(found.without_answer);
  if (verdict.counterexample) {
    verdict.status = Status::contradicted;
  } else if (verdict.without_answer) {
    verdict.status = Status::undecided;
  } else if (verdict.exhaustive > 0 && verdict.unevaluated.empty()) {
    verdict.status = Status::checked;
  } else if (verdict.exhaustive + verdict.chosen + verdict.random > 0) {
    verdict.status = Status::tested;
  }
}

/// "every word of at most 6 letters (127)", or how far it came.
std::string exhaustive_text(const FileVerdict& verdict, const std::string& all,
                            const std::string& noun) {
  if (verdict.counterexample && verdict.random == 0)
    return "stopped after " + counted(verdict.exhaustive + verdict.chosen, noun);
  return all;
}

std::string random_text(const FileVerdict& verdict, const std::string& kind,
                        const std::string& unit) {
  if (verdict.random == 0) return "";
  return fmt::format(", {} {} of at most {}{} (seed {})", verdict.random, kind,
                     verdict.bounds.max_size, unit, verdict.bounds.seed);
}

/// On to a wrong answer, past inputs without any.
Asking to_the_end() {
  Asking how;
  how.past_refusals = true;
  return how;
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstLanguage& against) {
  const auto oracle = against.oracle();
  WordDomain questions(model, *oracle);
  conclude(verdict, examine_words(questions, verdict.bounds, to_the_end()), questions);
  verdict.bound =
      exhaustive_text(verdict,
                      fmt::format("every word of at most {} ({})",
                                  counted(verdict.bounds.up_to, "letter"), verdict.exhaustive),
                      "word") +
      (verdict.chosen > 0
           ? fmt::format(", {} words with one letter that differs from the rest", verdict.chosen)
           : "") +
      random_text(verdict, "random ones", "");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstDivision&) {
  DivisionDomain questions(model);
  conclude(verdict, examine_divisions(questions, verdict.bounds, to_the_end()), questions);
  verdict.bound =
      exhaustive_text(verdict,
                      fmt::format("every {} and m with i, m <= {} ({})",
                                  questions.divides_itself() ? "a = i" : "a <= i",
                                  verdict.bounds.up_to, counted(verdict.exhaustive, "run")),
                      "run") +
      random_text(verdict, "random runs", " positions");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstReachability& against) {
  GraphDomain questions(model, against.undirected);
  const GraphPlan plan{verdict.bounds, against.loopless_beyond, true};
  conclude(verdict, examine_graphs(questions, plan, to_the_end()), questions);
  const std::size_t up_to = verdict.bounds.up_to, loopless = plan.loopless_size(model);
  const std::string beyond =
      loopless > 0 ? fmt::format(" and, without self-loops, of {}", loopless) : "";
  verdict.bound = exhaustive_text(
      verdict,
      fmt::format("every graph of at most {}{} with every s and t ({} up to renaming)",
                  counted(up_to, "vertex", "vertices"), beyond, verdict.exhaustive),
      "graph");
  if (verdict.chosen > 0)
    verdict.bound += fmt::format(
        ", {} paths, cut paths, cycles, stars, two components, complete and empty of at most {}",
        verdict.chosen, verdict.bounds.max_size);
  verdict.bound += random_text(verdict, "random ones", "");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstComputationGraph&) {
  ComputationGraphDomain questions(model);
  conclude(verdict, examine_computation_graphs(questions, verdict.bounds, to_the_end()), questions);
  verdict.bound =
      exhaustive_text(verdict,
                      fmt::format("every graph of at most {} ({})",
                                  counted(verdict.bounds.up_to, "equation"), verdict.exhaustive),
                      "graph") +
      random_text(verdict, "random ones", "");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstStreams& against) {
  StreamDomain questions(model, against.outputs, against.blank);
  auto found =
      examine(questions, streams_by_size(against.inputs, 1, verdict.bounds.up_to), to_the_end());
  found.bounds = verdict.bounds;
  conclude(verdict, found, questions);
  verdict.bound = fmt::format("{} up to {} ({})", against.name, verdict.bounds.up_to,
                              counted(verdict.exhaustive, "run"));
}

/// The words, or the path, on which a loop is missed most: what the file gets wrong of these, for
/// inputs of this size.
std::optional<std::string> fails_at(const Model& model, const Against& against,
                                    std::uint64_t size) {
  constexpr std::size_t kTried = 2000;
  const auto shown = [](const auto& found, const auto& questions) -> std::optional<std::string> {
    if (!found.counterexample) return std::nullopt;
    return describe(
        FailedInput{questions.text(found.counterexample->input), found.counterexample->finding});
  };
  Asking how;
  how.answers_only = true;
  how.shrinks = false;
  how.most = kTried;
  if (const auto* words = std::get_if<AgainstLanguage>(&against)) {
    const auto oracle = words->oracle();
    WordDomain questions(model, *oracle);
    return shown(examine(questions, words_of_length(model, size), how), questions);
  }
  if (const auto* graphs = std::get_if<AgainstReachability>(&against)) {
    GraphDomain questions(model, graphs->undirected);
    std::vector<std::pair<Vertex, Vertex>> path;
    for (Vertex i = 0; i + 1 < size; ++i) path.emplace_back(i, i + 1);
    const auto ends = questions.about(CaseStage::chosen, graph_of(size, path, graphs->undirected),
                                      {{0, static_cast<Vertex>(size - 1)}});
    return shown(examine(questions, listed_cases<AskedGraph>({ends}), how), questions);
  }
  return std::nullopt;
}

}  // namespace

std::string status_name(Status status) {
  constexpr std::array kNames = {"checked",   "tested",    "certified",     "contradicted",
                                 "undecided", "unchecked", "not-executable"};
  return kNames[static_cast<std::size_t>(status)];
}

std::string describe(const FailedInput& failed) {
  return failed.input + ": expected " + expected_text(failed.finding) + ", found " +
         got_text(failed.finding);
}

FileVerdict check_weights(const Against& against, const std::string& path, const Bounds& bounds) {
  const Model model = read_weights(path);
  FileVerdict verdict;
  verdict.bounds = bounds;
  std::visit([&](const auto& kind) { examine_against(verdict, model, kind); }, against);
  return verdict;
}

Tightness check_tightness(const Against& against, const std::string& path,
                          const std::vector<std::uint64_t>& sizes) {
  const Model model = read_weights(path);
  const bool loops = model.shape.repeated > 0;
  Tightness result{true, ""};
  for (const std::uint64_t size : sizes) {
    const Model shorter = one_fewer(model, size);
    const std::optional<std::string> failure = fails_at(shorter, against, size);
    const std::string fewer =
        loops ? fmt::format("{} instead of {}", counted(shorter.unroll.loops, "loop"),
                            loops_at(model.unroll, size))
              : fmt::format("{} instead of {}", counted(shorter.layers.size(), "layer"),
                            model.layers.size());
    if (!failure) return {false, fmt::format("{}: no failure found at n = {}", fewer, size)};
    result.witness += (result.witness.empty() ? "" : "; ") + fewer + ": " + *failure;
  }
  return result;
}

namespace {

/// Of two parts of a claim, the one that says more against it.
Status worse(Status a, Status b) {
  static const std::vector<Status> kOrder = {
      Status::certified, Status::checked,   Status::tested,      Status::not_executable,
      Status::unchecked, Status::undecided, Status::contradicted};
  const auto place = [](Status s) { return std::find(kOrder.begin(), kOrder.end(), s); };
  return std::max(place(a), place(b)) == place(a) ? a : b;
}

const std::vector<std::uint64_t> kSizes = {1, 2, 3, 4, 8, 16, 32, 64, 100};
constexpr std::uint64_t kAt = 16;

/// A file name from any text: letters and digits stay.
std::string file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.') c = '-';
  return text;
}

/// One file at a time: files in flight are listed for the handler of an interruption, and that list
/// is not for several threads.
void save_one(const CheckedModel& model, const std::string& path) {
  static std::mutex saving;
  const std::lock_guard lock(saving);
  save_weights(model, path);
}

/// The file that the first instance compiles to stands for the claim in all counts.
void count_on_file(LedgerEntry& entry, const Model& model) {
  add_new(entry.hypotheses, model.hypotheses);
  add_new(entry.deviations, model.deviations);
  entry.limit = largest_size(model);
  const std::uint64_t limit = entry.limit.value_or(kSizes.back());
  entry.at = std::min(kAt, limit);
  entry.position = position_name(model.position);
  entry.measures = measure(model, entry.at);
  entry.depth_formula = depth_formula(model);
  if (!std::holds_alternative<CellsInput>(model.input))
    for (const std::uint64_t n : kSizes)
      if (n <= limit) entry.depths.emplace_back(n, depth_at(model, n));
}

Bounds asked(Bounds bounds, const LedgerOptions& options) {
  bounds.up_to = options.up_to.value_or(bounds.up_to);
  bounds.random = options.random.value_or(bounds.random);
  bounds.seed = options.seed.value_or(bounds.seed);
  return bounds;
}

/// What one compiled program shows; filled in one part, merged into the entry afterwards.
struct FileResult {
  CheckedFile file;
  std::optional<Tightness> tightness;
  std::optional<std::string> refused;  ///< what the compiler says
};

/// Whether logdepth-prove accepts the file, by a certificate that is written beside it.
bool is_proved(const std::string& program, const std::string& text, const std::string& path) {
  const auto found = find_coq_proof(text, path);
  if (!std::holds_alternative<std::string>(found)) return false;
  const std::string certificate = path + ".proof";
  write_whole_file(certificate, std::get<std::string>(found));
  const StartedProgram prover =
      start_program({program, path, certificate}, {}, ProgramErrors::pipe);
  const std::string said = read_to_end(prover);
  const int status = wait_for_end(prover);
  const bool proved = status == 0 && said.find(": proved by ") != std::string::npos;
  if (!proved && !(status == 1 && said.starts_with("not proved")))
    throw InputError(program + ": expected logdepth-prove, exit status " + std::to_string(status) +
                     (said.empty() ? "" : ", " + said));
  return proved;
}

/// Notes what recheck certifies and logdepth-prove proves of the file, if anything.
void note_proof(CheckedFile& file, const CheckedModel& model, const std::string& path,
                const std::string& program) {
  const std::string text = write_weights(model);
  std::string scope;
  if (const auto* graphs = std::get_if<GraphInput>(&model->input)) {  // recheck has no theorem
    scope = fmt::format("at most {} vertices", graphs->size.value_or(0));
  } else {
    const Certification proof = find_certificate(text, path);
    if (!proof.failed.empty()) return;
    scope = proof.scope;
    (proof.certified() ? file.certified : file.selections) = scope + ", " + proof_name(proof);
  }
  if (!program.empty() && is_proved(program, text, path)) file.proved = scope;
}

void check_file(const Claim& claim, const Instance& instance, Norm norm,
                const LedgerOptions& options, LedgerEntry* counts, FileResult& result) {
  result.file.instance = instance.name;
  result.file.norm = norm;
  const std::string path =
      options.folder + "/" +
      file_name(full_name(claim) + " " + form_name(claim.form) +
                (instance.name.empty() ? "" : " " + instance.name) + " " + norm_name(norm)) +
      ".json";
  try {
    CompileOptions how;
    how.norm = norm;
    save_one(with_derived(compile(instance.program(), how)), path);
  } catch (const ProgramRefused& refused) {
    result.refused = refused.what();
    return;
  }
  const CheckedModel model = read_weights(path);
  result.file.sha256 = weights_hash(model);
  if (counts) count_on_file(*counts, model);
  result.file.verdict = check_weights(instance.against, path, asked(instance.bounds, options));
  note_proof(result.file, model, path, options.prove);
  if (norm == Norm::rms && !instance.tight_at.empty())
    result.tightness = check_tightness(instance.against, path, instance.tight_at);
}

void merge(LedgerEntry& entry, const std::deque<FileResult>& results) {
  bool first = true;
  std::set<HeadPlace> unevaluated;  // said once, however many files have the head
  for (const FileResult& result : results) {
    if (result.refused) {
      entry.status = Status::contradicted;
      entry.counterexample = "the compiler refuses the program: " + *result.refused;
      return;
    }
    const FileVerdict& verdict = result.file.verdict;
    entry.status = first ? verdict.status : worse(entry.status, verdict.status);
    first = false;
    entry.bound += (entry.bound.empty() ? "" : "; ") + bound_text(result.file);
    const auto& failure = verdict.counterexample ? verdict.counterexample : verdict.without_answer;
    if (failure && !entry.counterexample)
      entry.counterexample = (result.file.instance.empty() ? "" : result.file.instance + ": ") +
                             (result.file.norm == Norm::layernorm ? "layernorm: " : "") +
                             describe(*failure);
    for (const HeadPlace& head : verdict.unevaluated)
      if (unevaluated.insert(head).second)
        entry.note += (entry.note.empty() ? "" : "; ") +
                      ("the selection contract of " + describe(head) + " was never exercised");
    entry.files.push_back(result.file);
    if (!result.tightness) continue;
    if (!entry.tightness) {
      entry.tightness = result.tightness;
    } else {
      entry.tightness->tight = entry.tightness->tight && result.tightness->tight;
      entry.tightness->witness += "; " + result.tightness->witness;
    }
  }
}

/// One change of the repaired construction back to the text: it breaks the answers, or the compiler
/// refuses it, or there is nothing to run.
void check_defect(LedgerEntry& entry, const LedgerOptions& options) {
  const Defect& defect = *entry.claim->defect;
  if (defect.kind != Defect::Kind::runs) {
    const DefectOutcome finding = examine(defect);
    const bool refused = defect.kind == Defect::Kind::refused;
    entry.status = finding.shown ? Status::not_executable : Status::unchecked;
    entry.note =
        refused && finding.shown ? "the compiler refuses it: " + finding.note : finding.note;
    return;
  }
  const std::string path =
      options.folder + "/" + file_name(full_name(*entry.claim) + " as-written") + ".json";
  save_one(model_as_written(defect), path);
  const CheckedModel model = read_weights(path);
  CheckedFile file{"", defect.norm, weights_hash(model), {}};
  const DefectOutcome finding = examine(defect, model);
  entry.note = finding.note;
  if (const auto& found = finding.counterexample) {
    // No answer is not a wrong answer: the numbers have left the field of the exact run.
    const bool left = found->refusal && std::holds_alternative<OutsideField>(*found->refusal);
    file.verdict.status = left ? Status::undecided : Status::contradicted;
    entry.counterexample = found->input + ": expected " + found->expected + ", found " + found->got;
    entry.bound = fmt::format("smallest of all inputs, number {}", found->tried);
  } else {
    file.verdict.status = Status::checked;
    entry.bound = fmt::format("every input up to size {}", defect.up_to);
  }
  file.verdict.bound = entry.bound;
  entry.status = file.verdict.status;
  entry.files.push_back(std::move(file));
}

void calculate(LedgerEntry& entry) {
  entry.calculation = entry.claim->calculation();
  entry.bound = entry.calculation->bound;
  entry.counterexample = entry.calculation->counterexample;
  entry.status = entry.counterexample ? Status::contradicted : Status::checked;
}

}  // namespace

void add_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& line : from)
    if (!line.empty() && std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
}

std::string bound_text(const CheckedFile& file) {
  std::string name = file.instance;
  if (file.norm == Norm::layernorm)
    name += (name.empty() ? "" : ", ") + std::string(norm_name(file.norm));
  return (name.empty() ? "" : name + ": ") + file.verdict.bound;
}

Ledger check_claims(const std::vector<const Claim*>& claims, const LedgerOptions& options) {
  std::filesystem::create_directories(options.folder);
  Ledger ledger;
  ledger.entries.resize(claims.size());
  std::vector<std::deque<FileResult>> results(claims.size());  // they stay where they are
  // They run one beside the other, each on an entry of its own, or on a file of its own within one.
  // An exception of one of them ends the others and reaches the caller.
  std::vector<std::function<void()>> parts;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = *claims[i];
    LedgerEntry& entry = ledger.entries[i];
    entry.claim = &claim;
    entry.hypotheses = claim.hypotheses;
    entry.deviations = claim.deviations;
    if (claim.defect) {
      parts.emplace_back([&] {
        try {
          check_defect(entry, options);
        } catch (const std::logic_error& changed) {  // an edit that no longer finds its place
          entry.note = std::string("the change could not be made: ") + changed.what();
        } catch (const ProgramRefused& refused) {
          entry.note = std::string("the compiler refuses what should run: ") + refused.what();
        }
      });
    } else if (claim.calculation) {
      parts.emplace_back([&] { calculate(entry); });
    } else if (claim.instances.empty()) {
      entry.status = Status::not_executable;
      entry.note = claim.reason;
    }
    for (const Instance& instance : claim.instances)
      for (const Norm norm : {Norm::rms, Norm::layernorm})
        if (norm == Norm::rms ? instance.rms : instance.layernorm) {
          LedgerEntry* const counts = results[i].empty() ? &entry : nullptr;
          FileResult& result = results[i].emplace_back();
          parts.emplace_back([&claim, &instance, norm, &options, counts, &result] {
            check_file(claim, instance, norm, options, counts, result);
          });
        }
  }
  parts.emplace_back([&] { ledger.curves = depth_curves(claims); });
  std::size_t done = 0;
  std::mutex one_call;
  // As many threads as were asked for, also where there are fewer cores.
  share_work(parts.size(), options.threads, [&](std::size_t i) {
    parts[i]();
    const std::lock_guard lock(one_call);
    ++done;
    if (options.progress) options.progress(done, parts.size());
  });
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (!results[i].empty()) merge(ledger.entries[i], results[i]);
  return ledger;
}

bool is_failure(const LedgerEntry& entry) {
  return entry.status == Status::contradicted && entry.claim->form != Form::as_written;
}

bool is_open(const LedgerEntry& entry) {
  return entry.claim->form != Form::as_written &&
         (entry.status == Status::undecided || entry.status == Status::unchecked);
}

}}  // namespace logdepth::proofs_check_ledger
