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

/// What a step does with the elements of a part.
class simulated_part::work final : public skel::runtime::iteration::step_work {
 public:
  work(simulated_part& part, std::size_t step)
      : part_(part), bytes_(part.steps_[step].bytes), seconds_(part.seconds_[step]) {}

  failed compute(skel::plan::block places, skel::runtime::step_control&) override {
    part_.charge_(seconds_ * static_cast<double>(places.size()));
    return {};
  }
  void pack(std::span<std::uint32_t const> places, std::byte* to) const override {
    std::memset(to, 0, places.size() * bytes_);
    if (bytes_ < sizeof(said)) return;
    for (std::size_t k = 0; k < places.size(); ++k) {
      said const one{part_.layout_->elements.numbers[places[k]], static_cast<std::uint32_t>(part_.iteration_)};
      std::memcpy(to + k * bytes_, &one, sizeof one);
    }
  }
  /// Throws skel::error where it is not what should come.
  void unpack(skel::plan::block places, std::byte const* from) override {
    if (bytes_ < sizeof(said)) return;
    for (std::size_t place = places.begin; place < places.end; ++place, from += bytes_) {
      said one{};
      std::memcpy(&one, from, sizeof one);
      auto const element = part_.layout_->elements.numbers[place];
      if (one.element != element || one.iteration != part_.iteration_)
        throw skel::error("element " + std::to_string(one.element) + " of iteration " + std::to_string(one.iteration) +
                          " has come, and not element " + std::to_string(element) + " of iteration " +
                          std::to_string(part_.iteration_));
    }
  }
  void prepare_fold(std::size_t) override { part_.counted_ = 0; }
  failed fold(std::size_t, skel::plan::block places, skel::runtime::step_control&) override {
    part_.counted_ += places.size();
    return {};
  }
  bool has_same_fold(step_work const&) const override { return false; }
  failed contribute(std::string& to) override {
    to.append(reinterpret_cast<char const*>(&part_.counted_), sizeof part_.counted_);
    return {};
  }
  failed combine(std::span<std::span<std::byte const> const> of) override {
    std::uint64_t all = 0;
    for (auto const one : of) {
      std::uint64_t theirs = 0;
      if (one.size() == sizeof theirs) std::memcpy(&theirs, one.data(), sizeof theirs);
      all += theirs;
    }
    if (all == part_.elements()) return {};
    return program_failure{
        .during = program_failure::kind::combine,
        .what = std::to_string(all) + " elements were counted, and not " + std::to_string(part_.elements())};
  }
  failed act(std::uint64_t iteration, int, int, bool& ends) override {
    part_.iteration_ = iteration + 1;
    part_.ended_(iteration);
    ends = iteration == part_.last_;
    return {};
  }

 private:
  simulated_part& part_;
  std::size_t bytes_;
  double seconds_;
};

simulated_part::simulated_part(mesh_job const& job, mesh_variant variant, std::size_t elements, std::size_t cluster,
                               std::function<void(double)> charge, std::function<void(std::uint64_t)> ended)
    : mesh_part("simulated", "simulated", elements),
      charge_(std::move(charge)),
      ended_(std::move(ended)),
      last_(job.iterations) {
  auto const add = [&](mesh_step step, double seconds = 0) {
    steps_.push_back(std::move(step));
    seconds_.push_back(seconds);
    works_.push_back(std::make_unique<work>(*this, steps_.size() - 1));
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

}  // namespace bench
