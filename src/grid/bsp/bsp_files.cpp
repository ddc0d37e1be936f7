#include "bsp_files.hpp"

#include <new>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/output_file.hpp>
#include <skel/detail/show/trace.hpp>

#include "warn.hpp"

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

bsp_files::bsp_files(run_settings const& settings, std::vector<std::string> const& hosts)
    : trace_file_(settings.trace), scenario_file_(settings.scenario) {
  if (!trace_file_.empty()) timeline_.emplace(hosts);
}

void bsp_files::begin(bsp_machine const& where, std::vector<int> const& first_ranks,
                      std::vector<std::size_t> const& pinned, skeletons::migration_settings const& policy) {
  if (!scenario_file_.empty()) scenario_.emplace(where, first_ranks, pinned, policy);
}

void bsp_files::add(runtime::bsp::passed_superstep const& last) try {
  if (timeline_)
    timeline_->add({last.number, 1, last.begin - last.moving, last.end,
                    std::vector<double>(last.computing.begin(), last.computing.end()), last.moved, last.moving});
} catch (std::bad_alloc const&) {  // the program needs its memory more
  timeline_.reset();
  warn(trace_file_ + ": there is no memory for the trace of the run, which goes on");
}

void bsp_files::add(record::superstep const& last) try {
  if (scenario_) scenario_->add(last);
} catch (std::bad_alloc const&) {
  scenario_.reset();
  warn(scenario_file_ + ": there is no memory for the scenario of the run, which goes on");
}

void bsp_files::write_scenario() const {
  if (!scenario_) return;
  if (auto const left_out = scenario_->left_out(); left_out > 0)
    warn(scenario_file_ + ": the scenario ends after superstep " + std::to_string(scenario_->supersteps()) +
         ", as it would be too large; " + std::to_string(left_out) + " more were run");
  scenario_->write(scenario_file_);
}

void bsp_files::write(std::vector<record::bsp_migration> const& migrations) const {
  auto const file = [](std::string const& name, char const* what, auto const& written) {
    try {
      written();
    } catch (error const& e) {
      warn_of_lost(what, e.what());
    } catch (std::bad_alloc const&) {
      warn(name + ": there is no memory to write it");
    }
  };
  file(trace_file_, "the trace", [&] {
    if (timeline_) write_trace(*timeline_, migrations, trace_file_);
  });
  file(scenario_file_, "the scenario", [&] { write_scenario(); });
}

}  // namespace skel
