// The engine, the mapper and who decides to move, as grid.run() joins them, on simulated hosts.
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/adapt/remapping.hpp>
#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

#include "grid/decision_store.hpp"
#include "grid/line/planner.hpp"
#include "grid/line/processor_map.hpp"
#include "grid/line/program_history.hpp"
#include "runtime/line/run_here.hpp"
#include "shared_grid/frames.hpp"
#include "shared_grid/job.hpp"
#include "simulation/simulated_hosts.hpp"
#include "simulation/simulated_lanes.hpp"
#include "simulation/simulated_transport.hpp"

namespace bench {
namespace {

using skel::platform::announcement;
using skel::platform::description;

// As in scripts/shared_grid.
constexpr std::size_t host_count = 4;
constexpr double near_latency = 1e-4, far_latency = 0.05, bandwidth = 1.25e8, slowed_share = 0.1, short_time = 0.1;

/// Where the line begins: as it did on emulated hosts (docs/results/0007.md), where others are priced alike, and where
/// it has to where there is one host at first.
std::string first_placement(std::string const& scenario) {
  if (scenario == "needed") return "site-0 | site-0 | site-0 | site-0 | site-0 | site-0";
  return "site-0 | site-0 | site-1 | site-2 | site-2 | site-0";
}

description site() {
  return {near_latency, {{.name = "site", .hosts = host_count, .speed = 1, .inside = {near_latency, bandwidth}}}, {}};
}

/// What happens to a host while the line runs.
class disturbance {
 public:
  disturbance(shared_grid_job const& job, simulated_hosts& hosts, description const& machine)
      : job_(job), hosts_(hosts), machine_(machine), host_(job.host.value_or(0)) {
    if (job.scenario == "source") host_ = 0;
    if (comes()) host_ = host_count - 1;
  }

  /// What is announced before the run.
  std::vector<announcement> stood() const {
    std::vector<announcement> out;
    std::size_t const first = job_.scenario == "needed" ? 1 : host_count - 1;
    for (std::size_t h = first; comes() && h < host_count; ++h) out.push_back(says(announcement::kind::leaves, h));
    return out;
  }
  /// What was announced since this was asked last.
  std::vector<announcement> hear() { return std::exchange(announced_, {}); }

  /// `transforms_on`: the host that transforms frames now.
  void begin(std::size_t transforms_on) {
    bool const named = job_.host || job_.scenario == "source" || comes();
    if (!named) host_ = transforms_on;
    when_ = simulated_hosts::time();
    if (job_.scenario == "slow" || job_.scenario == "source") hosts_.set_share(host_, slowed_share);
    if (job_.scenario == "short") {
      hosts_.set_share(host_, slowed_share);
      simgrid::s4u::Actor::create("end", hosts_.at(host_), [this] {
        simgrid::s4u::this_actor::sleep_for(short_time);
        hosts_.set_share(host_, 1);
      });
    }
    if (job_.scenario == "latency") hosts_.set_latency(host_, far_latency);
    if (job_.scenario == "leave") announced_.push_back(says(announcement::kind::leaves, host_));
    if (comes()) announced_.push_back(says(announcement::kind::joins, host_));
  }

  double when() const { return when_; }
  std::size_t host() const { return host_; }

 private:
  announcement says(announcement::kind what, std::size_t host) const {
    return {.says = what, .host = machine_.host_name(host)};
  }
  bool comes() const { return job_.scenario == "added" || job_.scenario == "needed"; }

  shared_grid_job const& job_;
  simulated_hosts& hosts_;
  description const& machine_;
  std::size_t host_;
  double when_ = 0;
  std::vector<announcement> announced_;
};

station_ranks ranks_of(skel::plan::run_plan const& plan) {
  station_ranks out;
  for (auto const& station : plan.stations) out.push_back(station.ranks);
  return out;
}

/// What grid.run() does on rank 0 before and while a line runs.
struct planned_run {
  planned_run(skel::runtime::program const& line, description const& machine, disturbance& change,
              std::string const& scenario, std::optional<station_ranks> const& placement) {
    settings.knowledge = "off";
    settings.forced = {{"placement", first_placement(scenario)}};
    store = std::make_shared<skel::decision_store>(alone, settings, false);
    history = std::make_unique<skel::program_history>(store);
    skel::platform::monitor monitor(skel::platform::snapshot(machine), {0, 1, 2, 3});
    for (auto const& one : change.stood()) monitor.add(one, 0);
    auto processors = skel::processors_of(machine, host_count);
    for (int const rank : processors.rank_of)
      processors.leaving.push_back(monitor.leaves(static_cast<std::size_t>(rank)));
    auto placed = history->believe(line, frame_costs(), 0);
    std::vector<std::optional<int>> const states_anywhere(line.size());
    plan = skel::make_plan(line, machine.speed(0), processors, states_anywhere, settings, *history, placed);
    if (placement) {
      for (std::size_t s = 0; s < line.size(); ++s) plan.run.stations[s].ranks = (*placement)[s];
      return;
    }
    SKEL_EXPECTS(placed.running.has_value());
    watcher.emplace(skel::remapping_setup{
        .program = skel::program_history::id_of(line),
        .placed = *std::move(placed.running),
        .monitor = std::move(monitor),
        .processors_at = [](description const& of_ranks) { return skel::processors_of(of_ranks, host_count).platform; },
        .counted = line.size() - 1,
        .model_error = skel::usual_forecast_doubt().between,
        .horizon = settings.horizon,
        .stood = change.stood(),
        .announced = [&change] { return change.hear(); },
        .decisions = store->setup()});
  }

  /// Of a rank.
  skel::runtime::run_options options(int rank, simulated_hosts& hosts, std::vector<shared_grid_move>& moves) {
    skel::runtime::run_options out;
    out.expected.rate = plan.expected.throughput;
    out.between_stretches = skel::usual_forecast_doubt().between;
    if (!watcher) return out;
    out.progress_period = out.plan_period = skel::remapping::period;
    out.says = [&hosts] { return to_text(hosts.read_load()); };
    if (rank > 0) return out;
    out.heard = [this](skel::record::rank_progress const& said) { watcher->hear(said); };
    out.remapped = [this](skel::record::remap_record const& what) { watcher->remapped(what); };
    out.next_plan = [this, &moves](skel::plan::run_plan const& now, double seconds) {
      auto next = watcher->next_plan(now, seconds);
      if (next) moves.push_back({.seconds = seconds, .to = ranks_of(*next)});
      return next;
    };
    return out;
  }

  skel::run_settings settings;
  skel::runtime::communicator alone;
  std::shared_ptr<skel::decision_store> store;
  std::unique_ptr<skel::program_history> history;
  skel::planned_program plan;
  std::optional<skel::remapping> watcher;
};

/// What was decided of each move, and what came of it.
void add_decisions(std::vector<shared_grid_move>& moves, skel::record::move_history const& decisions) {
  std::size_t k = 0;
  for (auto const& one : decisions.kept) {
    if (!one.moved()) continue;
    SKEL_EXPECTS(k < moves.size() && moves[k].seconds == one.seconds);
    moves[k].expected = one.way().entry;
    moves[k].took = one.took;
    moves[k].before = one.could_stay() ? one.ways.front().period : 0;
    moves[k++].after = one.way().period;
  }
}

}  // namespace

shared_grid_outcome simulate_here(shared_grid_job const& job) {
  auto const machine = site();
  simulated_hosts hosts(machine);
  simulated_network network(hosts);
  disturbance change(job, hosts, machine);
  frame_run run{.hosts = hosts, .frames = job.frames};
  run.done = [&](std::size_t frames) {
    if (frames == job.disturbed_after) change.begin(run.transforms_on);
  };
  std::deque<decltype(frame_program(run))> programs;
  std::vector<skel::runtime::program> lines;
  for (std::size_t r = 0; r < host_count; ++r)
    lines.push_back(skel::runtime::make_program(programs.emplace_back(frame_program(run))));
  planned_run planned(lines.front(), machine, change, job.scenario, job.placement);
  skel::runtime::check_plan(lines.front(), planned.plan.run, host_count);

  shared_grid_outcome out;
  std::vector<skel::runtime::closing> ends(host_count);
  std::exception_ptr failed;
  for (std::size_t r = 0; r < host_count; ++r)
    simgrid::s4u::Actor::create("rank " + std::to_string(r), hosts.at(r), [&, r] {
      auto options = planned.options(static_cast<int>(r), hosts, out.moves);
      options.cores = static_cast<std::size_t>(hosts.at(r)->get_core_count());
      if (r == 0 && job.disturbed_after == 0) change.begin(0);
      try {
        ends[r] = skel::runtime::run_here<simulated_lanes>(lines[r], planned.plan.run, network.at(r), options,
                                                           [](auto const& make) { make(); });
      } catch (std::exception const&) {
        failed = std::current_exception();
      }
    });
  hosts.run();
  if (failed) std::rethrow_exception(failed);
  std::vector<std::string> names;
  for (std::size_t h = 0; h < host_count; ++h) names.push_back(machine.host_name(h));
  conclude(lines.front(), planned.plan.run, names, ends, 0, {});
  if (run.times.size() != job.frames)
    throw skel::error(std::to_string(run.times.size()) + " frames of " + std::to_string(job.frames) + " were done");
  out.times = std::move(run.times);
  out.disturbed = change.when();
  out.host = change.host();
  out.begin = ranks_of(planned.plan.run);
  if (planned.watcher) {
    add_decisions(out.moves, planned.watcher->decisions());
    out.decisions = planned.watcher->decisions().all;
  }
  return out;
}

}  // namespace bench
