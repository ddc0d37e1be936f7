#include <skel/detail/platform/bsp_scenario.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/json_reader.hpp>
#include <skel/detail/platform/survey.hpp>

namespace skel::platform {
namespace {

using detail::json;
using detail::reader;
using detail::zero_or_more;

constexpr char const* processes_wanted = "one process at least is wanted";

description read_machine(reader const& value, std::filesystem::path const& folder) {
  if (value.value().is_string()) {
    std::filesystem::path const named = value.name("the path of a platform file is wanted");
    return read_description(named.is_absolute() ? named : folder / named);
  }
  value.expect_object("a platform is the path of its file, or");
  return parse_description(value.value().dump(), value.source() + ": " + value.path());
}

std::string things(std::size_t many, std::string_view noun) {
  return std::to_string(many) + " " + std::string(noun) + (many == 1 ? "" : noun == "process" ? "es" : "s");
}
std::string processes_text(std::size_t many) {
  return things(many, "process");
}

/// A process by its number, from 0.
std::size_t read_process(reader const& value, std::size_t processes) {
  std::size_t const p = value.count();
  if (p >= processes)
    value.fail("there is no process " + std::to_string(p) + "; there are " + processes_text(processes) +
               ", numbered from 0");
  return p;
}

record::wavefront read_wavefront(reader const& object, double message_bytes) {
  object.expect_keys({"kind", "order", "first", "last"});
  record::wavefront made{.order = object.at("order").count(),
                         .first = zero_or_more(object.at("first")),
                         .last = zero_or_more(object.at("last")),
                         .message_bytes = message_bytes};
  if (made.order == 0) object.at("order").fail(std::string("is 0; ") + processes_wanted);
  if (made.order > most_loads) object.at("order").fail("is more processes than can be simulated");
  return made;
}

record::superstep_load read_step(reader const& object, std::optional<std::size_t> processes, double message_bytes) {
  object.expect_object("a superstep");
  object.expect_keys({"work", "messages"});
  reader const work = object.at("work");
  record::superstep_load load{.work = work.numbers("\"work\" is an array with the work of each process")};
  if (load.work.empty()) work.fail(std::string("is empty; ") + processes_wanted);
  if (processes && load.work.size() != *processes)
    work.fail("is of " + processes_text(load.work.size()) + ", and the superstep before of " +
              std::to_string(*processes));
  for (std::size_t p = 0; p < load.work.size(); ++p)
    if (load.work[p] < 0) work.element(p).fail("is negative; work units, 0 or more");
  if (!object.has("messages")) return load;
  for (reader const& one : object.at("messages").elements("\"messages\" is an array of [from, to, bytes]")) {
    auto const parts = one.elements("a message is [from, to, bytes]");
    if (parts.size() != 2 && parts.size() != 3)
      one.fail("has " + counted(parts.size(), "part") + "; a message is [from, to] or [from, to, bytes]");
    load.messages.push_back({read_process(parts[0], load.work.size()), read_process(parts[1], load.work.size()),
                             parts.size() == 3 ? zero_or_more(parts[2]) : message_bytes});
  }
  return load;
}

record::load_trace read_trace(reader const& object, double message_bytes) {
  object.expect_keys({"kind", "supersteps"});
  record::load_trace made;
  for (reader const& step : object.at("supersteps").elements("\"supersteps\" is an array of {\"work\": [...]}"))
    made.steps.push_back(
        read_step(step, made.steps.empty() ? std::nullopt : std::optional(made.processes()), message_bytes));
  if (made.steps.empty()) object.at("supersteps").fail("is empty; one superstep at least is wanted");
  return made;
}

/// Data files of DARMA/vt tell the first rank of each task, if it stays there, and its memory.
record::load_trace read_lb_files(reader const& object, std::filesystem::path const& folder, data_reader read_data,
                                 bsp_scenario& made, std::size_t& rank_count) {
  object.expect_keys({"kind", "prefix", "ranks", "repeat", "subphases"});
  std::filesystem::path const prefix = object.at("prefix").name("the path of files without \".RANK.json\" is wanted");
  std::optional<std::size_t> ranks;
  if (object.has("ranks")) ranks = object.at("ranks").count();
  if (ranks == 0) object.at("ranks").fail("is 0; one rank at least is wanted");
  std::size_t const repeat = object.count_or("repeat", 1);
  if (repeat == 0) object.at("repeat").fail("is 0; how often the phases are run, 1 or more");
  auto all = read_data(prefix.is_absolute() ? prefix : folder / prefix, ranks, object.truth_or("subphases", false),
                       most_loads);
  if (repeat > most_loads / all.program.steps.size()) object.at("repeat").fail("is more often than can be simulated");
  rank_count = all.rank_count;
  made.hosts = std::move(all.ranks), made.tasks = std::move(all.ids);
  made.pinned = std::move(all.pinned), made.state_bytes = std::move(all.state_bytes);
  made.needs = std::move(all.memory);
  all.program.repeat = repeat;
  return std::move(all.program);
}

record::workload read_workload(reader const& object, double message_bytes, std::filesystem::path const& folder,
                               data_reader read_data, bsp_scenario& made, std::size_t& ranks) {
  object.expect_object("a workload");
  std::string const which = object.at("kind").text();
  if (which == "lbdatafile" && read_data) return read_lb_files(object, folder, read_data, made, ranks);
  if (which == "wavefront") return read_wavefront(object, message_bytes);
  if (which == "trace") return read_trace(object, message_bytes);
  object.at("kind").fail(in_quotes(which) + " is no kind of workload; one of wavefront, trace" +
                         (read_data ? ", lbdatafile" : ""));
}

std::vector<std::size_t> read_mapping(reader const& value, description const& machine, std::size_t many,
                                      std::string_view whose) {
  std::vector<std::size_t> hosts;
  for (reader const& one : value.elements("\"mapping\" is an array with the host of each " + std::string(whose))) {
    std::string const name = one.text();
    auto const found = machine.find_host(name);
    if (!found)
      one.fail("there is no host " + in_quotes(name) + " in the platform" + did_you_mean(name, machine.host_names()));
    hosts.push_back(*found);
  }
  if (hosts.size() != many)
    value.fail("names the hosts of " + things(hosts.size(), whose) + "; the workload has " + std::to_string(many));
  return hosts;
}

/// Ranks of data files on hosts: those that "mapping" names, or the first hosts of the platform.
void map_ranks(reader const& root, std::size_t ranks, bsp_scenario& made) {
  std::vector<std::size_t> of_rank(ranks);
  if (root.has("mapping")) {
    of_rank = read_mapping(root.at("mapping"), made.machine, ranks, "rank");
  } else if (ranks > made.machine.host_count()) {
    root.at("platform")
        .fail("has " + counted(made.machine.host_count(), "host") + ", and the data files are of " +
              counted(ranks, "rank") + "; each rank begins on a host of its own, unless " +
              "\"mapping\" names the host of each");
  } else {
    std::iota(of_rank.begin(), of_rank.end(), std::size_t{0});
  }
  for (auto& one : made.hosts) one = of_rank[one];
  if (!made.needs) return;
  auto needs = *made.needs;
  needs.reserved.assign(made.machine.host_count(), 0.0);
  for (std::size_t r = 0; r < ranks; ++r) needs.reserved[of_rank[r]] += made.needs->reserved[r];
  made.needs = std::make_shared<record::memory_needs const>(std::move(needs));
}

/// A number for all processes, or an array with one for each.
std::vector<double> read_states(reader const& value, std::size_t processes) {
  if (!value.value().is_array()) return std::vector<double>(processes, zero_or_more(value));
  auto all = value.numbers("bytes of state are one number, or an array with one for each process");
  if (all.size() != processes)
    value.fail("is of " + processes_text(all.size()) + "; the workload has " + std::to_string(processes));
  for (std::size_t p = 0; p < all.size(); ++p) zero_or_more(value.element(p));
  return all;
}

/// Reads {NAME: number}: the numbers replace those of `all`. A name is that of a host, or of a cluster for each of its
/// hosts.
std::vector<double> read_of_hosts(reader const& object, description const& machine, std::vector<double> all) {
  object.expect_object("what hosts have");
  std::vector<std::string> known = machine.host_names();
  for (auto const& one : machine.clusters()) known.push_back(one.name);
  // A host's own number counts, also where its cluster has one.
  for (bool const clusters : {true, false})
    for (auto const& [name, unused] : object.value().items()) {
      double const number = zero_or_more(object.at(name));
      auto const cluster = machine.find_cluster(name);
      auto const host = machine.find_host(name);
      if (!cluster && !host)
        object.at(name).fail("is no host or cluster of the platform; change or remove it" + did_you_mean(name, known));
      if (clusters && cluster)
        for (std::size_t h = 0; h < all.size(); ++h)
          if (machine.cluster_of(h) == *cluster) all[h] = number;
      if (!clusters && host) all[*host] = number;
    }
  return all;
}

/// Memory of the hosts of the platform [B]: the stated one, else the measured one, infinite if neither is known. Empty
/// if neither is known of any host.
std::vector<double> memory_of_platform(description const& machine) {
  auto const found = read_survey(machine).hosts;
  bool const measured = found.size() == machine.host_count();
  bool known = measured;
  std::vector<double> all(machine.host_count(), std::numeric_limits<double>::infinity());
  for (std::size_t h = 0; h < all.size(); ++h) {
    if (measured && found[h].memory > 0) all[h] = found[h].memory;
    if (auto const& said = machine.clusters()[machine.cluster_of(h)].memory) all[h] = *said, known = true;
  }
  return known ? all : std::vector<double>();
}

void check_memory(reader const& value, bsp_scenario const& made) {
  std::vector<double> used(made.machine.host_count());
  if (made.needs)
    used = record::memory_used(*made.needs, made.hosts);
  else
    for (std::size_t p = 0; p < made.hosts.size(); ++p) used[made.hosts[p]] += made.state_bytes[p];
  for (std::size_t h = 0; h < used.size(); ++h)
    if (used[h] > made.memory[h])
      value.fail("host " + in_quotes(made.machine.host_name(h)) + " has " + shown(made.memory[h]) +
                 " B, and the processes that begin there take " + shown(used[h]) +
                 "; give it more, or map fewer of them there");
}

skeletons::migration_settings read_policy(reader const& object, skeletons::migration_settings made) {
  object.expect_object("a policy");
  object.expect_keys({"name", "alpha", "apply", "supersteps", "D", "omega", "delta", "heuristic", "x"});
  if (object.has("name")) {
    made.name = object.at("name").text();
    if (auto const& known = skeletons::migration_policies(); !known.find(made.name))
      object.at("name").fail(is_none_of(made.name, "policy", known.names()));
  }
  made.alpha = object.count_or("alpha", made.alpha);
  if (made.alpha == 0 || made.alpha > skeletons::most_alpha)
    object.at("alpha").fail("is " + std::to_string(made.alpha) + "; supersteps until the first call, 1 to " +
                            std::to_string(skeletons::most_alpha) + ", are wanted");
  made.apply = object.truth_or("apply", made.apply);
  made.supersteps = object.count_or("supersteps", made.supersteps);
  made.omega = object.count_or("omega", made.omega);
  if (object.has("D")) made.d = zero_or_more(object.at("D"));
  if (object.has("delta")) made.delta = zero_or_more(object.at("delta"));
  if (object.has("x")) made.x = zero_or_more(object.at("x"));
  if (object.has("heuristic")) {
    std::size_t const which = object.at("heuristic").count();
    if (which != 1 && which != 2)
      object.at("heuristic").fail("is 1 (all above x times the largest potential) or 2 (the one with the largest)");
    made.best_only = which == 2;
  }
  return made;
}

}  // namespace

bsp_scenario parse_bsp_scenario(std::string_view text, std::string const& source, std::filesystem::path const& folder,
                                data_reader read_data) {
  json const document = detail::parse_json(text, source);
  reader const root(document, source);
  root.expect_object("a scenario of a BSP program");
  root.expect_version("skel_bsp");
  root.expect_keys({"skel_bsp", "platform", "mapping", "workload", "message_bytes", "state_bytes", "migration",
                    "memory", "external_load", "pinned", "policy", "beta"});
  bsp_scenario made;
  made.machine = read_machine(root.at("platform"), folder);
  std::size_t ranks = 0;  // of data files
  made.program =
      read_workload(root.at("workload"), root.has("message_bytes") ? zero_or_more(root.at("message_bytes")) : 0, folder,
                    read_data, made, ranks);
  std::size_t const processes = record::processes_of(made.program), steps = record::supersteps_of(made.program);
  if (steps > most_loads / (processes + made.machine.host_count()))
    root.at("workload")
        .fail("is of " + counted(steps, "superstep") + " of " + processes_text(processes) + " and " +
              counted(made.machine.host_count(), "host") + "; at most " + std::to_string(most_loads) +
              " supersteps times processes and hosts are simulated");
  if (made.tasks.empty())
    made.hosts = read_mapping(root.at("mapping"), made.machine, processes, "process");
  else
    map_ranks(root, ranks, made);
  if (root.has("state_bytes"))
    made.state_bytes = read_states(root.at("state_bytes"), processes);
  else
    made.state_bytes.resize(processes);
  if (root.has("beta")) made.beta = zero_or_more(root.at("beta"));
  if (root.has("migration")) {
    reader const object = root.at("migration");
    object.expect_object("what a migration takes");
    object.expect_keys({"fixed", "per_byte"});
    made.migration_fixed = object.has("fixed") ? zero_or_more(object.at("fixed")) : 0;
    made.migration_per_byte = object.has("per_byte") ? zero_or_more(object.at("per_byte")) : 0;
  }
  made.memory = memory_of_platform(made.machine);
  std::size_t const hosts = made.machine.host_count();
  if (root.has("memory")) {
    if (made.memory.empty()) made.memory.assign(hosts, std::numeric_limits<double>::infinity());
    if (root.at("memory").value().is_number())
      made.memory.assign(hosts, zero_or_more(root.at("memory")));
    else
      made.memory = read_of_hosts(root.at("memory"), made.machine, std::move(made.memory));
  }
  if (!made.memory.empty())
    check_memory(root.at(root.has("memory") ? "memory" : root.has("mapping") ? "mapping" : "workload"), made);
  if (root.has("external_load")) {
    reader const object = root.at("external_load");
    made.external_load = read_of_hosts(object, made.machine, std::vector<double>(hosts, 0.0));
    for (std::size_t h = 0; h < hosts; ++h)
      if (!(made.external_load[h] < 1))
        object.fail("takes all of host " + in_quotes(made.machine.host_name(h)) +
                    "; the part that others take is less than 1");
  }
  if (root.has("pinned")) {
    made.pinned.resize(processes);
    for (reader const& one : root.at("pinned").elements("\"pinned\" is an array of processes, numbered from 0"))
      made.pinned[read_process(one, processes)] = true;
  }
  made.policy.supersteps = steps;  // as programs say that know it
  if (root.has("policy")) made.policy = read_policy(root.at("policy"), made.policy);
  return made;
}

}  // namespace skel::platform
