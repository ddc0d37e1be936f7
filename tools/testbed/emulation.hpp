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

/// The state of a testbed, and what can be asked of it in JSON:
///
///     {"ask": "hosts"}                     {"hosts": [{"name", "cluster", "address", "share", "cores"}]}
///     {"ask": "show"}                      the same with "paths": [{"from", "to", "latency", "bandwidth", "shared",
///                                          "room", "packets", "bytes", "dropped"}]; an unlimited bandwidth is null
///     {"ask": "set", "of": [A, B], "latency", "bandwidth", "one_way"}      A, B: hosts or clusters
///     {"ask": "set", "of": [A], "share"}
///
/// "set" answers {"changed": how many pairs, or hosts}. What cannot be done is answered by {"error": {"option",
/// "reason"}}, and changes nothing.
class emulation {
 public:
  /// `limit`: gives a host's processes so many cores' time; what it throws is the answer.
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
