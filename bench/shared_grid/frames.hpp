#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/line/calibration.hpp>

#include "simulation/simulated_hosts.hpp"

namespace bench {

/// The program of examples/06_shared_grid, with what its stages take instead of what they compute: items as large, and
/// the same stages, of which the last one keeps something.
struct frame {
  std::uint64_t number = 0;
  std::vector<float> values;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, values);
  }
};

/// What the stage with state has seen of the frames before.
struct finding {
  std::uint64_t number = 0, seen = 0, strongest = 0;
};

inline constexpr std::size_t samples = 4096, taps = 512, bins = 256;

/// Seconds of each stage for a frame on a host of 0.4 cores, as those of scripts/shared_grid: 1 / 0.4 of what
/// `06_shared_grid 400` says of a free core of two, Debian 12 on a virtual machine, 2026-11-26.
inline constexpr double sampling = 80e-6 / 0.4, filtering = 1.0e-3 / 0.4, transforming = 2.07e-3 / 0.4,
                        tracking = 3e-6 / 0.4;

/// What the functions of all ranks share.
struct frame_run {
  simulated_hosts& hosts;
  std::size_t frames = 0;
  std::size_t transforms_on = 0;  ///< host
  std::vector<double> times{};    ///< when frames were done [s]
  std::function<void(std::size_t frames)> done{};
};

/// What a stage makes of a frame in so many seconds.
inline frame take_time(frame_run& in, double seconds, std::uint64_t number, std::size_t values) {
  in.hosts.compute(seconds);
  return {number, std::vector<float>(values)};
}

struct tracker {
  frame_run* in;
  std::uint64_t seen = 0;

  finding operator()(frame const& spectrum) {
    in->hosts.compute(tracking);
    return {spectrum.number, seen++, 0};
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seen);
  }
};

/// The functions of one rank.
inline auto frame_program(frame_run& in) {
  return skel::source("number",
                      [i = std::uint64_t{0}, frames = in.frames]() mutable {
                        return i < frames ? std::optional(i++) : std::nullopt;
                      }) |
         skel::stage(
             "sample", [&in](std::uint64_t number) { return take_time(in, sampling, number, samples + taps); },
             skel::stateless) |
         skel::stage(
             "filter", [&in](frame const& one) { return take_time(in, filtering, one.number, samples); },
             skel::stateless) |
         skel::stage(
             "transform",
             [&in](frame const& one) {
               in.transforms_on = in.hosts.here();
               return take_time(in, transforming, one.number, bins);
             },
             skel::stateless) |
         skel::stage("track", tracker{&in}) | skel::sink("count", [&in](finding const& one) {
           if (one.number != in.times.size() || one.seen != one.number)
             throw std::runtime_error("frame " + std::to_string(one.number) + ", of which " + std::to_string(one.seen) +
                                      " were seen, came after " + std::to_string(in.times.size()));
           in.times.push_back(simulated_hosts::time());
           in.done(in.times.size());
         });
}

/// What a station of it costs, as first items would say.
inline std::vector<skel::runtime::station_cost> frame_costs() {
  auto const cost = [](double seconds, std::size_t bytes) {
    return skel::runtime::station_cost{.seconds = seconds, .bytes = static_cast<double>(bytes)};
  };
  return {cost(0, sizeof(std::uint64_t)),           cost(sampling, sizeof(float) * (samples + taps)),
          cost(filtering, sizeof(float) * samples), cost(transforming, sizeof(float) * bins),
          cost(tracking, sizeof(finding)),          cost(0, 0)};
}

}  // namespace bench
