#include <skel/grid.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <skel/detail/adapt/announcement_log.hpp>
#include <skel/detail/adapt/mesh_remapper.hpp>
#include <skel/detail/adapt/remapping.hpp>
#include <skel/detail/adapt/rescheduling.hpp>
#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/grid/bsp_report.hpp>
#include <skel/detail/grid/mesh_report.hpp>
#include <skel/detail/machine/discovery.hpp>
#include <skel/detail/machine/first_load.hpp>
#include <skel/detail/machine/machine_news.hpp>
#include <skel/detail/machine/probed_speeds.hpp>
#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/machine/run_platform.hpp>
#include <skel/detail/mapping/migration/migration_learner.hpp>
#include <skel/detail/mapping/placement_choice.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/iteration/cell_exchange.hpp>
#include <skel/detail/runtime/iteration/phase_times.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/iteration/update_check.hpp>
#include <skel/detail/runtime/line/calibration.hpp>
#include <skel/detail/runtime/line/run_line.hpp>
#include <skel/detail/runtime/ranks/leaving.hpp>
#include <skel/detail/runtime/ranks/native.hpp>
#include <skel/detail/runtime/ranks/sole_use.hpp>
#include <skel/detail/runtime/threads/worker_threads.hpp>
#include <skel/detail/show/trace.hpp>

#include "bsp/bsp_files.hpp"
#include "call_words.hpp"
#include "collective_engine.hpp"
#include "decision_store.hpp"
#include "interrupt.hpp"
#include "line/planner.hpp"
#include "line/program_history.hpp"
#include "resumption.hpp"
#include "line/stage_states.hpp"
#include "mesh/mesh_planner.hpp"
#include "run_files.hpp"
#include "run_view.hpp"
#include "settings_arguments.hpp"
#include "shown_runs.hpp"
#include "warn.hpp"

namespace skel {

namespace {

/// The findings and decisions of rank 0 before the ranks start together.
struct run_start {
  planned_program plan;
  std::uint64_t items = 0;
  bool ended = false;
  double calibration_seconds = 0, planning_seconds = 0;
  std::vector<record::span> calibration;   // stays on rank 0
  placed_run placed;                       // stays on rank 0
  std::optional<runtime::failure> failed;  // while stages were measured
  std::string refused;                     // why there is no plan
  bool watched = false;                    // it may be moved while it goes on
  SKEL_FIELDS(plan, items, ended, calibration_seconds, planning_seconds, failed, refused, watched);
};

/// How a mesh program that has paused goes on, as rank 0 says.
struct mesh_order {
  bool keep = false;                     // a checkpoint is made
  std::vector<std::uint32_t> rank_of{};  // the rank of each element from now on; empty: as now
  std::string failed{};                  // why the run ends on every rank; empty as a rule
  SKEL_FIELDS(keep, rank_of, failed);
};

/// Stages whose work nobody has said.
std::vector<std::string> unknown_work(runtime::program const& line) {
  std::vector<std::string> names;
  for (std::size_t s = 1; s + 1 < line.size(); ++s)
    if (std::isnan(line.stations[s].notes.work)) names.push_back(line.stations[s].notes.name);
  return names;
}

/// True if a stage may give any number of items for one, which only measurements tell.
bool any_emits(runtime::program const& line) {
  return std::any_of(line.stations.begin(), line.stations.end(), [](auto const& station) { return station.emits; });
}

bool has_pinned_ends(runtime::program const& line) {
  return !line.stations.front().notes.at.empty() || !line.stations.back().notes.at.empty();
}

/// True if the first items of a run pass on rank 0, to be measured. The same on all ranks.
bool is_measured(runtime::program const& line) {
  return !unknown_work(line).empty() || (any_emits(line) && !has_pinned_ends(line));
}

std::string listed(std::vector<std::string> const& names) {
  std::string out;
  for (auto const& name : names) out += (out.empty() ? "'" : ", '") + name + "'";
  return out;
}

/// The costs that a plan leaves out if nothing is measured, because every stage has said its work.
std::string what_counts_as_free(runtime::program const& line) {
  std::vector<std::string> free;
  for (auto const* end : {&line.stations.front(), &line.stations.back()})
    if (std::isnan(end->notes.work)) free.push_back(end->notes.name);
  std::string text = "nothing was measured, because every stage says its work: ";
  if (!free.empty()) text += listed(free) + (free.size() > 1 ? " count" : " counts") + " as free, and ";
  if (any_emits(line)) text += "stages that emit count as giving one item for each, and ";
  return text + "items have no bytes where links are priced";
}

std::string in_words(std::vector<platform::announcement> const& all) {
  std::string text;
  std::size_t const told = std::min(all.size(), announcement_log::most_kept);
  for (std::size_t k = 0; k < told; ++k) text += (text.empty() ? "" : ", ") + platform::in_words(all[k]);
  return told < all.size() ? text + " and " + std::to_string(all.size() - told) + " more" : text;
}

run_files::file report_of(run_settings& of) {
  return {of.report, "--skel-report", "report"};
}
run_files::file trace_of(run_settings& of) {
  return {of.trace, "--skel-trace", "trace"};
}
run_files::file decisions_of(run_settings& of) {
  return {of.decisions, "--skel-decisions", "decisions", false};
}

void check_times(run_settings const& of) {
  auto const check = [](char const* name, double value, bool zero) {
    if (value > 0 || (zero && value == 0)) return;
    throw error(std::string("run_settings::") + name + " is " + shown(value) + ": a number of seconds, " +
                (zero ? "0 or more" : "more than 0") + ", is wanted");
  };
  check("batch_latency", of.batch_latency, false);
  check("calibration_time", of.calibration_time, true);
  check("planning_time", of.planning_time, true);
  check("horizon", of.horizon, true);
  check("plan_period", of.plan_period, true);
  check("patience", of.patience, true);
  check("checkpoint_period", of.checkpoint_period, true);
}

}  // namespace

struct grid::state {
  explicit state(run_settings given) : settings(std::move(given)) {
    check_times(settings);
    check_forced(settings.forced);
    auto const size = static_cast<std::size_t>(ranks.size());
    if (auto* const meeting = ranks.meeting()) meeting->patience = settings.patience;
    runs_watched = runtime::run_watch::of_process(ranks.rank(), ranks.processes());
    if (size > 1) meet(making_a_grid(settings)), own_load.read(record::now());
    if (settings.expected_ranks != 0 && settings.expected_ranks != size)
      throw error("the program runs on " + counted(size, "rank") + " but " + std::to_string(settings.expected_ranks) +
                  (settings.expected_ranks == 1 ? " was" : " were") + " expected: start it with mpirun -np " +
                  std::to_string(settings.expected_ranks) + ", and check that mpirun and the program use the same MPI");
    if (settings.platform) find_ranks();  // a mismatch shows at once
    // One rank hears none, but refuses the same paths as several.
    if (ranks.size() == 1 && !settings.announcements.empty())
      platform::announcements(settings.announcements, platform::snapshot());
    // Reductions of one process decide without asking a grid, so it is there from the beginning.
    store = std::make_shared<decision_store>(ranks, settings, !stated || stated->picture.is_measured());
    decision_store::share(store);
    if (settings.show_ranks) show();
  }

  /// Begins a call that all ranks make together, and waits until they do. Throws on every rank when they do not.
  void meet(runtime::named_call call) {
    if (ranks.size() == 1) return;
    runtime::run_phase const now("waits until all ranks have made the same call");
    ranks.meeting()->begin(ranks.number(), std::move(call));
    ranks.meeting()->meet();
  }

  void show() {
    auto const found = platform::find_usable_cores();
    auto const cores_of = ranks.all_gather(std::to_string(found.mine.size()) + " of " + std::to_string(found.host));
    if (ranks.rank() != 0) return;
    auto const size = static_cast<std::size_t>(ranks.size());
    std::string text = counted(size, "rank");
    for (std::size_t r = 0; r < ranks.hosts().size(); ++r)
      text += (r == 0 ? ": " : ", ") + std::to_string(r) + " on " + ranks.hosts()[r] + " (" + cores_of[r] + " cores)";
    tell_user(text);
  }

  /// Makes rank i host i of the platform that was given, or gives it up.
  void find_ranks() {
    platform::snapshot const given(*settings.platform);
    auto const found = given.find_ranks(ranks.hosts());
    if (found.mismatch.empty()) {
      stated = run_platform{given, found.host_of_rank};
      settings.platform = given.for_ranks(found.host_of_rank);
      given_speed = settings.platform->speed(0);
      return;
    }
    if (!given.is_measured()) throw error(found.mismatch);
    if (settings.if_other_hosts == other_hosts::refuse)
      throw error(found.mismatch + "; run 'skel probe' on these hosts, or leave the platform out");
    if (ranks.rank() == 0) warn(found.mismatch + "; measuring these hosts instead");
    settings.platform.reset();
  }

  /// From now on there is a platform whose host i is rank i, and the cores of ranks are known. Collective at the first
  /// call.
  void know_machine() {
    if (settings.platform && !stated && !probed) find_ranks();  // it was given after the grid was made
    if (!settings.platform) {
      // On one host speeds have nothing to be compared with.
      bool const several = std::ranges::adjacent_find(ranks.hosts(), std::not_equal_to<>()) != ranks.hosts().end();
      probed = measure_run(ranks.size() == 1 ? MPI_COMM_NULL : runtime::native(ranks), ranks.hosts(), {}, several);
      settings.platform = probed->picture.for_ranks(probed->host_of_rank);
    }
    know_cores();
  }

  /// From now on the cores of ranks are known. That needs no measured figure of hosts. Collective at the first call.
  void know_cores() {
    if (cores) return;
    // Ranks of one host share its cores, whatever the platform says of each.
    if (!stated || stated->picture.is_measured())
      cores = find_rank_cores(ranks, limits);
    else
      cores = find_stated_cores(ranks, stated->picture.machine(), stated->host_of_rank, limits);
  }

  /// The processors for the stages of a line. Collective at the first call. Throws skel::error on every rank if a stage
  /// is pinned to none of them.
  processor_map processors(runtime::program const& line) {
    know_machine();
    auto found = processors_on(*settings.platform, names_in(line));
    check_hosts(line, found);
    return found;
  }

  /// The threads by which each rank computes the processes of a BSP program: one for each core. From then on they are
  /// there. Collective at the first call. Throws skel::error on every rank if one of them cannot have its threads.
  std::vector<std::size_t> threads() {
    know_cores();
    std::vector<std::size_t> out;
    for (auto const own : cores->own) out.push_back(std::max<std::size_t>(1, own));
    if (!has_threads) {
      auto const mine = out[static_cast<std::size_t>(ranks.rank())];
      runtime::make_together(ranks, [mine] { runtime::expect_workers(mine - 1); });  // the calling thread is one
      has_threads = true;
    }
    return out;
  }

  /// Hosts that a line or the user names.
  std::vector<std::string> names_in(runtime::program const& line) const {
    std::vector<std::string> named;
    for (auto const& station : line.stations) {
      named.insert(named.end(), station.notes.at.begin(), station.notes.at.end());
      if (station.stays() && station.home != nullptr && *station.home)
        named.push_back(settings.platform->host_name(static_cast<std::size_t>(**station.home)));
    }
    if (auto const forced = store->forced(mapping::placement_choice::name))
      for (auto const& station : plan::read_placement(*forced))
        for (auto const& workers : station) named.push_back(workers.host);
    return named;
  }

  /// The processors of a platform whose host i is rank i, in the units of this grid.
  processor_map processors_on(platform::description const& of_ranks, std::vector<std::string> const& named) const {
    return processors_of(of_ranks, static_cast<std::size_t>(ranks.size()), probed ? settings.platform->speed(0) : 1,
                         &*cores, named, ranks.hosts());
  }

  /// True if runs that are placed here may be moved. The same on all ranks.
  bool may_move() const {
    return ranks.size() > 1 && settings.remap && !settings.plan && !settings.next_plan &&
           !store->forced(mapping::placement_choice::name);
  }

  /// Looks after a line that was placed, while it runs. On rank 0.
  std::unique_ptr<remapping> watch(runtime::program const& line, placed_line placed) {
    remapping_setup setup{
        .program = program_history::id_of(line),
        .placed = std::move(placed),
        .monitor = announced_machine(),
        .processors_at = [this, named = names_in(line)](
                             platform::description const& of_ranks) { return processors_on(of_ranks, named).platform; },
        .counted = line.size() - 1,
        .model_error = usual_forecast_doubt().between,
        .horizon = settings.horizon,
        .stood = news.last_words(),
        .announced = [this] { return news.hear(); },
        .decisions = store->setup()};
    for (std::size_t s = line.size(); s-- > 1;)
      if (line.stations[s].folds) setup.counted = s;
    return std::make_unique<remapping>(std::move(setup));
  }

  /// The policy that moves the processes of a BSP program. The same on all ranks.
  skeletons::migration_settings migration_of(runtime::bsp::run_options const& options,
                                             skeletons::migration_settings const& of_program) const {
    auto how = settings.migration ? settings.migration->over(of_program) : of_program;
    skeletons::check(how);
    if (ranks.size() == 1 || !settings.remap || options.next_moves) how.name = skeletons::never_migrated;
    return how;
  }

  /// The rank on which each process begins, by the weights of processes if they are known.
  static std::vector<int> first_ranks(std::size_t processes, std::span<double const> weights,
                                      std::span<double const> of_ranks) {
    std::vector<int> out;
    for (int rank = 0; auto const& one : weights.empty() ? plan::weighted_blocks(processes, of_ranks)
                                                         : plan::weighted_blocks(weights, of_ranks))
      out.insert(out.end(), one.size(), rank++);
    return out;
  }

  /// The ranks as hosts of BSP processes, and on which of them each begins. Collective.
  std::pair<bsp_machine, std::vector<int>> bsp_begin(std::size_t processes, std::span<double const> process_weights,
                                                     skeletons::migration_settings const& how) {
    know_machine();
    auto const& where = probed ? *probed : *stated;
    auto machine = make_bsp_machine(where, *settings.platform, threads());
    auto const known = migration_price ? migration_price : mapping::known_migration_price(store->setup().known);
    if (known) machine.machine.fixed = known->fixed, machine.machine.per_byte = known->per_byte;
    std::vector<double> weights;
    for (auto const host : machine.host_of_rank)
      weights.push_back(how.name == skeletons::migration_settings{}.name ? machine.machine.hosts.speed(host) : 1);
    return {std::move(machine), first_ranks(processes, process_weights, weights)};
  }

  /// The stream of a composition has ended: another run of it has only what its source gives from then on.
  void end_source(runtime::program const& line, run_report& report) const {
    auto const& source = line.stations.front();
    bool const had_ended = source.ended != nullptr && std::exchange(*source.ended, true);
    if (!had_ended || report.items() > 0 || report.resumed) return;
    report.ended_source = source.notes.name;
    if (ranks.rank() == 0)
      warn_once("source '" + source.notes.name +
                "' had ended in an earlier run of this composition, and gave no items: "
                "make a composition for each run, or let its function begin again");
  }

  /// Runs of this process that have ended, which have no checkpoints any more.
  static std::size_t& ended_runs() {
    static std::size_t count = 0;
    return count;
  }
  /// The folders that they would have had them in.
  static std::set<std::string>& used_folders() {
    static std::set<std::string> all;
    return all;
  }
  /// The checkpoints of a run of a program, if it keeps any. `report` gets from where it goes on, or why it keeps none
  /// although a folder is named. Collective.
  template <class Report, class... Program>
  std::unique_ptr<resumption> find_checkpoints(Report& report, Program const&... program) const {
    if (!keeps_checkpoints(settings)) return nullptr;
    checkpoint_order const next{ended_runs() + 1, !used_folders().contains(settings.checkpoint)};
    auto out = std::make_unique<resumption>(kept(program...), settings, next, ranks);
    report.without_checkpoints = out->left_out();
    report.resumed = out->done();
    return report.without_checkpoints.empty() ? std::move(out) : nullptr;
  }
  /// A run has ended, and has no checkpoints any more.
  void end_run(resumption* checkpoints) const {
    if (checkpoints != nullptr) checkpoints->ended();
    ++ended_runs();
    if (keeps_checkpoints(settings)) used_folders().insert(settings.checkpoint);
  }

  mesh_report run(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                  runtime::iteration::run_options options, mesh_view* view, bool watches_readers);

  /// Throws on every rank if rank 0 has found forgotten updates. Collective.
  void check_updates(runtime::iteration::mesh_part& part, face_neighbours const& faces, std::uint64_t most) const {
    std::pair<std::optional<runtime::program_failure>, std::string> told;
    std::uint64_t const asked = std::min(settings.check_updates, most);
    std::uint64_t compared = 0;
    if (ranks.rank() == 0) try {
        auto seen = find_forgotten_update(part, faces, asked, &interrupt_watch::flag());
        told.first = std::move(seen.found), compared = seen.iterations;
      } catch (std::exception const& e) {
        told.second = std::string("--skel-check-updates: ") + e.what();
      }
    told = runtime::from_bytes<decltype(told)>(ranks.broadcast(runtime::to_bytes(told)));
    if (!told.second.empty()) throw error(told.second);
    if (auto const& found = told.first)
      throw mesh_error(part.name(), part.steps()[found->step].name, found->number, found->iteration,
                       "program '" + part.name() + "': " + found->what, {});
    if (ranks.rank() != 0) return;
    std::string const of_program = "program '" + part.name() + "': ";
    if (compared == 0)
      warn(of_program + "--skel-check-updates found nothing, as its first iteration did not end");
    else
      tell_user(of_program + "no update is missing in its first " +
                (compared == 1 ? "iteration" : std::to_string(compared) + " iterations") +
                (compared < asked ? "; the check got no further" : ""));
  }

  /// True if a program has phases, which may change cells, but no update: copies of cells keep their values then.
  static bool has_phases_alone(runtime::iteration::mesh_part const& part) {
    using enum runtime::iteration::mesh_step::kind;
    auto const has = [&](auto kind) {
      return std::ranges::count(part.steps(), kind, &runtime::iteration::mesh_step::what) > 0;
    };
    return has(phase) && !has(update);
  }

  /// Warns if a program reads neighbours' cells and has no update at all. Only such a program is examined further: the
  /// values that it reads may never change. Two iterations show that, if they take no longer than one notices. On rank
  /// 0. Exceptions of user functions do not come out of it: the run tells them with their place. Returns true if it is
  /// still to be seen whether the program reads any.
  static bool warn_of_missing_updates(runtime::iteration::mesh_part& part, face_neighbours const& faces,
                                      std::uint64_t most) try {
    using runtime::iteration::mesh_step;
    if (!has_phases_alone(part)) return false;
    std::int64_t const begun = record::thread_ns();  // whatever else the machine does
    auto const reader = find_neighbour_reader(part, faces);
    if (!reader) return true;
    double const pieces =
        static_cast<double>(part.elements()) / static_cast<double>(runtime::iteration::elements_of_reader);
    double const takes = 1e-9 * static_cast<double>(record::thread_ns() - begun) * runtime::iteration::cells_of_check *
                         std::max(1.0, pieces);
    std::string const program = "program '" + part.name() + "': ";
    auto const reads = [&] {
      auto const& step = part.steps()[*reader];
      std::string const where = (step.what == mesh_step::kind::phase ? "phase '" : "all_reduce '") + step.name + "'";
      warn_once(
          program + where +
          " reads cells of neighbours, and the program has no update: cells of other ranks keep their first values. "
          "Add skel::update(name, &Cell::member) for the members that it reads, unless they never change, before " +
          where);
    };
    double const needed =
        runtime::iteration::cells_of_check * static_cast<double>(part.elements() * part.bytes_per_element());
    if (!part.cells_compare() || takes > unnoticed ||
        needed > platform::host_load().read(record::now()).memory.value_or(0))
      return reads(), false;
    // The second iteration reads the changes of the first one.
    auto const found =
        find_forgotten_update(part, faces, std::min<std::uint64_t>(2, most), &interrupt_watch::flag()).found;
    if (found) warn_once(program + found->what);
    return false;
  } catch (...) {
    return false;
  }

  /// Time of measurements before a run at most [s]: no longer than one notices.
  static constexpr double unnoticed = 0.1;

  /// Time of each step of a program for an element on each rank [s], as far as it can be measured. If ranks share
  /// cores, only one of them measures, and the others are as fast. A piece has at most `most` elements, as many as a
  /// rank will have. Collective.
  std::vector<std::vector<double>> measure_steps(runtime::iteration::mesh_part& part, face_neighbours const& faces,
                                                 std::size_t most) {
    auto const size = static_cast<std::size_t>(ranks.size());
    auto const threads_of = threads();
    std::vector<std::size_t> measures(size);   // the rank that does that for each rank
    std::map<std::size_t, std::size_t> first;  // of each domain of cores, the first rank with its own
    for (std::size_t r = 0; r < size; ++r)
      if (cores->own[r] > 0) first.try_emplace(cores->domain[r], r);
    for (std::size_t r = 0; r < size; ++r)
      measures[r] = cores->own[r] > 0 ? r : first.try_emplace(cores->domain[r], r).first->second;
    auto const me = static_cast<std::size_t>(ranks.rank());
    std::vector<double> mine;
    if (measures[me] == me) try {
        if (auto const found = measure_phases(part, faces, most, threads_of[me], unnoticed)) mine = found->seconds;
      } catch (std::bad_alloc const&) {  // hosts are told apart by their speeds then
      }
    std::vector<std::vector<double>> told, out;
    for (auto const& text : ranks.all_gather(runtime::to_bytes(mine)))
      told.push_back(runtime::from_bytes<std::vector<double>>(text));
    for (auto const r : measures) out.push_back(told[r]);
    take_least_of_shared_cores(out, *cores, threads_of);
    return out;
  }

  /// The ranks as hosts of a program over a mesh: each is measured, so that those of a cluster need not be alike.
  machine_of_ranks mesh_ranks() {
    return make_machine_of_ranks(probed ? *probed : *stated, *settings.platform, threads(), rank_sets::clusters);
  }

  /// The costs of ranks to each other, as far as they can be measured in the time. They are of ranks, not of a program:
  /// once. Collective.
  mesh_rank_costs measure_costs() {
    if (!rank_steps) {
      std::vector<measured_steps> all;
      if (ranks.rank() == 0) try {
          all = steps_to_measure(mesh_ranks());
        } catch (error const&) {  // the placement of the program says why
        }
      all = runtime::from_bytes<decltype(all)>(ranks.broadcast(runtime::to_bytes(all)));
      double const begin = record::now();
      std::size_t done = 0;
      while (done < all.size()) {
        all[done].seconds = runtime::iteration::time_steps(ranks, all[done].ranks);
        ++done;
        if (ranks.broadcast(record::now() - begin > unnoticed ? "over" : "on") == "over") break;
      }
      all.resize(done);
      rank_steps = std::move(all);
    }
    return {*rank_steps, *cores};
  }

  /// How a program over a mesh runs. Every rank measures its phases, rank 0 decides and tells. Collective.
  placed_mesh place(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces) {
    placed_mesh out;
    out.plan.name = part.name();
    out.plan.hosts = ranks.hosts();
    auto const size = static_cast<std::size_t>(ranks.size());
    if (size == 1 || mesh.cells() == 0) {
      out.rank_of.resize(mesh.cells());
      out.plan.elements_of.resize(size);
      out.plan.elements_of[0] = mesh.cells();
      return out;
    }
    know_machine();
    hear_announcements();
    auto measured = measure_steps(part, faces, mesh.cells() / size);
    auto costs = measure_costs();
    std::pair<placed_mesh, std::string> told;
    if (ranks.rank() == 0) try {
        auto const& where = probed ? *probed : *stated;
        if (!meshes) meshes.emplace(store);
        news.hear_all();
        mesh_outlook outlook(announced_machine(), std::move(measured));
        auto machine = mesh_ranks();
        if (outlook.is_announced()) machine = with_paths(std::move(machine), outlook.for_ranks());
        told.first = meshes->place(part, mesh, faces, machine, std::move(costs), ranks.hosts(), std::move(outlook),
                                   settings.horizon);
        for (auto const host : where.host_of_rank)
          told.first.group_of.push_back(where.picture.machine().cluster_of(host));
      } catch (std::exception const& e) {
        told.second = e.what();
      }
    told = runtime::from_bytes<std::pair<placed_mesh, std::string>>(ranks.broadcast(runtime::to_bytes(told)));
    if (!told.second.empty()) throw error(told.second);
    return std::move(told.first);
  }

  /// Looks after a BSP program whose processes may migrate, or that a page or scenario is to be made of: on rank 0.
  /// Collective.
  std::unique_ptr<rescheduling> watch(runtime::bsp::process_group const& group, runtime::bsp::run_options& options,
                                      skeletons::migration_settings const& how, bsp_files& files) {
    bsp_machine machine;
    std::tie(machine, options.first_ranks) = bsp_begin(group.processes(), options.weights, how);
    hear_announcements();
    options.says = [load = std::make_shared<platform::host_load>(), next = 0.0]() mutable {
      if (record::now() < next) return std::string();
      next = record::now() + remapping::period;
      return platform::to_text(load->read(record::now()));
    };
    if (ranks.rank() != 0) return nullptr;
    files.begin(machine, options.first_ranks, options.pinned, how);
    rescheduling_setup setup{.policy = how,
                             .where = std::move(machine),
                             .monitor = announced_machine(),
                             .processes = group.processes(),
                             .pinned = options.pinned,
                             .announced = [this] { return news.hear(); },
                             .decisions = store->setup()};
    if (files.has_scenario()) setup.told = [&files](record::superstep const& last) { files.add(last); };
    auto watcher = std::make_unique<rescheduling>(std::move(setup));
    options.next_moves = [&of = *watcher, by_hand = std::move(options.next_moves)](bsp_measures const& last) {
      auto moves = of.next_moves(last);
      return by_hand ? by_hand(last) : moves;
    };
    options.last_measured = [&of = *watcher](bsp_measures const& last) {
      try {
        of.hear_last(last);
      } catch (std::bad_alloc const&) {  // the view of the program lacks its end
      }
    };
    return watcher;
  }

  /// On more than one rank. Collective at the first call.
  collective_engine& engine(mapping::collective_request const& request) {
    if (collectives) return *collectives;
    meet({words_of(call_of(request)) + ", the first collective"});
    auto const where =
        stated ? *stated : measure_run(runtime::native(ranks), ranks.hosts(), models_of_collectives, false);
    auto fresh = std::make_unique<collective_engine>(ranks, where, store->setup());
    fresh->take(to_news(news.told()));
    if (is_announced(where.picture)) fresh->look_for([this] { return news.take_unsent(); });
    collectives = std::move(fresh);
    return *collectives;
  }

  /// True if rank 0 hears announcements about this machine. Collective. Throws on every rank if it cannot.
  bool is_announced(platform::snapshot const& machine) { return news.listen(ranks, settings.announcements, machine); }

  /// From now on, where a line of several ranks is to be placed. Collective.
  void hear_announcements() {
    if (ranks.size() > 1 && !settings.announcements.empty()) is_announced((probed ? *probed : *stated).picture);
  }

  /// The machine on which programs are placed, with its announcements. Speeds of hosts are those with which the first
  /// program began, and so are the quotas that they are of. On rank 0.
  platform::monitor announced_machine() const {
    auto const& [picture, host_of_rank] = probed ? *probed : *stated;
    platform::monitor monitor(picture, host_of_rank);
    if (cores)
      for (std::size_t r = 0; r < cores->granted.size(); ++r) monitor.begin_with(r, cores->granted[r]);
    for (auto const& one : news.last_words()) monitor.add(one, 0);
    return monitor;
  }

  /// The processors of a line by the present announcements. On rank 0.
  processor_map as_announced(runtime::program const& line, processor_map where) {
    news.hear_all();
    announced_shares.assign(static_cast<std::size_t>(ranks.size()), 1);
    auto const monitor = announced_machine();
    if (monitor.seen().announced == 0) return where;
    auto const of_ranks = monitor.for_ranks();
    for (std::size_t r = 0; r < announced_shares.size(); ++r)
      announced_shares[r] = of_ranks.speed(r) / settings.platform->speed(r);
    where = processors_on(of_ranks, names_in(line));
    for (int const rank : where.rank_of) where.leaving.push_back(monitor.leaves(static_cast<std::size_t>(rank)));
    return where;
  }

  /// Tells all ranks the knowledge of a line's monitor at its end, and the announcements meanwhile. Collective.
  void tell_all(remapping const* watcher) {
    std::string const text = news.tell_all(ranks, watcher == nullptr ? nullptr : &watcher->monitor());
    if (collectives) collectives->take(text);
  }

  /// On rank 0 there is a history then.
  void recall() {
    if (ranks.rank() == 0 && !history) history = std::make_unique<program_history>(store);
  }

  /// Learns from a run that was placed here for the next one. On rank 0. Returns a sentence on the first items, or why
  /// nothing is learnt.
  std::string learn_from(runtime::program const& line, placed_run const& placed, record::run_record const& run) {
    if (ranks.rank() != 0 || settings.plan) return {};
    double const unit = (probed ? settings.platform->speed(0) : 1) * reference_speed();
    auto const speed = [&](std::size_t rank) { return settings.platform->speed(rank) * announced_shares[rank] / unit; };
    auto const disturbed = history->observe(line, placed, run, speed);
    return is_disturbed(run) ? disturbed : unlike_first_items(line, placed, times_alone(line, placed, run, speed));
  }

  /// Stages are measured at this speed: on a probed grid a core of rank 0's host has speed 1.
  double reference_speed() const { return probed ? 1 : given_speed; }

  /// Keeps a run's corrections of probed speeds for the next program on these hosts, beside those of earlier runs of
  /// this grid. On rank 0.
  std::string correct_speeds(runtime::program const& line, std::vector<runtime::station_cost> const& costs,
                             record::run_record const& run) {
    if (!probed || ranks.rank() != 0 || ranks.size() == 1) return {};
    auto const found = measured_speeds(*probed, *cores, line, costs, run, usual_forecast_doubt().between);
    if (found.empty()) return {};
    std::vector<platform::host_speed> speeds;
    std::ranges::transform(found, std::back_inserter(speeds), &speed_correction::now);
    keep_speeds(probed->picture, speeds);
    probed->picture = probed->picture.with_speeds(speeds, platform::utc_now());
    return describe(found);
  }

  /// The run is done by now: a problem here is a warning.
  void write_trace(record::run_record const& run) const {
    if (settings.trace.empty() || ranks.rank() != 0) return;
    try {
      skel::write_trace(run, settings.trace);
    } catch (error const& e) {
      warn_of_lost("the trace", e.what());
    }
  }

  /// The view of a run, if the settings ask for one. On rank 0.
  std::unique_ptr<line_view> view_of(runtime::program const& line) const {
    if (ranks.rank() != 0 || !is_shown(settings)) return nullptr;
    return std::make_unique<line_view>(settings, record::history_recorder(before_run(line, ranks.hosts())));
  }

  /// Runs a line for which all ranks have met. `view`: is told the events, if it is not null.
  run_report run(runtime::program const& line, std::stop_token const& stop, line_view* view);

  /// Within a limit of memory one batch is under way.
  runtime::calibration measure(runtime::program const& line, double seconds, std::uint64_t first_item) const {
    auto const& stop = interrupt_watch::flag();
    if (settings.memory == 0)
      return runtime::calibrate(line, seconds, cores->cores[cores->domain[0]], &stop, runtime::most_batch_bytes,
                                first_item);
    return runtime::calibrate(line, seconds, 1, &stop, std::min(settings.memory, runtime::most_batch_bytes),
                              first_item);
  }

  /// Times of first items as they would be in the long run on rank 0's host of the platform, at `share` of its speed.
  /// First items pass so quickly that a quota of the control group has not held them back yet.
  static void sustain(std::vector<runtime::station_cost>& costs, double share) {
    auto const limits = platform::read_group_limits();
    for (auto& cost : costs) {
      double const waits = cost.seconds * cost.waiting,
                   whole = share * platform::sustained_time(cost.seconds - waits, limits) + waits;
      if (whole > 0) cost.waiting = waits / whole;
      cost.seconds = whole;
    }
  }

  /// Rank 0 hears how busy hosts are, where it cannot look itself. Collective.
  void tell_loads() {
    if (std::ranges::adjacent_find(ranks.hosts(), std::not_equal_to<>()) == ranks.hosts().end()) return;
    told_loads = ranks.all_gather(platform::to_text(own_load.read(record::now())));
  }

  /// Finds the load of other programs on cores, by the share that threads `got` while measuring and how many could run.
  void look_at_others(processor_map& where, runtime::core_share const& got, runnable_series seen) const {
    where.others.clear();
    if (!others_count()) return;
    auto const of_host = static_cast<double>(platform::find_usable_cores().host);
    where.others = others_of_domains(*cores, ranks.hosts(), where.cores,
                                     {got, record::tells_waiting(), std::move(seen), of_host, told_loads});
  }

  /// On rank 0. `measured`: the first items pass here, from number `first_item` of the stream on.
  run_start open(runtime::program const& line, processor_map const& where, bool measured,
                 std::uint64_t first_item = 0) {
    run_start out;
    processor_map on_processors;
    try {
      if (measured) {
        if (has_pinned_ends(line))
          throw error(
              "source or sink are pinned to a host, so stages cannot be measured before the run: say skel::work "
              "for " +
              listed(unknown_work(line)));
        check_pins(line, where);
        double seconds = settings.calibration_time;
        std::optional<load_samples> looks;
        if (others_count()) {
          seconds = measuring_time(seconds, [] { return platform::runnable_threads(); });
          looks.emplace();
        }
        auto found = measure(line, seconds, first_item);
        auto const seen = looks ? looks->take() : runnable_series();
        out.items = found.items;
        out.ended = found.ended;
        out.calibration_seconds = found.seconds;
        if (!settings.trace.empty()) out.calibration = found.spans;
        if (found.failed) {
          out.failed = found.failed;
          return out;
        }
        on_processors = as_announced(line, where);
        look_at_others(on_processors, found.cores, seen);
        sustain(found.stations, announced_shares[0]);
        out.placed = history->believe(line, found.stations, found.items);
      }
      double const begin = record::now();
      if (!out.ended || !measured) {
        if (!measured) {
          on_processors = as_announced(line, where);
          runnable_series seen;
          if (auto const now = platform::runnable_threads()) seen.threads.push_back(std::max(0.0, *now - 1));
          look_at_others(on_processors, {}, seen);
        }
        out.plan = make_plan(line, reference_speed(), on_processors, ranks_of_states(line, measured), settings,
                             *history, out.placed);
        if (auto const& known = news.last_words(); !known.empty() && line.size() > 2)
          add_note(out.plan, "planned with announcements: " + in_words(known));
      }
      if (!measured) add_note(out.plan, what_counts_as_free(line));
      if (!limits.empty()) add_note(out.plan, limits);
      if (!out.plan.expected.stations.empty())
        for (auto const& said : on_processors.notes_of_others()) add_note(out.plan, said);
      out.planning_seconds = record::now() - begin;
    } catch (...) {
      out.refused = what_is_handled();
    }
    return out;
  }

  run_settings settings;
  runtime::communicator ranks;
  std::shared_ptr<runtime::run_watch> runs_watched;       // of the process
  std::optional<rank_cores> cores;                        // from the first program on
  bool has_threads = false;                               // those of threads()
  std::string limits;                                     // ranks that may use fewer than their host has
  std::optional<run_platform> probed;                     // unless one was stated; on rank 0 as runs have corrected it
  std::optional<run_platform> stated;                     // as it was, before each rank became a host
  std::shared_ptr<decision_store> store;                  // of all deciders, also of those that ask no grid
  std::unique_ptr<program_history> history;               // on rank 0, from the first program on
  std::optional<mesh_planner> meshes;                     // on rank 0, from the first program over a mesh on
  std::optional<std::vector<measured_steps>> rank_steps;  // of the ranks, from then on
  std::unique_ptr<collective_engine> collectives;         // from the first one on
  std::optional<mapping::migration_price> migration_price;  // of BSP processes, as the last run found
  platform::host_load own_load;                             // as this rank sees its host
  std::vector<std::string> told_loads;                      // per rank, where there are several hosts
  machine_news news;                                        // from the first run that is placed, or collective, on
  std::vector<double> announced_shares;  // per rank, of its speed, by which the last plan was made; on rank 0
  double given_speed = 1;                // of a whole core of rank 0's host, where the platform was given

  /// Leaves the grid with the other ranks, also where it could not be made.
  struct membership {
    state const& of;
    int exceptions = std::uncaught_exceptions();  // when it began

    ~membership() {
      if (auto* const meeting = of.ranks.meeting())
        runtime::leave_together(*meeting, of.ranks.number(), runtime::leaving_words,
                                std::uncaught_exceptions() > exceptions);
    }
  } member{*this};
};

grid::grid(int& argc, char**& argv) : grid(settings_from_arguments(argc, argv)) {}
grid::grid(run_settings settings) : state_(std::make_unique<state>(std::move(settings))) {}
grid::~grid() {
  if (runtime::is_fork())
    static_cast<void>(state_.release());  // threads and MPI are the parent's
  else if (state_->collectives)
    state_->store->learnt(state_->collectives->learnt());
}

int grid::rank() const {
  return state_->ranks.rank();
}
int grid::size() const {
  return state_->ranks.size();
}
runtime::communicator const& grid::ranks() const {
  return state_->ranks;
}
run_settings const& grid::settings() const {
  return state_->settings;
}
run_settings& grid::settings() {
  return state_->settings;
}

std::shared_ptr<decision_store> const& grid::decisions() {
  return state_->store;
}

mapping::collective_decision grid::decide(mapping::collective_request const& request) {
  runtime::sole_use const only("decide()");
  if (size() == 1) return {.name = "nothing", .why = "there is one rank"};
  return state_->engine(request).decide(request);
}

std::uint64_t grid::picture() const {
  return state_->collectives ? state_->collectives->picture() : 0;
}

void grid::perform(mapping::collective_request const& request, std::span<std::byte const> input,
                   std::span<std::byte> output, combining const& combine) {
  SKEL_EXPECTS(request.root < static_cast<std::size_t>(size()));
  runtime::sole_use const only("collective");
  if (size() > 1)
    state_->engine(request).perform(request, input, output, combine);
  else if (!input.empty() && input.data() != output.data())
    std::memmove(output.data(), input.data(), input.size());
}

void grid::operator_has_thrown() {
  if (auto* const meeting = state_->ranks.meeting()) give_up(*meeting);
}

planned_program grid::plan(runtime::program const& line) {
  runtime::sole_use const only("plan()");
  check_times(settings());
  state_->meet(call_with("plan()", line, settings()));
  auto const unknown = unknown_work(line);
  if (!unknown.empty())
    throw error("a plan without a run needs the work of every stage; it is not known for " + listed(unknown) +
                ": say skel::work(seconds), or call run(), which measures it");
  processor_map const where = state_->processors(line);
  state_->hear_announcements();
  state_->recall();
  run_start mine;
  if (rank() == 0) mine = state_->open(line, where, false);
  mine = runtime::from_bytes<run_start>(state_->ranks.broadcast(runtime::to_bytes(mine)));
  if (!mine.refused.empty()) throw error(mine.refused);
  return mine.plan;
}

run_report grid::run(runtime::program const& line, std::stop_token const& stop) {
  runtime::sole_use const only("run()");
  state& s = *state_;
  check_times(s.settings);
  runtime::check_files(line);
  s.meet(call_with("run()", line, s.settings));
  run_files const files({trace_of(s.settings), report_of(s.settings), decisions_of(s.settings)}, s.ranks);
  if (rank() == 0) warn_of_unused_by_line(s.settings);
  auto const view = s.view_of(line);
  if (!view) return s.run(line, stop, nullptr);
  try {
    auto report = s.run(line, stop, view.get());
    complete(*view, report);
    return report;
  } catch (std::exception const& e) {
    view->end([&](record::history_recorder& of) { of.fail(e.what()); });
    throw;
  }
}

bsp_plan grid::plan(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options,
                    skeletons::migration_settings const& migration, std::string const& types) {
  runtime::sole_use const only("plan()");
  state& s = *state_;
  auto const how = s.migration_of(options, migration);
  auto call = call_with(group, options, how, types, s.settings);
  call.words = "plan() before " + call.words;
  s.meet(std::move(call));
  auto const [machine, first_ranks] = s.bsp_begin(group.processes(), options.weights, how);
  auto out = plan_on(machine, first_ranks);
  out.name = group.name();
  out.policy = how.name;
  out.hosts = s.ranks.hosts();
  return out;
}

namespace {

/// Sends the decisions of the watcher on rank 0 to all ranks before the results of its processes. So all hear of a rank
/// that cannot take them.
void tell_decisions(runtime::bsp::run_options& options, rescheduling const* watcher, record::bsp_decisions& to) {
  options.results = [watcher, then = std::move(options.results)](std::string& out) {
    if (watcher != nullptr) runtime::put_value(out, runtime::to_bytes(watcher->made()));
    return then ? then(out) : std::nullopt;
  };
  options.take_results = [&to, told = false,
                          then = std::move(options.take_results)](std::span<std::byte const> bytes) mutable {
    if (!std::exchange(told, true))
      to = runtime::from_bytes<record::bsp_decisions>(runtime::take_value<std::string>(bytes));
    if (then) then(bytes);
  };
}

}  // namespace

bsp_report grid::run(runtime::bsp::process_group& group, runtime::bsp::run_options options,
                     skeletons::migration_settings const& migration, std::string const& types,
                     std::stop_token const& stop) {
  runtime::sole_use const only("run()");
  state& s = *state_;
  auto const how = s.migration_of(options, migration);
  bool const decides = how.name != skeletons::never_migrated, by_hand = options.next_moves != nullptr,
             watched = decides || measures_processes(s.settings);
  options.measures = watched || by_hand;
  s.meet(call_with(group, options, how, types, s.settings));
  run_files const files({trace_of(s.settings),
                         report_of(s.settings),
                         decisions_of(s.settings),
                         {s.settings.scenario, "--skel-scenario", "scenario"}},
                        s.ranks);
  bsp_report report;
  auto const checkpoints = s.find_checkpoints(report, group, options);
  if (checkpoints) checkpoints->ask_for_checkpoints(options);
  interrupt_watch const watch(stop);
  options.interrupt = &interrupt_watch::flag();
  bsp_files beside(s.settings, s.ranks.hosts());
  std::unique_ptr<rescheduling> watcher;
  if (watched)
    watcher = s.watch(group, options, how, beside);
  else if (!options.weights.empty())
    options.first_ranks =
        s.first_ranks(group.processes(), options.weights, std::vector<double>(static_cast<std::size_t>(size()), 1));
  options.threads = s.threads()[static_cast<std::size_t>(rank())];
  std::optional<bsp_view> view;
  if (rank() == 0) {
    std::string const moved = by_hand               ? "processes are moved by the program"
                              : s.ranks.size() == 1 ? "there is one rank"
                              : !decides            ? "processes stay"
                                                    : "processes are moved by '" + how.name + "'";
    warn_of_unused_by_bsp(s.settings, by_hand, how.name == mapping::migration::deciding_policy ? "" : moved);
    auto begun = before_run(group, s.ranks.hosts(), by_hand ? "the program" : how.name);
    view.emplace(s.settings, record::bsp_recorder(std::move(begun)));
    show_run(*view, beside, options, watcher.get(), measures_processes(s.settings));
  }
  try {
    record::bsp_decisions made;
    if (watched) tell_decisions(options, watcher.get(), made);
    auto& record = report.run = runtime::bsp::run_bsp(group, s.ranks, std::move(options));
    if (checkpoints) record.checkpoints = checkpoints->record();
    s.end_run(checkpoints.get());
    if (mapping::migration_price const found{made.migration_fixed, made.migration_per_byte};
        found != mapping::migration_price{}) {
      s.migration_price = found;
      s.store->learnt({mapping::kept_migration_price(found)});
    }
    if (!decides) made.policy.clear();
    record.decisions = std::move(made);
    if (view) {
      view->end([&](record::bsp_recorder& of) { of.complete(record); });
      beside.write(record.migrations);
    }
    record.refused_announcements = s.news.refusals();
    return report;
  } catch (std::exception const& e) {
    if (!view) throw;
    view->end(
        [&](record::bsp_recorder& of) { of.fail(e.what(), watcher ? watcher->made() : record::bsp_decisions{}); });
    beside.write({});
    throw;
  }
}

mesh_plan grid::plan(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                     runtime::iteration::run_options const& options, std::string const& types) {
  runtime::sole_use const only("plan()");
  auto call = call_with(part, faces, options, types, state_->settings);
  call.words = "plan() before " + call.words;
  state_->meet(std::move(call));
  return state_->place(part, mesh, faces).plan;
}

mesh_report grid::run(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                      runtime::iteration::run_options options, std::string const& types, std::stop_token const& stop) {
  runtime::sole_use const only("run()");
  state& s = *state_;
  s.meet(call_with(part, faces, options, types, s.settings));
  interrupt_watch const watch(stop);
  options.interrupt = &interrupt_watch::flag();
  options.threads = s.threads()[static_cast<std::size_t>(rank())];
  run_files const files({report_of(s.settings), decisions_of(s.settings)}, s.ranks);
  std::optional<mesh_view> view;
  if (rank() == 0) {
    warn_of_unused_by_mesh(s.settings);
    view.emplace(s.settings, mesh_recorder(before_run(part)));
  }
  try {
    bool watches_readers = false;
    if (s.settings.check_updates > 0)
      s.check_updates(part, faces, options.most_iterations);
    else if (rank() == 0)
      watches_readers = grid::state::warn_of_missing_updates(part, faces, options.most_iterations);
    auto report = s.run(part, mesh, faces, std::move(options), view ? &*view : nullptr, watches_readers);
    if (view) view->end([&](mesh_recorder& of) { of.complete(report); });
    return report;
  } catch (std::exception const& e) {
    if (view) view->end([&](mesh_recorder& of) { of.fail(e.what(), s.news.refusals()); });
    throw;
  }
}

mesh_report grid::state::run(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                             runtime::iteration::run_options options, mesh_view* view, bool watches_readers) {
  auto const me = static_cast<std::uint32_t>(ranks.rank());
  mesh_report report;
  auto const checkpoints = find_checkpoints(report, part, mesh);
  auto placed = [&] {
    runtime::run_phase const now("times steps and places the mesh");
    return place(part, mesh, faces);
  }();
  report.plan = std::move(placed.plan);
  options.group_of = std::move(placed.group_of);
  auto layout = std::make_unique<plan::mesh_layout>(plan::layout_of(faces, placed.rank_of, me));
  std::atomic<bool> has_read = false;  // an element of rank 0, which looks for all
  auto const look_for_readers = [&] {
    if (!watches_readers || !has_read.load(std::memory_order_relaxed)) return;
    watches_readers = false;
    layout->elements.asked = nullptr;  // between two iterations nobody computes
    warn_once("program '" + part.name() +
              "': it has begun to read cells of neighbours, and has no update: cells of other ranks keep their first "
              "values. Add skel::update(name, &Cell::member) for the members that it reads, unless they never change");
  };
  if (watches_readers) layout->elements.asked = &has_read;
  if (report.resumed) {
    options.done = report.resumed;
    runtime::iteration::move_cells(part, *options.done, nullptr, take_cells(*checkpoints, part, ranks), faces,
                                   placed.rank_of, *layout, ranks);
  }
  if (checkpoints) checkpoints->begun();
  std::unique_ptr<mesh_remapper> remapper;
  bool const is_planned = meshes && report.plan.iteration > 0;
  bool const may_move = settings.remap && part.cells_travel() && ranks.size() > 1;  // the same on all ranks
  if (view != nullptr)
    view->tell([&](mesh_recorder& of) {
      bool const drawn = settings.live_page || !settings.report.empty();  // the picture takes a search
      of.plan(report.plan, report.resumed, is_planned && drawn ? &*meshes : nullptr);
    });
  if (is_planned && may_move) remapper = meshes->remapper();
  platform::host_load load;
  if (may_move) load.read(record::now());
  double const first_begun = record::now();
  double looked = first_begun, look_took = 0;          // the last look: when it ended, how long it was
  std::optional<record::mesh_record> since_look;       // of the iterations since then, but the last ones
  std::uint64_t look_done = options.done.value_or(0);  // iterations by then
  std::vector<platform::announcement> announced;       // since the last look
  double listened = first_begun;
  auto const hear = [&] {
    auto said = news.hear();
    std::ranges::move(said, std::back_inserter(announced));
    listened = record::now();
  };
  // Hosts that come or go are looked after at once. Any other look may take a part of what passed since the last one,
  // as a review of any other decision.
  auto const is_time = [&] {
    if (!remapper) return false;
    double const now = record::now();
    if (now - listened >= remapping::period) hear();
    return now - looked >= std::max(remapping::period, look_took / mapping::review_share) ||
           std::ranges::any_of(announced, [](auto const& one) {
             return one.says == platform::announcement::kind::leaves || one.says == platform::announcement::kind::joins;
           });
  };
  options.pauses = [&](std::uint64_t iteration) {
    if (view != nullptr) pass_iteration(*view, iteration);
    look_for_readers();
    return is_time() || (checkpoints && checkpoints->due());
  };
  for (bool first = true;; first = false) {
    if (view != nullptr) view->tell([](mesh_recorder& of) { of.begin(); });
    auto record = runtime::iteration::run_mesh(part, *layout, ranks, options);
    double const iterating = record.iterating;
    std::uint64_t const iterations = record.iterations - options.done.value_or(0);
    options.done = record.iterations;
    bool const goes_on = record.paused;
    double const stopped = record::now();
    mesh_news said;
    if (goes_on && may_move) said.of_ranks = ranks.all_gather(platform::to_text(load.read(stopped)));
    mesh_order next;
    bool looks = false;
    if (goes_on && ranks.rank() == 0) try {
        next.keep = checkpoints && checkpoints->due();
        looks = is_time();
        since_look ? record::join(*since_look, record) : void(since_look = record);
        if (looks) {
          hear();
          said.announced = std::exchange(announced, {}), said.now = stopped - first_begun;
          if (auto const dealt = remapper->review(*since_look, record.iterations - look_done, look_took, said)) {
            for (auto const part_of : dealt->part_of)
              next.rank_of.push_back(static_cast<std::uint32_t>(remapper->standing().ground.ranks[part_of]));
          }
          since_look.reset();
          look_done = record.iterations;
        }
      } catch (std::exception const& e) {
        next.failed = e.what();
      }
    first ? void(report.run = std::move(record)) : record::join(report.run, record);
    if (view != nullptr) {
      view->tell([&](mesh_recorder& of) {
        of.pause(report.run, iterations, iterating);
        if (remapper) of.decide(remapper->decisions());
      });
      view->say(record::now());
    }
    look_for_readers();
    if (!goes_on) break;
    next = runtime::from_bytes<mesh_order>(ranks.broadcast(runtime::to_bytes(next)));
    if (!next.failed.empty())
      throw error("program '" + part.name() + "' stopped after iteration " + std::to_string(*options.done) +
                  ", at a review: " + next.failed);
    double const reviewed = record::now();
    if (next.keep) keep(*checkpoints, *options.done, part, *layout, ranks);
    double const began_to_move = record::now();
    if (!next.rank_of.empty()) {
      auto to = std::make_unique<plan::mesh_layout>(plan::layout_of(faces, next.rank_of, me));
      runtime::iteration::move_cells(part, *options.done, layout.get(), {}, faces, next.rank_of, *to, ranks);
      layout = std::move(to);
      if (watches_readers) layout->elements.asked = &has_read;
      if (remapper) remapper->moved(reviewed - stopped + record::now() - began_to_move);
    }
    if (looks) looked = record::now(), look_took = reviewed - stopped;
  }
  if (checkpoints) report.checkpoints = checkpoints->record();
  report.decisions = runtime::from_bytes<record::move_history>(
      ranks.broadcast(runtime::to_bytes(remapper ? remapper->decisions() : record::move_history())));
  end_run(checkpoints.get());
  if (is_planned) meshes->observe(report, remapper.get());
  report.refused_announcements = news.refusals();
  return report;
}

run_report grid::state::run(runtime::program const& line, std::stop_token const& stop, line_view* view) {
  state& s = *this;
  interrupt_watch const watch(stop);
  run_report report;
  std::vector<record::span> measured;
  placed_run placed;
  bool first_items_passed = false, watched = false;
  auto const checkpoints = s.find_checkpoints(report, line);
  bool const resumes = report.resumed.has_value();
  std::uint64_t const first_item = report.resumed.value_or(0);
  if (s.settings.plan) {
    if (auto const forced = s.store->forced(mapping::placement_choice::name))
      throw error("placement: '" + *forced +
                  "' is forced, but the program gives its plan (run_settings::plan) and nothing is chosen");
    report.plan.run = *s.settings.plan;
    report.plan.note = "the plan was given";
  } else {
    processor_map const where = s.processors(line);
    s.tell_loads();
    s.recall();
    s.hear_announcements();
    first_items_passed = is_measured(line);
    if (first_items_passed) resumes ? checkpoints->give_states(line, measuring_rank) : bring_states(line, s.ranks);
    run_start mine;
    runtime::run_phase const now(ranks.rank() == 0 ? "measures the first items and plans"
                                                   : "waits for rank 0, which measures the first items and plans");
    if (ranks.rank() == 0) {
      mine = s.open(line, where, first_items_passed, first_item);
      mine.watched = mine.placed.running && s.may_move();
    }
    auto start = runtime::from_bytes<run_start>(s.ranks.broadcast(runtime::to_bytes(mine)));
    if (!start.refused.empty()) throw error(start.refused);
    for (auto* const failed : {&mine.failed, &start.failed})
      if (*failed) (*failed)->item += first_item;
    if (start.failed) runtime::throw_failure(ranks.rank() == 0 ? *mine.failed : *start.failed);
    measured = std::move(mine.calibration);
    placed = std::move(mine.placed);
    watched = start.watched;
    report.plan = std::move(start.plan);
    report.calibration_items = start.items;
    report.calibration_seconds = start.calibration_seconds;
    report.planning_seconds = start.planning_seconds;
    if (start.ended) {
      settle_where_measured(line);
      s.end_run(checkpoints.get());
      s.end_source(line, report);
      report.run.hosts = s.ranks.hosts();
      for (auto const& station : line.stations) report.run.names.push_back(station.notes.name);
      report.run.calibration = std::move(measured);
      report.refused_announcements = s.news.refusals();
      s.write_trace(report.run);
      return report;
    }
  }
  runtime::check_plan(line, report.plan.run, ranks.size());
  std::unique_ptr<remapping> watcher;
  if (watched && ranks.rank() == 0) watcher = s.watch(line, *placed.running);
  runtime::run_options options;
  if (resumes && !first_items_passed)
    checkpoints->give_states(line, report.plan.run);
  else
    options.pinned = settle_states(line, report.plan.run, first_items_passed, s.ranks);
  if (checkpoints) checkpoints->begun();
  for (auto const& [station, why] : options.pinned)
    add_note(report.plan, "'" + line.stations[station].notes.name + "' stays on rank " +
                              std::to_string(report.plan.run.stations[station].ranks.front()) + ": " + why +
                              "; the forecast is that of the plan without this");
  if (!options.pinned.empty()) {
    placed.asked.reset();  // another placement runs than was asked for
    if (watcher) watcher->begin(report.plan.run, options.pinned);
  }
  options.cores = platform::granted_cores();
  options.trace = !s.settings.trace.empty();
  options.interrupt = &interrupt_watch::flag();
  options.first_item = first_item + report.calibration_items;
  if (options.pinned.empty()) {
    options.expected.rate = report.plan.expected.throughput;
    options.expected.low = report.plan.expected.low;
    options.expected.high = report.plan.expected.high;
  }
  options.between_stretches = usual_forecast_doubt().between;
  if (report.plan.expected.most > 0) options.can_do = report.plan.expected.most;
  if (says_progress(s.settings))
    options.progress = [done = options.first_item](std::uint64_t items, double seconds,
                                                   record::throughput_forecast const& standing) {
      tell_user(items_text(done + items, seconds, static_cast<double>(items) / seconds, standing));
    };
  if (ranks.rank() == 0) options.next_plan = s.settings.next_plan;
  options.plan_period = s.settings.plan_period;
  if (watched) {
    options.progress_period = remapping::period;
    options.says = [load = std::make_shared<platform::host_load>()] {
      return platform::to_text(load->read(record::now()));
    };
  }
  if (watcher) {
    options.plan_period = remapping::period;
    options.heard = [&](record::rank_progress const& said) { watcher->hear(said); };
    options.next_plan = [&](plan::run_plan const& now, double seconds) { return watcher->next_plan(now, seconds); };
    options.remapped = [&](record::remap_record const& what) { watcher->remapped(what); };
  }
  if (checkpoints) checkpoints->ask_for_checkpoints(options);
  if (is_shown(s.settings)) options.progress_period = remapping::period;
  if (view != nullptr) show_run(*view, report, options, watcher.get());
  report.run = runtime::run_line(line, report.plan.run, s.ranks, options);
  if (watched) {
    if (watcher) {
      report.run.decisions = watcher->decisions();
      report.run.announcements = watcher->announcements().kept();
      report.run.announced = watcher->announcements().all();
    }
    report.run.decisions =
        runtime::from_bytes<record::move_history>(s.ranks.broadcast(runtime::to_bytes(report.run.decisions)));
    s.tell_all(watcher.get());
  }
  report.refused_announcements = s.news.refusals();
  s.end_run(checkpoints.get());
  s.end_source(line, report);
  remember_states(line, report.run.final_ranks);
  report.unlike = s.learn_from(line, placed, report.run);
  report.corrected = s.correct_speeds(line, placed.first, report.run);
  report.run.calibration = std::move(measured);
  s.write_trace(report.run);
  return report;
}

}  // namespace skel
