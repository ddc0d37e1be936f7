#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include <skel/detail/grid/collective_calls.hpp>
#include <skel/detail/grid/report.hpp>
#include <skel/detail/grid/settings.hpp>
#include <skel/detail/pattern/program_kinds.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

class decision_store;
class face_neighbours;
class mesh;
struct bsp_plan;
struct bsp_report;
struct mesh_plan;
struct mesh_report;

namespace runtime::iteration {
class mesh_part;
struct run_options;
}  // namespace runtime::iteration
namespace runtime::bsp {
class process_group;
struct run_options;
}  // namespace runtime::bsp

/// The machine of a program: one process, or the ranks that mpirun has started. Make one on every rank, first thing in
/// main. It initialises MPI if there is any; MPI ends with the process. Several grids may live one after the other or
/// at once, made in the same order on every rank. In a fork of the process a grid can only be destroyed. A grid may
/// also be a static object: ranks then leave it when the process exits, by std::exit() or the end of main().
///
/// A process does one thing at a time with its grids: run(), plan() or a collective. A call while another is under way,
/// by a stage or by another thread, throws skel::error at once. If a process calls std::exit during one, it ends with
/// that code, and static objects are not destroyed.
class grid : public collective_calls {
 public:
  /// Takes arguments that start with --skel- out of the command line (see run_settings; --skel-help lists them).
  /// Collective. Throws skel::input_error for an argument it cannot read. Throws skel::error if the number of ranks is
  /// not the expected one, a forced choice does not exist, or the file of decisions cannot be written.
  grid(int& argc, char**& argv);
  explicit grid(run_settings settings = {});
  ~grid() override;

  int rank() const override;
  int size() const override;
  runtime::communicator const& ranks() const;
  run_settings const& settings() const;
  run_settings& settings();

  /// Runs a program: measures its stages on the first items, places them, runs them, compares. Collective: every rank
  /// gives the same composition. The source and the sink are called on rank 0 unless pinned elsewhere, a stage on the
  /// ranks of its placement. A composition passed as an lvalue keeps the state of its functions: another run() goes on
  /// with its source. If the stream had ended and the source gives nothing, the report and a warning say so. Then make
  /// a composition for each run, copy it before its first run, or let its source begin again.
  /// While it runs, Ctrl-C cancels it: no function is called again and every rank returns. It waits for a function that
  /// blocks; a second Ctrl-C ends the process at once.
  /// `stop` on any rank, requested by any thread or stage, cancels it likewise, on all ranks. skel looks at both
  /// between items, also while stages are measured. It does not look while ranks meet, a platform is probed or a
  /// placement is searched; the run ends before its next item.
  /// Returns the same report on every rank. Throws on every rank: skel::stage_error if a function threw, or the copy
  /// constructor of a worker; skel::cancelled if the run was interrupted or stopped. Throws skel::error if there is no
  /// placement, or if the ranks do not make the same calls (collective_calls).
  template <class Composition>
  requires(!std::is_same_v<std::remove_cvref_t<Composition>, runtime::program> &&
           !runtime::bsp::is_program<std::remove_cvref_t<Composition>> &&
           !skeletons::is_mesh_program<std::remove_cvref_t<Composition>>) run_report
      run(Composition&& app, std::stop_token const& stop = {}) {
    return run(line_of(app), stop);
  }

  /// Runs a BSP program (skel::bsp; <skel/bsp.hpp> has these functions), from its beginning at each call. Its processes
  /// begin in blocks on all ranks, and each rank computes with as many threads as it has cores. Collective: every rank
  /// gives the same program. Ctrl-C and `stop` cancel it like others, between processes. Returns the same report on
  /// every rank, but for its seconds and, on rank 0 alone, refused announcements. The second also returns of(process,
  /// state) of every process, in their order, on every rank; these values must be able to cross ranks. Throws on every
  /// rank: skel::process_error if a function or serializer of the user threw; skel::cancelled; skel::error at the
  /// program's limit of supersteps, or if the ranks do not make the same calls.
  template <class Program>
  requires runtime::bsp::is_program<Program> bsp_report run(Program const& app, std::stop_token const& stop = {});
  template <class Program, class Of>
  requires(runtime::bsp::is_program<Program>&& std::is_invocable_v<
           Of const&, std::size_t, typename Program::state&>) auto run(Program const& app, Of const& of,
                                                                       std::stop_token const& stop = {});

  /// Runs a program over a mesh (skel::iterate; <skel/iterate.hpp> has these functions), from its beginning at each
  /// call. Its elements are parted among all ranks by their speeds, and each rank computes with as many threads as it
  /// has cores. Collective: every rank gives the same program, with the same mesh. Ctrl-C and `stop` cancel it like
  /// others, between elements. Returns the same report and totals on every rank, but for the seconds of the run. The
  /// second also returns of(cell) of every element, by their numbers, on every rank; these values must be able to cross
  /// ranks. Throws on every rank: skel::mesh_error if a function of the user threw; skel::cancelled; skel::error at the
  /// program's limit of iterations, or if the ranks do not make the same calls.
  template <class Program>
  requires skeletons::is_mesh_program<Program>
  auto run(Program const& app, std::stop_token const& stop = {});
  template <class Program, class Of>
  requires(skeletons::is_mesh_program<Program>&& std::is_invocable_v<
           Of const&, typename Program::cell const&>) auto run(Program const& app, Of const& of,
                                                               std::stop_token const& stop = {});

  /// How such a program would run, and the expected time of an iteration. Runs nothing, but measures its phases on a
  /// piece of the mesh. Collective.
  template <class Program>
  requires skeletons::is_mesh_program<Program> mesh_plan plan(Program const& app);

  /// How a BSP program would begin, and the prices of its supersteps, without running anything. Collective.
  template <class Program>
  requires runtime::bsp::is_program<Program> bsp_plan plan(Program const& app);

  /// The plan that run() would make, without running anything. Collective. Every stage must give its skel::work.
  template <class Composition>
  requires(!std::is_same_v<std::remove_cvref_t<Composition>, runtime::program> &&
           !runtime::bsp::is_program<std::remove_cvref_t<Composition>> &&
           !skeletons::is_mesh_program<std::remove_cvref_t<Composition>>) planned_program plan(Composition&& app) {
    return plan(line_of(app));
  }

  /// How such a collective is done as long as nothing new is learned, and why. Decisions are for classes of sizes: the
  /// times are those of the class (mapping::class_of). Collective at the first use of collectives.
  mapping::collective_decision decide(mapping::collective_request const& request);

  /// Number of the picture of the machine that decides collectives now: 0, as when the grid was made; another number
  /// for each later one that all ranks know. Not collective, and the same on all ranks.
  std::uint64_t picture() const;

  /// The shared store of its deciders, for deciders of skel's own objects.
  std::shared_ptr<decision_store> const& decisions();

  run_report run(runtime::program const& line, std::stop_token const& stop = {});
  planned_program plan(runtime::program const& line);
  bsp_plan plan(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options,
                skeletons::migration_settings const& migration, std::string const& types);
  bsp_report run(runtime::bsp::process_group& group, runtime::bsp::run_options options,
                 skeletons::migration_settings const& migration, std::string const& types, std::stop_token const& stop);
  mesh_plan plan(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                 runtime::iteration::run_options const& options, std::string const& types);
  mesh_report run(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                  runtime::iteration::run_options options, std::string const& types, std::stop_token const& stop);

 private:
  /// Takes anything, to refuse in one message what cannot be run.
  template <class Composition>
  static runtime::program line_of(Composition& app) {
    if constexpr (skeletons::check_program<Composition>::value)
      return runtime::make_program(app);
    else
      return {};
  }

  void perform(mapping::collective_request const& request, std::span<std::byte const> input,
               std::span<std::byte> output, combining const& combine) override;
  void operator_has_thrown() override;

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace skel
