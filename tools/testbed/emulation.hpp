#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <skel/detail/platform/description.hpp>

#include "delay_queue.hpp"

namespace skel::testbed {

/// The state of a testbed, with its questions and answers in JSON:
///
///     {"ask": "hosts"}                     {"hosts": [{"name", "cluster", "address", "share", "cores"}]}
///     {"ask": "show"}                      the same with "paths": [{"from", "to", "latency", "bandwidth", "shared",
///                                          "room", "packets", "bytes", "dropped"}]
///     {"ask": "set", "of": [A, B], "latency", "bandwidth", "one_way"}
///     {"ask": "set", "of": [A], "share"}
///
/// A and B are hosts or clusters. An unlimited bandwidth is null. "set" answers {"changed": number of pairs, or of
/// hosts}. A request that cannot be met changes nothing. Its answer is {"error": {"option", "reason"}}.
class emulation {
 public:
  /// `limit`: gives a host's processes so many cores' time; the answer reports its exceptions.
  emulation(platform::description machine, network wires,
            std::function<void(std::string const& host, double cores)> limit)
      : machine_(std::move(machine)), queue_(std::move(wires)), limit_(std::move(limit)) {}

  delay_queue& queue() { return queue_; }

  nlohmann::ordered_json answer(nlohmann::json const& request);

 private:
  std::vector<std::size_t> hosts_of(std::string const& name) const;
  nlohmann::ordered_json hosts() const;
  nlohmann::ordered_json paths() const;
  void expect_whole(std::set<std::size_t> const& channels,
                    std::set<std::pair<std::size_t, std::size_t>> const& pairs) const;
  std::size_t set_path(nlohmann::json const& request);
  std::size_t set_share(nlohmann::json const& request);

  platform::description machine_;
  delay_queue queue_;
  std::function<void(std::string const& host, double cores)> limit_;
};

}  // namespace skel::testbed
