#include <skel/detail/grid/find_hosts.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/grid/discovery.hpp>
#include <skel/detail/platform/discovered.hpp>

namespace skel {
namespace {

std::string without_domain(std::string const& name) {
  // An address has dots too, and no domain.
  bool const address = name.find_first_not_of("0123456789.:abcdefABCDEF") == std::string::npos &&
                       name.find_first_of(".:") != std::string::npos;
  return address ? name : name.substr(0, name.find('.'));
}

/// HOST of HOST-rN, or the name itself.
std::string without_rank(std::string const& name) {
  std::size_t const mark = name.rfind("-r");
  bool const numbered = mark != std::string::npos && mark + 2 < name.size() &&
                        name.find_first_not_of("0123456789", mark + 2) == std::string::npos;
  return numbered ? name.substr(0, mark) : name;
}

using table = std::map<std::string, std::vector<plan::host_id>, std::less<>>;

}  // namespace

found_hosts find_hosts(platform::description const& machine, std::vector<std::string> const& names) {
  table exact, shorter, by_rank;
  std::vector<std::string> const hosts = platform::machine_names(machine);
  for (plan::host_id host = 0; host < hosts.size(); ++host) {
    exact[hosts[host]].push_back(host);
    shorter[without_domain(hosts[host])].push_back(host);
    by_rank[without_domain(without_rank(hosts[host]))].push_back(host);
  }
  found_hosts result;
  // A probe with a host per rank has kept which rank of a machine each host was.
  if (std::ranges::all_of(names, [&](std::string const& name) { return exact.contains(name); })) {
    if (auto known = platform::find_ranks(machine, names); known.mismatch.empty()) {
      result.host_of_rank = std::move(known.host_of_rank);
      return result;
    }
  }
  std::map<std::string, std::size_t> ranks_before;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    std::string const& name = names[rank];
    if (auto const own = exact.find(name + "-r" + std::to_string(rank)); own != exact.end()) {
      result.host_of_rank.push_back(own->second.front());
      continue;
    }
    std::vector<plan::host_id> const* places = nullptr;
    auto const look = [&](table const& where, std::string const& as) {
      if (places != nullptr) return;
      if (auto const at = where.find(as); at != where.end()) places = &at->second;
    };
    look(exact, name);
    look(shorter, without_domain(name));
    look(by_rank, without_domain(name));
    if (places != nullptr)
      result.host_of_rank.push_back((*places)[ranks_before[name]++ % places->size()]);
    else if (std::ranges::find(result.missing, name) == result.missing.end())
      result.missing.push_back(name);
  }
  if (!result.missing.empty()) result.host_of_rank.clear();
  return result;
}

run_platform measure_run(MPI_Comm among, std::vector<std::string> const& names) {
  discovery_options options;
  options.models = {cost::model_kind::plogp};  // what the mapper prefers
  options.max_age = 86400;
  options.time_limit = 5;
  if (std::ranges::count(names, names.front()) == std::ssize(names)) {
    // However their latencies differ while they share cores.
    options.host_per_rank = true;
    options.tolerance = 1e6;
  }
  run_platform result{.machine = discover(among, options).platform};
  result.host_of_rank = find_hosts(result.machine, names).host_of_rank;
  if (result.host_of_rank.empty()) throw error("the hosts of this run are not called as those that were measured");
  return result;
}

}  // namespace skel
