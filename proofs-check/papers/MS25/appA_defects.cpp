// Defects in MS25 Section 2.2 and Appendix A: storing, reading, clearing, shifting, comparing.
#include <fmt/core.h>

#include <utility>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "proofs-check/claims/changed_program.hpp"
#include "proofs-check/claims/defect_changes.hpp"
#include "proofs-check/claims/defect_search.hpp"
#include "proofs-check/claims/raw_values.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

std::vector<Real> negative(std::vector<Real> values) {
  for (Real& value : values) value = -value;
  return values;
}

// --- 1, 2: norms ---------------------------------------------------------------------------------

/// Lemma A.4 on phi(z) as the paper stores it, <z, 1, -z, -1>/sqrt(z^2 + 1).
std::optional<DefectCounterexample> search_removal(const Model& model, SearchBounds bounds) {
  return search_raw(model, bounds,
                    [](std::size_t size) {
                      const auto z = static_cast<std::int64_t>(size);
                      const RawCase one{
                          {fmt::format("phi({}) in four coordinates", z),
                           {beside({phi_values(z), negative(phi_values(z)), phi_values(0)})}},
                          phi_values(0)};
                      return std::vector<RawCase>{one};
                    },
                    {"z", "minus_z"});
}

Defect norm_of_phi() {
  Defect d;
  d.number = 1;
  d.id = "lem-A.4/phi-is-no-unit-vector";
  d.claim = "lem-A.4";
  d.place = "Section 2.2; used by Lemma A.4";
  d.quote = "as the unit vector phi(z) = psi(z)/sqrt(z^2 + 1) in its normalized form";
  d.change = "the four coordinates <z, 1, -z, -1>/sqrt(z^2 + 1) are removed as one unit vector";
  d.repair =
      "they are two unit vectors, of squared norm 2 together: (z, 1)/sqrt(z^2 + 1) and its "
      "negative";
  d.kind = Defect::Kind::runs;
  d.repaired = [] {
    using namespace cells;
    ChangedProgram p(remove_MS25_lemA4(2));
    const auto z = p.cell<Direction>("z"), minus_z = p.direction("minus_z");
    p.given(minus_z);
    return p.put_behind(minus_z, "z").replace("erase z", erase(z, minus_z)).program();
  };
  d.program = [] { return remove_MS25_lemA4(4); };
  d.search = search_removal;
  d.up_to = 3;
  return d;
}

constexpr const char* kScaleQuote =
    "the masked pre-norm outputs 1/sqrt(2k) <phi_1, ..., phi_k>. We can hardcode the scalar "
    "multiplier of layer-norm to remove the scalar factor, or, equivalently, bake it into the next "
    "linear transformation";

Defect scale_without_constant() {
  Defect d;
  d.number = 2;
  d.id = "lem-A.2/no-rational-scale";
  d.claim = "lem-A.2";
  d.place = "Lemma A.2";
  d.quote = kScaleQuote;
  d.change = "no constant in the stream: the mask holds the k = 2 vectors alone";
  d.repair = "the constant, with mask weight (k-1)/2, completes the norm to a rational square";
  d.kind = Defect::Kind::refused;
  d.repaired = [] { return read_several_MS25_lemA2({2, 2}); };
  d.program = [] {
    return ChangedProgram(read_several_MS25_lemA2({2, 2})).drop_cell("one").program();
  };
  d.refusal = {"squared norm 2, not a square", "declare a constant"};
  return d;
}

Defect mask_without_constant() {
  Defect d = scale_without_constant();
  d.id = "lem-A.2/mask-of-the-vectors-alone";
  d.change = "the constant is taken out of the mask; the rational matrices stay";
  d.kind = Defect::Kind::runs;
  d.program = d.repaired;
  d.refusal.clear();
  d.edit = [](Model model) {
    const std::size_t layer = feedforward_of(model, "x0", "z0");
    set_entry(model.layers[layer].feedforward.mask, coordinate_of(model, "one"), 0);
    return model;
  };
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_raw(model, bounds, [](std::size_t size) {
      std::vector<RawCase> cases;
      const auto z = static_cast<std::int64_t>(size);
      for (std::int64_t y = 0; y <= z; ++y)
        cases.push_back(
            {{fmt::format("phi({}) and phi({})", z, y), {beside({phi_values(z), phi_values(y)})}},
             beside({phi_values(z), phi_values(y)})});
      return cases;
    });
  };
  d.up_to = 3;
  return d;
}

// --- 4, 5: comparing -----------------------------------------------------------------------------

/// Lemma A.7 at position 0: phi(x) and phi(y), x <= y = size and y <= x = size.
std::optional<DefectCounterexample> search_equality(const Model& model, SearchBounds bounds) {
  return search_raw(model, bounds, [](std::size_t size) {
    std::vector<RawCase> cases;
    const auto z = static_cast<std::int64_t>(size);
    const auto add = [&](std::int64_t x, std::int64_t y) {
      cases.push_back({{fmt::format("x = {}, y = {}", x, y),
                        {beside({phi_values(0), phi_values(x), phi_values(y)})}},
                       {Real(x == y ? 1 : -1)}});
    };
    add(z, z);
    for (std::int64_t y = 0; y < z; ++y) {
      add(y, z);
      add(z, y);
    }
    return cases;
  });
}

Program uncleared_equality() {
  return equality_MS25_lemA7(Compared::stored, false);
}

Defect sign_of_one_cell() {
  Defect d;
  d.number = 4;
  d.id = "lem-A.7/one-cell-under-layer-norm";
  d.claim = "lem-A.7";
  d.place = "Appendix A.1; used by Lemma A.7";
  d.quote =
      "For any general scalar z, storing z in the residual stream results in sgn(z) being "
      "retrieved when masked pre-norm is applied to this cell";
  d.change = "the mask holds the cell of x - y without its negative copy, under layer norm";
  d.repair = "every cell is stored with its negative, so that the mean is zero";
  d.kind = Defect::Kind::runs;
  d.norm = Norm::layernorm;
  d.repaired = d.program = uncleared_equality;
  d.edit = [](Model model) {
    const std::size_t layer = feedforward_of(model, "e", "D");
    set_entry(model.layers[layer].feedforward.mask, mirror_of(model, coordinate_of(model, "D")), 0);
    return model;
  };
  d.search = search_equality;
  d.up_to = 3;
  return d;
}

constexpr const char* kEqualityQuote =
    "The feedforward sublayer reads sigma_1 = sgn(x - y), computes z = 1 - ReLU(sigma_1) - "
    "ReLU(-sigma_1), and writes z to the residual stream";

Defect one_without_bias() {
  Defect d;
  d.number = 5;
  d.id = "lem-A.7/one-without-a-bias";
  d.claim = "lem-A.7";
  d.place = "Lemma A.7";
  d.quote = kEqualityQuote;
  d.change = "the attention does not supply the 1; Definition 2.3 has no bias";
  d.repair = "the attention of the same layer writes the 1, from a constant in the stream";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = uncleared_equality;
  d.edit = [](Model model) {
    Head& head = head_at(model, head_writing(model, "e"));
    set_entry(head.value, value_row(head, coordinate_of(model, "e")), coordinate_of(model, "one"),
              0);
    return model;
  };
  d.search = search_equality;
  d.up_to = 3;
  return d;
}

Defect one_in_the_mask() {
  Defect d = one_without_bias();
  d.id = "lem-A.7/one-in-the-mask-of-the-difference";
  d.change = "the feed-forward sublayer reads the constant 1 beside x - y";
  d.repair = "its mask holds x - y alone; the 1 comes from the attention";
  d.edit = [](Model model) {
    // e gets its 1 from a unit ReLU(one) instead of the head.
    Head& head = head_at(model, head_writing(model, "e"));
    const std::uint32_t e = coordinate_of(model, "e"), one = coordinate_of(model, "one");
    set_entry(head.value, value_row(head, e), one, 0);
    FeedForward& block = model.layers[feedforward_of(model, "e", "D")].feedforward;
    const Rational scale = entry(block.in, 0, coordinate_of(model, "D"));
    set_entry(block.mask, one, 1, Before::absent);
    const std::uint32_t unit = block.in.rows++;
    block.out.columns = block.in.rows;
    set_entry(block.in, unit, one, scale, Before::absent);
    set_entry(block.out, e, unit, 1, Before::absent);
    return model;
  };
  return d;
}

Defect one_from_nowhere() {
  Defect d = one_without_bias();
  d.id = "lem-A.7/one-without-a-bias-as-a-program";
  d.kind = Defect::Kind::refused;
  d.edit = nullptr;
  d.search = nullptr;
  d.up_to = 0;
  d.program = [] {
    ChangedProgram p(uncleared_equality());
    return p.drop_write("compare", p.cell<cells::Flag>("e")).program();
  };
  d.refusal = {"cell e", "not proved to be true at every token before the test"};
  return d;
}

// --- 7: positions --------------------------------------------------------------------------------

Defect average_off_by_one() {
  Defect d;
  d.number = 7;
  d.id = "lem-A.6/off-by-one";
  d.claim = "lem-A.6";
  d.place = "Lemma A.6";
  d.quote =
      "The first is uniform with value 1[j = 0], and thus computes 1/i. The second is uniform with "
      "value 1[j >= k], and thus computes (i - k)/i";
  d.change = "for k = 1 the second head averages 1[j >= 1], which is one minus the first-flag";
  d.repair = "its value is 1[j > k], or 1 - (k+1) 1[j = 0] from the first-flag alone";
  d.kind = Defect::Kind::runs;
  d.repaired = [] { return offset_MS25_lemA6(1); };
  d.program = [] {
    using namespace cells;
    ChangedProgram p(offset_MS25_lemA6(1));
    const auto one = p.cell<Constant>("one");
    const auto fst = p.cell<Flag>("fst");
    return p.add("position", p.cell<Number>("a")[0], (one - fst) / 2).program();
  };
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_raw(model, bounds, [](std::size_t size) {
      // The lemma speaks of indices i >= k = 1; the streams hold one vector that nobody reads.
      std::vector<RawCase> cases;
      if (size > 0)
        cases.push_back(
            {{fmt::format("i = {}", size), std::vector<std::vector<Real>>(size + 1, phi_values(0))},
             phi_values(static_cast<std::int64_t>(size) - 1)});
      return cases;
    });
  };
  d.up_to = 4;
  return d;
}

// --- 21, 22: clearing and storing ----------------------------------------------------------------

/// The scalar that the head measures is the average of a flag: here over one token, or over
/// several with one flag false.
std::vector<RawCase> flag_streams(std::size_t size, bool measures) {
  if (size == 0) return {};
  RawCase all{{fmt::format("{} true", size), {}}, {}};
  for (std::size_t i = 0; i < size; ++i) all.input.rows.push_back({Real(1)});
  all.expected = measures ? phi_values(1) : std::vector<Real>{Real(1)};
  return {all};
}

Defect copy_with_flipped_signs() {
  Defect d;
  d.number = 21;
  d.id = "lem-A.5/copy-with-flipped-signs";
  d.claim = "lem-A.5";
  d.place = "Lemma A.5";
  d.quote =
      "The second layer is a copy of the initial layer that considers the subvector h of h' as its "
      "input and where all signs are flipped. Thus, it outputs -delta";
  d.change = "the second layer is the first one with the signs of all its outputs flipped";
  d.repair =
      "what the feed-forward sublayer read from its own attention is removed before that attention "
      "is undone, or as a unit vector (Lemma A.4)";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = [] { return clear_MS25_lemA5(); };
  d.edit = [](Model model) {
    model.layers.at(1) = negated(model.layers.at(0));
    return model;
  };
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_raw(model, bounds, [](std::size_t size) { return flag_streams(size, false); },
                      {"z", "x"});
  };
  d.up_to = 3;
  return d;
}

constexpr const char* kStoreQuote =
    "Thus, the second layer can read phi(z) with masked pre-norm via Lem. A.1 and can also "
    "recompute z from h [...]. At this point, it outputs -psi(z) + phi(z) at indices I";

Defect read_after_clearing() {
  Defect d;
  d.number = 22;
  d.id = "lem-A.3/read-after-clearing";
  d.claim = "lem-A.3";
  d.place = "Lemma A.3";
  d.quote = kStoreQuote;
  d.change = "phi(z) is read and written by the second layer's feed-forward sublayer";
  d.repair = "the first layer's own feed-forward sublayer reads psi(z) and writes phi(z)";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = [] { return store_MS25_lemA3(); };
  d.edit = [](Model model) {
    std::swap(model.layers.at(0).feedforward, model.layers.at(1).feedforward);
    return model;
  };
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_raw(model, bounds, [](std::size_t size) { return flag_streams(size, true); },
                      {"z"});
  };
  d.up_to = 3;
  return d;
}

Defect read_after_clearing_as_a_program() {
  Defect d = read_after_clearing();
  d.id = "lem-A.3/read-after-clearing-as-a-program";
  d.kind = Defect::Kind::refused;
  d.edit = nullptr;
  d.search = nullptr;
  d.up_to = 0;
  d.program = [] {
    return ChangedProgram(store_MS25_lemA3()).move_behind("normalise x", "measure_again").program();
  };
  d.refusal = {"normalise x", "not proved to be non-zero at every token"};
  return d;
}

}  // namespace

std::vector<Defect> MS25_appA_defects() {
  return {norm_of_phi(),
          scale_without_constant(),
          mask_without_constant(),
          sign_of_one_cell(),
          one_without_bias(),
          one_in_the_mask(),
          one_from_nowhere(),
          average_off_by_one(),
          copy_with_flipped_signs(),
          read_after_clearing(),
          read_after_clearing_as_a_program()};
}

}  // namespace logdepth::inline proofs_check_papers_MS25
