// Defects in MS25 Theorem 4.1: the binary tree for regular languages.
#include <utility>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/claims/defect_changes.hpp"
#include "proofs-check/claims/defect_search.hpp"

namespace logdepth {
namespace {

/// Not commutative, so that the order of factors shows.
Action letters() {
  return named_monoid("S3");
}

Program tree_of_S3() {
  return regular_language_tree_MS25_thm4_1(letters(), "S3", {ScanTable::monoid});
}

Defect regular_defect(std::uint32_t number, const char* id, Program (*repaired)()) {
  Defect d;
  d.number = number;
  d.id = std::string("thm-4.1/") + id;
  d.claim = "thm-4.1";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = repaired;
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_words(model, bounds, letters());
  };
  d.up_to = 6;
  return d;
}

/// The tree as the paper tells it, repaired: letters and $ have heads of their own, every active
/// letter with an active one before it multiplies, whether it stays active or not, and tokens that
/// are no longer active rest. (The construction lets them go on like $, which the paper's sentences
/// do not speak of.)
class PaperTree {
 public:
  PaperTree() : program_(tree_of_S3()) {
    cells_ = "cell letter flag\ncell se scratch" + type("ds") + "cell dq scratch" + type("ds") +
             "cell de scratch" + type("ds");
  }

  Program build() const {
    std::string text = print_program(program_);
    const auto put = [&](std::size_t at, std::size_t length, const std::string& part) {
      text.replace(at, length, part);
    };
    const std::size_t repeated = text.find("repeated\n");
    put(repeated, text.find("output ") - repeated, "repeated\n" + level() + "final\n" + level());
    put(text.find("position fst\n"), 0, cells_);
    std::size_t at = 0;
    while ((at = text.find("\ntoken ", at)) != std::string::npos) {
      const std::size_t end = text.find('\n', ++at);
      put(end, 0, text.compare(at, 11, "token <end>") == 0 ? " letter=false" : " letter=true");
    }
    return parse_program(text, "tree, as the paper tells it");
  }

 private:
  const std::vector<std::string>& labels() const {
    return std::get<OneHotType>(program_.cells[*program_.find("d")].type).labels;
  }
  std::string type(const std::string& cell) const {
    std::string text = " onehot";
    for (const std::string& label :
         std::get<OneHotType>(program_.cells[*program_.find(cell)].type).labels)
      text += " " + label;
    return text + "\n";
  }
  /// d := factor d where `when` holds.
  std::string join(const std::string& when, const std::string& factor) const {
    const CellId ds = *program_.find("ds"), d = *program_.find("d"), act = *program_.find("act");
    std::string text;
    for (const Statement& s : program_.final)
      if (const auto* lookup = std::get_if<LookupStatement>(&s))
        for (const Rule& rule : lookup->rules)
          if (rule.when.size() == 4 && rule.when[0] == Literal{act, 1} && rule.when[2].cell == ds &&
              rule.when[3].cell == d)
            text += "rule " + when + " " + factor + "=" + labels()[rule.when[2].value] +
                    " d=" + labels()[rule.when[3].value] +
                    " -> d=" + labels()[rule.then.front().value] + "\n";
    return text;
  }
  std::string keep(const std::string& when) const {
    std::string text;
    for (const std::string& label : labels())
      text += "rule " + when + " d=" + label + " -> d=" + label + "\n";
    return text;
  }

  std::string level() const {
    return R"cells(
fetch prev causal match I back 1 key I
copy ap act
copy dp d
fetch count causal uniform
add c[0] + 1/2 act - 1/2 fst
add c[1] + 1/2 one + 1/2 fst
normalise N from c[0] c[1]
fetch last causal rightmost ap=true fst=false key I
copy ds dp
fetch last_for_end causal rightmost ap=true fst=false key I
copy fa ap
copy se dp
fetch parity causal nearest N key I
copy odd even
fetch count_again causal uniform
add c[0] - 1/2 act + 1/2 fst
add c[1] - 1/2 one - 1/2 fst
lookup active
rule act=true odd=false -> act=true
rule act=true odd=true -> act=false
rule act=false -> act=false
)cells" + join("act=true fst=false fa=true", "ds") +
           keep("act=true fst=true") + keep("act=true fst=false fa=false") + keep("act=false") +
           R"cells(
fetch prev_after causal match I back 1 key I
copy dq d
fetch last_after causal rightmost ap=true fst=false key I
copy de dq
lookup end
)cells" + join("letter=false fa=true odd=true", "se") +
           keep("letter=false fa=true odd=false") + keep("letter=false fa=false") +
           keep("letter=true") + "erase ap fa N odd dp ds se dq de\n";
  }

  Program program_;
  std::string cells_;
};

Program paper_tree() {
  return PaperTree().build();
}

// --- 6: which token is fetched -------------------------------------------------------------------

constexpr const char* kPreviousQuote =
    "another layer attends with query 1, key <phi(j)_1, alpha_i^l>, and value delta_{j-1}^l to "
    "retrieve the group element delta_{j*}^l stored at the previous active token";

Defect key_of_the_token_itself() {
  Defect d = regular_defect(6, "key-of-the-token-itself", paper_tree);
  d.place = "Theorem 4.1, second paragraph of the proof";
  d.quote = kPreviousQuote;
  d.change = "key alpha_j beside value delta_{j-1}: an active token finds itself";
  d.repair = "key and value are those of j - 1";
  d.program = [] {
    return with_changes(paper_tree(),
                        {{"fetch last causal rightmost ap=true fst=false key I",
                          "fetch last causal rightmost act=true fst=false key I", 2}});
  };
  return d;
}

Defect decreasing_component() {
  Defect d = regular_defect(6, "decreasing-component", paper_tree);
  d.place = "Theorem 4.1, second paragraph of the proof";
  d.quote = kPreviousQuote;
  d.change = "the second part of the key is phi(j)_1 = 1/sqrt(j^2 + 1), which decreases";
  d.repair = "phi(j)_0, which increases, as in Lemma 3.1: the last active token wins";
  d.edit = [](Model model) {
    for (const std::size_t block : {0, 1}) {  // the repeated one and the final one
      SparseMatrix& key = head_at(model, head_writing(model, "ds", block)).key;
      const Rational weight = entry(key, 0, coordinate_of(model, "I"));
      set_entry(key, 0, coordinate_of(model, "I"), 0);
      set_entry(key, 0, coordinate_of(model, "I", 1), weight, Before::absent);
    }
    return model;
  };
  return d;
}

Defect value_after_the_update() {
  Defect d = regular_defect(6, "value-after-the-update", paper_tree);
  d.place = "Theorem 4.1, last paragraph but one of the proof";
  d.quote =
      "A head then attends with query 1, key <phi(j)_1, 10 alpha_{i-1}^l>, and value "
      "<(1 - alpha_{j-1}^{l+1}) delta_{j-1}^{l+1}>. This retrieves a value [...] that is delta_j^l";
  d.change = "$ multiplies by the product of the token after its update, delta^{l+1}";
  d.repair = "by delta^l: the interval of that token alone";
  d.program = [] { return with_changes(paper_tree(), {{"odd=true se=", "odd=true de=", 2 * 36}}); };
  return d;
}

// --- 14, 23: levels ------------------------------------------------------------------------------

Defect levels_of_the_loop_alone() {
  Defect d = regular_defect(14, "levels-of-the-loop-alone", tree_of_S3);
  d.place = "Theorem 4.1, last paragraph of the proof";
  d.quote =
      "this can be expressed with 8 layers repeated ceil(log2 |w|) times and 9 final layers (to "
      "implement the additional step beyond ceil(log2 |w|))";
  d.change = "ceil(log2 |w|) levels only: the file without its final block";
  d.repair =
      "floor(log2 |w|) + 1 levels, as the paper's final layers have it: the text is right here";
  d.edit = [](Model model) {
    model.layers.resize(model.layers.size() - model.shape.final);
    model.shape.final = 0;
    return model;
  };
  return d;
}

Defect active_again() {
  Defect d = regular_defect(23, "active-again", paper_tree);
  d.place = "Theorem 4.1, third paragraph of the proof";
  d.quote =
      "The current token is marked as active in layer l + 1 iff c_i = 0 mod 2, which is equivalent "
      "to checking whether i = t 2^l - 1 for some t";
  d.change = "a letter becomes active where c is even, whether it was active or not";
  d.repair = "only a token that is active stays active";
  d.program = [] {
    return with_changes(paper_tree(), {{"    rule act=false -> act=false\n",
                                        "    rule act=false letter=true odd=false -> act=true\n"
                                        "    rule act=false letter=true odd=true -> act=false\n"
                                        "    rule act=false letter=false -> act=false\n",
                                        2}});
  };
  return d;
}

}  // namespace

std::vector<Defect> MS25_thm4_1_defects() {
  return {key_of_the_token_itself(), decreasing_component(), value_after_the_update(),
          levels_of_the_loop_alone(), active_again()};
}

}  // namespace logdepth
