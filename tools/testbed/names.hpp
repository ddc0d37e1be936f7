#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::testbed {

/// Names of the parts of a testbed. Everything outside its own folder carries its name. So the remains of a dead
/// testbed can be found, and nothing else is touched.
class names {
 public:
  /// Throws skel::input_error ("--name") unless the name is 1 to 16 letters (a to z) and digits, a letter first.
  explicit names(std::string testbed);

  std::string const& testbed() const { return testbed_; }
  /// Of namespaces and cgroups: "skel-TESTBED-". A testbed's name has no dash, so that no name begins another.
  std::string prefix() const { return "skel-" + testbed_ + "-"; }
  std::string of_host(std::string const& host) const { return prefix() + host; }

  /// The folder of all testbeds; gone after a restart of the machine.
  static std::filesystem::path root() { return "/run/skel-testbed"; }
  std::filesystem::path folder() const { return root() / testbed_; }
  /// Locked by the switch as long as it lives, and holds the number of its process.
  std::filesystem::path lock_file() const { return root() / (testbed_ + ".lock"); }
  std::filesystem::path socket() const { return folder() / "control"; }
  std::filesystem::path log() const { return folder() / "switch.log"; }
  std::filesystem::path agent() const { return folder() / "agent"; }
  std::filesystem::path hostfile() const { return folder() / "hostfile"; }
  /// Replaces /etc/hosts on the hosts.
  std::filesystem::path addresses() const { return folder() / "hosts"; }

 private:
  std::string testbed_;
};

inline names::names(std::string testbed) : testbed_(std::move(testbed)) {
  constexpr std::size_t longest = 16;
  auto const letter = [](char c) { return c >= 'a' && c <= 'z'; };
  auto const digit = [](char c) { return c >= '0' && c <= '9'; };
  if (testbed_.empty() || testbed_.size() > longest || !letter(testbed_.front()) ||
      !std::ranges::all_of(testbed_, [&](char c) { return letter(c) || digit(c); }))
    throw input_error("--name", "",
                      in_quotes(testbed_) + " is no name of a testbed; at most " + std::to_string(longest) +
                          " letters a to z and digits are wanted, a letter first");
}

}  // namespace skel::testbed
