#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/base/chart.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/record/story.hpp>

namespace skel {

/// How far a run is, and how fast lately.
struct run_pace {
  std::string use;                     ///< what it counts, as "iteration"
  std::uint64_t done = 0;              ///< uses
  double seconds = 0;                  ///< so far [s]
  double each = 0;                     ///< a use takes lately [s]; 0: not known
  double expected = 0;                 ///< a use is expected to take [s]; 0: not known
  std::optional<std::uint64_t> all{};  ///< uses when it ends; nothing: not known
};

/// "412 iterations, 3 s, 7.21 ms each, 7.05 ms expected, 4 s to go": as much of it as is known.
std::string pace_text(run_pace const& pace);

/// "1 process", "3 processes".
std::string processes_text(std::uint64_t count);

/// "rank 1 (n1)". `hosts`: name per rank; a rank beyond its end has none.
std::string rank_text(std::vector<std::string> const& hosts, int rank);

/// Workers by their ranks: "rank 1 (n1), rank 2 (n2) x3".
std::string ranks_text(std::vector<std::string> const& hosts, std::vector<int> const& ranks);

/// A program whose decisions and plans are told.
struct moving_program {
  std::string use;                               ///< what it repeats, as "iteration"
  std::vector<std::string> stations{}, hosts{};  ///< names, of a pipeline; name per rank
};

/// The moved stages: "'work' from rank 1 (n1) to rank 2 (n2), 'count' from ...".
std::string moved_text(moving_program const& of, std::vector<record::stage_move> const& moved);

/// A decision with its figures and its result. Example: "decision 2, after 4.00 s and 900 items: 'work' from rank 0
/// (n0) to rank 1 (n1), placement n0 | n1, 1 ms per item instead of 2 ms; ...; took 0.4 s; 1.1 ms per item since".
std::string decision_text(moving_program const& of, record::move_decision const& made);

/// The fate of another plan: "after 4.00 s the run went on by another plan; ...".
std::string plan_text(moving_program const& of, record::remap_record const& move);

/// How many decisions there were, and each that moved the program. A line each; empty: none was made.
std::string decisions_text(moving_program const& of, record::move_history const& made, std::string const& indent = {});

/// Marks of those that moved it, or were to, over iterations, supersteps or seconds.
std::vector<chart_mark> marks_of(moving_program const& of, record::move_history const& made);

/// A row for each. `none`: the text if there is none.
record::story_section decision_section(moving_program const& of, record::move_history const& made, std::string none);

/// Of repeated events of a run, so many are listed in its report.
inline constexpr std::size_t most_in_report = 8;

/// "went on after superstep 40, from a checkpoint, up to superstep 100".
std::string went_on_text(std::string const& use, std::uint64_t resumed, std::uint64_t last);

/// The checkpoints of a run for its report, a line each: from which it went on, those that were made, and why none.
std::string checkpoints_text(std::string const& use, std::optional<std::uint64_t> resumed, std::uint64_t last,
                             record::checkpoint_record const& of, std::string const& without);

/// The same for its page, without the first.
record::story_section checkpoints(std::string const& use, record::checkpoint_record const& of);

/// The overhead of a migration beside the way of its state: "78 us", "78 us and 1.2 ns/B".
std::string migration_price_text(double fixed, double per_byte);

}  // namespace skel
