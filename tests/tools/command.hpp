#pragma once

#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace skel::testing_tools {

/// What a finished process left behind.
struct outcome {
  int status = -1;             ///< exit status, or minus the signal that ended it
  std::size_t most_bytes = 0;  ///< of memory that it, or one that it waited for, had at once
  std::string out, err;

  /// Standard output as one JSON value; fails the test when it is anything else.
  nlohmann::json json() const;
};

/// How to start a process beside its arguments.
struct surroundings {
  std::string standard_output{};           ///< file to open instead of catching it ("/dev/full")
  std::vector<std::string> environment{};  ///< "NAME=VALUE", in addition to this process's
  int signal = 0;                          ///< sent as soon as something stands on standard error
  int ignored = 0;                         ///< a signal that the process is told to ignore
};

/// Runs a program and waits for it.
outcome run(std::vector<std::string> const& arguments, surroundings const& with = {});

/// Runs the skel command that was built beside this test.
outcome skel(std::vector<std::string> arguments, surroundings const& with = {});

/// A folder of its own for each test, removed afterwards.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest();
  ~FolderTest() override;

  /// Writes a file and gives its name.
  std::string file(std::string const& name, std::string const& text) const;

  std::filesystem::path folder_;
};

/// A file of tests/tools/data.
std::string data(std::string const& name);

}  // namespace skel::testing_tools
