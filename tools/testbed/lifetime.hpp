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

/// What a testbed is made of.
struct request {
  names called;
  platform::description machine;
  network wires;
  unsigned mtu = 1500;  ///< largest packet, without what the system keeps together [B]
  std::string command;  ///< the skel command, which the agent starts
};

/// Throws skel::error that says what is missing on this machine, or whom it is forbidden to, and what to try.
void expect_possible();

/// Makes a testbed, after removing what a dead one of its name has left, and a process that carries its packets until
/// it gets SIGTERM, SIGINT or SIGHUP. Returns the number of that process when the testbed can be used. Throws
/// skel::error where one of this name is up, or the system refuses; nothing is left then.
pid_t bring_up(request const& wanted);

/// What was removed.
struct removal {
  bool was_up = false;
  std::size_t hosts = 0;  ///< whose namespace or group was left by a switch that did not remove them itself
};

/// Ends the testbed and every process on its hosts, and removes what a dead one has left. Nothing of another name is
/// touched. Throws skel::error where the system refuses.
removal bring_down(names const& called);

/// The process of a testbed's switch, or nothing where it is not up.
std::optional<pid_t> switch_of(names const& called);

/// The names of the testbeds that are up, in order.
std::vector<std::string> testbeds_up();

/// What a testbed answers (emulation.hpp). Throws skel::error where it is not up, and skel::input_error where it
/// refuses.
nlohmann::ordered_json ask(names const& called, nlohmann::ordered_json const& question);

}  // namespace skel::testbed
