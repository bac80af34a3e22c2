// What this paper reads off trained networks.
#include "learned/core/paper_networks.hpp"
#include "learned/word_problems/word_attention_network.hpp"

namespace logdepth::inline learned_word_problems {

PaperNetworks word_problems_networks() {
  return {{{kWordAttention,
            [](const RunRecord& record, const Network& network, const nlohmann::json& question) {
              letters_of_run(record);  // refuses runs of other tasks
              return to_json(read_word_attention(
                  network, record.config, attention_question_from_json(question, "--question")));
            },
            true, add_circuit}},
          {}};
}

}  // namespace logdepth::inline learned_word_problems
