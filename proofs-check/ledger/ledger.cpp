#include "proofs-check/ledger/ledger.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>

#include "base/phrases.hpp"
#include "base/worker_threads.hpp"
#include "compiler/passes/compile.hpp"
#include "proofs-check/certify/find_certificate.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline proofs_check_ledger {
namespace {

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

void add_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& line : from)
    if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
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
  if (entry.claim->picture) entry.circuit = circuit_cards(model);
}

/// Parts of a check that run one beside the other. Each works on an entry of its own, or on a file
/// of its own within one. An exception of one of them ends the others and reaches the caller.
class Parts {
 public:
  void add(std::function<void()> part) { parts_.push_back(std::move(part)); }

  void run(std::size_t threads, const std::function<void(std::size_t, std::size_t)>& progress) {
    std::size_t done = 0;
    std::mutex one_call;
    // As many threads as were asked for, also where there are fewer cores.
    share_work(parts_.size(), threads, [&](std::size_t i) {
      parts_[i]();
      const std::lock_guard lock(one_call);
      ++done;
      if (progress) progress(done, parts_.size());
    });
  }

 private:
  std::vector<std::function<void()>> parts_;
};

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

/// Notes what recheck proves of the file, if anything.
void note_proof(CheckedFile& file, const CheckedModel& model, const std::string& path) {
  const auto found = find_certificate(write_weights(model), path);
  if (const auto* const proof = std::get_if<LengthProof>(&found))
    (proof->selections ? file.selections : file.proved) = proof->scope + ", " + proof->name();
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
  note_proof(result.file, model, path);
  if (norm == Norm::rms && !instance.tight_at.empty())
    result.tightness = check_tightness(instance.against, path, instance.tight_at);
}

std::string bound_of(const FileResult& result) {
  std::string name = result.file.instance;
  if (result.file.norm == Norm::layernorm)
    name += (name.empty() ? "" : ", ") + std::string(norm_name(Norm::layernorm));
  return (name.empty() ? "" : name + ": ") + result.file.verdict.bound;
}

void merge(LedgerEntry& entry, const std::vector<FileResult>& results) {
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
    entry.bound += (entry.bound.empty() ? "" : "; ") + bound_of(result);
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
  CompileOptions how;
  how.norm = defect.norm;
  Model changed = with_derived(compile(defect.program(), how));
  if (defect.edit) changed = defect.edit(std::move(changed));
  const std::string path =
      options.folder + "/" + file_name(full_name(*entry.claim) + " as-written") + ".json";
  save_one(changed, path);
  const CheckedModel model = read_weights(path);
  CheckedFile file{"", defect.norm, weights_hash(model), {}};
  const auto found = defect.search(model, {defect.up_to});
  if (found) {
    // No answer is not a wrong answer: the numbers have left the field of the exact run.
    const bool left = found->refusal && std::holds_alternative<OutsideField>(*found->refusal);
    file.verdict.status = left ? Status::undecided : Status::contradicted;
    entry.counterexample = found->input + ": expected " + found->expected + ", found " + found->got;
    entry.bound = fmt::format("smallest of all inputs, number {}", found->tried);
    if (const auto also =
            defect.search(compile(defect.repaired(), how).model, {defect.up_to, found->tried})) {
      entry.note = "the construction without the change is wrong as well, at " + also->input;
    } else {
      entry.note = "without the change right on the same " + counted(found->tried, "input");
    }
  } else {
    file.verdict.status = Status::checked;
    entry.bound = fmt::format("every input up to size {}", defect.up_to);
    entry.note = "the change does not show itself";
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

Ledger check_claims(const std::vector<const Claim*>& claims, const LedgerOptions& options) {
  std::filesystem::create_directories(options.folder);
  Ledger ledger;
  ledger.entries.resize(claims.size());
  std::vector<std::vector<FileResult>> results(claims.size());
  Parts parts;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = *claims[i];
    LedgerEntry& entry = ledger.entries[i];
    entry.claim = &claim;
    entry.hypotheses = claim.hypotheses;
    entry.deviations = claim.deviations;
    if (claim.defect) {
      parts.add([&] {
        try {
          check_defect(entry, options);
        } catch (const std::logic_error& changed) {  // an edit that no longer finds its place
          entry.note = std::string("the change could not be made: ") + changed.what();
        } catch (const ProgramRefused& refused) {
          entry.note = std::string("the compiler refuses what should run: ") + refused.what();
        }
      });
    } else if (claim.calculation) {
      parts.add([&] { calculate(entry); });
    } else if (claim.instances.empty()) {
      entry.status = Status::not_executable;
      entry.note = claim.reason;
    }
    for (const Instance& instance : claim.instances)
      for (const Norm norm : {Norm::rms, Norm::layernorm})
        if (norm == Norm::rms ? instance.rms : instance.layernorm) {
          results[i].emplace_back();
        }
    std::size_t slot = 0;
    for (const Instance& instance : claim.instances)
      for (const Norm norm : {Norm::rms, Norm::layernorm})
        if (norm == Norm::rms ? instance.rms : instance.layernorm) {
          FileResult& result = results[i][slot];
          LedgerEntry* const counts = slot++ == 0 ? &entry : nullptr;
          parts.add([&claim, &instance, norm, &options, counts, &result] {
            check_file(claim, instance, norm, options, counts, result);
          });
        }
  }
  parts.add([&] { ledger.curves = depth_curves(claims); });
  parts.run(options.threads, options.progress);
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

}  // namespace logdepth::inline proofs_check_ledger
