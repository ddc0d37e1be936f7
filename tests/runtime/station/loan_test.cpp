#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include <runtime/station/loan.hpp>

namespace {

using skel::runtime::arrival;
using skel::runtime::errand;
using skel::runtime::items;
using skel::runtime::lender;
using skel::runtime::loan;

arrival batch(int value, int from) {
  auto one = std::make_unique<items<int>>(1);
  one->emplace([&] { return value; });
  return {{std::move(one), 0, static_cast<std::uint64_t>(value), 1, 0}, from};
}

errand answer(errand const& to, int value) {
  errand out;
  out.head = to.head;
  out.head.done = 1;
  out.items = batch(value, 0).what.items;
  return out;
}

int value_of(errand const& what) {
  return static_cast<items<int> const&>(*what.items)[0];
}

TEST(Loan, GivesAnswersInTheOrderOfWhatWasAsked) {
  loan of(3, 1);
  EXPECT_TRUE(of.idle());
  auto const first = of.begin(2, batch(10, 4)), second = of.begin(2, batch(20, 5));
  auto const last = of.ask(2, errand::kind::finish);
  EXPECT_EQ(first.head.first_item, 10U);
  EXPECT_EQ(value_of(first), 10);

  of.answered(answer(second, 200));
  EXPECT_FALSE(of.next());
  of.answered(answer(first, 100));
  auto back = of.next();
  ASSERT_TRUE(back);
  EXPECT_EQ(back->first.from, 4);
  EXPECT_EQ(back->first.what.first_item, 10U);
  EXPECT_EQ(value_of(back->second), 100);
  back = of.next();
  ASSERT_TRUE(back);
  EXPECT_EQ(back->first.from, 5);
  EXPECT_EQ(value_of(back->second), 200);
  EXPECT_FALSE(of.next());
  EXPECT_FALSE(of.idle());
  of.answered(answer(last, 0));
  EXPECT_EQ(of.next()->second.head.what, errand::kind::finish);
  EXPECT_TRUE(of.idle());
}

TEST(Lender, DoesOneAfterTheOtherInTheOrderOfWhatWasAsked) {
  loan of(3, 1);
  auto first = of.begin(2, batch(10, 4)), second = of.begin(2, batch(20, 4));
  lender keeper({});
  keeper.asked(6, std::move(second));
  EXPECT_FALSE(keeper.next());
  keeper.asked(6, std::move(first));
  auto next = keeper.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->first, 6);
  EXPECT_EQ(value_of(next->second), 10);
  EXPECT_FALSE(keeper.next()) << "its worker is busy";
  keeper.done();
  next = keeper.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(value_of(next->second), 20);
  keeper.done();

  loan later(3, 4);  // a loan counts from 0 again
  keeper.asked(1, later.begin(2, batch(30, 4)));
  next = keeper.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->first, 1);
  EXPECT_EQ(value_of(next->second), 30);
}

}  // namespace
