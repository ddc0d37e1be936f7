// Looks for changes in a signal: filters and transforms frames of samples, and compares their frequencies with those so
// far. It runs on hosts that others use too. If one gets slow, its stage moves, and takes along its memory of the
// signal. The report shows findings, decisions and gains.
//
//   06_shared_grid [FRAMES [LOG]]  under mpirun; LOG: a file for the time at which each frame was done.
// `skel testbed` makes a grid to try it on; scripts/shared_grid does that.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numbers>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include <skel/skel.hpp>

constexpr std::size_t samples = 4096, taps = 512, bins = 256;

struct frame {
  std::uint64_t number = 0;
  std::vector<float> values;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, values);
  }
};

/// A tone in noise, which changes every hundred frames.
frame sample(std::uint64_t number) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::uint64_t const tone = number / 100;
  double const pitch = 0.05 + 0.4 * std::fmod(static_cast<double>(tone) * std::numbers::phi, 1.0);
  frame out{number, std::vector<float>(samples + taps)};
  for (std::size_t k = 0; k < out.values.size(); ++k) {
    double const noise = static_cast<double>(random()) / std::mt19937::max() - 0.5;
    out.values[k] = static_cast<float>(std::sin(std::numbers::pi * pitch * static_cast<double>(k)) + 2 * noise);
  }
  return out;
}

/// A window that lets low frequencies pass. Its ends are no denormal numbers, as these slow some processors down.
frame filter(frame in) {
  std::vector<float> window(taps);
  for (std::size_t t = 0; t < taps; ++t) window[t] = static_cast<float>(std::exp(-static_cast<double>(t) / 8) / 8);
  frame out{in.number, std::vector<float>(samples)};
  for (std::size_t k = 0; k < samples; ++k)
    for (std::size_t t = 0; t < taps; ++t) out.values[k] += window[t] * in.values[k + taps - t];
  return out;
}

/// The amount of each frequency in it (Goertzel 1958).
frame transform(frame const& in) {
  frame out{in.number, std::vector<float>(bins)};
  for (std::size_t b = 0; b < bins; ++b) {
    double const turn = 2 * std::cos(std::numbers::pi * static_cast<double>(b) / bins);
    double before = 0, now = 0;
    for (float const value : in.values) {
      double const next = value + turn * now - before;
      before = now, now = next;
    }
    out.values[b] = static_cast<float>(now * now + before * before - turn * now * before);
  }
  return out;
}

/// The strongest frequency of a frame. `is_new`: another one was the strongest in the frames before.
struct finding {
  std::uint64_t number = 0, strongest = 0;
  bool is_new = false;
};

/// Remembers the usual frequencies. This state moves with the stage.
struct tracker {
  std::vector<float> mean = std::vector<float>(bins, 0);

  finding operator()(frame const& spectrum) {
    std::size_t strongest = 0, usual = 0;
    for (std::size_t b = 0; b < bins; ++b) {
      if (spectrum.values[b] > spectrum.values[strongest]) strongest = b;
      if (mean[b] > mean[usual]) usual = b;
    }
    for (std::size_t b = 0; b < bins; ++b) mean[b] += (spectrum.values[b] - mean[b]) / 16;
    std::size_t const apart = strongest > usual ? strongest - usual : usual - strongest;
    return {spectrum.number, strongest, apart > 2};
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(mean);
  }
};

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  std::uint64_t const frames = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 400;
  std::ofstream log;
  if (argc > 2 && grid.rank() == 0) log.open(argv[2]);
  std::uint64_t seen = 0, changes = 0, sum = 0;
  auto app = skel::source("number", [i = std::uint64_t{0},
                                     frames]() mutable { return i < frames ? std::optional(i++) : std::nullopt; }) |
             skel::stage("sample", sample, skel::stateless) | skel::stage("filter", filter, skel::stateless) |
             skel::stage("transform", transform, skel::stateless) | skel::stage("track", tracker()) |
             skel::sink("count", [&](finding const& one) {
               ++seen;
               changes += one.is_new;
               sum += one.strongest;
               if (!log.is_open()) return;
               auto const now = std::chrono::system_clock::now().time_since_epoch();
               log << one.number << ' ' << std::fixed << std::chrono::duration<double>(now).count() << std::endl;
             });
  auto const report = grid.run(app);
  if (grid.rank() == 0) {
    std::cerr << report;
    std::cout << seen << " frames, " << changes << " with another tone than before, sum of the strongest " << sum
              << std::endl;
    if (!std::cout) throw std::runtime_error("the result cannot be written to standard output");
  }
} catch (std::exception const& problem) {
  std::cerr << "06_shared_grid: " << problem.what() << std::endl;
  return 1;
}
