#include <skel/detail/plan/block.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

namespace skel::plan {

std::vector<block> weighted_blocks(std::size_t n, std::span<double const> weights) {
  double sum = 0, all = 0;
  for (double const one : weights) all += one;
  std::vector<block> blocks;
  for (std::size_t begin = 0; double const one : weights) {
    sum += one;
    // A sum of weights that is a whole number of things must not be rounded to less than this.
    auto const end = blocks.size() + 1 == weights.size()
                         ? n
                         : static_cast<std::size_t>(std::floor(static_cast<double>(n) * sum / all * (1 + 1e-12)));
    blocks.push_back({begin, std::clamp(end, begin, n)});
    begin = blocks.back().end;
  }
  return blocks;
}

std::vector<block> weighted_blocks(std::span<double const> things, std::span<double const> weights) {
  double left = 0, all = 0;
  for (double const one : things) left += one;
  for (double const one : weights) all += one;
  if (left == 0) return weighted_blocks(things.size(), weights);
  std::vector<block> blocks;
  double const nothing = 1e-12 * all;  // sums of weights are rounded
  for (std::size_t end = 0; double const one : weights) {
    block mine{end, end};
    double const wanted = left * (one / all);
    for (double sum = 0; end < things.size() && one > 0; left -= things[end], sum += things[end++])
      if (end > mine.begin && sum + things[end] / 2 > wanted && all - one > nothing) break;
    all -= one, mine.end = end;
    blocks.push_back(mine);
  }
  return blocks;
}

}  // namespace skel::plan

std::vector<std::size_t> skel::split_by_weight(std::span<double const> weights, std::size_t parts) {
  if (parts == 0) throw input_error("split_by_weight", "parts", "there must be at least 1, not 0");
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0 && std::isfinite(weights[i])))
      throw input_error("split_by_weight", "weights[" + std::to_string(i) + "]",
                        "is " + shown(weights[i]) + "; weights are finite, and not negative");
  std::vector<std::size_t> first{0};
  for (auto const& one : plan::weighted_blocks(weights, std::vector<double>(parts, 1))) first.push_back(one.end);
  return first;
}
