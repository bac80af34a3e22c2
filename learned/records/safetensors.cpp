#include "learned/records/safetensors.hpp"

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "objects/input_error.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

constexpr std::size_t kHeaderLength = 8;
constexpr std::size_t kLongestHeader = std::size_t{100} << 20;  // as the reference reader has it
constexpr std::size_t kLongestFile = std::size_t{64} << 30;

/// Errors: InputError when the shape has more elements than memory.
std::uint64_t byte_count(const SafeTensor& array, const std::string& file) {
  std::uint64_t count = element_size(array.type, file);
  for (const std::uint64_t side : array.shape)
    if (__builtin_mul_overflow(count, side, &count))
      throw InputError(file + ": expected shapes that fit into memory");
  return count;
}

}  // namespace

std::size_t element_size(const std::string& type, const std::string& file) {
  static const std::map<std::string, std::size_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"U16", 2}, {"I16", 2}, {"F16", 2}, {"BF16", 2},
      {"U32", 4},  {"I32", 4}, {"F32", 4}, {"U64", 8}, {"I64", 8}, {"F64", 8}};
  const auto found = sizes.find(type);
  if (found == sizes.end())
    throw InputError(file + ": expected a type as F32, F64, BF16 or I64, found '" + type + "'");
  return found->second;
}

SafeTensors read_safetensors(const std::string& file) {
  const std::string bytes = read_whole_file(file, kLongestFile);
  const auto refuse = [&](const std::string& expected) -> InputError {
    return InputError(file + ": expected " + expected);
  };
  if (bytes.size() < kHeaderLength) throw refuse("a safetensors file of at least eight bytes");
  std::uint64_t length = 0;
  for (std::size_t i = kHeaderLength; i > 0; --i)
    length = length << 8 | static_cast<unsigned char>(bytes[i - 1]);
  if (length > kLongestHeader || length > bytes.size() - kHeaderLength)
    throw refuse(fmt::format("a header that ends within the file, found one of {} bytes", length));
  const std::size_t begin = kHeaderLength + static_cast<std::size_t>(length);
  const auto header =
      nlohmann::json::parse(bytes.begin() + kHeaderLength,
                            bytes.begin() + static_cast<std::ptrdiff_t>(begin), nullptr, false);
  if (!header.is_object()) throw refuse("a header that is a JSON object");
  SafeTensors content;
  for (const auto& [name, entry] : header.items()) {
    try {
      if (name == "__metadata__") {
        content.metadata = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      SafeTensor array{entry.at("dtype").get<std::string>(),
                       entry.at("shape").get<std::vector<std::uint64_t>>(),
                       {}};
      const auto place = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
      if (place.size() != 2 || place[0] > place[1] || place[1] > bytes.size() - begin ||
          place[1] - place[0] != byte_count(array, file))
        throw refuse("offsets of '" + name + "' that fit its shape and the file");
      array.bytes = bytes.substr(begin + place[0], place[1] - place[0]);
      content.arrays.emplace(name, std::move(array));
    } catch (const nlohmann::json::exception&) {
      throw refuse("dtype, shape and data_offsets of '" + name + "'");
    }
  }
  return content;
}

void write_safetensors(const SafeTensors& content, const std::string& file) {
  nlohmann::json header = nlohmann::json::object();
  if (!content.metadata.empty()) header["__metadata__"] = content.metadata;
  std::uint64_t at = 0;
  for (const auto& [name, array] : content.arrays) {
    header[name] = {{"dtype", array.type},
                    {"shape", array.shape},
                    {"data_offsets", {at, at + array.bytes.size()}}};
    at += array.bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the arrays are aligned
  OutputFile out(file);
  for (std::size_t i = 0; i < kHeaderLength; ++i)
    out.stream().put(static_cast<char>(text.size() >> (8 * i) & 0xff));
  out.stream() << text;
  for (const auto& [name, array] : content.arrays) out.stream() << array.bytes;
  out.commit();
}

}  // namespace logdepth
