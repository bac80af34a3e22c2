#include "learned/relit/published.hpp"

namespace logdepth::relit {
namespace {

using report::Data;

/// In the order of the columns of table 1.
constexpr const char* kSets[] = {"HELP", "TaxiNLI", "NaN-NLI", "RuleTaker", "ProofWriter"};

/// A row of table 1.
Data accuracies(const char* model, std::initializer_list<double> of_sets, double mean) {
  Data row = {{"model", model}};
  for (const char* const* set = kSets; const double accuracy : of_sets) row[*set++] = accuracy;
  row["mean"] = mean;
  return row;
}

/// Appendix A, table 2; `halting`: where the text says one.
Data data_set(const char* name, int macro_steps, int heads, int layers, int batch, double rate,
              int training, int test, const Data& halting) {
  return {{"name", name},
          {"macro_steps", macro_steps},
          {"heads", heads},
          {"layers", layers},
          {"batch", batch},
          {"learning_rate", rate},
          {"training_samples", training},
          {"test_samples", test},
          {"mean_halting", halting}};
}

}  // namespace

Data published() {
  return {
      {"accuracies",
       {accuracies("RoBERTa", {39.47, 49.91, 90.02, 53.50, 55.92}, 57.76),
        accuracies("LLaMA", {32.26, 41.91, 47.29, 48.89, 53.78}, 44.83),
        accuracies("Falcon", {28.49, 44.66, 53.31, 56.11, 53.33}, 47.18),
        accuracies("Mixtral-8x7B", {33.27, 40.86, 50.13, 46.84, 44.80}, 43.18),
        accuracies("ChatGPT", {42.13, 57.30, 56.59, 54.74, 53.95}, 52.94),
        accuracies("GPT-4", {46.01, 60.08, 76.74, 60.19, 59.66}, 60.54),
        accuracies("o1 mini", {63.69, 81.41, 71.55, 75.90, 75.33}, 73.58),
        accuracies("DeepSeek R1", {62.05, 75.74, 72.58, 75.29, 80.51}, 73.23),
        accuracies("QwQ-32B", {61.53, 81.96, 75.59, 78.10, 82.40}, 75.92),
        accuracies("ReLIT", {53.43, 56.30, 55.20, 97.60, 98.60}, 72.23)}},
      {"data_sets",
       {data_set("HELP", 8, 16, 4, 16, 8e-5, 800, 200, 6.8),
        data_set("TaxiNLI", 12, 16, 4, 64, 8e-5, 2000, 800, {}),
        data_set("NaN-NLI", 16, 16, 4, 16, 8e-5, 200, 50, 7.8),
        data_set("RuleTaker", 6, 16, 4, 128, 1e-4, 5000, 3000, 5.2),
        data_set("ProofWriter", 3, 8, 1, 256, 2e-5, 5000, 3000, 3.6)}},
      {"trajectories",
       {{{"data_set", "RuleTaker"},
         {"answers", {"No", "Yes", "No", "Yes", "Yes", "Yes"}},
         {"halted", 4}},
        {{"data_set", "NaN-NLI"},
         {"answers", {"No", "Yes", "Neutral", "Yes", "Yes", "No", "Neutral", "Neutral"}},
         {"halted", 7}}}},
      {"contradictions",
       {"On ProofWriter the model reportedly halts after 3.6 macro steps on average, and is "
        "trained "
        "with at most 3 (table 2). A mean above the largest number cannot be one of macro steps in "
        "training; what "
        "was counted is not specified.",
        "ReLIT is trained on each data set, the other models are prompted with a few examples. "
        "There "
        "is "
        "no block without recursion, no probe of the frozen states and no ablation beside it.",
        "Nothing is reported by depth of the proof; that halting depth grows with difficulty is "
        "concluded from one mean per data set, under different numbers of macro steps.",
        "HELP 53.43 %, TaxiNLI 56.30 % and NaN-NLI 55.20 % are no shares of 200, 800 and 50 test "
        "samples; the number of runs that they are means of is not given.",
        "In the text the scratchpad is updated several times and then the answer once, in the "
        "pseudocode both are updated in the same loop; the target of the halting head is per "
        "sample "
        "in the text, per batch in the pseudocode. Here it is the text.",
        "The number of recursions, of latent steps, the initial scratchpad, the optimiser, the "
        "epochs and the clipping are not given, so that the published depth of computation is not "
        "known.",
        "A spectral radius below 1 is claimed to give convergence by Banach's theorem. At one "
        "state "
        "it "
        "gives convergence from nearby only; a contraction would be a norm below 1 at all of "
        "them."}}};
}

}  // namespace logdepth::relit
