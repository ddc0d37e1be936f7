#include <skel/detail/pattern/monoid.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace skel;
using vec3 = std::array<double, 3>;

struct money {
  long cents = 0;
  friend money operator+(money a, money b) { return {a.cents + b.cents}; }
  friend bool operator==(money, money) = default;
};

// What irregular reductions take.
static_assert(monoid_operator<std::plus<>, double> && monoid_operator<std::plus<int>, int>);
static_assert(monoid_operator<std::multiplies<>, float> && monoid_operator<std::bit_xor<>, std::uint8_t>);
static_assert(monoid_operator<minimum, double> && monoid_operator<maximum, std::int64_t>);
static_assert(monoid_operator<std::logical_and<>, bool> && monoid_operator<std::logical_or<bool>, bool>);
static_assert(monoid_operator<std::plus<>, money>);
static_assert(monoid_operator<componentwise_operator<std::plus<>>, vec3>);
static_assert(monoid_operator<componentwise_operator<minimum>, vec3>);
static_assert(monoid_operator<commutative_operator<std::plus<>>, double>);
static_assert(monoid_operator<operator_with_identity<std::plus<>, int>, double>);
static_assert(is_commutative<operator_with_identity<std::plus<>, std::string>, std::string>);
static_assert(monoid_operator<operator_with_identity<std::plus<>, std::string>, std::string>);

// And what they do not.
static_assert(!monoid_operator<std::minus<>, double>);
static_assert(!monoid_operator<std::divides<>, double>);
static_assert(!monoid_operator<std::plus<>, std::string>);  // order matters
static_assert(!monoid_operator<std::plus<>, vec3>);         // componentwise(std::plus<>{})
static_assert(!monoid_operator<std::plus<int>, double>);    // would round each operand
static_assert(!monoid_operator<std::bit_and<>, double>);    // has no such operator
static_assert(!monoid_operator<std::logical_and<>, int>);   // makes 1 of 2
static_assert(!monoid_operator<std::logical_or<>, double>);
static_assert(!monoid_operator<minimum, money>);  // no least one
static_assert(!monoid_operator<componentwise_operator<std::minus<>>, vec3>);
static_assert(!monoid_operator<double (*)(double, double), double>);  // says no identity
static_assert(!monoid_operator<operator_with_identity<std::plus<>, std::string>, double>);

/// The law: op(identity, a) and op(a, identity) are a, bit by bit.
template <class T, class Op>
void leaves_as_they_are(Op const& op, std::vector<T> const& values) {
  T const identity = identity_of<T>(op);
  for (T const& a : values) {
    EXPECT_EQ(static_cast<T>(op(identity, a)), a);
    EXPECT_EQ(static_cast<T>(op(a, identity)), a);
    if constexpr (std::is_floating_point_v<T>) {
      EXPECT_EQ(std::signbit(op(identity, a)), std::signbit(a)) << a;
      EXPECT_EQ(std::signbit(op(a, identity)), std::signbit(a)) << a;
    }
  }
}

template <class T>
class IdentityOn : public testing::Test {};
using numbers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                               std::int64_t, std::uint64_t, float, double, long double>;
TYPED_TEST_SUITE(IdentityOn, numbers);

template <class T>
std::vector<T> extremes() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values{T{0}, T{1}, T{2}, T{100}, limits::max(), limits::lowest()};
  if constexpr (std::is_signed_v<T>) values.push_back(static_cast<T>(-1));
  if constexpr (limits::has_infinity) {
    values.insert(values.end(), {limits::infinity(), -limits::infinity(), static_cast<T>(-0.0), limits::min(),
                                 limits::denorm_min(), static_cast<T>(0.1)});
  }
  return values;
}

TYPED_TEST(IdentityOn, LeavesSumsProductsMinimaAndMaximaAsTheyAre) {
  auto const values = extremes<TypeParam>();
  leaves_as_they_are(std::plus<>{}, values);
  leaves_as_they_are(std::plus<TypeParam>{}, values);
  leaves_as_they_are(std::multiplies<>{}, values);
  leaves_as_they_are(minimum{}, values);
  leaves_as_they_are(maximum{}, values);
  leaves_as_they_are(commutative(std::plus<>{}), values);
}

TYPED_TEST(IdentityOn, LeavesBitsAsTheyAre) {
  if constexpr (std::is_integral_v<TypeParam>) {
    auto const values = extremes<TypeParam>();
    leaves_as_they_are(std::bit_and<>{}, values);
    leaves_as_they_are(std::bit_or<>{}, values);
    leaves_as_they_are(std::bit_xor<>{}, values);
  } else {
    static_assert(!monoid_operator<std::bit_or<>, TypeParam>);
  }
}

TEST(Identity, LeavesTruthAsItIs) {
  leaves_as_they_are<bool>(std::logical_and<>{}, {false, true});
  leaves_as_they_are<bool>(std::logical_or<>{}, {false, true});
  leaves_as_they_are<bool>(minimum{}, {false, true});
  leaves_as_they_are<bool>(maximum{}, {false, true});
}

TEST(Identity, OfExtremesIsInfiniteWhereThereIsAnInfinity) {
  EXPECT_EQ(identity_of<double>(minimum{}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(identity_of<float>(maximum{}), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(identity_of<int>(minimum{}), std::numeric_limits<int>::max());
  EXPECT_EQ(identity_of<int>(maximum{}), std::numeric_limits<int>::lowest());
}

TEST(Identity, OfComponentsIsThatOfEach) {
  double const infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(identity_of<vec3>(componentwise(minimum{})), (vec3{infinity, infinity, infinity}));
  leaves_as_they_are<vec3>(componentwise(std::plus<>{}), {{0, 1, 2}, {-1, 0.5, infinity}});
  leaves_as_they_are<vec3>(componentwise(std::multiplies<>{}), {{0, 1, 2}, {-1, 0.5, infinity}});
  EXPECT_EQ(componentwise(std::multiplies<>{})(vec3{1, 2, 3}, vec3{4, 5, 6}), (vec3{4, 10, 18}));
}

TEST(Identity, OfSumsOfTheUsersOwnTypesIsTheirDefault) {
  leaves_as_they_are<money>(std::plus<>{}, {{0}, {7}, {-3}});
}

TEST(Identity, IsWhatTheUserSays) {
  auto const longest =
      with_identity([](std::string const& a,
                       std::string const& b) { return a.size() < b.size() || (a.size() == b.size() && a < b) ? b : a; },
                    std::string());
  leaves_as_they_are<std::string>(longest, {"", "a", "abc"});
  EXPECT_EQ(longest(std::string("ab"), std::string("abc")), "abc");
  auto const sum = with_identity(std::plus<>{}, 0);
  leaves_as_they_are<double>(sum, {1.5, -2.0});
  EXPECT_EQ(identity_of<double>(sum), 0.0);
}

}  // namespace
