#include "learned/language_model/byte_pairs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <string_view>
#include <unordered_map>

#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "learned/language_model/byte_alphabet.hpp"
#include "learned/language_model/split_pattern.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {
namespace {

using Tokens = std::vector<std::int32_t>;
using Numbers = std::unordered_map<std::string_view, std::int32_t>;

/// What two neighbours become.
struct Merge {
  std::uint32_t rank;
  std::int32_t token;
};

std::uint64_t neighbours(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

/// A piece while its neighbours are merged: a linked list of tokens, and a heap of the merges that
/// were possible when they were noted. One that is overtaken by another no longer fits the list.
class MergedPiece {
 public:
  MergedPiece(const std::unordered_map<std::uint64_t, Merge>& merges, const Tokens& tokens)
      : merges_(merges) {
    const std::size_t count = tokens.size();
    links_.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      links_.push_back({tokens[i], i == 0 ? kNone : i - 1, i + 1 == count ? kNone : i + 1});
    for (std::size_t i = 0; i < count; ++i) note(i);
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      if (fits(best)) merge(best);
    }
  }

  void append_to(Tokens& tokens) const {
    if (links_.empty()) return;
    for (std::size_t i = 0; i != kNone; i = links_[i].next) tokens.push_back(links_[i].token);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  struct Link {
    std::int32_t token;  // -1: merged into the one before
    std::size_t before, next;
  };
  struct Candidate {
    std::uint32_t rank;
    std::size_t at;
    std::int32_t left, right, token;
    /// The heap gives the first merge of the list, and of equal ones the leftmost.
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };

  void note(std::size_t at) {
    const std::size_t next = links_[at].next;
    if (next == kNone) return;
    const auto found = merges_.find(neighbours(links_[at].token, links_[next].token));
    if (found == merges_.end()) return;
    candidates_.push(
        {found->second.rank, at, links_[at].token, links_[next].token, found->second.token});
  }
  bool fits(const Candidate& candidate) const {
    const Link& left = links_[candidate.at];
    return left.token == candidate.left && left.next != kNone &&
           links_[left.next].token == candidate.right;
  }
  void merge(const Candidate& candidate) {
    Link& left = links_[candidate.at];
    Link& right = links_[left.next];
    left.token = candidate.token;
    left.next = right.next;
    right.token = -1;
    if (left.next != kNone) links_[left.next].before = candidate.at;
    note(candidate.at);
    if (left.before != kNone) note(left.before);
  }

  const std::unordered_map<std::uint64_t, Merge>& merges_;
  std::vector<Link> links_;
  std::priority_queue<Candidate> candidates_;
};

/// Characters that NFC may replace or put in another order: marks, the vowels and finals of Hangul,
/// and those that decompose into others. A text without them is in NFC.
constexpr const char* kPerhapsNotComposed =
    R"([\p{M}\x{374}\x{37E}\x{387}\x{958}-\x{95F}\x{9DC}-\x{9DF}\x{A33}-\x{A36}\x{A59}-\x{A5E})"
    R"(\x{B5C}\x{B5D}\x{F43}-\x{F69}\x{1161}-\x{1175}\x{11A8}-\x{11C2}\x{1F71}-\x{1FFD})"
    R"(\x{2000}\x{2001}\x{2126}\x{212A}\x{212B}\x{2329}\x{232A}\x{2ADC}\x{F900}-\x{FAD9})"
    R"(\x{FB1D}-\x{FB4E}\x{1D15E}-\x{1D1C0}\x{2F800}-\x{2FA1D}])";

constexpr std::string_view kBlank = kBlankCharacter;

/// The token of a byte in vocabularies over characters.
std::string byte_token(unsigned byte) {
  return fmt::format("<0x{:02X}>", byte);
}

std::string with_blanks(std::string_view token) {
  std::string text;
  while (!token.empty()) {
    const bool blank = token.starts_with(kBlank);
    text += blank ? ' ' : token[0];
    token.remove_prefix(blank ? kBlank.size() : 1);
  }
  return text;
}

/// Bytes at the begin of the text that are valid UTF-8, or, if there are none, that are not.
std::size_t run_length(std::string_view text) {
  const bool valid = utf8_length(text) > 0;
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t character = utf8_length(text.substr(length));
    if ((character > 0) != valid) break;
    length += valid ? character : 1;
  }
  return length;
}

class BytePairTokeniser : public Tokeniser {
 public:
  explicit BytePairTokeniser(BytePairs vocabulary) : vocabulary_(std::move(vocabulary)) {
    number_tokens();
    note_added();
    note_bytes();
    note_merges();
    for (const std::string& pattern : vocabulary_.patterns)
      patterns_.emplace_back(pattern, vocabulary_.source);
    if (vocabulary_.composed) perhaps_not_composed_.emplace(kPerhapsNotComposed, "NFC");
    for (const auto& token : {vocabulary_.begin, vocabulary_.end})
      if (token) require_number(*token);
  }

  std::vector<std::int32_t> encode(std::string_view text, SpecialTokens special) const override {
    refuse_not_composed(text);
    return encode(text, special, kBlank);
  }
  std::vector<std::int32_t> encode_behind(std::string_view text) const override {
    refuse_not_composed(text);
    return encode(text, SpecialTokens::as_text, "");
  }

  std::string decode(std::span<const std::int32_t> tokens) const override {
    std::string text = decode_behind(tokens);
    if (of_characters() && text.starts_with(' ')) text.erase(0, 1);  // encode put it there
    return text;
  }
  std::string decode_behind(std::span<const std::int32_t> tokens) const override {
    std::string text;
    for (const std::int32_t token : tokens) text += bytes_[index_of(token)];
    return text;
  }

  std::uint32_t size() const override {
    return static_cast<std::uint32_t>(vocabulary_.tokens.size());
  }
  std::optional<std::int32_t> begin() const override { return vocabulary_.begin; }
  std::optional<std::int32_t> end() const override { return vocabulary_.end; }
  const BytePairs& vocabulary() const { return vocabulary_; }

 private:
  /// Tokens of pieces that a text had before.
  using Known = std::unordered_map<std::string_view, Tokens>;

  bool of_characters() const { return vocabulary_.units == BytePairs::Units::characters; }

  /// `before`: what a vocabulary over characters puts before the text.
  Tokens encode(std::string_view text, SpecialTokens special, std::string_view before) const {
    Tokens tokens;
    Known known;
    const auto plain = [&](std::string_view part) {
      if (of_characters())
        encode_characters(part, before, tokens);
      else
        encode_plain(part, known, tokens);
    };
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::int32_t added = added_at(text.substr(at), special);
      if (added < 0) {
        ++at;
        continue;
      }
      plain(text.substr(begin, at - begin));
      tokens.push_back(added);
      at += vocabulary_.tokens[static_cast<std::size_t>(added)].size();
      begin = at;
    }
    plain(text.substr(begin));
    return tokens;
  }

  InputError expected(const std::string& what) const {
    return InputError(vocabulary_.source + ": expected " + what);
  }
  void require_number(std::int32_t token) const {
    if (token < 0 || static_cast<std::size_t>(token) >= vocabulary_.tokens.size())
      throw expected(
          fmt::format("special tokens below {}, found {}", vocabulary_.tokens.size(), token));
  }
  std::int32_t number(std::string_view token) const {
    const auto found = numbers_.find(token);
    return found == numbers_.end() ? -1 : found->second;
  }

  bool is_added(std::int32_t token) const {
    return std::any_of(vocabulary_.added.begin(), vocabulary_.added.end(),
                       [&](const BytePairs::Added& added) { return added.token == token; });
  }

  void number_tokens() {
    if (vocabulary_.tokens.size() > std::numeric_limits<std::int32_t>::max())
      throw expected("tokens whose numbers have 31 bits");
    numbers_.reserve(vocabulary_.tokens.size());
    for (const std::string& token : vocabulary_.tokens) {
      if (!numbers_.emplace(token, static_cast<std::int32_t>(numbers_.size())).second)
        throw expected("every token once, found " + in_quotes(token) + " twice");
      if (!token.empty() && (utf8_length(token) == 0 || run_length(token) < token.size()))
        throw expected("tokens in UTF-8, found " + in_quotes(token));
      bytes_.push_back(of_characters() ? with_blanks(token)
                                       : bytes_of_characters(token).value_or(token));
    }
  }
  void note_added() {
    for (const BytePairs::Added& added : vocabulary_.added) {
      require_number(added.token);
      const std::string& token = vocabulary_.tokens[static_cast<std::size_t>(added.token)];
      if (token.empty()) throw expected("added tokens that are not empty");
      bytes_[static_cast<std::size_t>(added.token)] = token;
      added_[static_cast<unsigned char>(token[0])].push_back(added);
    }
    for (auto& same_begin : added_)
      std::stable_sort(same_begin.begin(), same_begin.end(), [&](const auto& a, const auto& b) {
        return bytes_[static_cast<std::size_t>(a.token)].size() >
               bytes_[static_cast<std::size_t>(b.token)].size();
      });
  }
  void note_bytes() {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const auto value = static_cast<unsigned char>(byte);
      const std::int32_t token = byte_tokens_[byte] =
          number(of_characters() ? byte_token(byte) : byte_character(value));
      if (!of_characters()) continue;
      if (token < 0) throw expected("a token for every byte, found no " + byte_token(byte));
      bytes_[static_cast<std::size_t>(token)] = static_cast<char>(value);
    }
    if (std::all_of(byte_tokens_.begin(), byte_tokens_.end(), [](auto t) { return t < 0; }))
      throw expected("tokens of single bytes, found none");
  }
  void note_merges() {
    merges_.reserve(vocabulary_.merges.size());
    for (const auto& [left, right] : vocabulary_.merges) {
      const std::int32_t from = number(left), to = number(right), both = number(left + right);
      const auto name = [&, &first = left, &second = right] {
        return in_quotes(first + " " + second);
      };
      if (from < 0 || to < 0 || both < 0)
        throw expected("merges of two tokens into a third, found " + name());
      if (!of_characters() && !bytes_of_characters(left + right))
        throw expected("merges of bytes, found " + name());
      const auto rank = static_cast<std::uint32_t>(merges_.size());
      if (!merges_.emplace(neighbours(from, to), Merge{rank, both}).second)
        throw expected("every merge once, found " + name() + " twice");
    }
  }

  void refuse_not_composed(std::string_view text) const {
    while (perhaps_not_composed_ && !text.empty()) {
      const std::size_t length = run_length(text);
      if (utf8_length(text) > 0)
        if (const auto found = perhaps_not_composed_->first_match(text.substr(0, length)))
          throw InputError(fmt::format(
              "{} brings texts to NFC, which is not done here: expected a text of characters that "
              "NFC leaves alone, found U+{:04X}",
              vocabulary_.source, static_cast<std::uint32_t>(utf8_decode(*found))));
      text.remove_prefix(length);
    }
  }

  /// The longest added token that the text begins with; -1: none.
  std::int32_t added_at(std::string_view text, SpecialTokens special) const {
    for (const BytePairs::Added& added : added_[static_cast<unsigned char>(text[0])])
      if ((!added.special || special == SpecialTokens::recognised) &&
          text.starts_with(bytes_[static_cast<std::size_t>(added.token)]))
        return added.token;
    return -1;
  }

  void encode_plain(std::string_view text, Known& known, Tokens& tokens) const {
    while (!text.empty()) {
      const std::size_t length = run_length(text);
      std::vector<std::string_view> pieces = {text.substr(0, length)};
      if (utf8_length(text) > 0)
        for (const SplitPattern& pattern : patterns_) {
          std::vector<std::string_view> finer;
          for (const std::string_view piece : pieces) pattern.split(piece, finer);
          pieces = std::move(finer);
        }
      for (const std::string_view piece : pieces) {
        const auto [entry, is_new] = known.try_emplace(piece);
        if (is_new) entry->second = encode_piece(piece);
        tokens.insert(tokens.end(), entry->second.begin(), entry->second.end());
      }
      text.remove_prefix(length);
    }
  }

  void encode_characters(std::string_view text, std::string_view before, Tokens& tokens) const {
    if (text.empty()) return;
    std::string marked(before);
    for (const char c : text)
      if (c == ' ')
        marked += kBlank;
      else
        marked += c;
    Tokens characters;
    for (std::string_view rest = marked; !rest.empty();) {
      const std::string_view character =
          rest.substr(0, std::max<std::size_t>(utf8_length(rest), 1));
      if (const std::int32_t token = number(character); token >= 0)
        characters.push_back(token);
      else
        for (const char byte : character)
          characters.push_back(byte_tokens_[static_cast<unsigned char>(byte)]);
      rest.remove_prefix(character.size());
    }
    MergedPiece(merges_, characters).append_to(tokens);
  }

  Tokens encode_piece(std::string_view piece) const {
    Tokens bytes;
    std::string characters;
    for (const char c : piece) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte_tokens_[byte] < 0)
        throw InputError(
            fmt::format("expected a text in the tokens of {}, found byte 0x{:02x}, "
                        "which has none, in {}",
                        vocabulary_.source, byte, in_quotes(piece)));
      bytes.push_back(byte_tokens_[byte]);
      if (vocabulary_.whole_pieces) characters += byte_character(byte);
    }
    if (vocabulary_.whole_pieces)
      if (const std::int32_t whole = number(characters); whole >= 0 && !is_added(whole))
        return {whole};
    Tokens tokens;
    MergedPiece(merges_, bytes).append_to(tokens);
    return tokens;
  }

  BytePairs vocabulary_;
  Numbers numbers_;                                       // views of vocabulary_.tokens
  std::vector<std::string> bytes_;                        // that each token stands for
  std::array<std::vector<BytePairs::Added>, 256> added_;  // by first byte, longest first
  std::array<std::int32_t, 256> byte_tokens_;             // -1: none
  std::unordered_map<std::uint64_t, Merge> merges_;
  std::vector<SplitPattern> patterns_;
  std::optional<SplitPattern> perhaps_not_composed_;
};

}  // namespace

std::shared_ptr<const Tokeniser> byte_pair_tokeniser(BytePairs vocabulary) {
  return std::make_shared<BytePairTokeniser>(std::move(vocabulary));
}

const BytePairs* byte_pairs_of(const Tokeniser& tokeniser) {
  const auto* pairs = dynamic_cast<const BytePairTokeniser*>(&tokeniser);
  return pairs == nullptr ? nullptr : &pairs->vocabulary();
}

}  // namespace logdepth::inline learned_language_model
