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
#include <skel/detail/record/decision_file.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

/// What the deciders of a program share, and what outlives them: the choices that the user forces, the file of
/// decisions (of those that rank 0 makes), and what programs on these hosts have learnt before. It is there as long as
/// its grid, so that reductions that ask no grid decide as all of the program do, each rank for itself. What this
/// program learns is kept when the store goes, which may be after its grid.
class decision_store {
 public:
  /// `is_measured`: whether prices come from measuring these hosts; of others nothing is known and nothing is kept.
  /// Collective. Throws skel::error on every rank where the file of decisions cannot be written, or where the file of
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

  /// What a decider of this program begins with: the same on every rank, but for who is told.
  mapping::decision_setup const& setup() const { return setup_; }
  /// What the user forces of a problem, by the name that candidates have.
  std::optional<std::string> forced(std::string_view problem) const;
  /// Whether later programs are to know what this one learns. On rank 0.
  bool keeps() const { return kept_.has_value(); }
  /// To be kept, where it is not what was known at the beginning; of equal keys, the one that is given last.
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

/// Throws skel::error where a choice is forced of a problem that there is not, or one that no request can have.
void check_forced(mapping::forced_choices const& forced);

}  // namespace skel
