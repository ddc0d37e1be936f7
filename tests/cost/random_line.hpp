#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <skel/detail/cost/line.hpp>

namespace skel::cost {

inline std::string stage_name(std::size_t i) {
  return std::string(1, 's').append(std::to_string(i + 1));
}

/// A pipeline of single workers, each on its own host.
inline line plain_line(std::vector<double> const& services, std::vector<double> const& moves, std::size_t buffer = 0) {
  line model;
  for (std::size_t i = 0; i < services.size(); ++i)
    model.stations.push_back({stage_name(i), {{services[i], i}}, buffer});
  model.moves = moves;
  return model;
}

inline double random_rate(std::mt19937& random, double low, double high) {
  return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
}

/// 1 to `longest` single workers on their own hosts, no buffers; moves from slow to a thousand times faster than
/// services.
inline line random_plain_line(std::mt19937& random, std::size_t longest) {
  auto const count = std::uniform_int_distribution<std::size_t>(1, longest)(random);
  std::vector<double> services, moves;
  for (std::size_t i = 0; i < count; ++i) services.push_back(random_rate(random, 0.5, 50));
  for (std::size_t i = 0; i <= count; ++i) moves.push_back(random_rate(random, 1, 1e4));
  return plain_line(services, moves);
}

/// A line of any kind that the model has: farms of equal and unequal workers, buffers, shared hosts, both dispatches.
inline line random_line(std::mt19937& random, std::size_t longest) {
  auto const draw = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  line model;
  auto const count = draw(1, longest);
  auto const hosts = draw(1, count + 2);
  for (std::size_t i = 0; i < count; ++i) {
    station one{stage_name(i), {}, 0};
    if (draw(0, 3) == 0) one.buffer = draw(1, 2);
    auto const width = draw(0, 2) == 0 ? draw(2, one.buffer > 0 ? 2 : 3) : 1;
    double const common = random_rate(random, 0.5, 20);
    bool const alike = draw(0, 1) == 0;
    for (std::size_t w = 0; w < width; ++w)
      one.workers.push_back({alike ? common : random_rate(random, 0.5, 20), draw(0, hosts - 1)});
    model.stations.push_back(std::move(one));
  }
  for (std::size_t i = 0; i <= count; ++i) model.moves.push_back(random_rate(random, 1, 1e4));
  model.sharing = draw(0, 1) == 0 ? share::fixed : share::dynamic;
  model.farms = draw(0, 1) == 0 ? dispatch::round_robin : dispatch::on_demand;
  return model;
}

/// For the message of a test that fails.
inline std::string describe(line const& model) {
  std::string text = model.sharing == share::fixed ? "fixed" : "dynamic";
  text += model.farms == dispatch::on_demand ? " on demand:" : " round robin:";
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    text += " -" + std::to_string(model.moves[i]) + "-> [";
    for (auto const& one : model.stations[i].workers)
      text += std::to_string(one.rate) + "@" + std::to_string(one.host) + " ";
    text += "k=" + std::to_string(model.stations[i].buffer) + "]";
  }
  return text + " -" + std::to_string(model.moves.back()) + "->";
}

}  // namespace skel::cost
