#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/descriptor.hpp>

namespace skel::record {

/// A candidate of a decision, as it was priced.
struct candidate_entry {
  std::string name;      ///< as --skel-force takes it
  double entry = 0;      ///< paid once [s]
  double predicted = 0;  ///< of one use by the model that is believed [s]
  double expected = 0;   ///< the same, corrected by what was measured [s]
  double doubt = 0;      ///< standard deviation of ln(mean of many uses / expected)
};

/// A decision, its candidates and its reason. A plain value.
struct decision_entry {
  std::string problem;                      ///< such as "exchange" or "broadcast"
  std::string request;                      ///< in words; equal words, equal requests
  std::array<std::int64_t, 4> context{};    ///< what skel learns of one request there holds for all of it
  std::string model;                        ///< that is believed
  std::string reason;                       ///< only, forced, least or trial
  double uses = 1;                          ///< to come, for which it was made
  std::vector<candidate_entry> candidates;  ///< the chosen one first, then by their times in all uses
};

/// The outcome of a decision.
struct measured_entry {
  std::uint64_t uses = 0;  ///< that were measured since it was made
  double mean = 0;         ///< of their times [s]
};

/// Takes decisions and their outcomes. Not for several threads at once.
class decision_log {
 public:
  virtual ~decision_log() = default;
  /// The number of the decision, from 1.
  virtual std::uint64_t decided(decision_entry const& made) = 0;
  /// Called after 1, 2, 4, 8 ... measured uses of the chosen candidate.
  virtual void measured(std::uint64_t decision, measured_entry const& so_far) = 0;
  /// The entry to the chosen candidate took `seconds` [s]; candidate_entry::entry has predicted it.
  virtual void paid(std::uint64_t decision, double seconds) = 0;
};

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
