// Raw streams as --cells reads them, and exact numbers.
#include "runtime/numbers/real_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

const Registered kCells("cells", [](const std::string& bytes) {
  const std::vector<std::string> names = {"a", "b"};
  std::vector<std::vector<Real>> rows;
  if (!accepted([&] { rows = parse_cells(bytes, "cells", names); })) return;
  std::string text = "a b\n";
  for (const auto& row : rows) text += row[0].text() + " " + row[1].text() + "\n";
  hold(parse_cells(text, "printed", names) == rows, "what was printed is read");
});

const Registered kReal("real", [](const std::string& bytes) {
  const auto value = parse_real(bytes);
  if (value) hold(parse_real(value->text()) == value, "what was printed is read");
});

}  // namespace
}  // namespace logdepth::fuzz
