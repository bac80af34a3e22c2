// Depths counted on compiled files, beside the formulas of the paper.
#include "proofs-check/ledger/constructed_depths.hpp"

#include <gtest/gtest.h>

#include <map>

#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/ledger/check_weights.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::constructed_depths_tests {
namespace {

TEST(ConstructedDepthCounts, AreTwoOneTwoAndOneLayerPerDoubling) {
  ConstructedOptions options;
  options.groups = {"S3"};
  options.up_to = 32;
  std::map<std::string, ConstructedDepths> forms;
  for (const ConstructedDepths& form : constructed_depths(options))
    forms[form.problem + " " + form.construction + " " + form.encoding] = form;
  const auto expect = [&](const std::string& name, double slope, std::uint64_t at_16) {
    ASSERT_TRUE(forms.contains(name)) << name;
    const ConstructedDepths& form = forms[name];
    ASSERT_TRUE(form.slope) << name;
    EXPECT_NEAR(*form.slope, slope, 1e-9) << name;
    ASSERT_EQ(form.depths.size(), 5u) << name;
    EXPECT_EQ(form.depths[3], (std::pair<std::uint64_t, std::uint64_t>(16, at_16))) << name;
    EXPECT_FALSE(form.failed);
    if (form.built) {
      EXPECT_NE(form.verification.find("verified: every"), std::string::npos) << name;
      EXPECT_EQ(form.verification.find("never asked"), std::string::npos) << form.verification;
    } else {
      EXPECT_EQ(form.verification, "claimed (not built)");
    }
  };
  expect("S3 Thm 4.1, uniform first-flag", 8, 41);
  expect("S3 Cor. 4.2, a network per n first-flag", 4, 25);  // 17 tokens with the end token
  expect("S3 tree first-flag", 2, 12);
  expect("S3 scan first-flag", 1, 5);
  expect("S3 scan two-circle", 1, 4);
  expect("S3 radix 4 (a network per n) two-circle", 0.5, 2);  // 1 1 2 2 3 layers for 2 4 8 16 32
  expect("S3 cascade first-flag", 0, 6);
  expect("S3 cascade fine", 0, 4);
  expect("reachability Thm 5.1 first-flag", 2, 28);  // 17 vertices
  expect("reachability paper first-flag", 2, 15);
  expect("reachability compact first-flag", 1, 11);
  expect("reachability rows (a network per n) table", 1, 4);
  EXPECT_EQ(forms.size(), 12u);
  EXPECT_NE(forms["S3 tree first-flag"].verification.find("at most 6 letters (127)"),
            std::string::npos);
  EXPECT_EQ(forms["S3 radix 4 (a network per n) two-circle"].verification.substr(0, 28),
            "the network for 64 letters, ");
}

TEST(ConstructedDepthCounts, RadixIsCountedOnTheFilesThatCompileWrites) {
  ConstructedOptions options;
  options.groups = {"Z2"};
  options.reachability = false;
  options.up_to = 64;
  for (const ConstructedDepths& form : constructed_depths(options)) {
    if (!form.construction.starts_with("radix")) {
      EXPECT_EQ(form.file_of, 0u) << form.construction;
      continue;
    }
    ASSERT_EQ(form.depths.size(), 6u);
    for (const auto& [n, layers] : form.depths) {
      std::uint64_t reach = 1, needed = 0;
      for (; reach < n; reach *= 4) ++needed;
      EXPECT_EQ(layers, needed) << n;
    }
    // The last one, as a file of its own.
    RadixOptions radix;
    radix.radix = 4;
    radix.max_length = 64;
    const Model model = parse_weights(
        write_weights(with_derived(
            compile(regular_language_radix_MS25_cor4_2(named_monoid("Z2"), "Z2", radix)))),
        "Z2");
    EXPECT_EQ(form.depths.back().second, model.shape.initial);
    EXPECT_EQ(form.width, measure(model, 64).width);
    EXPECT_EQ(form.numbers, measure(model, 64).nonzeros);
    EXPECT_EQ(form.file_of, 64u);
  }
}

TEST(ConstructedDepthCounts, SolvableGroupsHaveConstantDepthAndOthersNoCascade) {
  ConstructedOptions options;
  options.groups = {"Z2", "S3", "A4", "A5", "S5"};
  options.reachability = false;
  options.up_to = 32;
  std::map<std::string, std::uint64_t> depths;
  for (const ConstructedDepths& form : constructed_depths(options)) {
    if (form.construction != "cascade") continue;
    for (const auto& [size, depth] : form.depths) {
      EXPECT_EQ(depth, form.depths.front().second) << form.problem << ' ' << size;
      depths[form.problem + " " + form.encoding] = depth;
    }
    EXPECT_EQ(form.slope, 0);
    EXPECT_TRUE(form.verification.starts_with("verified: every word")) << form.verification;
  }
  EXPECT_EQ(depths, (std::map<std::string, std::uint64_t>{{"Z2 first-flag", 4},
                                                          {"Z2 fine", 2},
                                                          {"S3 first-flag", 6},
                                                          {"S3 fine", 4},
                                                          {"A4 first-flag", 6},
                                                          {"A4 fine", 4}}));
}

TEST(ConstructedDepthCounts, AGroupThatIsUnknownIsNotBuiltAndSaysWhy) {
  ConstructedOptions options;
  options.groups = {"no such group"};
  options.reachability = false;
  options.up_to = 8;
  for (const ConstructedDepths& form : constructed_depths(options)) {
    EXPECT_FALSE(form.built);
    if (form.form == Form::as_written) continue;
    EXPECT_EQ(form.verification.substr(0, 11), "not built: ") << form.verification;
    EXPECT_TRUE(form.depths.empty());
    EXPECT_FALSE(form.slope);
  }
}

}  // namespace
}  // namespace logdepth::constructed_depths_tests
