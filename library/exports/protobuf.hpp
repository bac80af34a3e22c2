#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace logdepth::exports {

/// A message of Protocol Buffers, written field by field: numbers as varints, everything else as
/// its length and its bytes.
class ProtobufMessage {
 public:
  ProtobufMessage& number(std::uint32_t field, std::uint64_t value) {
    put(std::uint64_t{field} << 3);
    put(value);
    return *this;
  }
  ProtobufMessage& bytes(std::uint32_t field, std::string_view value) {
    put(std::uint64_t{field} << 3 | 2);
    put(value.size());
    text_ += value;
    return *this;
  }
  ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) {
    return bytes(field, value.text_);
  }
  const std::string& text() const { return text_; }

 private:
  void put(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value % 128 + 128);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

}  // namespace logdepth::exports
