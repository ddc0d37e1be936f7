#include "mesh_grid/simulated_part.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace bench {
namespace {

using skel::runtime::program_failure;
using skel::runtime::iteration::mesh_step;

/// What an update says of an element, as far as it has room.
struct said {
  std::uint32_t element, iteration;
};

}  // namespace

simulated_part::simulated_part(mesh_job const& job, mesh_variant variant, std::size_t elements, std::size_t cluster,
                               std::function<void(double)> charge, std::function<void(std::uint64_t)> ended)
    : mesh_part("simulated", "simulated", elements),
      charge_(std::move(charge)),
      ended_(std::move(ended)),
      last_(job.iterations) {
  auto const add = [&](mesh_step step, double seconds = 0) {
    steps_.push_back(std::move(step));
    seconds_.push_back(seconds);
  };
  auto const add_phases = [&](bool overlap, double part) {
    for (auto const& one : job.phases)
      if (one.overlaps == overlap) add({mesh_step::kind::phase, one.name}, part * one.seconds[cluster]);
  };
  bool const updates = variant == mesh_variant::overlapped || variant == mesh_variant::blocking;
  bool const waits = variant == mesh_variant::blocking || std::ranges::none_of(job.phases, &simulated_phase::overlaps);
  std::size_t const parts = std::max<std::size_t>(1, job.updates);
  for (std::size_t k = 0; k < parts; ++k) {
    if (updates && job.updates > 0) add({mesh_step::kind::update, "update", job.bytes, waits});
    add_phases(true, 1 / static_cast<double>(parts));
  }
  if (variant != mesh_variant::alone)
    for (std::size_t k = 0; k < job.allreduces; ++k) add({mesh_step::kind::all_reduce, "all-reduce"});
  add_phases(false, 1);
  add({mesh_step::kind::until, "until"});
  iterations_ = last_;
}

void simulated_part::begin(skel::plan::mesh_layout const& layout) {
  layout_ = &layout;
  iteration_ = 1;
}

simulated_part::failed simulated_part::compute(std::size_t step, skel::plan::block places,
                                               skel::runtime::step_control&) {
  charge_(seconds_[step] * static_cast<double>(places.size()));
  return {};
}

void simulated_part::pack(std::size_t step, std::span<std::uint32_t const> places, std::byte* to) const {
  std::size_t const bytes = steps_[step].bytes;
  std::memset(to, 0, places.size() * bytes);
  if (bytes < sizeof(said)) return;
  for (std::size_t k = 0; k < places.size(); ++k) {
    said const one{layout_->elements.numbers[places[k]], static_cast<std::uint32_t>(iteration_)};
    std::memcpy(to + k * bytes, &one, sizeof one);
  }
}

void simulated_part::unpack(std::size_t step, skel::plan::block places, std::byte const* from) {
  std::size_t const bytes = steps_[step].bytes;
  if (bytes < sizeof(said)) return;
  for (std::size_t place = places.begin; place < places.end; ++place, from += bytes) {
    said one{};
    std::memcpy(&one, from, sizeof one);
    if (one.element != layout_->elements.numbers[place] || one.iteration != iteration_)
      throw skel::error("element " + std::to_string(one.element) + " of iteration " + std::to_string(one.iteration) +
                        " has come, and not element " + std::to_string(layout_->elements.numbers[place]) +
                        " of iteration " + std::to_string(iteration_));
  }
}

simulated_part::failed simulated_part::fold(std::size_t, std::size_t, skel::plan::block places,
                                            skel::runtime::step_control&) {
  counted_ += places.size();
  return {};
}

simulated_part::failed simulated_part::contribute(std::size_t, std::string& to) {
  to.append(reinterpret_cast<char const*>(&counted_), sizeof counted_);
  return {};
}

simulated_part::failed simulated_part::combine(std::size_t, std::span<std::span<std::byte const> const> of) {
  std::uint64_t all = 0;
  for (auto const one : of) {
    std::uint64_t theirs = 0;
    if (one.size() == sizeof theirs) std::memcpy(&theirs, one.data(), sizeof theirs);
    all += theirs;
  }
  if (all == elements()) return {};
  return program_failure{.during = program_failure::kind::combine,
                         .what = std::to_string(all) + " elements were counted, and not " + std::to_string(elements())};
}

simulated_part::failed simulated_part::act(std::size_t, std::uint64_t iteration, int, int, bool& ends) {
  iteration_ = iteration + 1;
  ended_(iteration);
  ends = iteration == last_;
  return {};
}

}  // namespace bench
