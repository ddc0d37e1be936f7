#include "message_history.hpp"

#include <algorithm>

namespace skel::mapping::migration {

namespace {

/// How much of the weight of a superstep is left after the next one: as of means in load_forecast.
constexpr double kept_of_weight = 0.9;

}  // namespace

void message_history::add(std::vector<record::bsp_message> const& messages) {
  for (auto& one : kept_) one.part *= kept_of_weight;
  auto same = std::ranges::find(kept_, messages, &usual_messages::messages);
  if (same != kept_.end()) {
    same->part += 1;
    return;
  }
  if (kept_.size() == most_kept) kept_.erase(std::ranges::min_element(kept_, {}, &usual_messages::part));
  kept_.push_back({messages, 1});
}

std::vector<usual_messages> message_history::usual() const {
  auto all = kept_;
  double sum = 0;
  for (auto const& one : all) sum += one.part;
  for (auto& one : all) one.part /= sum;
  return all;
}

}  // namespace skel::mapping::migration
