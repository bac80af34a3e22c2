#include "tests/support/constructed_programs.hpp"

#include <utility>

#include "constructions/JSHCM26/formula_value_lem4_1.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "objects/named_monoids.hpp"
#include "tests/support/languages.hpp"

namespace logdepth::support {

std::vector<NamedProgram> constructed_programs() {
  std::vector<NamedProgram> all;
  const Action s3 = named_monoid("S3"), flip = named_monoid("flipflop");
  for (const ScanPositions positions :
       {ScanPositions::two_circle, ScanPositions::circle, ScanPositions::first_flag}) {
    const std::string name = std::string(" ") + positions_name(positions);
    const WordForm scan{.positions = positions, .table = ScanTable::matrix};
    const WordForm radix{.by = By::radix, .radix = 3, .max_length = 60, .positions = positions};
    all.push_back({"scan" + name, program_of(s3, scan, "S3")});
    all.push_back({"radix" + name, program_of(flip, radix, "flip-flop")});
  }
  all.push_back({"tree", program_of(s3, {.by = By::tree}, "S3")});
  all.push_back(
      {"uniform radix", program_of(flip, {.by = By::uniform_radix, .block = 3}, "flip-flop")});
  all.push_back({"division paper", division_MS25_lem3_1({DivisionForm::paper, false, false})});
  for (const bool own : {false, true})
    for (const bool unit : {false, true})
      all.push_back({std::string("division") + (own ? " own" : "") + (unit ? " unit" : ""),
                     division_MS25_lem3_1({DivisionForm::compact, own, unit})});
  constexpr auto kGraph = &graph_connectivity_MS25_thm5_1;
  using Padding = GraphInput::Padding;
  all.push_back({"connectivity", kGraph(ConnectivityForm::compact, Padding::n3_minus_n2)});
  all.push_back({"connectivity n3", kGraph(ConnectivityForm::compact, Padding::n3)});
  all.push_back({"connectivity paper", kGraph(ConnectivityForm::paper, Padding::n3_minus_n2)});
  all.push_back({"connectivity paper n3", kGraph(ConnectivityForm::paper, Padding::n3)});
  all.push_back({"connectivity sized", graph_connectivity_sized_MS25_thm5_1(3)});
  all.push_back({"connectivity rows", graph_connectivity_rows_MS25_thm5_1(3)});
  for (const ReadBy by : {ReadBy::feedforward, ReadBy::attention}) {
    const std::string reader = by == ReadBy::attention ? " by attention" : "";
    for (const auto& [stored, name] :
         {std::pair(Stored::unit, "unit"), std::pair(Stored::position, "position"),
          std::pair(Stored::natural, "natural")})
      all.push_back({std::string("read ") + name + reader, read_MS25_lemA1(stored, by)});
    all.push_back({"read several" + reader, read_several_MS25_lemA2({2, 2}, by)});
  }
  all.push_back({"store", store_MS25_lemA3()});
  all.push_back({"remove", remove_MS25_lemA4()});
  all.push_back({"overwrite", overwrite_MS25_lemA4()});
  all.push_back({"clear", clear_MS25_lemA5()});
  for (const auto& [form, name] :
       {std::pair(OffsetForm::one_layer, "one layer"), std::pair(OffsetForm::cleared, "cleared"),
        std::pair(OffsetForm::shifted_query, "shifted query")})
    all.push_back({std::string("offset ") + name, offset_MS25_lemA6(2, form)});
  for (const auto& [compared, name] :
       {std::pair(Compared::stored, "stored"), std::pair(Compared::computed, "computed"),
        std::pair(Compared::raw, "raw")})
    all.push_back({std::string("equality ") + name, equality_MS25_lemA7(compared)});
  all.push_back({"formula", formula_value({"boolean"})});
  return all;
}

}  // namespace logdepth::support
