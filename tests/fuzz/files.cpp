#include "compiler/file/checks_file.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/training_config.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/numbers/real.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

const Registered kWeights("weights", [](const std::string& bytes) {
  Model model;
  if (!accepted([&] { model = parse_weights(bytes, "weights"); })) return;
  const std::string text = write_weights(model);
  hold(write_weights(parse_weights(text, "written")) == text, "what was written is read");
});

}  // namespace

// Raw streams as --cells reads them, and exact numbers.

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

// What is found beside weights and models: checks, records of runs, plans, arrays.

namespace {

const Registered kChecks("checks", [](const std::string& bytes) {
  const std::string hash = "0";
  const std::string checks = file_of(bytes, "model.checks.json");
  const std::string model = checks.substr(0, checks.size() - std::string(".checks.json").size());
  std::vector<CheckEntry> entries;
  if (!accepted([&] { entries = read_checks(model, hash); }) || entries.empty()) return;
  add_check(model, hash, entries.back(), true);
  const auto again = read_checks(model, hash);
  hold(!again.empty() && again.size() <= entries.size(), "what was written is read");
});

const Registered kRecords("record", [](const std::string& bytes) {
  RunRecord record;
  const auto read = [&] {
    record = read_run_record(file_of(bytes));
    readings_of(record);  // is written too; refuses a result that its task has no reading of
  };
  if (!accepted(read)) return;
  const std::string file = file_of("");
  write_run_record(record, file);
  hold(to_json(read_run_record(file)) == to_json(record), "what was written is read");
});

const Registered kPlans("plan", [](const std::string& bytes) {
  TrainingPlan plan;
  if (!accepted([&] { plan = read_training_plan(file_of(bytes)); })) return;
  const std::string file = file_of("");
  write_training_plan(plan, file);
  const std::string text = bytes_of(file);
  write_training_plan(read_training_plan(file), file);
  hold(bytes_of(file) == text, "what was written is read");
});

const Registered kTensors("safetensors", [](const std::string& bytes) {
  SafeTensors read;
  if (!accepted([&] { read = read_safetensors(file_of(bytes)); })) return;
  const std::string file = file_of("");
  write_safetensors(read, file);
  const SafeTensors again = read_safetensors(file);
  hold(again.metadata == read.metadata && again.arrays.size() == read.arrays.size(),
       "what was written is read");
  for (const auto& [name, array] : read.arrays)
    hold(again.arrays.at(name).bytes == array.bytes, "every array is the one that was written");
});

}  // namespace

}  // namespace logdepth::fuzz
