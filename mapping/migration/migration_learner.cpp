#include <skel/detail/mapping/migration/migration_learner.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

#include "decide/knowledge_text.hpp"

namespace skel::mapping {

namespace {

constexpr std::string_view price_key = "migration time";

bool is_time(double seconds) {
  return seconds == 0 || knowledge_text::is_possible_time(seconds);
}

}  // namespace

std::optional<migration_price> known_migration_price(decision_entries const& known) {
  auto const found = std::ranges::find(known, price_key, &decision_entries::value_type::first);
  if (found == known.end()) return std::nullopt;
  knowledge_text::reader from(found->second);
  migration_price price;
  price.fixed = from.read<double>(), price.per_byte = from.read<double>();
  if (!from.at_end() || price == migration_price{} || !is_time(price.fixed) || !is_time(price.per_byte))
    return std::nullopt;
  return price;
}

decision_entries::value_type kept_migration_price(migration_price const& price) {
  std::string text;
  knowledge_text::write(text, price.fixed);
  knowledge_text::write(text, price.per_byte);
  return {std::string(price_key), std::move(text)};
}

}  // namespace skel::mapping

namespace skel::mapping::migration {

namespace {

/// The outermost of six bound the median with 95 %. A third has so many barriers that one outlier moves its median no
/// further than to another barrier.
constexpr std::size_t most_barriers = 16, fewest_of_a_third = 3;

/// Between sizes so far apart an error of a time is at most three times as large in the rest for no bytes.
constexpr double sizes_apart = 2;

/// Prices with which cost::bsp::migration_time() counts one part beside the paths.
cost::bsp::machine with_prices(cost::bsp::machine machine, double fixed, double per_byte) {
  machine.fixed = fixed, machine.per_byte = per_byte;
  return machine;
}

}  // namespace

migration_learner::migration_learner(cost::bsp::machine machine, double messages)
    : machine_(std::move(machine)), messages_(messages) {}

void migration_learner::add(std::span<cost::bsp::migration const> moves, double seconds) {
  SKEL_EXPECTS(!moves.empty());
  auto const time = [&](double fixed, double per_byte) {
    return cost::bsp::migration_time(with_prices(machine_, fixed, per_byte), moves);
  };
  double const crossing = time(0, 0), many = std::max(1.0, std::round(time(1, 0) - crossing)),
               bytes = std::max(0.0, time(0, 1) - crossing);
  barriers_.push_back({bytes / many, crossing / many, std::max(0.0, seconds - crossing) / many});
  if (barriers_.size() > most_barriers) barriers_.pop_front();
}

migration_learner::of_a_move migration_learner::medians(std::span<of_a_move const> barriers) {
  auto const of = [&](double of_a_move::*part) {
    std::vector<double> all;
    for (auto const& one : barriers) all.push_back(one.*part);
    return statistics::median(std::move(all));
  };
  return {of(&of_a_move::bytes), of(&of_a_move::crossing), of(&of_a_move::seconds)};
}

migration_price migration_learner::of_one_size(of_a_move const& usual) const {
  if (usual.crossing > messages_) {
    double const fixed = std::min(machine_.fixed, usual.seconds);
    return {fixed, usual.bytes > 0 ? (usual.seconds - fixed) / usual.bytes : machine_.per_byte};
  }
  double const copied = std::min(machine_.per_byte * usual.bytes, usual.seconds);
  return {usual.seconds - copied, usual.bytes > 0 ? copied / usual.bytes : machine_.per_byte};
}

migration_price migration_learner::learnt() const {
  if (barriers_.empty()) return {machine_.fixed, machine_.per_byte};
  std::vector<of_a_move> all(barriers_.begin(), barriers_.end());
  std::ranges::stable_sort(all, {}, &of_a_move::bytes);
  std::size_t const third = all.size() / 3;
  if (third < fewest_of_a_third) return of_one_size(medians(all));
  auto const small = medians(std::span(all).first(third)), large = medians(std::span(all).last(third));
  if (!(large.bytes >= sizes_apart * small.bytes && large.crossing > messages_)) return of_one_size(medians(all));
  double const per_byte =
      std::clamp((large.seconds - small.seconds) / (large.bytes - small.bytes), 0.0, large.seconds / large.bytes);
  std::vector<double> rest;
  rest.reserve(all.size());
  for (auto const& one : all) rest.push_back(one.seconds - per_byte * one.bytes);
  return {std::max(0.0, statistics::median(std::move(rest))), per_byte};
}

}  // namespace skel::mapping::migration
