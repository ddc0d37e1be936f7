#include <skel/detail/mapping/decision_knowledge.hpp>

#include <random>

#include <gtest/gtest.h>

namespace skel::mapping {
namespace {

std::vector<candidate_model> const models{{"near", {.error = 0.1}}, {"far|ther", {.error = 0.3}}};

decision_knowledge learnt(unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> noise(0.2, 0.7);
  struct hash {
    std::size_t operator()(decision_context const& of) const { return static_cast<std::size_t>(of[0]); }
  };
  poly_model<decision_context, hash> all(models);
  for (int k = 0; k < 500; ++k)
    all.observe({static_cast<std::int64_t>(random() % 5) - 2, 7, 0, -1}, random() % 2, random(), 1e-3,
                1e-3 * std::exp(noise(random)));
  for (int k = 0; k < 500; ++k)
    all.observe({static_cast<std::int64_t>(random() % 5) - 2, 7, 0, -1}, random() % 2, random() % 3, 1e-3,
                1e-3 * std::exp(noise(random)));
  decision_knowledge known{"toy", {"near", "far|ther"}, {}};
  for (auto const& [context, memory] : all.contexts()) known.contexts.emplace_back(context, memory);
  return known;
}

TEST(DecisionKnowledge, IsTheSameWhenItIsReadBack) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto const known = learnt(seed);
    ASSERT_EQ(known.contexts.size(), 5u);
    EXPECT_EQ(from_entries(to_entries(known), "toy", models), known);
  }
}

TEST(DecisionKnowledge, OfOtherProblemsAndModelsIsPassedOver) {
  auto const all = to_entries(learnt(1));
  EXPECT_TRUE(from_entries(all, "other", models).contexts.empty());
  EXPECT_TRUE(from_entries(all, "toy", std::span(models).first(1)).contexts.empty());
}

/// Where each number of a text begins, and how long it is.
std::vector<std::pair<std::size_t, std::size_t>> numbers_of(std::string const& text) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(' ', at), text.size());
    if (end > at) all.emplace_back(at, end - at);
    at = end + 1;
  }
  return all;
}

// What is taken can be asked and can learn, whatever its numbers are.
TEST(DecisionKnowledge, OfNumbersThatNothingLearnsIsPassedOver) {
  auto all = to_entries(learnt(4));
  all.resize(1);
  auto numbers = numbers_of(all.front().second);
  ASSERT_GT(numbers.size(), 60u);
  numbers.resize(60);  // two records, of the same kind as the others
  std::size_t taken = 0;
  for (auto const& [at, length] : numbers)
    for (std::string const number : {"inf", "-inf", "nan", "-1", "0", "1e308", "-1e308", "1e-308",
                                     "9223372036854775807", "18446744073709551615"}) {
      auto changed = all;
      changed.front().second.replace(at, length, number);
      for (auto& [context, memory] : from_entries(changed, "toy", models).contexts)
        for (auto& records : memory.records)
          for (auto& one : records) {
            auto& errors = one.errors;
            ++taken;
            for (double const error : {0.0, 0.3, -700.0, 0.3}) {
              errors.observe(error);
              ASSERT_TRUE(std::isfinite(errors.bias()) && std::isfinite(errors.lately())) << number << " at " << at;
              ASSERT_TRUE(std::isfinite(errors.scatter()) && errors.scatter() >= 0) << number << " at " << at;
              ASSERT_TRUE(std::isfinite(errors.expected_error())) << number << " at " << at;
            }
          }
    }
  EXPECT_GT(taken, 0u);
}

TEST(DecisionKnowledge, ThatIsDamagedIsPassedOver) {
  auto const all = to_entries(learnt(2));
  std::mt19937_64 random(3);
  for (int draw = 0; draw < 2000; ++draw) {
    auto damaged = all;
    auto& [key, value] = damaged[random() % damaged.size()];
    std::string& text = random() % 4 == 0 ? key : value;
    switch (random() % 3) {
      case 0:
        text.resize(random() % text.size());
        break;
      case 1:
        text[random() % text.size()] = static_cast<char>(' ' + random() % 90);
        break;
      default:
        text.insert(random() % text.size(), random() % 2 == 0 ? "nan " : "-1 ");
    }
    for (auto const& [context, memory] : from_entries(damaged, "toy", models).contexts)
      for (auto const& records : memory.records)
        for (auto const& one : records) {
          EXPECT_GT(one.errors.observed.weight, 0);
          EXPECT_TRUE(std::isfinite(one.errors.bias()) && one.errors.scatter() >= 0) << value;
        }
  }
}

}  // namespace
}  // namespace skel::mapping
