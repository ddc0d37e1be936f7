#include <skel/detail/machine/find_hosts.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/machine/discovery.hpp>

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

found_hosts find_hosts(platform::snapshot const& machine, std::vector<std::string> const& names) {
  table exact, shorter, by_rank;
  for (plan::host_id host = 0; host < machine.machine().host_count(); ++host) {
    std::string const name = machine.host(host).machine;
    exact[name].push_back(host);
    shorter[without_domain(name)].push_back(host);
    by_rank[without_domain(without_rank(name))].push_back(host);
  }
  found_hosts result;
  // A probe with a host per rank has kept the rank of each host on its machine.
  if (std::ranges::all_of(names, [&](std::string const& name) { return exact.contains(name); })) {
    if (auto known = machine.find_ranks(names); known.mismatch.empty()) {
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

run_platform measure_run(MPI_Comm among, std::vector<std::string> const& names,
                         std::vector<cost::model_kind> const& models, bool speeds) {
  discovery_options options;
  options.models = models;
  options.speeds = speeds;
  options.max_age = usual_age;
  options.time_limit = 5;
  run_platform result{.picture = (among == MPI_COMM_NULL ? discover_alone(options) : discover(among, options)).picture};
  result.host_of_rank = find_hosts(result.picture, names).host_of_rank;
  if (result.host_of_rank.empty())
    throw error(
        "the hosts of this run are not called as those that were just measured; give each host one name that "
        "lasts, or a platform by --skel-platform FILE");
  return result;
}

}  // namespace skel
