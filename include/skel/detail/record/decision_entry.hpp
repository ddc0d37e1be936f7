#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace skel::record {

/// A candidate of a decision, as it was priced.
struct candidate_entry {
  std::string name;      ///< as --skel-force takes it
  double entry = 0;      ///< paid once [s]
  double predicted = 0;  ///< of one use by the model that is believed [s]
  double expected = 0;   ///< the same, corrected by what was measured [s]
  double doubt = 0;      ///< standard deviation of ln(mean of many uses / expected)
};

/// What was decided, from what, and why. A plain value.
struct decision_entry {
  std::string problem;                      ///< such as "exchange" or "broadcast"
  std::string request;                      ///< what was asked for, in words; equal words, equal requests
  std::array<std::int64_t, 4> context{};    ///< what is learnt of one request there holds for all of it
  std::string model;                        ///< that is believed
  std::string reason;                       ///< only, forced, least or trial
  double uses = 1;                          ///< to come, for which it was made
  std::vector<candidate_entry> candidates;  ///< the chosen one first, then by what they take in all uses
};

/// What came of a decision.
struct measured_entry {
  std::uint64_t uses = 0;  ///< that were measured since it was made
  double mean = 0;         ///< of their times [s]
};

/// Is told decisions and what came of them. Not for several threads at once.
class decision_log {
 public:
  virtual ~decision_log() = default;
  /// The number of the decision, from 1.
  virtual std::uint64_t decided(decision_entry const& made) = 0;
  /// Told after 1, 2, 4, 8 ... measured uses of what was chosen.
  virtual void measured(std::uint64_t decision, measured_entry const& so_far) = 0;
  /// Getting to what was chosen took so long [s], which candidate_entry::entry has predicted.
  virtual void paid(std::uint64_t decision, double seconds) = 0;
};

}  // namespace skel::record
