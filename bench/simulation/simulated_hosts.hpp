#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/record/clock.hpp>

namespace bench {

/// Hosts of SimGrid that change while programs run on them, and the clock of the programs: what record::clock.hpp says
/// is simulated as long as this lives. Threads are actors. They compute one after the other in one thread of the
/// system, so that whoever holds a lock must not do what takes simulated time.
///
/// Host i is called as the description calls it and has one core, which does flops_of_speed times its speed of
/// operations a second, and a full-duplex port of its cluster's bandwidth; the port has half of the latency.
/// Computation takes what compute() is told, everything else none. Messages take latency and bytes / bandwidth, where
/// ports are shared fairly (SimGrid's model CM02 without its window of TCP).
///
/// A host is slowed as control groups slow it: its threads get a quota of its core.
class simulated_hosts final : public skel::record::other_clock {
 public:
  static constexpr double flops_of_speed = 1e9;
  /// Of a core, the least that a host may be slowed to; greater ones are multiples of it.
  static constexpr double least_share = 0.1;

  /// One in a process, before there is another engine of SimGrid. Precondition: the machine is one cluster.
  explicit simulated_hosts(skel::platform::description const& machine);
  ~simulated_hosts() override;

  std::size_t count() const { return hosts_.size(); }
  simgrid::s4u::Host* at(std::size_t number) const { return hosts_[number].where; }
  /// Runs the actors that there are to their end.
  void run() { engine_.run(); }
  /// Since the simulation began [s].
  static double time() { return simgrid::s4u::Engine::get_clock(); }

  std::int64_t now_ns() const override;
  /// Those on the host of the calling actor that have ever computed.
  std::vector<skel::record::thread_times> threads() const override;

  // By an actor:

  /// Computes so many work units on the actor's host.
  void compute(double work);
  /// The number of the actor's host.
  std::size_t here() const;
  /// What /proc and the control groups of the actor's host would say of the time since the last reading of it.
  skel::platform::host_reading read_load();
  /// From now on its threads get this part of a core. Precondition: 0.1, 0.2, ... 1.
  void set_share(std::size_t host, double share);
  /// From now on messages to and from it take so long [s]. Precondition: no less than half of what they took at first.
  void set_latency(std::size_t host, double latency);

 private:
  struct thread {
    long id = 0;
    bool runs = false;
    double run = 0, waited = 0;  // [s]
  };
  struct one_host {
    simgrid::s4u::Host* where = nullptr;
    double share = 1, since = 0;
    std::vector<thread> threads{};  // ascending
    double own = 0, held = 0;       // cores that its threads had, and that the quota kept from them [s]
    double read_at = 0, read_own = 0, read_held = 0;
  };

  static void advance(one_host& host);
  thread& this_thread(one_host& host) const;

  simgrid::s4u::Engine engine_;
  double port_latency_;
  std::vector<one_host> hosts_;
};

}  // namespace bench
