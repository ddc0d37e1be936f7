#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/transport/transport.hpp"
#include "simulation/simulated_hosts.hpp"

namespace bench {

/// Transports between simulated hosts, one for each. Messages of one host to another arrive in the order in which they
/// were sent; their ranges come with them. Any actor of a host sends, and one of them communicates, as threads of a
/// rank do: MPI in a simulation has one thread for each rank, which nothing else than a message wakes.
class simulated_network {
 public:
  explicit simulated_network(simulated_hosts& hosts);
  ~simulated_network();
  simulated_network(simulated_network const&) = delete;
  simulated_network& operator=(simulated_network const&) = delete;

  skel::runtime::transport& at(std::size_t host);

 private:
  class end;
  struct flight;

  bool all_quiet();

  std::vector<std::unique_ptr<end>> ends_;
  std::size_t under_way_ = 0;  // messages
  std::size_t quiet_ = 0;      // times that all were
};

}  // namespace bench
