#include "learned/latent_reasoning/published.hpp"

namespace logdepth::latent {
namespace {

report::Data method(const char* name, const char* says, int near_perfect_to, int usable_to,
                    const char* source) {
  return {{"method", name},
          {"says", says},
          {"near_perfect_to", near_perfect_to},
          {"usable_to", usable_to},
          {"source", source}};
}

}  // namespace

report::Data published() {
  return {
      {"methods",
       {method("feed-forward",
               "fails beyond small graphs, even in distribution; the best is DeBERTa-T1L8H16D256",
               0, 0, "section 3.2, appendix B.1"),
        method(
            "recurrent",
            "slightly above feed-forward; shallow ones (T times L) are worst even on the smallest "
            "graphs; the entropy of attention grows with length; the best is RoPE-T4L2H16D256",
            0, 0, "section 3.2, appendix B.1"),
        method("chain-of-thought",
               "near-perfect in distribution, then it falls quickly; errors are mostly arithmetic, "
               "the "
               "equations are copied well; 4 layers do not suffice, 8 do; the best is "
               "RoPE-T4L2H16D256",
               32, 40, "section 2.2, appendix B.2"),
        method("continuous", "beyond chains of thought, slowly falling as graphs grow", 32, 0,
               "section 3.2, figure 3"),
        method("discrete",
               "clearly better than continuous; two layers suffice; the best is "
               "DeBERTa-L2H16D256",
               32, 0, "section 3.2, appendix C.5"),
        method("corrected",
               "near-perfect at all sizes; two layers have no use of correction, four have; the "
               "best is "
               "DeBERTa-L4H16D384",
               128, 128, "section 3.2, appendix C.5"),
        method("no-oracle",
               "far above end-to-end methods and chains of thought, close to the full method", 0, 0,
               "appendix D.2, figure 14")}},
      {"contradictions",
       {"The loss requires every token of a variable to hold its value from its depth on, but the "
        "analysis "
        "of section 4 looks at the defining token only, and a copy can exist no earlier than one "
        "iteration after the value that it copies. Here the defining token is due at its depth, "
        "later occurrences one iteration later.",
        "Table 1 calls the recurrent end-to-end model adaptive to its input; according to appendix "
        "B.1, its number of iterations is fixed (T4). Here the smaller one takes as many "
        "iterations as the graph is deep, the one of published size 4.",
        "The best chain of thought is the rotary one in the same appendix that finds models "
        "without "
        "positions to generalise best and the others to fail beyond the training sizes.",
        "Section 2.2 has chains of thought recall the values of operands; the printed trace of 32 "
        "nodes does not. All three formats are here.",
        "The figures name no rate of errors in training, no alpha of the discounted loss, no "
        "learning rate, batch or number of steps, and not how graphs are drawn."}}};
}

const std::vector<PublishedHeadGroup>& published_head_groups(std::uint32_t layer) {
  static const std::vector<PublishedHeadGroup> kFirst = {{"operand 0", {4, 8}},
                                                         {"operand 1", {5, 12}},
                                                         {"operand 2", {3, 7, 11, 14}},
                                                         {"right-hand side", {2, 9, 13, 15}}};
  static const std::vector<PublishedHeadGroup> kSecond = {{"value of operand 0", {0, 8, 15}},
                                                          {"value of operand 1", {5, 10}},
                                                          {"value of operand 2", {2, 3, 4, 7, 9}}};
  return layer == 1 ? kFirst : kSecond;
}

}  // namespace logdepth::latent
