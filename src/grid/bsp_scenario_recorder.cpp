#include "bsp_scenario_recorder.hpp"

#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/output_file.hpp>

namespace skel {

bsp_scenario_recorder::bsp_scenario_recorder(bsp_machine const& where, std::vector<int> const& first_ranks,
                                             std::vector<std::size_t> const& pinned,
                                             skeletons::migration_settings policy, std::size_t most)
    : taken_(where.rank_of_host.size()), most_(most) {
  begun_.machine = where.machine.hosts;
  begun_.migration_fixed = where.machine.fixed, begun_.migration_per_byte = where.machine.per_byte;
  begun_.memory = where.machine.memory;
  begun_.policy = std::move(policy);
  for (int const rank : first_ranks) begun_.hosts.push_back(where.host_of_rank[static_cast<std::size_t>(rank)]);
  if (!pinned.empty()) begun_.pinned.resize(first_ranks.size());
  for (auto const process : pinned) begun_.pinned[process] = true;
}

void bsp_scenario_recorder::add(record::superstep const& last) {
  auto const& load = last.load;
  std::size_t const bytes = sizeof(double) * load.work.size() + sizeof(record::bsp_message) * load.messages.size();
  std::size_t const loads = (trace_.steps.size() + 1) * (load.work.size() + taken_.size());
  if (left_out_ > 0 || bytes > most_ - bytes_ || loads > platform::most_loads) {
    ++left_out_;
    return;
  }
  bytes_ += bytes;
  trace_.steps.push_back(load);
  begun_.state_bytes = last.state_bytes;
  if (last.migration_fixed)
    begun_.migration_fixed = *last.migration_fixed, begun_.migration_per_byte = last.migration_per_byte;
  for (std::size_t h = 0; h < last.external_load.size(); ++h) taken_[h] += last.external_load[h];
}

void bsp_scenario_recorder::write(std::string const& file) const {
  if (trace_.steps.empty()) throw error(file + ": no superstep was measured that could be written");
  auto whole = begun_;
  whole.program = trace_;
  for (double const taken : taken_) whole.external_load.push_back(taken / static_cast<double>(trace_.steps.size()));
  record::write_whole(file, to_text(whole));
}

}  // namespace skel
