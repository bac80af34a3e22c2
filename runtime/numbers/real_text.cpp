#include <fmt/core.h>
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace runtime_numbers {
namespace {

/// White space of raw streams: a carriage return is some wherever it stands.
constexpr std::string_view kBlanks = " \t\r\v\f\n";

class RealReader {
 public:
  explicit RealReader(std::string_view text) : text_(text) {}

  std::optional<Real> sum() {
    skip_blanks();
    bool negative = take('-');
    if (!negative) take('+');
    Real total;
    for (;;) {
      const auto next = term();
      if (!next) return std::nullopt;
      total = negative ? total - *next : total + *next;
      skip_blanks();
      if (at_ == text_.size()) return total;
      negative = take('-');
      if (!negative && !take('+')) return std::nullopt;
    }
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool starts_digits() const {
    return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
  }

  std::optional<Real> term() {
    skip_blanks();
    if (!starts_digits()) return root();
    const auto factor = fraction();
    if (!factor) return std::nullopt;
    skip_blanks();
    if (!take('*')) return Real(*factor);
    skip_blanks();
    const auto irrational = root();
    if (!irrational) return std::nullopt;
    return irrational->scaled(*factor);
  }
  std::optional<Real> root() {
    constexpr std::string_view kName = "sqrt";
    if (text_.substr(at_, kName.size()) != kName) return std::nullopt;
    at_ += kName.size();
    skip_blanks();
    if (!take('(')) return std::nullopt;
    skip_blanks();
    const auto square = fraction();
    skip_blanks();
    if (!square || !take(')')) return std::nullopt;
    return Real::root(*square);
  }
  std::optional<Rational> fraction() {
    const auto above = digits();
    if (!above) return std::nullopt;
    if (!take('/')) return Rational(mpq_class(*above));
    const auto below = digits();
    if (!below || *below == 0) return std::nullopt;
    return Rational(mpq_class(*above, *below));
  }
  std::optional<mpz_class> digits() {
    const std::size_t start = at_;
    while (starts_digits()) ++at_;
    if (at_ == start || at_ - start > kMaxRealDigits) return std::nullopt;
    return mpz_class(std::string(text_.substr(start, at_ - start)), 10);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// The words of a line, up to a comment.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty()) return words;
    words.push_back(line.substr(0, line.find_first_of(kBlanks)));
    line.remove_prefix(words.back().size());
  }
}

bool is_sign(std::string_view word) {
  return word == "+" || word == "-";
}

/// "1/2", "-", "sqrt(3)" become one value.
std::vector<std::string> values_of(std::string_view line) {
  std::vector<std::string> values;
  bool joins = false;
  for (const std::string_view word : words_of(line)) {
    if (!values.empty() && (joins || is_sign(word))) {
      values.back() += word;
    } else {
      values.emplace_back(word);
    }
    joins = is_sign(word);
  }
  return values;
}

/// Where each column of the file goes.
std::vector<std::size_t> places_of(const std::vector<std::string_view>& header,
                                   const std::vector<std::string>& names, const std::string& source,
                                   std::size_t line) {
  std::vector<std::size_t> places;
  for (const std::string_view name : header) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw InputError(
          source, line,
          "the first line names " + in_quotes(name) + "; expected the names " + joined(names, " "));
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (std::find(places.begin(), places.end(), place) != places.end())
      throw InputError(source, line, "the first line names " + in_quotes(name) + " twice");
    places.push_back(place);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::find(places.begin(), places.end(), i) == places.end())
      throw InputError(source, line, "the first line does not name " + in_quotes(names[i]));
  return places;
}

}  // namespace

std::optional<Real> parse_real(std::string_view text) {
  return RealReader(text).sum();
}

std::vector<std::vector<Real>> parse_cells(std::string_view text, const std::string& source,
                                           const std::vector<std::string>& names) {
  std::optional<std::vector<std::size_t>> places;
  std::vector<std::vector<Real>> rows;
  std::size_t line_number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++line_number;
    if (!places) {
      const auto header = words_of(line);
      if (!header.empty()) places = places_of(header, names, source, line_number);
      continue;
    }
    const auto values = values_of(line);
    if (values.empty()) continue;
    if (values.size() != names.size())
      throw InputError(source, line_number,
                       fmt::format("expected {} values, found {}", names.size(), values.size()));
    auto& row = rows.emplace_back(names.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto value = parse_real(values[i]);
      if (!value)
        throw InputError(source, line_number,
                         "expected an exact number such as 3/5, sqrt(2/5) or 1/2-sqrt(3), found " +
                             in_quotes(values[i]));
      row[(*places)[i]] = std::move(*value);
    }
  }
  if (!places)
    throw InputError(source + ": the file is empty; expected a first line with the names " +
                     joined(names, " "));
  return rows;
}

double text_error(double value) {
  const std::string text = shortest_text(value);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  long exponent = e == std::string::npos ? 0 : std::strtol(text.c_str() + e + 1, nullptr, 10);
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(exponent)));
  mpq_class named(mpz_class(digits, 10));
  if (exponent < 0) {
    named /= power;
  } else {
    named *= power;
  }
  const mpq_class difference = abs(named - mpq_class(value));
  // GMP cuts off; a difference below all doubles is one, too.
  return difference == 0 ? 0 : std::nextafter(difference.get_d(), INFINITY);
}

double sum_of_bounds(double a, double b) {
  return a == 0 || b == 0 ? a + b : std::nextafter(a + b, INFINITY);
}

}}  // namespace logdepth::runtime_numbers
