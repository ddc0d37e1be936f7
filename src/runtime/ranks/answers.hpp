#pragma once

#include <map>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>

/// Finds hosts of other ranks that do not answer any more. The system of a host answers for its processes, whether
/// these compute, sleep or are stopped. A host is missed if it vanishes, or the network to it.
namespace skel::runtime {

/// A connection with a host.
struct peer_connection {
  std::string address;
  double silence = 0;  ///< how long the host has owed it an answer [s]; 0: it owes none
};

/// The addresses of this host that others can reach.
std::vector<std::string> own_addresses();

/// The TCP connections of this process with some peers. The system asks on each whether the peer is still there.
class peer_connections {
 public:
  /// To hosts with these addresses. All of them are asked from the first look on.
  explicit peer_connections(std::vector<std::string> addresses);

  /// All of them, at a time [s] that does not go backwards. O(descriptors of the process).
  std::vector<peer_connection> look(double now);

 private:
  std::vector<std::string> addresses_;
  std::map<int, double> asked_since_;  // descriptor; since when [s]
};

/// The words for hosts that have been silent for longer than the patience [s]: which ranks are there, and for how long.
/// Empty: there is none. A host answers if it does so on one of its connections. `hosts` and `addresses` are of each
/// rank. O(connections ranks).
std::string words_for_silence(std::vector<peer_connection> const& all, std::vector<std::string> const& hosts,
                              std::vector<std::vector<std::string>> const& addresses, double patience);

/// From now on expect_answers() looks after the hosts of these ranks, of which `rank` is this one, until there are
/// none. `patience`: the time that they may be silent [s], read each time.
void watch_answers(std::vector<std::string> hosts, std::vector<std::vector<std::string>> addresses, int rank,
                   double const* patience);

/// To be called while a thread waits for other ranks, as often as it likes. Ends the run (end_run) if their hosts have
/// been silent for longer than the patience, and warns on standard error after a quarter of it. Not by several threads
/// at once.
void expect_answers();

}  // namespace skel::runtime
