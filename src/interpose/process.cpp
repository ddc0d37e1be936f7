#include "process.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include <cereal/types/map.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/machine/run_platform.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/model_parameters.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

#include "change_watch.hpp"
#include "known_communicator.hpp"
#include "settings.hpp"
#include "ways_apart.hpp"

namespace skel::interpose {
namespace {

enum class verdict : std::uint8_t { serve, measure, pass, refuse };

/// What rank 0 has read and found.
struct start_result {
  verdict what = verdict::pass;
  bool always = false, mpi_is_tuned = false;
  int verbose = 0;
  std::string machine{}, source{};
  std::vector<std::uint64_t> host_of_rank{}, place_of_rank{};
  std::map<plan::collective, forced_algorithm> forced{};
  std::string decisions{};
  SKEL_FIELDS(what, always, mpi_is_tuned, verbose, machine, source, host_of_rank, place_of_rank, forced, decisions);
};

std::string listed(std::vector<std::string> const& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i > 0 ? ", '" : "'") + names[i] + "'";
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

/// What is wrong with the platform, and what the user has asked to be done then.
verdict mismatched(settings const& all, std::string const& problem) {
  switch (all.otherwise) {
    case mismatch::measure:
      tell_user("warning: " + problem + "; the hosts of this run are measured");
      return verdict::measure;
    case mismatch::refuse:
      tell_user(problem + "; SKEL_PLATFORM_MISMATCH=refuse ends the run");
      return verdict::refuse;
    case mismatch::pass:
      break;
  }
  tell_user("warning: " + problem +
      "; collectives are left to MPI. Make a platform of these hosts (skel probe), say which host each rank is on "
      "(SKEL_MPI_HOSTS), or have them measured (SKEL_PLATFORM_MISMATCH=measure)");
  return verdict::pass;
}

/// Whether all ranks are on one host, and nobody has asked for skel's way: MPI's is through shared memory, and no
/// messages between ranks take less.
bool is_left_to_mpi(settings const& all, start_result const& result) {
  if (all.always || !all.forced.empty()) return false;
  return std::ranges::count(result.place_of_rank, result.place_of_rank.front()) == std::ssize(result.place_of_rank);
}

/// The number of the first rank with the same name, for each.
std::vector<std::uint64_t> places_of(std::vector<std::string> const& names) {
  std::map<std::string, std::uint64_t> first;
  std::vector<std::uint64_t> places;
  for (std::string const& name : names) places.push_back(first.emplace(name, places.size()).first->second);
  return places;
}

/// On rank 0. `names`: the host of each rank, as MPI calls it.
start_result open_platform(settings const& all, std::vector<std::string> const& names) {
  start_result result;
  result.verbose = all.verbose;
  result.always = all.always;
  result.mpi_is_tuned = is_tuned_open_mpi();
  result.forced = all.forced;
  result.decisions = all.decisions;
  result.place_of_rank = places_of(all.hosts.size() < names.size() ? names : all.hosts);
  result.place_of_rank.resize(names.size());
  if (!all.on || names.size() == 1) return result;
  if (all.platform.empty()) {
    result.what = verdict::measure;
    return result;
  }
  result.source = all.platform;
  if (!all.hosts.empty() && all.hosts.size() < names.size()) {
    result.what = mismatched(all, "SKEL_MPI_HOSTS names the hosts of " + counted(all.hosts.size(), "rank") +
                                      ", but there are " + std::to_string(names.size()));
    return result;
  }
  try {
    platform::snapshot const picture(platform::read_description(all.platform));
    platform::description const& machine = picture.machine();
    std::vector<std::string> hosts = all.hosts.empty() ? names : all.hosts;
    hosts.resize(names.size());
    found_hosts const found = find_hosts(picture, hosts);
    if (!found.missing.empty()) {
      result.what = mismatched(all, all.platform + " has no host " + listed(found.missing) + " of this run; it has " +
                                        listed(machine.host_names()));
      return result;
    }
    result.what = verdict::serve;
    result.machine = platform::to_json(machine);
    result.host_of_rank.assign(found.host_of_rank.begin(), found.host_of_rank.end());
  } catch (error const& problem) {
    result.what = mismatched(all, problem.what());
  }
  return result;
}

start_result open(std::vector<std::string> const& names) {
  settings const all = read_settings();
  start_result result = open_platform(all, names);
  bool const serves = result.what == verdict::serve || result.what == verdict::measure;
  if (!serves || !is_left_to_mpi(all, result)) return result;
  if (all.verbose > 0)
    tell_user(
        "all ranks are on one host; their collectives are left to MPI, which has shared memory there (SKEL_MPI=always "
        "takes skel's way)");
  result.what = verdict::pass;
  return result;
}

std::string processor_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return printable({name, static_cast<std::size_t>(length)});
}

/// MPI_Finalize begins with deleting the attributes of MPI_COMM_SELF.
extern "C" int skel_at_finalize(MPI_Comm, int, void* run, void*) {
  static_cast<process*>(run)->end();
  return MPI_SUCCESS;
}

}  // namespace

process& process::self() {
  static process* const only = new process;
  return *only;
}

void process::begin() {
  inside const guard;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  try {
    auto const names = runtime::quiet::all_gather(MPI_COMM_WORLD, processor_name());
    std::string mine;
    if (first()) {
      try {
        mine = runtime::to_bytes(open(names));
      } catch (std::exception const& problem) {
        tell_user(problem.what());
        mine = runtime::to_bytes(start_result{.what = verdict::refuse});
      }
    }
    start(runtime::quiet::broadcast(MPI_COMM_WORLD, std::move(mine)), names);
  } catch (std::exception const& problem) {
    // Measuring fails on all ranks or on none.
    if (first()) tell_user("warning: " + std::string(problem.what()) + "; collectives are left to MPI");
  }
}

void process::start(std::string const& bytes, std::vector<std::string> const& names) {
  start_result const said = runtime::from_bytes<start_result>(bytes);
  verbose_ = said.verbose;
  always_ = said.always;
  mpi_is_tuned_ = said.mpi_is_tuned;
  place_of_rank_ = said.place_of_rank;
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  // The program may ask for another level on each rank, but what is known of groups has to be shared alike.
  MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  threads_ = level == MPI_THREAD_MULTIPLE;
  if (said.what == verdict::refuse) PMPI_Abort(MPI_COMM_WORLD, 1);
  if (said.what == verdict::measure) {
    run_platform measured = measure_run(MPI_COMM_WORLD, names, models_of_collectives, false);
    machine_ = measured.picture.machine();
    host_of_rank_ = std::move(measured.host_of_rank);
  } else if (said.what == verdict::serve) {
    machine_ = platform::parse_description(said.machine, said.source, file_of::this_user);
    host_of_rank_.assign(said.host_of_rank.begin(), said.host_of_rank.end());
  } else {
    return;
  }
  see_ways_apart();
  forced_ = said.forced;
  remember(said.decisions, names);
  MPI_Comm_dup(MPI_COMM_SELF, &alone_);
  MPI_Comm_set_errhandler(alone_, MPI_ERRORS_RETURN);
  int nothing = 0;
  refuses_aliases_ = MPI_Reduce(&nothing, &nothing, 1, MPI_INT, MPI_SUM, 0, alone_) != MPI_SUCCESS;
  key_ = known_communicator::make_key();
  int finalize_key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, skel_at_finalize, &finalize_key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, this);
  MPI_Comm_free_keyval(&finalize_key);
  if (!always_) looking_ = known_communicator::look_at_prices(MPI_COMM_WORLD);
  serving_.store(true, std::memory_order_release);
  if (verbose_ && first())
    tell_user("collectives of " + counted(names.size(), "rank") + " on " + counted(machine_.clusters().size(), "cluster") +
        " of " + (said.source.empty() ? "the measured platform" : said.source));
}

void process::see_ways_apart() {
  platform::parameter_blocks blocks = machine_.parameters();
  if (blocks.contains("sharing")) return;
  platform::sharing_parameters const sharing{.apart = measure_ways_apart(MPI_COMM_WORLD, machine_, host_of_rank_)};
  if (sharing.apart == 0) return;
  blocks["sharing"] = to_block(sharing);
  machine_ = platform::description(machine_.local_latency(), machine_.clusters(), machine_.links(), std::move(blocks));
  if (verbose_ > 1 && first()) tell_user("ways between two clusters are apart: " + std::to_string(sharing.apart) + " of 1");
}

void process::remember(std::string const& decisions, std::vector<std::string> const& names) {
  mapping::decision_entries known;
  if (first()) {
    auto opened = platform::open_knowledge(names, "", platform::is_measured(machine_));
    if (!opened.warning.empty()) tell_user("warning: " + opened.warning);
    kept_ = std::move(opened.kept), known = std::move(opened.known);
    try {
      if (kept_) kept_->expect_other("SKEL_DECISIONS", decisions);
      if (!decisions.empty()) log_ = std::make_unique<record::decision_file>(decisions);
    } catch (error const& problem) {
      tell_user("warning: SKEL_DECISIONS: " + std::string(problem.what()));
    }
    before_.log = log_.get();
  }
  before_.known = runtime::from_bytes<mapping::decision_entries>(
      runtime::quiet::broadcast(MPI_COMM_WORLD, runtime::to_bytes(known)));
}

void process::keep_what_was_learnt() {
  if (log_ && !log_->problem().empty()) tell_user("warning: " + log_->problem());
  if (!of_all_ || !kept_) return;
  try {
    if (auto const warning = kept_->add(of_all_->learnt()); !warning.empty()) tell_user("warning: " + warning);
  } catch (std::exception const& problem) {
    tell_user("warning: the results of trials are not kept: " + std::string(problem.what()));
  }
}

void process::end() {
  serving_.store(false, std::memory_order_release);
  agreement::finish_all();
  keep_what_was_learnt();
  if (verbose_ && first()) tell_user(summary());
}

std::vector<int> process::ranks_of(MPI_Group group) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  MPI_Group_free(&world);
  return in_world;
}

bool process::on_one_host(std::vector<int> const& ranks) const {
  auto const place = [&](int rank) { return place_of_rank_[static_cast<std::size_t>(rank)]; };
  return std::ranges::all_of(ranks, [&](int rank) { return place(rank) == place(ranks.front()); });
}

std::shared_ptr<group_knowledge> process::knowledge_of(std::vector<int> const& ranks) {
  std::vector<plan::host_id> hosts;
  for (int rank : ranks) hosts.push_back(host_of_rank_[static_cast<std::size_t>(rank)]);
  if (threads_) return std::make_shared<group_knowledge>(std::move(hosts));
  bool const is_all = ranks.size() == place_of_rank_.size() && std::ranges::is_sorted(ranks);
  auto known = groups_.find(ranks, std::move(hosts), is_all ? before_ : mapping::decision_setup{});
  if (is_all) of_all_ = known;
  return known;
}

void process::count(plan::collective operation, bool is_served) {
  auto const at = static_cast<std::size_t>(operation);
  called_[at].fetch_add(1, std::memory_order_relaxed);
  if (is_served) served_[at].fetch_add(1, std::memory_order_relaxed);
}

std::string process::summary() const {
  std::string text = "rank 0 called, and was served:";
  for (std::size_t at = 0; at < operations; ++at) {
    if (called_[at] == 0) continue;
    text += ' ' + std::string(plan::name_of(static_cast<plan::collective>(at))) + ' ' + std::to_string(called_[at]) +
            ", " + std::to_string(served_[at]) + ';';
  }
  text.pop_back();
  return text;
}

}  // namespace skel::interpose
