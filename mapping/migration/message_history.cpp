#include "message_history.hpp"

#include <algorithm>
#include <array>

namespace skel::mapping::migration {

namespace {

/// Part of the weight of a superstep that is left after the next one: as for means in load_forecast.
constexpr double kept_of_weight = 0.9;

}  // namespace

void message_history::add(std::vector<record::bsp_message> const& messages) {
  for (auto& one : kept_) one.what.part *= kept_of_weight;
  auto same = std::ranges::find_if(kept_, [&](kept const& one) { return one.what.messages == messages; });
  if (same != kept_.end()) {
    same->what.part += 1, same->again = true;
    return;
  }
  if (kept_.size() == most_kept)
    kept_.erase(std::ranges::min_element(kept_, {}, [](kept const& one) { return one.what.part; }));
  kept_.push_back({{messages, 1}});
}

std::vector<usual_messages> message_history::parts_of(std::vector<kept> const& all) {
  std::vector<usual_messages> parts;
  parts.reserve(all.size());
  double sum = 0;
  for (auto const& one : all) sum += one.what.part;
  for (auto const& one : all) parts.push_back({one.what.messages, one.what.part / sum});
  return parts;
}

std::vector<usual_messages> message_history::usual() const {
  return parts_of(kept_);
}

std::pair<std::vector<usual_messages>, std::vector<usual_messages>> message_history::halves() const {
  std::array<std::vector<kept>, 2> halves;
  std::array<double, 2> once{};
  bool second = false;
  for (auto const& one : kept_) {
    if (one.again) continue;
    once[second] += one.what.part;
    second = !second;
  }
  if (!(once[1] > 0)) return {usual(), usual()};
  second = false;
  for (auto const& one : kept_)
    if (one.again) {
      for (auto& half : halves) half.push_back(one);
    } else {
      halves[second].push_back(one);
      halves[second].back().what.part *= (once[0] + once[1]) / once[second];
      second = !second;
    }
  return {parts_of(halves[0]), parts_of(halves[1])};
}

}  // namespace skel::mapping::migration
