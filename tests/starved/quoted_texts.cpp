// What messages quote from inputs.
#include <gtest/gtest.h>

#include <string>

#include "base/json_tape.hpp"
#include "base/quoted_text.hpp"

namespace logdepth::starved {
namespace {

TEST(QuotedTexts, KeepWhatPeopleWrite) {
  for (const std::string text :
       {"", "a5.json", "(a|b)*abb", "\xC3\xA4\xE2\x82\xAC\xF0\x9D\x94\xB8"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(in_quotes(text), "'" + text + "'");
  }
}

TEST(QuotedTexts, MoveNoCursorAndEndNoLine) {
  EXPECT_EQ(in_quotes("\x1b[31m"), "'\\x1b[31m'");
  EXPECT_EQ(in_quotes(std::string("\0\n\r\t\x7f", 5)), "'\\x00\\x0a\\x0d\\x09\\x7f'");
  EXPECT_EQ(in_quotes("\xC2\x9B"
                      "2J"),
            "'\\xc2\\x9b2J'");                                  // the same escape in one character
  EXPECT_EQ(in_quotes("\xE2\x80\xAE"), "'\\xe2\\x80\\xae'");    // right to left
  EXPECT_EQ(in_quotes("\xE2\x81\xA6"), "'\\xe2\\x81\\xa6'");    // an isolate
  EXPECT_EQ(in_quotes("\xE2\x80\xA8"), "'\\xe2\\x80\\xa8'");    // a line separator
  EXPECT_EQ(in_quotes("a\xff\xC0\xAF"), "'a\\xff\\xc0\\xaf'");  // no UTF-8
  EXPECT_EQ(shown("\xC2\x9B\x1b\""), "\"\\xc2\\x9b\\u001b\\\"\"");  // the same in JSON's quotes
}

TEST(QuotedTexts, AreAsLongAsAMessageCanBe) {
  EXPECT_EQ(printable(std::string(kMostQuoted, 'x')), std::string(kMostQuoted, 'x'));
  EXPECT_EQ(in_quotes(std::string(400000, '9')), "'" + std::string(kMostQuoted, '9') + "...'");
  EXPECT_EQ(shown(std::string(400000, '9')), "\"" + std::string(kMostQuoted, '9') + "\"...");
  // No character is cut.
  std::string umlauts;
  for (std::size_t i = 0; i < kMostQuoted; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(printable("x" + umlauts).size(), kMostQuoted + 1 + 3);
  EXPECT_TRUE(is_utf8(printable("x" + umlauts)));
  EXPECT_TRUE(is_utf8(shown("x" + umlauts)));
}

}  // namespace
}  // namespace logdepth::starved
