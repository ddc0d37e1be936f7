#include <skel/detail/platform/description.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::platform {
namespace {

/// The models whose parameters may stand in clusters and links; each model reads its own block.
constexpr std::array parameter_keys = {"measured", "hockney", "logp",      "loggp", "lopc",         "logpc",
                                       "plogp",    "hloggp",  "steffenel", "lmo",   "hierarchical", "sharing"};

class checker {
 public:
  explicit checker(origin const& from) : from_(from) {}

  [[noreturn]] void fail(std::string where, std::string reason) const {
    throw input_error(from_.source, std::move(where), std::move(reason));
  }

  std::string link_at(std::size_t index) const {
    return index < from_.links.size() ? from_.links[index] : "links[" + std::to_string(index) + "]";
  }

  /// `where`: gives the place, which is asked for only if something is wrong: there may be a million links.
  template <class Where>
  void latency(Where const& where, double value) const {
    if (!std::isfinite(value)) fail(where(), "is not a finite number; a latency is in seconds");
    if (value < 0) fail(where(), "is negative; a latency is a time in seconds, 0 or more");
  }

  template <class Where>
  void bandwidth(Where const& where, double value) const {
    if (std::isnan(value)) fail(where(), "is not a number; a bandwidth is in bytes per second");
    if (value == 0) fail(where(), "is zero; a bandwidth is in bytes per second, more than 0 (no link: leave it out)");
    if (value < 0) fail(where(), "is negative; a bandwidth is in bytes per second, more than 0");
  }

  void name(std::string const& where, std::string const& text) const {
    if (text.empty()) fail(where, "is empty; every cluster needs a name");
    auto const refused = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == ',' || c == '+'; };
    if (std::any_of(text.begin(), text.end(), refused))
      fail(where, "has a comma, a plus sign or a control character, which separate hosts in a placement");
    if (auto const fault = fault_of_name(text)) fail(where, *fault);
    if (text.front() == ' ' || text.back() == ' ') fail(where, "starts or ends with a space");
  }

  /// Also brings each block into one form, so that equal blocks are equal texts.
  void parameters(std::string const& where, parameter_blocks& blocks) const {
    classic_locale const here;  // the library reads numbers by a function of C
    for (auto const& [key, text] : blocks) {
      std::string at = where;
      at.append(where.empty() ? "" : ".").append(key);
      if (!is_parameter_key(key)) fail(at, "is no key of a parameter block" + did_you_mean(key, parameter_keys));
      auto const value = nlohmann::json::parse(text, nullptr, false);
      if (value.is_discarded()) fail(at, "is not JSON text");
      blocks[key] = value.dump();
    }
  }

  void one_cluster(std::string const& where, cluster& c) const {
    name(where + ".name", c.name);
    if (c.hosts == 0) fail(where + ".hosts", "is zero; a cluster has at least one host");
    if (!std::isfinite(c.speed)) fail(where + ".speed", "is not a finite number; a speed is in work units per second");
    if (c.speed <= 0)
      fail(where + ".speed", std::string("is ") + (c.speed < 0 ? "negative" : "zero") +
                                 "; a speed is in work units per second, more than 0");
    if (c.cores == 0) fail(where + ".cores", "is zero; a host has at least one core");
    if (c.cores > description::max_cores)
      fail(where + ".cores", "is " + std::to_string(c.cores) + "; the most that a host may have is " +
                                 std::to_string(description::max_cores));
    auto const at = [&](char const* key) { return [&where, key] { return where + key; }; };
    latency(at(".latency"), c.inside.latency);
    bandwidth(at(".bandwidth"), c.inside.bandwidth);
    if (c.local_latency) latency(at(".local_latency"), *c.local_latency);
    if (c.uplink) bandwidth(at(".uplink"), *c.uplink);
    if (c.memory && !(*c.memory > 0))
      fail(where + ".memory", "is not more than 0; the bytes that a host has are wanted");
    parameters(where, c.parameters);
  }

 private:
  origin const& from_;
};

struct split_name {
  std::string cluster;
  std::size_t index;
};

/// "NAME-12" as NAME and 12, when the number is written as host names write it (no leading zeros).
std::optional<split_name> number_in_name(std::string_view name) {
  std::size_t const dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::string_view const digits = name.substr(dash + 1);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9' || (digits.size() > 1 && digits.front() == '0'))
    return std::nullopt;
  auto const index = number_in<std::size_t>(digits);
  if (!index) return std::nullopt;
  return split_name{std::string(name.substr(0, dash)), *index};
}

}  // namespace

bool is_parameter_key(std::string_view key) {
  return key.starts_with("x_") || key.starts_with("comment") || std::ranges::count(parameter_keys, key) > 0;
}

description::description(double local_latency, std::vector<cluster> clusters, std::vector<cluster_link> links,
                         parameter_blocks parameters, origin const& from)
    : local_latency_(local_latency),
      clusters_(std::move(clusters)),
      links_(std::move(links)),
      parameters_(std::move(parameters)) {
  checker const check(from);
  check.latency([] { return "local_latency"; }, local_latency_);
  check.parameters("", parameters_);
  if (clusters_.empty()) check.fail("clusters", "is empty; a platform has at least one cluster with one host");

  std::size_t hosts = 0;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    std::string const where = "clusters[" + std::to_string(i) + "]";
    cluster& c = clusters_[i];
    check.one_cluster(where, c);
    if (c.hosts > max_hosts || hosts + c.hosts > max_hosts)
      check.fail(where + ".hosts", "makes more than " + std::to_string(max_hosts) + " hosts; describe fewer");
    auto const [other, is_new] = by_name_.emplace(c.name, i);
    if (!is_new)
      check.fail(where + ".name",
                 "'" + c.name + "' is also the name of clusters[" + std::to_string(other->second) + "]");
    first_host_.push_back(hosts);
    hosts += c.hosts;
  }
  cluster_of_.reserve(hosts);
  for (std::size_t i = 0; i < clusters_.size(); ++i) cluster_of_.insert(cluster_of_.end(), clusters_[i].hosts, i);

  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    if (clusters_[i].hosts != 1) continue;
    auto const parts = number_in_name(clusters_[i].name);
    if (!parts) continue;
    auto const other = by_name_.find(parts->cluster);
    if (other == by_name_.end()) continue;
    if (std::size_t const n = clusters_[other->second].hosts; n > 1 && parts->index < n)
      check.fail("clusters[" + std::to_string(i) + "].name",
                 "'" + clusters_[i].name + "' is also the name of a host of clusters[" + std::to_string(other->second) +
                     "] ('" + parts->cluster + "'); rename one of them");
  }

  bool in_order = true;
  first_link_.resize(clusters_.size() + 1);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    cluster_link& l = links_[i];
    auto const at = [&](char const* key) { return [&check, i, key] { return check.link_at(i) + key; }; };
    for (auto const& [end, which] : {std::pair(l.from, ".from"), std::pair(l.to, ".to")})
      if (end >= clusters_.size())
        check.fail(at(which)(),
                   "cluster " + std::to_string(end) + " is not there; there are " + std::to_string(clusters_.size()));
    if (l.from == l.to)
      check.fail(check.link_at(i), "joins '" + clusters_[l.from].name +
                                       "' to itself; latency and bandwidth inside a cluster are given in the cluster");
    check.latency(at(".latency"), l.path.latency);
    check.bandwidth(at(".bandwidth"), l.path.bandwidth);
    if (!l.parameters.empty()) check.parameters(check.link_at(i), l.parameters);
    in_order = in_order && (i == 0 || std::pair(links_[i - 1].from, links_[i - 1].to) < std::pair(l.from, l.to));
    ++first_link_[l.from + 1];
  }
  std::partial_sum(first_link_.begin(), first_link_.end(), first_link_.begin());
  if (in_order) return;
  std::vector<std::pair<std::uint64_t, std::size_t>> order(links_.size());  // of equal ones the first given is first
  for (std::size_t k = 0; k < links_.size(); ++k) order[k] = {std::uint64_t{links_[k].from} << 32U | links_[k].to, k};
  std::ranges::sort(order);
  std::vector<cluster_link> sorted;
  sorted.reserve(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    auto& l = links_[order[k].second];
    if (k > 0 && order[k].first == order[k - 1].first)
      check.fail(check.link_at(order[k].second), "the link from '" + clusters_[l.from].name + "' to '" +
                                                     clusters_[l.to].name + "' is already given by " +
                                                     check.link_at(order[k - 1].second));
    sorted.push_back(std::move(l));
  }
  links_ = std::move(sorted);
}

std::string description::host_name(std::size_t host) const {
  std::size_t const c = cluster_of_[host];
  if (clusters_[c].hosts == 1) return clusters_[c].name;
  return clusters_[c].name + "-" + std::to_string(host - first_host_[c]);
}

std::vector<std::string> description::host_names() const {
  std::vector<std::string> names;
  for (std::size_t host = 0; host < host_count(); ++host) names.push_back(host_name(host));
  return names;
}

std::optional<std::size_t> description::find_cluster(std::string_view name) const {
  auto const found = by_name_.find(std::string(name));
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> description::find_host(std::string_view name) const {
  if (auto const c = find_cluster(name); c && clusters_[*c].hosts == 1) return first_host_[*c];
  if (auto const parts = number_in_name(name))
    if (auto const c = find_cluster(parts->cluster); c && clusters_[*c].hosts > 1 && parts->index < clusters_[*c].hosts)
      return first_host_[*c] + parts->index;
  return std::nullopt;
}

cluster_link const* description::find_link(std::size_t from_cluster, std::size_t to_cluster) const {
  auto const first = links_.data() + first_link_[from_cluster], last = links_.data() + first_link_[from_cluster + 1];
  auto const found = std::ranges::lower_bound(first, last, to_cluster, {}, &cluster_link::to);
  return found != last && found->to == to_cluster ? found : nullptr;
}

link description::path(std::size_t from, std::size_t to) const {
  std::size_t const a = cluster_of_[from], b = cluster_of_[to];
  if (from == to) return link{.latency = clusters_[a].local_latency.value_or(local_latency_)};
  if (a == b) return clusters_[a].inside;
  if (cluster_link const* found = find_link(a, b)) return found->path;
  throw error("no path from host '" + host_name(from) + "' to host '" + host_name(to) + "': no link from cluster '" +
              clusters_[a].name + "' to cluster '" + clusters_[b].name + "'; add one to the platform's links");
}

bool description::connected(std::size_t from, std::size_t to) const {
  return cluster_of_[from] == cluster_of_[to] || find_link(cluster_of_[from], cluster_of_[to]) != nullptr;
}

}  // namespace skel::platform
