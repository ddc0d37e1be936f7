#pragma once

#include <cstdint>
#include <string>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/record/decision_entry.hpp>

namespace skel::record {

/// Writes decisions as lines of JSON (docs/formats.md, "Decisions"), each at once: a killed program leaves whole lines.
/// It replaces an older file by a new one, so that the old bytes stay under other names (hard links).
class decision_file final : public decision_log {
 public:
  /// Throws skel::error if the file cannot be written, or is a pipe.
  explicit decision_file(std::string file);

  std::uint64_t decided(decision_entry const& made) override;
  void measured(std::uint64_t decision, measured_entry const& so_far) override;
  void paid(std::uint64_t decision, double seconds) override;

  /// The file that does not have all decisions, and why; empty: it has.
  std::string problem() const;

 private:
  void write_line(std::string const& line);

  std::string file_;
  descriptor out_;
  int failure_ = 0;  // errno of the first line that could not be written
  std::uint64_t decisions_ = 0;
};

}  // namespace skel::record
