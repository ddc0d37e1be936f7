#include "periodic.hpp"

namespace skel::mapping::migration {

std::optional<record::rescheduling> periodic::after(record::superstep const& step) {
  if (step.migration_fixed) machine_.fixed = *step.migration_fixed, machine_.per_byte = step.migration_per_byte;
  sum_.resize(step.load.work.size());
  for (std::size_t p = 0; p < sum_.size(); ++p) sum_[p] += step.load.work[p];
  if (++steps_ < alpha_) return std::nullopt;
  record::superstep mean = step;
  for (std::size_t p = 0; p < sum_.size(); ++p) mean.load.work[p] = sum_[p] / static_cast<double>(steps_);
  sum_.clear(), steps_ = 0;
  return finish_call(machine_, mean, choose(mean), apply_);
}

}  // namespace skel::mapping::migration
