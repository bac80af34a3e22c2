#include "runtime/file/safetensors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

constexpr std::size_t kHeaderLength = 8;
constexpr std::size_t kLongestHeader = std::size_t{100} << 20;  // as the reference reader has it
constexpr std::uint64_t kLargestSide = std::numeric_limits<std::int64_t>::max();

/// Bytes of one element. Errors: InputError for a type that the format does not know.
std::size_t element_size(const std::string& type, const std::string& file) {
  static const std::map<std::string, std::size_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"U16", 2}, {"I16", 2}, {"F16", 2}, {"BF16", 2},
      {"U32", 4},  {"I32", 4}, {"F32", 4}, {"U64", 8}, {"I64", 8}, {"F64", 8}};
  const auto found = sizes.find(type);
  if (found == sizes.end())
    throw InputError(file + ": expected a type as F32, F64, BF16 or I64, found " + in_quotes(type));
  return found->second;
}

/// Errors: InputError when the shape has more elements than memory.
std::uint64_t byte_count(const auto& array, const std::string& name, const std::string& file) {
  std::uint64_t count = element_size(array.type, file);
  for (const std::uint64_t side : array.shape)
    if (side > kLargestSide || __builtin_mul_overflow(count, side, &count))
      throw InputError(file + ": " + in_quotes(name) + ": expected a shape that fits into memory");
  return count;
}

/// The names that an object of the header has, each once: JSON itself would take the last.
/// Errors: InputError as below.
nlohmann::json parse_header(const std::string& text, const std::string& file) {
  std::set<std::string> names;
  std::string twice;
  const auto look = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    if (event == nlohmann::json::parse_event_t::key && depth == 1 &&
        !names.insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  require_shallow_json(text, file);
  auto header = nlohmann::json::parse(text, look, false);
  if (!header.is_object()) throw InputError(file + ": expected a header that is a JSON object");
  if (!twice.empty())
    throw InputError(file + ": expected the array " + in_quotes(twice) + " once, found it twice");
  return header;
}

/// Errors: nlohmann::json::exception where it is no list of whole numbers from 0 on.
std::vector<std::uint64_t> whole_numbers(const nlohmann::json& list) {
  std::vector<std::uint64_t> numbers;
  for (const nlohmann::json& number : list.get_ref<const nlohmann::json::array_t&>())
    numbers.push_back(number.get_ref<const nlohmann::json::number_unsigned_t&>());
  return numbers;
}

/// Errors: InputError unless the arrays fill [begin, end) one after the other.
void expect_no_gaps(const SafeTensorsHeader& header, std::uint64_t begin, std::uint64_t end,
                    const std::string& file) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> places;
  for (const auto& [name, array] : header.arrays)
    places.emplace_back(array.offset, array.size, name);
  std::sort(places.begin(), places.end());
  std::uint64_t at = begin;
  for (const auto& [offset, size, name] : places) {
    if (offset != at)
      throw InputError(
          fmt::format("{}: expected the array {} to begin where the one before it "
                      "ends, found {}",
                      file, in_quotes(name), offset < at ? "an overlap" : "a gap"));
    at += size;
  }
  if (at != end)
    throw InputError(fmt::format(
        "{}: expected the arrays to end with the file, found {} bytes more", file, end - at));
}

}  // namespace

SafeTensorsHeader read_safetensors_header(const FilePieces& in) {
  const std::string& file = in.path();
  const auto refuse = [&](const std::string& expected) -> InputError {
    return InputError(file + ": expected " + expected);
  };
  if (in.size() < kHeaderLength) throw refuse("a safetensors file of at least eight bytes");
  std::string head(kHeaderLength, '\0');
  in.read(0, head);
  std::uint64_t length = 0;
  for (std::size_t i = kHeaderLength; i > 0; --i)
    length = length << 8 | static_cast<unsigned char>(head[i - 1]);
  if (length > kLongestHeader || length > in.size() - kHeaderLength)
    throw refuse(fmt::format("a header that ends within the file, found one of {} bytes", length));
  const std::uint64_t begin = kHeaderLength + length, data = in.size() - begin;
  std::string text(static_cast<std::size_t>(length), '\0');
  in.read(kHeaderLength, text);
  const nlohmann::json entries = parse_header(text, file);
  SafeTensorsHeader header;
  for (const auto& [name, entry] : entries.items()) {
    try {
      if (name == "__metadata__") {
        header.metadata = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      SafeTensorPlace array;
      array.type = entry.at("dtype").get<std::string>();
      array.shape = whole_numbers(entry.at("shape"));
      const auto place = whole_numbers(entry.at("data_offsets"));
      if (place.size() != 2 || place[0] > place[1] || place[1] > data ||
          place[1] - place[0] != byte_count(array, name, file))
        throw refuse("offsets of " + in_quotes(name) + " that fit its shape and the file");
      array.offset = begin + place[0];
      array.size = place[1] - place[0];
      header.arrays.emplace(name, std::move(array));
    } catch (const nlohmann::json::exception&) {
      throw refuse("dtype, shape and data_offsets of " + in_quotes(name));
    }
  }
  expect_no_gaps(header, begin, in.size(), file);
  return header;
}

SafeTensors read_safetensors(const std::string& file) {
  const FilePieces in(file);
  SafeTensorsHeader header = read_safetensors_header(in);
  SafeTensors content{{}, std::move(header.metadata)};
  for (const auto& [name, place] : header.arrays) {
    SafeTensor& array = content.arrays[name];
    array = {place.type, place.shape, std::string(static_cast<std::size_t>(place.size), '\0')};
    in.read(place.offset, array.bytes);
  }
  return content;
}

void write_safetensors(const SafeTensors& content, const std::string& file) {
  nlohmann::json json = nlohmann::json::object();
  if (!content.metadata.empty()) json["__metadata__"] = content.metadata;
  std::uint64_t at = 0;
  for (const auto& [name, array] : content.arrays) {
    const std::uint64_t size = byte_count(array, name, file);
    if (array.bytes.size() != size)
      throw std::logic_error(file + ": " + name + ": the bytes are not those of the shape");
    json[name] = {{"dtype", array.type}, {"shape", array.shape}, {"data_offsets", {at, at + size}}};
    at += size;
  }
  std::string text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the arrays are aligned
  OutputFile out(file);
  for (std::size_t i = 0; i < kHeaderLength; ++i)
    out.stream().put(static_cast<char>(text.size() >> (8 * i) & 0xff));
  out.stream() << text;
  for (const auto& [name, array] : content.arrays) out.stream() << array.bytes;
  out.commit();
}

}}  // namespace logdepth::runtime_file
