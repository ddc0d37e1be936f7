#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace bench {

/// A testbed of its own, with a name that has the number of this process; it goes when this value does. Errors of the
/// skel command end in std::runtime_error with its command line; what it says itself is on standard error. From the
/// first one on, a request to end this program (SIGINT, SIGTERM, SIGHUP) ends what a function here waits for, and is an
/// std::runtime_error of it.
class testbed {
 public:
  /// Makes one of a platform description.
  explicit testbed(nlohmann::ordered_json const& platform);
  ~testbed();
  testbed(testbed const&) = delete;
  testbed& operator=(testbed const&) = delete;

  /// Runs a command on a host, and gives each line of its output as it comes. False: it took longer than so many
  /// seconds, and was ended.
  bool run(std::string const& host, std::vector<std::string> const& command,
           std::function<void(std::string const&)> const& each_line,
           double seconds = std::numeric_limits<double>::infinity()) const;
  /// Starts one there and does not wait for it; it ends with the testbed.
  void start(std::string const& host, std::vector<std::string> const& command) const;
  /// skel testbed set, with these words.
  void set(std::vector<std::string> const& words) const;
  /// skel testbed show --json.
  nlohmann::json show() const;
  /// A folder that goes with it.
  std::filesystem::path const& folder() const { return folder_; }

 private:
  void take_down() const;
  std::vector<std::string> words(std::string const& verb, std::vector<std::string> const& more) const;

  std::string name_;
  std::filesystem::path folder_;
};

/// This program, as a file.
std::string this_program();

/// A link in both directions, as a platform description has it.
nlohmann::ordered_json link_between(std::string const& one, std::string const& other, double latency, double bandwidth);

}  // namespace bench
