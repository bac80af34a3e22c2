#include "runtime/numbers/rational.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace logdepth { inline namespace runtime_numbers {
namespace {

// Products of two int64 and the sum of two such products stay below 2^127, so every operation on
// two small values is computed in one wide integer and GMP is called only to store a large result.
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// Integers up to 2^53 are doubles, and IEEE division of two doubles is correctly rounded.
constexpr std::uint64_t kExactInDouble = std::uint64_t{1} << 53;

std::uint64_t magnitude(std::int64_t x) {
  return x < 0 ? -static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

UnsignedWide magnitude(Wide x) {
  return x < 0 ? -static_cast<UnsignedWide>(x) : static_cast<UnsignedWide>(x);
}

// Stein's binary algorithm on odd numbers. Which of them is larger is a coin toss, so the loop
// selects by mask: compilers otherwise branch there, which is mispredicted every other time.
std::uint64_t gcd(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  const int common = std::countr_zero(a | b);
  a >>= std::countr_zero(a);
  b >>= std::countr_zero(b);
  while (a != b) {
    const std::uint64_t difference = b - a;
    const std::uint64_t borrow = -static_cast<std::uint64_t>(b < a);
    const int twos = std::countr_zero(difference);  // as many as in its size
    a += difference & borrow;                       // the smaller of the two
    b = ((difference ^ borrow) - borrow) >> twos;
  }
  return a << common;
}

std::int64_t signed_gcd(std::int64_t a, std::int64_t b) {
  // Called with b > 0, so the result is at most b and fits.
  return static_cast<std::int64_t>(gcd(magnitude(a), magnitude(b)));
}

std::uint64_t remainder(UnsignedWide x, std::uint64_t modulus) {
  if (x <= std::numeric_limits<std::uint64_t>::max())
    return static_cast<std::uint64_t>(x) % modulus;
  return static_cast<std::uint64_t>(x % modulus);
}

bool fits(Wide x) {
  return x >= std::numeric_limits<std::int64_t>::min() &&
         x <= std::numeric_limits<std::int64_t>::max();
}

// Most wide values are short after all, and a 64-bit division is several times cheaper.
Wide quotient(Wide x, std::int64_t divisor) {
  if (fits(x)) return static_cast<std::int64_t>(x) / divisor;
  return x / divisor;
}

void set_wide(mpz_class& target, Wide x) {
  const UnsignedWide size = magnitude(x);
  const std::uint64_t words[2] = {static_cast<std::uint64_t>(size),
                                  static_cast<std::uint64_t>(size >> 64)};
  mpz_import(target.get_mpz_t(), 2, -1, sizeof words[0], 0, 0, words);
  if (x < 0) mpz_neg(target.get_mpz_t(), target.get_mpz_t());
}

// x where it fits. The functions of GMP that return a long do not serve: it has 32 bits on some machines.
std::optional<std::int64_t> small(const mpz_class& x) {
  if (mpz_sizeinbase(x.get_mpz_t(), 2) > 64) return std::nullopt;
  std::uint64_t size = 0;
  mpz_export(&size, nullptr, -1, sizeof size, 0, 0, x.get_mpz_t());
  const Wide value = sgn(x) < 0 ? -static_cast<Wide>(size) : static_cast<Wide>(size);
  if (!fits(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// The root of x when x is a square. Squares are 0, 1, 4, 9, 16, 17, 25, 33, 36, 41, 49, 57 mod 64,
// which turns away four in five numbers before the floating-point root.
std::optional<std::int64_t> exact_root(std::int64_t x) {
  constexpr std::uint64_t squares_mod_64 = 0x0202021202030213;
  if (x < 0 || !(squares_mod_64 >> (x & 63) & 1)) return std::nullopt;
  // The double root of a square below 2^63 is off by less than one half, so rounding finds it:
  // the conversion has relative error 2^-53, the root of the conversion half of that, and
  // 2^31.5 * 2^-52 is far below 1/2.
  const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(x))));
  if (static_cast<Wide>(root) * root != x) return std::nullopt;
  return root;
}

std::size_t mix(std::size_t seed, std::uint64_t word) {
  // The finaliser of splitmix64 on the running value.
  std::uint64_t x = (static_cast<std::uint64_t>(seed) ^ word) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<std::size_t>(x ^ (x >> 31));
}

std::size_t hash_limbs(std::size_t seed, const mpz_class& x) {
  const mpz_srcptr z = x.get_mpz_t();
  for (std::size_t i = 0; i < mpz_size(z); ++i) seed = mix(seed, mpz_getlimbn(z, i));
  return mix(seed, static_cast<std::uint64_t>(mpz_sgn(z) + 1));
}

bool is_numeral(std::string_view digits) {
  if (digits.empty()) return false;
  if (digits.size() > 1 && digits.front() == '0') return false;
  return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

/// The two doors into the representation, both for values already in lowest terms.
struct RationalForm {
  static Rational of(std::int64_t numerator, std::int64_t denominator) {
    Rational result;
    result.numerator_ = numerator;
    result.denominator_ = denominator;
    return result;
  }

  static Rational of(Wide numerator, Wide denominator) {
    if (fits(numerator) && fits(denominator)) {
      return of(static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator));
    }
    Rational result;
    result.big_ = std::make_unique<mpq_class>();
    set_wide(result.big_->get_num(), numerator);
    set_wide(result.big_->get_den(), denominator);
    return result;
  }

  static Rational of(mpq_class value) {
    const auto numerator = small(value.get_num()), denominator = small(value.get_den());
    if (numerator && denominator) return of(*numerator, *denominator);
    Rational result;
    result.big_ = std::make_unique<mpq_class>(std::move(value));
    return result;
  }

  /// The value as GMP sees it; `scratch` holds it when it is small.
  static const mpq_class& view(const Rational& value, mpq_class& scratch) {
    if (value.big_) return *value.big_;
    set_wide(scratch.get_num(), value.numerator_);
    set_wide(scratch.get_den(), value.denominator_);
    return scratch;
  }

  template <typename Operation>
  static Rational by_gmp(const Rational& a, const Rational& b, Operation operation) {
    mpq_class scratch_a;
    mpq_class scratch_b;
    mpq_class result;
    operation(result.get_mpq_t(), view(a, scratch_a).get_mpq_t(), view(b, scratch_b).get_mpq_t());
    return of(std::move(result));
  }

  /// a/b + s*c/d for s = +-1 by Knuth, TAOCP 2, 4.5.1: a gcd of the denominators, then one of the
  /// numerator with it, never one of the full product.
  template <int s>
  static Rational sum(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    if (b == d) {
      const Wide numerator = static_cast<Wide>(a) + s * static_cast<Wide>(c);
      if (b == 1) return of(numerator, Wide{1});
      const std::uint64_t common = gcd(remainder(magnitude(numerator), magnitude(b)), magnitude(b));
      const auto divisor = static_cast<std::int64_t>(common);
      if (divisor == 1) return of(numerator, Wide{b});
      return of(quotient(numerator, divisor), Wide{b / divisor});
    }
    const std::int64_t common = b == 1 || d == 1 ? 1 : signed_gcd(b, d);
    if (common == 1) {
      return of(static_cast<Wide>(a) * d + s * (static_cast<Wide>(c) * b),
                static_cast<Wide>(b) * d);
    }
    const std::int64_t rest_b = b / common;
    const std::int64_t rest_d = d / common;
    const Wide numerator = static_cast<Wide>(a) * rest_d + s * (static_cast<Wide>(c) * rest_b);
    const auto divisor = static_cast<std::int64_t>(
        gcd(remainder(magnitude(numerator), magnitude(common)), magnitude(common)));
    if (divisor == 1) return of(numerator, static_cast<Wide>(rest_b) * d);
    // Equal denominators were handled above, so the numerator is not zero here: zero would need
    // a/b = -s*c/d in lowest terms.
    return of(quotient(numerator, divisor), static_cast<Wide>(rest_b) * (d / divisor));
  }
};

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  Wide top = numerator;
  Wide bottom = denominator;
  if (bottom < 0) {
    top = -top;
    bottom = -bottom;
  }
  const std::uint64_t common = gcd(magnitude(numerator), magnitude(denominator));
  *this = RationalForm::of(top / static_cast<Wide>(common), bottom / static_cast<Wide>(common));
}

Rational::Rational(mpq_class value) {
  value.canonicalize();
  *this = RationalForm::of(std::move(value));
}

Rational::Rational(const Rational& other)
    : numerator_(other.numerator_), denominator_(other.denominator_) {
  if (other.big_) big_ = std::make_unique<mpq_class>(*other.big_);
}

Rational& Rational::operator=(const Rational& other) {
  if (this == &other) return *this;
  numerator_ = other.numerator_;
  denominator_ = other.denominator_;
  if (other.big_) {
    big_ = std::make_unique<mpq_class>(*other.big_);
  } else {
    big_.reset();
  }
  return *this;
}

std::optional<Rational> Rational::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view unsigned_text = text.substr(negative ? 1 : 0);
  const std::size_t slash = unsigned_text.find('/');
  const std::string_view top = unsigned_text.substr(0, slash);
  if (!is_numeral(top) || (negative && top == "0")) return std::nullopt;
  const bool has_bottom = slash != std::string_view::npos;
  const std::string_view bottom = has_bottom ? unsigned_text.substr(slash + 1) : "1";
  if (has_bottom && (!is_numeral(bottom) || bottom == "0" || bottom == "1")) return std::nullopt;

  constexpr std::size_t small_digits = 18;  // below 10^18 < 2^63
  if (top.size() <= small_digits && bottom.size() <= small_digits) {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;
    std::from_chars(top.data(), top.data() + top.size(), numerator);
    std::from_chars(bottom.data(), bottom.data() + bottom.size(), denominator);
    if (signed_gcd(numerator, denominator) != 1) return std::nullopt;
    return RationalForm::of(negative ? -numerator : numerator, denominator);
  }
  mpq_class value(mpz_class(std::string(top), 10), mpz_class(std::string(bottom), 10));
  if (::gcd(value.get_num(), value.get_den()) != 1) return std::nullopt;
  if (negative) value = -value;
  return RationalForm::of(std::move(value));
}

std::string Rational::text() const {
  if (big_) return big_->get_str();
  std::string result = std::to_string(numerator_);
  if (denominator_ != 1) result.append("/").append(std::to_string(denominator_));
  return result;
}

int Rational::sign() const {
  if (big_) return sgn(*big_);
  return (numerator_ > 0) - (numerator_ < 0);
}

bool Rational::is_integer() const {
  return big_ ? big_->get_den() == 1 : denominator_ == 1;
}

Rational Rational::abs() const {
  return sign() < 0 ? -*this : *this;
}

Rational Rational::inverse() const {
  if (big_) {
    mpq_class result;
    mpq_inv(result.get_mpq_t(), big_->get_mpq_t());
    return RationalForm::of(std::move(result));
  }
  const Wide top =
      numerator_ < 0 ? -static_cast<Wide>(denominator_) : static_cast<Wide>(denominator_);
  return RationalForm::of(top, static_cast<Wide>(magnitude(numerator_)));
}

std::optional<Rational> Rational::square_root() const {
  // In lowest terms a fraction is a square iff numerator and denominator are.
  if (!big_) {
    const auto top = exact_root(numerator_);
    if (!top) return std::nullopt;
    if (denominator_ == 1) return Rational(*top);
    const auto bottom = exact_root(denominator_);
    if (!bottom) return std::nullopt;
    return RationalForm::of(*top, *bottom);
  }
  if (!mpz_perfect_square_p(big_->get_num_mpz_t()) ||
      !mpz_perfect_square_p(big_->get_den_mpz_t())) {
    return std::nullopt;
  }
  mpq_class result;
  mpz_sqrt(result.get_num_mpz_t(), big_->get_num_mpz_t());
  mpz_sqrt(result.get_den_mpz_t(), big_->get_den_mpz_t());
  return RationalForm::of(std::move(result));
}

double Rational::approximate() const {
  if (big_) return big_->get_d();  // truncates the exact quotient: less than one unit off
  if (magnitude(numerator_) <= kExactInDouble && magnitude(denominator_) <= kExactInDouble) {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }
  if constexpr (std::numeric_limits<long double>::digits >= 64) {
    // Both conversions are exact; the quotient is rounded at 64 bits and again at 53.
    return static_cast<double>(static_cast<long double>(numerator_) /
                               static_cast<long double>(denominator_));
  } else {
    return to_mpq().get_d();
  }
}

std::size_t Rational::big_bytes() const {
  constexpr std::size_t kBlock = 16;  // what an allocation of its own costs, about
  const auto limbs = static_cast<std::size_t>(big_->get_num_mpz_t()->_mp_alloc) +
                     static_cast<std::size_t>(big_->get_den_mpz_t()->_mp_alloc);
  return sizeof(mpq_class) + limbs * sizeof(mp_limb_t) + 3 * kBlock;
}

std::size_t Rational::numerator_bits() const {
  if (big_) return sgn(*big_) == 0 ? 0 : mpz_sizeinbase(big_->get_num_mpz_t(), 2);
  return static_cast<std::size_t>(std::bit_width(magnitude(numerator_)));
}

std::size_t Rational::denominator_bits() const {
  if (big_) return mpz_sizeinbase(big_->get_den_mpz_t(), 2);
  return static_cast<std::size_t>(std::bit_width(magnitude(denominator_)));
}

mpq_class Rational::to_mpq() const {
  mpq_class scratch;
  return RationalForm::view(*this, scratch);
}

std::size_t Rational::hash() const {
  if (big_) return hash_limbs(hash_limbs(1, big_->get_num()), big_->get_den());
  return mix(mix(0, static_cast<std::uint64_t>(numerator_)),
             static_cast<std::uint64_t>(denominator_));
}

Rational Rational::operator-() const {
  if (big_) return RationalForm::of(mpq_class(-*big_));
  return RationalForm::of(-static_cast<Wide>(numerator_), static_cast<Wide>(denominator_));
}

Rational operator+(const Rational& a, const Rational& b) {
  if (a.big_ || b.big_) return RationalForm::by_gmp(a, b, mpq_add);
  std::int64_t total = 0;
  if (a.denominator_ == 1 && b.denominator_ == 1 &&
      !__builtin_add_overflow(a.numerator_, b.numerator_, &total)) {
    return Rational(total);
  }
  return RationalForm::sum<1>(a.numerator_, a.denominator_, b.numerator_, b.denominator_);
}

Rational operator-(const Rational& a, const Rational& b) {
  if (a.big_ || b.big_) return RationalForm::by_gmp(a, b, mpq_sub);
  std::int64_t total = 0;
  if (a.denominator_ == 1 && b.denominator_ == 1 &&
      !__builtin_sub_overflow(a.numerator_, b.numerator_, &total)) {
    return Rational(total);
  }
  return RationalForm::sum<-1>(a.numerator_, a.denominator_, b.numerator_, b.denominator_);
}

Rational operator*(const Rational& a, const Rational& b) {
  if (a.big_ || b.big_) return RationalForm::by_gmp(a, b, mpq_mul);
  std::int64_t product = 0;
  if (a.denominator_ == 1 && b.denominator_ == 1 &&
      !__builtin_mul_overflow(a.numerator_, b.numerator_, &product)) {
    return Rational(product);
  }
  if (a.numerator_ == 0 || b.numerator_ == 0) return Rational();
  // Cancelling crosswise first leaves the product in lowest terms.
  const std::int64_t ad = b.denominator_ == 1 ? 1 : signed_gcd(a.numerator_, b.denominator_);
  const std::int64_t cb = a.denominator_ == 1 ? 1 : signed_gcd(b.numerator_, a.denominator_);
  return RationalForm::of(static_cast<Wide>(a.numerator_ / ad) * (b.numerator_ / cb),
                          static_cast<Wide>(a.denominator_ / cb) * (b.denominator_ / ad));
}

Rational operator/(const Rational& a, const Rational& b) {
  if (a.big_ || b.big_) return RationalForm::by_gmp(a, b, mpq_div);
  return a * b.inverse();
}

bool operator==(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) {
    return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  }
  return a.big_ && b.big_ && *a.big_ == *b.big_;
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  if (a.big_ || b.big_) {
    mpq_class scratch_a;
    mpq_class scratch_b;
    return cmp(RationalForm::view(a, scratch_a), RationalForm::view(b, scratch_b)) <=> 0;
  }
  if (a.denominator_ == b.denominator_) return a.numerator_ <=> b.numerator_;
  return static_cast<Wide>(a.numerator_) * b.denominator_ <=>
         static_cast<Wide>(b.numerator_) * a.denominator_;
}

}}  // namespace logdepth::runtime_numbers
