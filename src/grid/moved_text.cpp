#include "moved_text.hpp"

#include <cstddef>
#include <map>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

namespace skel {

std::string pace_text(run_pace const& pace) {
  std::string out = counted(pace.done, pace.use) + print(", %.0f s", pace.seconds);
  if (pace.each > 0) out += ", " + scaled(pace.each, "s") + " each";
  if (pace.expected > 0) out += ", " + scaled(pace.expected, "s") + " expected";
  if (pace.all && *pace.all > pace.done && pace.each > 0)
    out += print(", %.0f s to go", pace.each * static_cast<double>(*pace.all - pace.done));
  return out;
}

std::string processes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " process" : " processes");
}

std::string rank_text(std::vector<std::string> const& hosts, int rank) {
  auto const at = static_cast<std::size_t>(rank);
  return "rank " + std::to_string(rank) + (rank >= 0 && at < hosts.size() ? " (" + hosts[at] + ")" : "");
}

std::string ranks_text(std::vector<std::string> const& hosts, std::vector<int> const& ranks) {
  std::map<int, std::size_t> workers;
  for (int const rank : ranks) ++workers[rank];
  std::string out;
  for (auto const& [rank, count] : workers)
    out += (out.empty() ? "" : ", ") + rank_text(hosts, rank) + (count > 1 ? " x" + std::to_string(count) : "");
  return out;
}

std::string moved_text(std::vector<std::string> const& stations, std::vector<std::string> const& hosts,
                       std::vector<record::stage_move> const& moved) {
  std::string out;
  for (auto const& [station, from, to] : moved)
    out += (out.empty() ? "'" : ", '") +
           (station < stations.size() ? stations[station] : "station " + std::to_string(station)) + "' from " +
           ranks_text(hosts, from) + " to " + ranks_text(hosts, to);
  return out;
}

std::string clusters_text(record::mesh_review const& of) {
  return (of.taken_in.empty() ? "" : ", takes in " + joined(of.taken_in)) +
         (of.given_up.empty() ? "" : ", gives up " + joined(of.given_up)) +
         (of.host_leaves ? ", as a host leaves" : "");
}

std::string migration_price_text(double fixed, double per_byte) {
  if (!(per_byte > 0)) return scaled(fixed, "s");
  return (fixed > 0 ? scaled(fixed, "s") + " and " : std::string()) + scaled(per_byte, "s/B");
}

}  // namespace skel
