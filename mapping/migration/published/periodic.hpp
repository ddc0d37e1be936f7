#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <skel/detail/mapping/migration/policy.hpp>

namespace skel::mapping::migration {

/// A policy that makes a call every alpha supersteps, by the mean work of processes since the last one.
class periodic : public policy {
 public:
  periodic(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
           std::vector<bool> const& pinned)
      : machine_(machine), pinned_(pinned), alpha_(settings.alpha), apply_(settings.apply) {}

  void pin(std::size_t process) final { pinned_.at(process) = true; }
  std::optional<record::rescheduling> after(record::superstep const& step) final;

 protected:
  /// The migrations to make. `mean`: the superstep that has ended, with the mean work since the last call.
  virtual std::vector<record::migration_candidate> choose(record::superstep const& mean) = 0;

  cost::bsp::machine const& machine() const { return machine_; }
  bool is_pinned(std::size_t process) const { return !pinned_.empty() && pinned_[process]; }

 private:
  cost::bsp::machine machine_;
  std::vector<bool> pinned_;
  std::size_t alpha_;
  bool apply_;
  std::vector<double> sum_;  // of work since the last call
  std::size_t steps_ = 0;    // since then
};

/// Nothing moves, and there are no calls.
struct never final : policy {
  never(skeletons::migration_settings const&, cost::bsp::machine const&, std::vector<bool> const&) {}
  std::optional<record::rescheduling> after(record::superstep const&) override { return std::nullopt; }
};

/// Each process that is not pinned goes to the host of the next one: as many migrations as there can be, to test
/// migration.
struct rotate final : periodic {
  using periodic::periodic;
  std::vector<record::migration_candidate> choose(record::superstep const& mean) override;
};

/// A host gives away processes while its time is more than 1.05 times the time of all with work spread by speed. Its
/// largest process goes to the host that would end it first, if that is earlier. As RefineLB and GreedyRefineLB of
/// Charm++ (Zheng 2005, PhD thesis, University of Illinois), but with speeds of hosts. O(processes hosts).
struct greedy_refine final : periodic {
  using periodic::periodic;
  std::vector<record::migration_candidate> choose(record::superstep const& mean) override;
};

/// Hosts are a ring. Each gives to either neighbour a third of the difference of their times, as far as processes can
/// be divided. It gives the largest that are no more than the rest of that. First-order diffusion (Cybenko 1989,
/// Journal of Parallel and Distributed Computing 7(2):279-301), for unequal speeds (Elsaesser, Monien, Preis 2002,
/// Theory of Computing Systems 35(3):305-320). O(processes log processes + hosts).
struct diffusion final : periodic {
  using periodic::periodic;
  std::vector<record::migration_candidate> choose(record::superstep const& mean) override;
};

}  // namespace skel::mapping::migration
