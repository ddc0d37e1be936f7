#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hosts.hpp"
#include "names.hpp"

namespace skel::testbed {

/// The parts of a testbed.
struct request {
  names called;
  platform::description machine;
  network wires;
  unsigned mtu = 1500;  ///< largest packet, except those that the system keeps together [B]
  std::string command;  ///< the skel command, which the agent starts
};

/// Throws skel::error if this machine lacks something or forbids it to this user; the message says what to try.
void expect_possible();

/// Makes a testbed, and a process that carries its packets until it gets SIGTERM, SIGINT or SIGHUP. First removes the
/// remains of a dead one of its name. Returns the number of that process when the testbed can be used. Throws
/// skel::error if one of this name is up, or the system refuses; nothing is left then.
pid_t bring_up(request const& wanted);

/// The result of a removal.
struct removal {
  bool was_up = false;
  std::size_t hosts = 0;  ///< with a namespace or group that their switch did not remove itself
};

/// Ends the testbed and every process on its hosts, and removes the remains of a dead one. Touches nothing of another
/// name. Throws skel::error if the system refuses.
removal bring_down(names const& called);

/// The process of a testbed's switch, or nothing if it is not up.
std::optional<pid_t> switch_of(names const& called);

/// The names of the testbeds that are up, in order.
std::vector<std::string> testbeds_up();

/// The answer of a testbed (emulation.hpp). Throws skel::error if it is not up, and skel::input_error if it refuses an
/// option.
nlohmann::ordered_json ask(names const& called, nlohmann::ordered_json const& question);

/// Turns this process into a command on a host of the testbed: in its network, under its name, with its share of the
/// processors. Its settings let an unchanged mpirun use the testbed. Never returns; throws skel::error if that is not
/// possible.
[[noreturn]] void become(names const& called, std::string const& host, std::vector<std::string> const& command);

}  // namespace skel::testbed
