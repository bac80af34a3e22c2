#include "cli/work_part.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iostream>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

using nlohmann::json;

constexpr const char* kPartFormat = "logdepth-part";
constexpr std::uint64_t kMostShards = 1000000;

/// "2/4"
std::string shard_text(const Shard& shard) {
  return fmt::format("{}/{}", shard.index + 1, shard.count);
}

bool read_shard(const std::string& text, Shard& shard) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return false;
  std::uint64_t number = 0;
  const auto read = [](const std::string& digits, std::uint64_t& value) {
    const auto [next, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && next == digits.data() + digits.size();
  };
  if (!read(text.substr(0, slash), number) || !read(text.substr(slash + 1), shard.count))
    return false;
  shard.index = number - 1;
  return number >= 1 && number <= shard.count && shard.count <= kMostShards;
}

WorkPart read_part(const std::string& file) {
  const json content = json::parse(read_json_file(file), nullptr, false);
  WorkPart part;
  part.file = file;
  try {
    if (content.at("format") == kPartFormat && content.at("version") == 1 &&
        read_shard(content.at("shard"), part.shard)) {
      part.command = content.at("command");
      part.question = content.at("question");
      part.answer = content.at("answer");
      if (part.question.is_object() && part.answer.is_object()) return part;
    }
  } catch (const json::exception&) {
  }
  throw InputError(file + ": expected a shard file, as a command with --shard writes it");
}

/// Refuses parts of different work.
void expect_same_work(const WorkPart& first, const WorkPart& other) {
  const auto refuse = [&](const std::string& what, const std::string& one, const std::string& two) {
    throw InputError(fmt::format("{} and {}: expected shards of the same job, found {} {} and {}",
                                 first.file, other.file, what, one, two));
  };
  if (first.command != other.command) refuse("the command", first.command, other.command);
  if (first.shard.count != other.shard.count)
    refuse("the number of shards", std::to_string(first.shard.count),
           std::to_string(other.shard.count));
  for (const auto& [name, value] : first.question.items())
    if (const json found = other.question.value(name, json()); found != value)
      refuse(name, value.dump(), found.dump());
  if (first.question.size() != other.question.size()) refuse("the questions", "one", "another");
}

}  // namespace

void ShardOptions::add_to(CLI::App& command) {
  option = command
               .add_option_function<std::string>(
                   "--shard", [this](const std::string& text) { read_shard(text, shard); },
                   "run shard I of K; logdepth merge combines all shards")
               ->type_name("I/K")
               ->check(CLI::Validator(
                   [](const std::string& text) {
                     Shard shard;
                     return read_shard(text, shard)
                                ? std::string()
                                : "expected I/K with 1 <= I <= K, found " + in_quotes(text);
                   },
                   ""));
  CLI::Option* const file = command.add_option("--part", part, "file for the result of the shard");
  option->needs(file);
  file->needs(option);
}

void write_part(const WorkPart& part) {
  json question = part.question;
  question["program"] = LOGDEPTH_VERSION;
  write_whole_file(part.file, json{{"format", kPartFormat},
                                   {"version", 1},
                                   {"command", part.command},
                                   {"shard", shard_text(part.shard)},
                                   {"question", question},
                                   {"answer", part.answer}}
                                      .dump(1) +
                                  "\n");
  std::cerr << "wrote " << part.file << ": part " << shard_text(part.shard) << '\n';
}

std::vector<WorkPart> read_parts(const std::vector<std::string>& files) {
  std::vector<WorkPart> parts;
  for (const std::string& file : files) parts.push_back(read_part(file));
  for (const WorkPart& part : parts) expect_same_work(parts.front(), part);
  if (const json program = parts.front().question.value("program", json());
      program != LOGDEPTH_VERSION)
    throw InputError(fmt::format("{}: expected a shard of logdepth {}, found {}",
                                 parts.front().file, LOGDEPTH_VERSION, program.dump()));
  std::stable_sort(parts.begin(), parts.end(), [](const WorkPart& a, const WorkPart& b) {
    return a.shard.index < b.shard.index;
  });
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].shard == parts[i - 1].shard)
      throw InputError(fmt::format("{} and {}: duplicate shard {}", parts[i - 1].file,
                                   parts[i].file, shard_text(parts[i].shard)));
  std::vector<std::string> missing;
  for (std::uint64_t i = 0, found = 0; i < parts.front().shard.count; ++i)
    if (found < parts.size() && parts[found].shard.index == i) {
      ++found;
    } else if (missing.size() < 3) {
      missing.push_back(shard_text({i, parts.front().shard.count}));
    }
  if (!missing.empty())
    throw InputError(
        fmt::format("expected {} shards, found {}; missing: {}{}", parts.front().shard.count,
                    parts.size(), joined(missing),
                    parts.size() + missing.size() < parts.front().shard.count ? " and more" : ""));
  return parts;
}

}  // namespace logdepth::inline cli
