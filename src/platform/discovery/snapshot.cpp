#include <skel/detail/platform/snapshot.hpp>

#include <time.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>

namespace skel::platform {
namespace {

std::string listed(std::set<std::string> const& names) {
  constexpr std::size_t most = 4;
  auto const end = std::next(names.begin(), static_cast<std::ptrdiff_t>(std::min(names.size(), most)));
  std::string const shown = "'" + skel::joined(std::vector<std::string_view>(names.begin(), end), "', '") + "'";
  return names.size() > most ? shown + " and " + std::to_string(names.size() - most) + " more" : shown;
}

std::string in_words(double seconds) {
  if (seconds < 5400) return fixed(seconds / 60, 0) + " minutes";
  if (seconds < 172800) return fixed(seconds / 3600, 1) + " hours";
  return fixed(seconds / 86400, 1) + " days";
}

}  // namespace

snapshot::snapshot(description machine) {
  survey measured = read_survey(machine);
  content_ = std::make_shared<content const>(content{std::move(machine), std::move(measured)});
}

host_measurement snapshot::host(std::size_t number) const {
  if (is_measured()) return measured().hosts[number];
  host_measurement host;
  host.name = host.machine = machine().host_name(number);
  host.speed = machine().speed(number);
  host.cores = machine().cores(number);
  return host;
}

rank_hosts snapshot::find_ranks(std::vector<std::string> const& host_of_rank) const {
  std::map<std::string, std::vector<std::size_t>> hosts_called;
  for (std::size_t number = 0; number < machine().host_count(); ++number)
    hosts_called[host(number).machine].push_back(number);
  for (auto& [name, hosts] : hosts_called)
    std::ranges::stable_sort(hosts, {}, [&](std::size_t number) { return host(number).rank.value_or(number); });
  std::set<std::string> unknown, crowded;
  std::map<std::string, std::size_t> met;
  rank_hosts result;
  for (std::string const& name : host_of_rank) {
    auto const found = hosts_called.find(name);
    if (found == hosts_called.end()) {
      unknown.insert(name);
      continue;
    }
    auto const& hosts = found->second;
    std::size_t const turn = met[name]++;
    if (hosts.size() > 1 && turn >= hosts.size())
      crowded.insert(name);
    else
      result.host_of_rank.push_back(hosts[hosts.size() == 1 ? 0 : turn]);
  }
  if (unknown.empty() && crowded.empty()) return result;
  result.host_of_rank.clear();
  if (is_measured()) {
    result.mismatch = "the platform was measured " + measured().date + (measured().date.empty() ? "" : " ") +
                      (unknown.empty() ? "with fewer ranks on " + listed(crowded)
                                       : "on other hosts: it does not have " + listed(unknown));
    return result;
  }
  if (machine().host_count() == host_of_rank.size()) {
    result.host_of_rank.resize(host_of_rank.size());
    std::iota(result.host_of_rank.begin(), result.host_of_rank.end(), std::size_t{0});
    return result;
  }
  result.mismatch = "the platform has " + counted(machine().host_count(), "host") + " but the program runs on " +
                    counted(host_of_rank.size(), "rank") +
                    ": host i is rank i, so start as many ranks as there are hosts, or leave the "
                    "platform out to have it probed";
  return result;
}

description snapshot::for_ranks(std::vector<std::size_t> const& host_of_rank) const {
  std::vector<std::size_t> sharing(machine().host_count());
  bool in_order =
      host_of_rank.size() == machine().host_count() && machine().clusters().size() == machine().host_count();
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    SKEL_EXPECTS(host_of_rank[rank] < machine().host_count());
    ++sharing[host_of_rank[rank]];
    in_order = in_order && host_of_rank[rank] == rank;
  }
  if (in_order) return machine();
  auto const path = [&](std::size_t from, std::size_t to) {
    if (from == to && is_measured())
      if (auto const& local = measured().clusters[machine().cluster_of(from)].local; local.probes > 0)
        return local.path;
    return machine().path(from, to);
  };
  std::vector<cluster> clusters;
  std::vector<cluster_link> links;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    std::size_t const number = host_of_rank[rank], ranks = sharing[number];
    host_measurement const here = host(number);
    cluster entry{.name = here.name + (ranks > 1 ? "-r" + std::to_string(rank) : "")};
    entry.cores = std::max<std::size_t>(1, here.cores / ranks);
    entry.speed = here.speed;
    entry.local_latency = machine().path(number, number).latency;
    clusters.push_back(std::move(entry));
    for (std::size_t other = 0; other < host_of_rank.size(); ++other)
      if (other != rank && machine().connected(number, host_of_rank[other]))
        links.push_back({.from = rank, .to = other, .path = path(number, host_of_rank[other])});
  }
  return description(machine().local_latency(), std::move(clusters), std::move(links), machine().parameters());
}

snapshot snapshot::with_speeds(std::vector<host_speed> const& found, std::string const& date) const {
  survey all = measured();
  for (host_speed const& one : found)
    for (host_measurement& host : all.hosts)
      if (host.machine == one.machine) host.speed = one.speed, host.doubt = one.doubt, host.date = date;
  return snapshot(all);
}

kept_snapshot read_snapshot(std::filesystem::path const& file, std::vector<std::string> hosts, double max_age) {
  kept_snapshot result;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return result;
  std::string const name = file.string();
  try {
    snapshot picture(
        parse_description(read_input(file, most_text_bytes, file_of::this_user), name, file_of::this_user));
    auto const date = parse_date(picture.measured().date);
    if (!picture.is_measured() || !date) throw error("it does not say when it was measured");
    std::vector<std::string> its;
    for (host_measurement const& one : picture.measured().hosts) its.push_back(one.name);
    std::ranges::sort(its);
    std::ranges::sort(hosts);
    double const age = difftime(time(nullptr), *date);
    if (its != hosts)
      result.reason = name + ": was measured on other hosts";
    else if (age < 0)
      result.reason = name + ": was measured in the future; check the clock";
    else if (age >= max_age)
      result.reason = name + ": was measured " + in_words(age) + " ago";
    else
      result.picture = std::move(picture);
  } catch (std::exception const& problem) {
    result.damaged = true;
    std::string const what = problem.what();
    result.reason = what.starts_with(name) ? what : name + ": is not a probed platform (" + what + ")";
  }
  return result;
}

}  // namespace skel::platform
