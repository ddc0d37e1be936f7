#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skel {

/// What --skel-progress says of a program over a mesh, about once a second. A value without clock.
class mesh_progress {
 public:
  static constexpr double period = 1;  ///< [s]

  /// `iterations`: that will be made, where the program says so.
  explicit mesh_progress(std::optional<std::uint64_t> iterations) : iterations_(iterations) {}

  /// An iteration is expected to take so long [s]; 0: nothing is expected.
  void expect(double iteration) { expected_ = iteration; }
  /// So many iterations have been made, at this time [s]. The line, where it is time for one: how many in how long, how
  /// long each took since the last line beside what is expected, and how long the others will take.
  std::optional<std::string> pass(std::uint64_t iteration, double now);

 private:
  std::optional<std::uint64_t> iterations_;
  double expected_ = 0;
  std::optional<double> begun_;
  double said_ = 0;
  std::uint64_t last_ = 0;  // iteration then
};

}  // namespace skel
