#include "learned/language_model/gguf_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <optional>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {
namespace {

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint32_t kVersion = 3;
constexpr std::uint64_t kLongestMetadata = std::uint64_t{256} << 20;
constexpr std::uint32_t kMostDimensions = 4;
constexpr int kDeepestArray = 4;

enum class ValueType : std::uint32_t {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  float32,
  boolean,
  string,
  array,
  uint64,
  int64,
  float64,
  count
};

/// The least bytes that a value of each type takes.
constexpr std::array<std::uint64_t, static_cast<std::size_t>(ValueType::count)> kLeastBytes = {
    1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};

struct NamedEncoding {
  std::uint32_t number;
  const char* name;
  std::optional<TensorEncoding> encoding;  ///< absent: known by name only
};
const NamedEncoding kEncodings[] = {{0, "F32", TensorEncoding::f32},
                                    {1, "F16", TensorEncoding::f16},
                                    {2, "Q4_0", TensorEncoding::q4_0},
                                    {3, "Q4_1", TensorEncoding::q4_1},
                                    {6, "Q5_0", {}},
                                    {7, "Q5_1", {}},
                                    {8, "Q8_0", TensorEncoding::q8_0},
                                    {9, "Q8_1", {}},
                                    {10, "Q2_K", {}},
                                    {11, "Q3_K", {}},
                                    {12, "Q4_K", {}},
                                    {13, "Q5_K", {}},
                                    {14, "Q6_K", {}},
                                    {15, "Q8_K", {}},
                                    {16, "IQ2_XXS", {}},
                                    {17, "IQ2_XS", {}},
                                    {18, "IQ3_XXS", {}},
                                    {19, "IQ1_S", {}},
                                    {20, "IQ4_NL", {}},
                                    {21, "IQ3_S", {}},
                                    {22, "IQ2_S", {}},
                                    {23, "IQ4_XS", {}},
                                    {24, "I8", {}},
                                    {25, "I16", {}},
                                    {26, "I32", {}},
                                    {27, "I64", {}},
                                    {28, "F64", {}},
                                    {29, "IQ1_M", {}},
                                    {30, "BF16", TensorEncoding::bf16},
                                    {34, "TQ1_0", {}},
                                    {35, "TQ2_0", {}},
                                    {39, "MXFP4", {}}};

/// Reads a header from front to back, a piece of the file at a time.
class HeaderReader {
 public:
  explicit HeaderReader(const FilePieces& file) : file_(file) {}

  std::uint64_t position() const { return begin_ + at_; }
  std::uint64_t left() const { return file_.size() - position(); }

  [[noreturn]] void refuse(const std::string& sentence) const {
    throw InputError(file_.path() + ": " + sentence);
  }

  template <std::integral T>
  T number(const std::string& what) {
    need(sizeof(T), what);
    std::uint64_t value = 0;
    for (std::size_t i = sizeof(T); i > 0; --i)
      value = value << 8 | static_cast<unsigned char>(piece_[at_ + i - 1]);
    at_ += sizeof(T);
    return static_cast<T>(value);
  }

  std::string text(const std::string& what) {
    const auto length = number<std::uint64_t>(what);
    if (length > left())
      refuse(fmt::format("{}: expected a text that ends within the file, found one of {} bytes",
                         what, length));
    need(static_cast<std::size_t>(length), what);
    std::string text(piece_.data() + at_, static_cast<std::size_t>(length));
    at_ += text.size();
    return text;
  }

  /// A number of things that take at least so many bytes each.
  std::uint64_t count(std::uint64_t least_bytes, const std::string& what) {
    const auto count = number<std::uint64_t>(what);
    if (count > left() / least_bytes)
      refuse(fmt::format("{}: expected a count that fits into the file, found {}", what, count));
    return count;
  }

 private:
  /// Makes `bytes` bytes from the position on part of the piece.
  void need(std::size_t bytes, const std::string& what) {
    if (bytes > left()) refuse(what + ": expected more, found the end of the file");
    if (position() + bytes > kLongestMetadata)
      refuse(fmt::format("expected a header of at most {} MiB", kLongestMetadata >> 20));
    if (at_ + bytes <= piece_.size()) return;
    begin_ += at_;
    at_ = 0;
    piece_.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max(bytes, FilePieces::kPiece), file_.size() - begin_)));
    file_.read(begin_, piece_);
  }

  const FilePieces& file_;
  std::vector<char> piece_;  ///< bytes of the file from `begin_` on
  std::uint64_t begin_ = 0;
  std::size_t at_ = 0;  ///< within the piece
};

ValueType value_type(HeaderReader& in, const std::string& key) {
  const auto type = in.number<std::uint32_t>(key);
  if (type >= static_cast<std::uint32_t>(ValueType::count))
    in.refuse(fmt::format("{}: expected a type of value from 0 to 12, found {}", key, type));
  return static_cast<ValueType>(type);
}

std::uint64_t read_unsigned(HeaderReader& in, ValueType type, const std::string& key) {
  if (type == ValueType::uint8) return in.number<std::uint8_t>(key);
  if (type == ValueType::uint16) return in.number<std::uint16_t>(key);
  if (type == ValueType::uint32) return in.number<std::uint32_t>(key);
  return in.number<std::uint64_t>(key);
}

std::int64_t read_signed(HeaderReader& in, ValueType type, const std::string& key) {
  if (type == ValueType::int8) return in.number<std::int8_t>(key);
  if (type == ValueType::int16) return in.number<std::int16_t>(key);
  if (type == ValueType::int32) return in.number<std::int32_t>(key);
  return in.number<std::int64_t>(key);
}

double read_float(HeaderReader& in, ValueType type, const std::string& key) {
  return type == ValueType::float32
             ? static_cast<double>(std::bit_cast<float>(in.number<std::uint32_t>(key)))
             : std::bit_cast<double>(in.number<std::uint64_t>(key));
}

bool read_bool(HeaderReader& in, const std::string& key) {
  const auto value = in.number<std::uint8_t>(key);
  if (value > 1) in.refuse(fmt::format("{}: expected 0 or 1, found {}", key, value));
  return value == 1;
}

template <class T, class Read>
std::vector<T> list_of(std::uint64_t count, const Read& read) {
  std::vector<T> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) list.push_back(read());
  return list;
}

GgufArray read_array(HeaderReader& in, const std::string& key, int depth) {
  const ValueType type = value_type(in, key);
  const std::uint64_t count = in.count(kLeastBytes[static_cast<std::size_t>(type)], key);
  switch (type) {
    case ValueType::uint8:
    case ValueType::uint16:
    case ValueType::uint32:
    case ValueType::uint64:
      return list_of<std::uint64_t>(count, [&] { return read_unsigned(in, type, key); });
    case ValueType::int8:
    case ValueType::int16:
    case ValueType::int32:
    case ValueType::int64:
      return list_of<std::int64_t>(count, [&] { return read_signed(in, type, key); });
    case ValueType::float32:
    case ValueType::float64:
      return list_of<double>(count, [&] { return read_float(in, type, key); });
    case ValueType::boolean:
      return list_of<bool>(count, [&] { return read_bool(in, key); });
    case ValueType::string:
      return list_of<std::string>(count, [&] { return in.text(key); });
    case ValueType::array:
    case ValueType::count:
      break;
  }
  if (depth == kDeepestArray)
    in.refuse(fmt::format("{}: expected arrays in at most {} levels", key, kDeepestArray));
  return list_of<GgufValue>(count, [&] { return GgufValue{read_array(in, key, depth + 1)}; });
}

GgufValue read_value(HeaderReader& in, const std::string& key) {
  const ValueType type = value_type(in, key);
  switch (type) {
    case ValueType::uint8:
    case ValueType::uint16:
    case ValueType::uint32:
    case ValueType::uint64:
      return {read_unsigned(in, type, key)};
    case ValueType::int8:
    case ValueType::int16:
    case ValueType::int32:
    case ValueType::int64:
      return {read_signed(in, type, key)};
    case ValueType::float32:
    case ValueType::float64:
      return {read_float(in, type, key)};
    case ValueType::boolean:
      return {read_bool(in, key)};
    case ValueType::string:
      return {in.text(key)};
    case ValueType::array:
    case ValueType::count:
      break;
  }
  return {read_array(in, key, 1)};
}

TensorEncoding read_encoding(HeaderReader& in, const std::string& tensor) {
  const auto number = in.number<std::uint32_t>(tensor);
  std::string found = fmt::format("number {}", number);
  for (const NamedEncoding& known : kEncodings) {
    if (known.number != number) continue;
    if (known.encoding) return *known.encoding;
    found = known.name;
  }
  in.refuse(tensor + ": expected an encoding of F32, F16, BF16, Q8_0, Q4_0 or Q4_1, found " +
            found);
}

/// A tensor whose offset counts from the beginning of the data, and its bytes.
struct Place {
  StoredTensor tensor;
  std::uint64_t bytes = 0;
};

Place read_place(HeaderReader& in) {
  Place place;
  StoredTensor& tensor = place.tensor;
  tensor.name = in.text("the name of a tensor");
  const std::string what = in_quotes(tensor.name);
  const auto dimensions = in.number<std::uint32_t>(what);
  if (dimensions < 1 || dimensions > kMostDimensions)
    in.refuse(fmt::format("{}: expected 1 to {} dimensions, found {}", what, kMostDimensions,
                          dimensions));
  std::uint64_t numbers = 1;
  bool fits = true;
  for (std::uint32_t i = 0; i < dimensions; ++i) {  // the contiguous one comes first
    tensor.shape.insert(tensor.shape.begin(), in.number<std::uint64_t>(what));
    fits = fits && !__builtin_mul_overflow(numbers, tensor.shape.front(), &numbers);
  }
  tensor.encoding = read_encoding(in, what);
  const EncodedBlock& block = block_of(tensor.encoding);
  if (tensor.shape.back() % block.numbers != 0)
    in.refuse(fmt::format("{}: {} expects rows of a multiple of {} numbers, found {}", what,
                          block.name, block.numbers, tensor.shape.back()));
  fits = fits && !__builtin_mul_overflow(numbers / block.numbers, block.bytes, &place.bytes);
  tensor.offset = in.number<std::uint64_t>(what);
  if (!fits || place.bytes > in.left() || tensor.offset > in.left())
    in.refuse(fmt::format("{}: expected a tensor within the file, found shape {} at {}", what,
                          shape_text(tensor.shape), tensor.offset));
  return place;
}

std::uint64_t alignment_of(const GgufFile& gguf, const HeaderReader& in) {
  const auto found = gguf.metadata.find("general.alignment");
  if (found == gguf.metadata.end()) return 32;
  const auto* value = std::get_if<std::uint64_t>(&found->second.value);
  if (!value || !std::has_single_bit(*value) || *value > 1U << 20)
    in.refuse("general.alignment: expected a power of two up to 1048576");
  return *value;
}

}  // namespace

GgufFile read_gguf(const std::string& path) {
  GgufFile gguf{std::make_shared<FilePieces>(path), {}, {}};
  HeaderReader in(*gguf.file);
  if (in.left() < sizeof kMagic || in.number<std::uint32_t>("magic") != kMagic)
    in.refuse("expected a GGUF file, which begins with 'GGUF'");
  if (const auto version = in.number<std::uint32_t>("version"); version != kVersion)
    in.refuse(
        fmt::format("expected version {} of GGUF, little-endian, found {}", kVersion, version));
  const auto tensors = in.count(sizeof(std::uint64_t), "the number of tensors");
  const auto keys = in.count(sizeof(std::uint64_t), "the number of metadata");
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::string key = in.text("a key of the metadata");
    if (!gguf.metadata.emplace(key, read_value(in, in_quotes(key))).second)
      in.refuse(in_quotes(key) + ": expected this key once, found it twice");
  }
  std::vector<Place> places;
  for (std::uint64_t i = 0; i < tensors; ++i) places.push_back(read_place(in));
  const std::uint64_t alignment = alignment_of(gguf, in);
  const auto aligned = [&](std::uint64_t at) {
    return (at + alignment - 1) / alignment * alignment;
  };
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.tensor.offset, a.bytes) < std::pair(b.tensor.offset, b.bytes);
  });
  const std::uint64_t data = aligned(in.position());
  std::uint64_t end = 0;  // of the tensors so far, from `data` on
  for (Place& place : places) {
    const std::string what = in_quotes(place.tensor.name);
    if (place.tensor.offset != aligned(end))
      in.refuse(fmt::format(
          "{}: expected the tensor to begin where the one before it ends, at {}, "
          "found {} at {}",
          what, aligned(end), place.tensor.offset < aligned(end) ? "an overlap" : "a gap",
          place.tensor.offset));
    end = place.tensor.offset + place.bytes;
    if (data + end > gguf.file->size())
      in.refuse(
          fmt::format("{}: expected the tensor to end within the file of {} bytes, found its "
                      "end at {}",
                      what, gguf.file->size(), data + end));
    place.tensor.offset += data;
    place.tensor.file = gguf.file;
    std::string name = place.tensor.name;
    if (!gguf.tensors.emplace(std::move(name), std::move(place.tensor)).second)
      in.refuse(what + ": expected this tensor once, found it twice");
  }
  if (gguf.file->size() > std::max(in.position(), data + aligned(end)))
    in.refuse(fmt::format("expected the tensors to end with the file, found {} bytes more",
                          gguf.file->size() - (data + end)));
  return gguf;
}

}  // namespace logdepth::inline learned_language_model
