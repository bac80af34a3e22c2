#include "learned/language_model/gguf_metadata_tokens.hpp"

#include <limits>
#include <variant>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {
namespace {

/// The value of a key as a T; null where there is none. Errors: InputError when it is of another
/// type.
template <class T>
const T* token_key(const GgufFile& gguf, const std::string& key, const char* type) {
  const auto found = gguf.metadata.find("tokenizer.ggml." + key);
  if (found == gguf.metadata.end()) return nullptr;
  if (const auto* plain = std::get_if<T>(&found->second.value)) return plain;
  throw InputError(gguf.file->path() + ": tokenizer.ggml." + key + ": expected " + type);
}

template <class T>
const std::vector<T>* token_list(const GgufFile& gguf, const std::string& key, const char* type) {
  const auto* array = token_key<GgufArray>(gguf, key, type);
  if (!array) return nullptr;
  if (const auto* list = std::get_if<std::vector<T>>(array)) return list;
  throw InputError(gguf.file->path() + ": tokenizer.ggml." + key + ": expected " + type);
}

template <class T>
const T& required(const T* value, const GgufFile& gguf, const std::string& key) {
  if (!value) throw InputError(gguf.file->path() + ": expected tokenizer.ggml." + key);
  return *value;
}

std::optional<std::uint32_t> token_number(const GgufFile& gguf, const std::string& key) {
  const auto* number = token_key<std::uint64_t>(gguf, key, "the number of a token");
  if (!number) return std::nullopt;
  if (*number > std::numeric_limits<std::uint32_t>::max())
    throw InputError(gguf.file->path() + ": tokenizer.ggml." + key +
                     ": expected the number of a token");
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

bool has_gguf_tokens(const GgufFile& gguf) {
  return gguf.metadata.contains("tokenizer.ggml.model");
}

GgufTokens gguf_tokens(const GgufFile& gguf) {
  GgufTokens stored;
  stored.file = gguf.file->path();
  stored.model = required(token_key<std::string>(gguf, "model", "a word"), gguf, "model");
  if (const auto* pre = token_key<std::string>(gguf, "pre", "a word")) stored.pre = *pre;
  stored.tokens =
      required(token_list<std::string>(gguf, "tokens", "a list of texts"), gguf, "tokens");
  if (const auto* merges = token_list<std::string>(gguf, "merges", "a list of texts"))
    stored.merges = *merges;
  if (const auto* types = token_list<std::int64_t>(gguf, "token_type", "a list of signed numbers"))
    for (const std::int64_t type : *types) {
      if (type < 0 || type > std::numeric_limits<std::int32_t>::max())
        throw InputError(stored.file + ": tokenizer.ggml.token_type: expected types of at least 0");
      stored.types.push_back(static_cast<std::int32_t>(type));
    }
  stored.begin = token_number(gguf, "bos_token_id");
  stored.end = token_number(gguf, "eos_token_id");
  if (const auto* add = token_key<bool>(gguf, "add_bos_token", "true or false"))
    stored.add_begin = *add;
  return stored;
}

}  // namespace logdepth::inline learned_language_model
