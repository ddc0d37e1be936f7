#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include <skel/detail/record/decision_entry.hpp>

namespace skel::record {

/// Writes what it is told as lines of JSON (docs/formats.md, "Decisions"), each at once: a program that is killed leaves
/// whole lines. A file that was there is replaced.
class decision_file final : public decision_log {
 public:
  /// Throws skel::error where the file cannot be written.
  explicit decision_file(std::string file);

  std::uint64_t decided(decision_entry const& made) override;
  void measured(std::uint64_t decision, measured_entry const& so_far) override;

  /// Whether all that it was told is in the file.
  bool is_whole() const { return out_.good(); }

 private:
  std::ofstream out_;
  std::uint64_t decisions_ = 0;
};

}  // namespace skel::record
