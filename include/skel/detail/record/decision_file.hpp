#pragma once

#include <cstdint>
#include <string>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/record/decision_entry.hpp>

namespace skel::record {

/// Writes what it is told as lines of JSON (docs/formats.md, "Decisions"), each at once: a program that is killed
/// leaves whole lines. A file that was there is replaced by another one, so that its bytes
/// stay under other names (hard links).
class decision_file final : public decision_log {
 public:
  /// Throws skel::error where the file cannot be written, or is a pipe.
  explicit decision_file(std::string file);

  std::uint64_t decided(decision_entry const& made) override;
  void measured(std::uint64_t decision, measured_entry const& so_far) override;
  void paid(std::uint64_t decision, double seconds) override;

  /// Which file does not have all that it was told, and why; empty: it has.
  std::string problem() const;

 private:
  void write_line(std::string const& line);

  std::string file_;
  descriptor out_;
  int failure_ = 0;  // errno of the first line that could not be written
  std::uint64_t decisions_ = 0;
};

}  // namespace skel::record
