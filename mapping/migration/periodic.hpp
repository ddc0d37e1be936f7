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
  /// The migrations that are to be made. `mean`: the superstep that has ended, with the mean work since the last call.
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

}  // namespace skel::mapping::migration
