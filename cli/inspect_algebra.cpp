#include "cli/inspect_algebra.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/phrases.hpp"
#include "objects/group_names.hpp"

namespace logdepth::inline cli {
namespace {

OccurringGroup examine_group(const std::vector<Transformation>& elements) {
  const PermutationGroup group =
      *generated_group(elements, elements.front().size(), elements.size());
  const auto series = derived_series(group);
  OccurringGroup found;
  found.name = group_name(group);
  found.order = group.order();
  found.solvable = series.back().order() == 1;
  found.commutative = found.solvable && series.size() <= 2;
  return found;
}

std::string text(const OccurringGroup& group) {
  return group.name.value_or(fmt::format("a {} group of {} elements without a name here",
                                         group.commutative ? "commutative"
                                         : group.solvable  ? "solvable"
                                                           : "non-solvable",
                                         group.order));
}

/// The circuits that suffice and those that do not, as far as that is known.
struct CircuitClass {
  const char *name, *text;
};

CircuitClass circuit_class(const MonoidAlgebra& algebra) {
  const auto& groups = algebra.groups;
  if (groups.front().order == 1)
    return {"AC0",
            "AC0: aperiodic, which means star-free (Schuetzenberger 1965) and definable in FO[<] "
            "(McNaughton and Papert 1971)"};
  if (algebra.quasi_aperiodic)
    return {"AC0",
            "AC0, although not aperiodic, so not star-free (Schuetzenberger 1965): all words of "
            "one length reach no group of more than one element (quasi-aperiodic: Barrington, "
            "Compton, Straubing and Therien 1992)"};
  if (std::all_of(groups.begin(), groups.end(), [](const auto& one) { return one.solvable; }))
    return {"ACC0",
            "ACC0, since every group in it is solvable (Barrington and Therien 1988); not AC0: the "
            "words of some length reach a group of more than one element (Barrington, Compton, "
            "Straubing and Therien 1992)"};
  return {
      "NC1-complete",
      "NC1-complete, since a group in it is not solvable (Barrington 1989): in ACC0 only if "
      "ACC0 = NC1, in TC0 only if TC0 = NC1; transformers of constant depth with averaging hard "
      "attention and numbers of O(log n) bits are in TC0 (Merrill and Sabharwal 2023)"};
}

std::string subject(bool word_problem) {
  return word_problem ? "products of the letters" : "the language, by its syntactic monoid";
}

}  // namespace

MonoidAlgebra examine_algebra(const TransitionMonoid& monoid) {
  MonoidAlgebra algebra;
  algebra.classes = green_classes(monoid);
  algebra.quasi_aperiodic = is_quasi_aperiodic(monoid, algebra.classes);
  std::map<std::vector<Transformation>, OccurringGroup> examined;  // many classes have the same
  for (const JClass& one : algebra.classes.j) {
    algebra.class_groups.emplace_back();
    if (!one.regular()) continue;
    ++algebra.regular;
    algebra.idempotents += one.idempotents.size();
    auto elements = maximal_subgroup(monoid, algebra.classes, one.idempotents.front());
    auto known = examined.find(elements);
    if (known == examined.end()) {
      OccurringGroup group = examine_group(elements);
      known = examined.emplace(std::move(elements), std::move(group)).first;
    }
    const OccurringGroup& group = known->second;
    algebra.class_groups.back() = group.name.value_or(fmt::format("order {}", group.order));
    auto same = std::find_if(algebra.groups.begin(), algebra.groups.end(), [&](const auto& other) {
      return other.order == group.order && text(other) == text(group);
    });
    if (same == algebra.groups.end()) same = algebra.groups.insert(same, group);
    ++same->j_classes;
    same->idempotents += one.idempotents.size();
  }
  std::stable_sort(algebra.groups.begin(), algebra.groups.end(),
                   [](const auto& a, const auto& b) { return a.order > b.order; });
  return algebra;
}

nlohmann::json algebra_json(const MonoidAlgebra& algebra, bool word_problem) {
  nlohmann::json groups = nlohmann::json::array();
  for (const OccurringGroup& group : algebra.groups) {
    const nlohmann::json name = group.name ? nlohmann::json(*group.name) : nlohmann::json(nullptr);
    groups.push_back({{"name", name},
                      {"order", group.order},
                      {"commutative", group.commutative},
                      {"solvable", group.solvable},
                      {"j_classes", group.j_classes},
                      {"idempotents", group.idempotents}});
  }
  const CircuitClass circuits = circuit_class(algebra);
  return {{"idempotents", algebra.idempotents},         {"j_classes", algebra.classes.j.size()},
          {"regular_j_classes", algebra.regular},       {"groups", groups},
          {"quasi_aperiodic", algebra.quasi_aperiodic}, {"circuits", circuits.name},
          {"circuits_of", subject(word_problem)},       {"known", circuits.text}};
}

std::vector<std::pair<std::string, std::string>> algebra_lines(const MonoidAlgebra& algebra,
                                                               bool word_problem) {
  std::vector<std::string> groups;
  for (const OccurringGroup& group : algebra.groups)
    groups.push_back(fmt::format("{} ({} in {})", text(group),
                                 counted(group.idempotents, "idempotent"),
                                 counted(group.j_classes, "J-class", "J-classes")));
  const std::size_t classes = algebra.classes.j.size();
  const std::string regular =
      algebra.regular == classes ? "all" : fmt::format("{} of them", algebra.regular);
  return {{"classes", fmt::format("{}, {} regular, {}", counted(classes, "J-class", "J-classes"),
                                  regular, counted(algebra.idempotents, "idempotent"))},
          {"groups", joined(groups)},
          {"circuits", subject(word_problem) + ": " + circuit_class(algebra).text}};
}

}  // namespace logdepth::inline cli
