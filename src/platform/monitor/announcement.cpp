#include <skel/detail/platform/announcement.hpp>

#include <algorithm>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/json_reader.hpp>

namespace skel::platform {
namespace {

using detail::json;
using detail::reader;
using kind = announcement::kind;

constexpr char const* host_wanted = "the name of a host or cluster is wanted";

void read_link(reader const& root, announcement& said) {
  root.expect_keys({"skel_announcement", "link", "latency", "bandwidth"});
  auto const ends = root.at("link").elements("an array with the names of two hosts or clusters is wanted");
  if (ends.size() != 2) root.at("link").fail("has " + std::to_string(ends.size()) + " names; from which to which?");
  said.host = ends[0].name(host_wanted);
  said.to = ends[1].name(host_wanted);
  if (root.has("latency")) {
    said.latency = zero_or_more(root.at("latency"));
  }
  if (root.has("bandwidth")) said.bandwidth = above_zero(root.at("bandwidth"), "bytes per second are wanted");
  if (!said.latency && !said.bandwidth) root.at("link").fail("has neither \"latency\" nor \"bandwidth\"");
}

}  // namespace

std::string to_json(announcement const& said) {
  nlohmann::ordered_json line = {{"skel_announcement", 1}};
  switch (said.says) {
    case kind::joins:
      line["joins"] = said.host;
      break;
    case kind::leaves:
      line["leaves"] = said.host;
      break;
    case kind::speed:
      line["host"] = said.host;
      line["speed"] = said.factor;
      break;
    case kind::link:
      line["link"] = {said.host, said.to};
      if (said.latency) line["latency"] = *said.latency;
      if (said.bandwidth) line["bandwidth"] = *said.bandwidth;
      break;
  }
  return line.dump();
}

announcement parse_announcement(std::string_view line, std::string const& source) {
  if (line.size() > longest_announcement)
    throw input_error(
        source, "", "is longer than " + std::to_string(longest_announcement) + " bytes: no announcement needs so many");
  json const document = detail::parse_json(line, source);
  reader const root(document, source);
  root.expect_object("an announcement");
  root.expect_version("skel_announcement");
  std::vector<std::string> const kinds = {"joins", "leaves", "speed", "link"};
  auto const stands = [&](std::string const& key) { return root.has(key); };
  auto const said = std::ranges::count_if(kinds, stands);
  if (said > 1) root.fail("says several things at once; one of joins, leaves, speed, link is wanted in each line");
  announcement result;
  if (root.has("link")) {
    result.says = kind::link;
    read_link(root, result);
  } else if (root.has("speed")) {
    result.says = kind::speed;
    root.expect_keys({"skel_announcement", "host", "speed"});
    result.host = root.at("host").name(host_wanted);
    result.factor = above_zero(root.at("speed"), "a factor of what the platform says is wanted");
  } else if (said == 1) {
    result.says = root.has("joins") ? kind::joins : kind::leaves;
    std::string const key = root.has("joins") ? "joins" : "leaves";
    root.expect_keys({"skel_announcement", key});
    result.host = root.at(key).name(host_wanted);
  } else {
    root.expect_keys({"skel_announcement", "joins", "leaves", "host", "speed", "link", "latency", "bandwidth"});
    root.fail("says nothing: one of joins, leaves, speed, link is wanted");
  }
  return result;
}

std::string in_words(announcement const& said) {
  switch (said.says) {
    case kind::joins:
      return in_quotes(said.host) + " joins";
    case kind::leaves:
      return in_quotes(said.host) + " leaves";
    case kind::speed:
      return in_quotes(said.host) + " has " + shown(said.factor) + " times its speed";
    case kind::link:
      break;
  }
  std::string text = "from " + in_quotes(said.host) + " to " + in_quotes(said.to) + ":";
  if (said.latency) text += " latency " + shown(*said.latency) + " s";
  if (said.bandwidth) text += std::string(said.latency ? "," : "") + " bandwidth " + shown(*said.bandwidth) + " B/s";
  return text;
}

host_names::host_names(snapshot const& machine) {
  auto const& all = machine.machine();
  reached_.resize(all.clusters().size());
  for (auto const& one : all.links()) reached_[one.from].push_back(one.to);
  for (auto& clusters : reached_) std::ranges::sort(clusters);
  // A name that several kinds of things have is that of the first kind.
  auto const add_kind = [&](auto const& name_of) {
    std::map<std::string, named, std::less<>> kind;
    for (std::size_t number = 0; number < all.host_count(); ++number)
      if (std::string name = name_of(number); !name.empty()) kind[std::move(name)].hosts.push_back(number);
    hosts_.merge(std::move(kind));
  };
  auto const& measured = machine.measured();
  if (machine.is_measured()) {
    add_kind([&](std::size_t number) { return measured.hosts[number].machine; });
    add_kind([&](std::size_t number) { return measured.hosts[number].name; });
  }
  add_kind([&](std::size_t number) { return all.host_name(number); });
  add_kind([&](std::size_t number) { return all.clusters()[all.cluster_of(number)].name; });
  if (machine.is_measured())
    add_kind([&](std::size_t number) { return measured.clusters[all.cluster_of(number)].site; });
  for (auto& [name, one] : hosts_)
    for (std::size_t const host : one.hosts) {
      std::size_t const cluster = all.cluster_of(host);
      if (one.parts.empty() || one.parts.back().cluster != cluster) one.parts.push_back({cluster, host, host});
      one.parts.back().last = host;
    }
  for (auto& [name, one] : hosts_) {
    if (one.parts.size() == 1) continue;
    for (part const& from : one.parts)
      one.reached.insert(one.reached.end(), reached_[from.cluster].begin(), reached_[from.cluster].end());
    std::ranges::sort(one.reached);
    one.reached.erase(std::unique(one.reached.begin(), one.reached.end()), one.reached.end());
  }
}

namespace {

/// "vm" of "vm-r1", as reports call a rank of a host with several; empty: it is no such name.
std::string_view host_of_rank_name(std::string_view name) {
  auto const mark = name.rfind("-r");
  if (mark == std::string_view::npos || !number_in<std::size_t>(name.substr(mark + 2))) return {};
  return name.substr(0, mark);
}

}  // namespace

std::vector<std::size_t> const& host_names::find(std::string_view name) const {
  static std::vector<std::size_t> const none;
  auto const found = hosts_.find(name);
  return found == hosts_.end() ? none : found->second.hosts;
}

bool host_names::has_path(std::string_view from, std::string_view to) const {
  auto const begin = hosts_.find(from), end = hosts_.find(to);
  if (begin == hosts_.end() || end == hosts_.end()) return false;
  auto const& parts = begin->second.parts;
  auto const& reached = parts.size() == 1 ? reached_[parts[0].cluster] : begin->second.reached;
  return std::ranges::any_of(end->second.parts, [&](part const& b) {
    if (std::ranges::binary_search(reached, b.cluster)) return true;
    auto const a = std::ranges::lower_bound(parts, b.cluster, {}, &part::cluster);
    return a != parts.end() && a->cluster == b.cluster &&
           (a->first != a->last || b.first != b.last || a->first != b.first);  // another host
  });
}

std::size_t host_names::clusters_of(std::string_view name) const {
  auto const found = hosts_.find(name);
  return found == hosts_.end() ? 0 : found->second.parts.size();
}

bool host_names::knows(announcement const& said) const {
  return said.says == announcement::kind::link ? has_path(said.host, said.to) : hosts_.contains(said.host);
}

void host_names::expect_known(announcement const& said, std::string const& source) const {
  auto const expect = [&](std::string const& name) {
    if (hosts_.contains(name)) return;
    std::string const unknown = "there is no host or cluster " + in_quotes(name);
    if (auto const host = host_of_rank_name(name); hosts_.contains(host))
      throw input_error(source, "",
                        unknown + ", which is a rank of host " + in_quotes(host) +
                            "; announce the host, with all its ranks: " + in_quotes(host));
    std::vector<std::string_view> names;
    for (auto const& [known, hosts] : hosts_) names.emplace_back(known);
    throw input_error(source, "", unknown + did_you_mean(name, names));
  };
  expect(said.host);
  if (said.says == announcement::kind::link) expect(said.to);
  if (knows(said)) return;
  if (auto const& from = find(said.host); from.size() == 1 && from == find(said.to))
    throw input_error(source, "link",
                      "leads from " + in_quotes(said.host) + " to itself: a path between two hosts is wanted");
  throw input_error(source, "link",
                    "the platform has no path from " + in_quotes(said.host) + " to " + in_quotes(said.to));
}

}  // namespace skel::platform
