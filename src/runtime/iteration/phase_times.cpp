#include <skel/detail/runtime/iteration/phase_times.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>
#include <skel/detail/runtime/threads/step_control.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel::runtime::iteration {
namespace {

/// Elements of the first piece.
constexpr std::size_t first_piece = elements_of_reader;

/// Iterations that are timed of each piece.
constexpr std::size_t timed = 3;

/// Elements around the one in the middle of the numbers, as many as asked for. If its piece of the mesh is smaller,
/// others are added. O(mesh).
std::vector<std::uint32_t> piece_of(face_neighbours const& mesh, std::size_t elements) {
  std::vector<std::uint32_t> rank_of(mesh.cells(), 1), found;
  std::size_t next_start = mesh.cells() / 2;
  for (std::size_t looked = 0; found.size() < elements; ++looked) {
    if (looked == found.size()) {  // nothing more is connected
      while (rank_of[next_start % mesh.cells()] == 0) ++next_start;
      found.push_back(static_cast<std::uint32_t>(next_start % mesh.cells()));
      rank_of[found.back()] = 0;
    }
    for (auto const behind : mesh.of(found[looked]))
      if (behind != face_neighbours::none && rank_of[behind] != 0 && found.size() < elements) {
        rank_of[behind] = 0;
        found.push_back(behind);
      }
  }
  return rank_of;
}

/// The steps of the program on one piece, as often as asked for.
class piece_run {
 public:
  piece_run(mesh_part& part, plan::mesh_layout const& layout, team& threads)
      : part_(part), layout_(layout), team_(threads), each_(part.steps().size()) {
    for (auto const& one : part.steps())
      functions_.emplace_back("step '" + one.name + "' of program '" + part.name() + "', timed on some cells");
    functions_.emplace_back("what makes cells of program '" + part.name() + "'");
    part_.begin(layout_);
    take(layout_.places(), [&](plan::block places) { return part_.make(places, control_); });
  }

  bool failed() const { return failed_; }
  /// An iteration; adds the time of each step [s].
  void iterate(std::uint64_t number, std::vector<double>& took) {
    for (std::size_t s = 0; s < part_.steps().size() && !failed_; ++s) {
      step_ = s;
      control_.set_stride(each_[s]);
      double const begin = record::now();
      user_call const known(functions_[s], record::now_ns());
      if (!step(s, number)) continue;
      double const seconds = record::now() - begin;
      took[s] += seconds;
      each_[s] = seconds * static_cast<double>(team_.parts()) / static_cast<double>(layout_.computed);
    }
  }
  /// The first step of an iteration that sets `flag`.
  std::optional<std::size_t> first_to_set(std::atomic<bool> const& flag, std::uint64_t number) {
    for (std::size_t s = 0; s < part_.steps().size() && !failed_; ++s) {
      step(s, number);
      if (flag) return s;
    }
    return {};
  }

 private:
  bool step(std::size_t s, std::uint64_t number) {
    auto const what = part_.steps()[s].what;
    bool ends = false;
    if (what == mesh_step::kind::phase)
      take(layout_.computed, [&](plan::block places) { return part_.work(s).compute(places, control_); });
    else if (what == mesh_step::kind::all_reduce)
      failed_ = failed_ || part_.work(s).reduce_alone(layout_.computed, control_);
    else if (what == mesh_step::kind::totals)
      failed_ = failed_ || part_.work(s).act(number, 0, 1, ends);
    else
      return false;
    return true;
  }
  template <class Do>
  void take(std::size_t places, Do const& what) {
    std::atomic<bool> failed = false;
    std::size_t const parts = std::min(places, team_.parts());
    if (parts == 0) return;
    team_.share({"measure"}, parts, dealing::blocks, 1, [&](std::size_t, team::pieces& mine) {
      while (auto const some = mine.next())
        for (std::size_t k = some->begin; k < some->end; ++k) {
          user_call const known(functions_[std::min(step_, functions_.size() - 1)], record::now_ns());
          if (what(plan::block_of(places, parts, k))) failed = true;
        }
    });
    failed_ = failed_ || failed;
  }

  mesh_part& part_;
  plan::mesh_layout const& layout_;
  team& team_;
  step_control control_{nullptr};
  std::vector<double> each_;  // of each step: last time of an element on a thread [s]
  bool failed_ = false;
  std::deque<user_function> functions_;              // of each step, and the one that makes cells
  std::size_t step_ = static_cast<std::size_t>(-1);  // that is under way; none: cells are made
  watched_run const watched_;                        // the last one: it is about all that is above
};

}  // namespace

bool hides_updates(std::span<mesh_step const> steps, std::size_t phase) {
  if (steps[phase].what != mesh_step::kind::phase) return false;
  auto const goes_on = [](mesh_step const& one) { return one.what == mesh_step::kind::update && !one.waits; };
  if (phase + 1 < steps.size() && goes_on(steps[phase + 1])) return true;
  for (std::size_t back = 1; back < steps.size(); ++back) {
    auto const& one = steps[(phase + steps.size() - back) % steps.size()];
    if (goes_on(one)) return true;
    if (one.what == mesh_step::kind::phase || one.what == mesh_step::kind::update || one.sees_neighbours) return false;
  }
  return false;
}

std::optional<phase_times> measure_phases(mesh_part& part, face_neighbours const& mesh, std::size_t most,
                                          std::size_t threads, double seconds) {
  most = std::clamp<std::size_t>(most, 1, mesh.cells());
  thread_team team(threads);
  double const begun = record::now();
  for (std::size_t elements = std::min(first_piece, most);;) {
    double const begin = record::now();
    auto const layout = plan::layout_of(mesh, piece_of(mesh, elements), 0);
    double const laid_out = record::now();
    piece_run run(part, layout, team);
    std::vector<std::vector<double>> took(1 + timed, std::vector<double>(part.steps().size()));
    for (std::size_t k = 0; k < took.size(); ++k) run.iterate(k + 1, took[k]);
    if (run.failed()) return std::nullopt;
    double const now = record::now();
    double const left = seconds - (now - begun) - (laid_out - begin);
    double const elements_left = left * static_cast<double>(elements) / (now - laid_out);
    // A larger piece may be in no cache any more, and take twice as long for each element. It is worth its time if it
    // is all that is wanted, or at least twice as large.
    auto const next = static_cast<std::size_t>(std::clamp(elements_left / 2, 0.0, static_cast<double>(most)));
    if (elements < most && (next == most || next >= 2 * elements)) {
      elements = next;
      continue;
    }
    phase_times made{std::vector<double>(part.steps().size()), elements};
    for (std::size_t s = 0; s < made.seconds.size(); ++s) {
      std::vector<double> of_step;
      for (std::size_t k = 1; k < took.size(); ++k) of_step.push_back(took[k][s]);  // caches know it by the first one
      made.seconds[s] = statistics::median(std::move(of_step)) / static_cast<double>(elements);
    }
    return made;
  }
}

std::optional<std::size_t> find_neighbour_reader(mesh_part& part, face_neighbours const& mesh) {
  if (mesh.cells() == 0 || std::ranges::none_of(part.steps(), &mesh_step::sees_neighbours)) return {};
  thread_team team(1);
  std::atomic<bool> asked = false;
  auto layout = plan::layout_of(mesh, piece_of(mesh, std::min(first_piece, mesh.cells())), 0);
  layout.elements.asked = &asked;
  piece_run run(part, layout, team);
  if (run.failed()) return {};
  for (std::uint64_t const iteration : {1U, 2U})
    if (auto const found = run.first_to_set(asked, iteration)) return found;
  return {};
}

namespace {

/// After the first one, at which ranks come together.
constexpr std::uint64_t counted_iterations = 16;

/// Updates and all-reduces of an iteration.
constexpr double steps = 2;

struct number {
  double value = 0;
};

struct sum_of_numbers {
  double sum = 0;
};

}  // namespace

double time_steps(communicator const& among, std::vector<int> const& members) {
  SKEL_EXPECTS(members.size() > 1);
  std::vector<double> ends;
  ends.reserve(counted_iterations + 1);
  auto row = box_of_tetrahedra({members.size(), 1, 1}).cells;
  std::size_t const own = row.cells() / members.size();
  auto const program =
      iterate("steps", std::move(row), sum_of_numbers{}, [](mesh_element const&) { return number(); }) |
      update("numbers", &number::value) |
      all_reduce(
          "sum", &sum_of_numbers::sum, [](number const& of) { return of.value; }, std::plus<>{}) |
      on_totals("end", [&](sum_of_numbers&) { ends.push_back(record::now()); }) | times(counted_iterations + 1);
  std::vector<std::uint32_t> rank_of;
  for (int const rank : members) rank_of.insert(rank_of.end(), own, static_cast<std::uint32_t>(rank));
  auto const layout = plan::layout_of(*program.faces, rank_of, static_cast<std::uint32_t>(among.rank()));
  typed_part<std::decay_t<decltype(program)>> part(program);
  static_cast<void>(run_mesh(part, layout, among, {}));
  std::vector<double> took;
  for (std::size_t k = 1; k < ends.size(); ++k) took.push_back(ends[k] - ends[k - 1]);
  double slowest = 0;
  for (auto const& text : among.all_gather(to_bytes(took.empty() ? 0.0 : statistics::median(std::move(took)))))
    slowest = std::max(slowest, from_bytes<double>(text));
  return slowest / steps;
}

}  // namespace skel::runtime::iteration
