#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>
#include <skel/detail/platform/kept_entries.hpp>
#include <skel/detail/record/decision_log.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

/// The common part of the deciders of a program, which outlives them. It has the choices that the user forces, the file
/// of decisions (of those that rank 0 makes), and the knowledge of earlier programs on these hosts. It is there as long
/// as its grid. So reductions that ask no grid decide as all of the program do, each rank for itself. The knowledge of
/// this program is kept when the store goes, which may be after its grid.
class decision_store {
 public:
  /// `is_measured`: true if prices come from measuring these hosts; of others nothing is known and nothing is kept.
  /// Collective. Throws skel::error on every rank if the file of decisions cannot be written, or if the file of
  /// knowledge has another use.
  decision_store(runtime::communicator const& ranks, run_settings const& settings, bool is_measured);
  /// A file that cannot be written is a warning on standard error, and so is a forced choice that nothing asked for.
  ~decision_store();
  decision_store(decision_store const&) = delete;
  decision_store& operator=(decision_store const&) = delete;

  /// That of the last grid of this process, while somebody has it; none before.
  static std::shared_ptr<decision_store> of_program();
  /// Makes a store that of the program.
  static void share(std::shared_ptr<decision_store> const& one);

  /// The initial state of a decider of this program: the same on every rank, but for the listeners.
  mapping::decision_setup const& setup() const { return setup_; }
  /// The choice that the user forces for a problem, by the name of a candidate.
  std::optional<std::string> forced(std::string_view problem) const;
  /// True if the knowledge of this program is kept for later ones. On rank 0.
  bool keeps() const { return kept_.has_value(); }
  /// Entries to be kept, unless they were known at the beginning. Of equal keys, the last entry counts.
  void learnt(mapping::decision_entries const& by_one);

 private:
  void warn_of_unused() const;

  mapping::decision_setup setup_;
  bool is_root_;  // on rank 0
  std::unique_ptr<record::decision_file> file_;
  std::unique_ptr<record::decision_log> log_;   // into the file, for several threads
  std::optional<platform::kept_entries> kept_;  // on rank 0
  std::mutex guard_;                            // several threads may have deciders of their own
  mapping::decision_entries learnt_;
};

/// The problems that are decided, as users name them. A decision of each names the model that priced it.
std::vector<std::string> const& decision_problems();

/// Throws skel::error for a forced choice of an unknown problem, or one that no request can have.
void check_forced(mapping::forced_choices const& forced);

}  // namespace skel
