#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include <skel/base/contract.hpp>
#include <skel/mapping/poly_model.hpp>

namespace skel::mapping {

/// The first of the candidates by their corrected times, or one that it pays to try (mapping::choose()). `told(first,
/// i)`: standard deviation of what trying candidate i tells of its difference to the first.
template <class Told>
candidate_choice choose_by(std::vector<corrected_time> const& times, Told told,
                           std::span<candidate_time const> candidates, double uses, double trial_uses) {
  SKEL_EXPECTS(!candidates.empty() && uses >= 0 && trial_uses >= 0);
  auto const each = [&](std::size_t i) {  // of one use, with its share of the entry
    return times[i].seconds + (candidates[i].entry > 0 ? candidates[i].entry / uses : 0);
  };
  std::size_t first = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i)
    if (each(i) < each(first)) first = i;
  double const least = each(first);
  candidate_choice result{first, times[first], false};
  double most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i == first) continue;
    double const sigma = told(first, i) * times[i].seconds / each(i), mean = std::log(each(i) / least);
    if (!(sigma > 0)) continue;
    double const z = mean / sigma, below = 0.5 * std::erfc(z / std::numbers::sqrt2),
                 density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    double const faster = sigma * (density - z * below), slower = faster + mean;
    double const gain = uses * faster - trial_uses * slower - candidates[i].entry / least * (1 - below);
    if (gain > most) most = gain, result = {i, times[i], true};
  }
  return result;
}

}  // namespace skel::mapping
