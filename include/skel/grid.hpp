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

namespace record {
struct bsp_record;
}
namespace runtime::iteration {
class mesh_part;
struct run_options;
}  // namespace runtime::iteration
namespace runtime::bsp {
class process_group;
struct run_options;
}  // namespace runtime::bsp

/// The machine a program runs on: one process, or the ranks that mpirun has started. Make one, first thing in main, on
/// every rank; it initialises MPI where there is any, which ends with the process. Several may live one after the other
/// or at once, made in the same order on every rank. In a fork of the process it can only be destroyed. A grid may also
/// be a static object: where it lives when the process exits, by std::exit() or the end of main(), ranks leave it then.
///
/// A process does one thing at a time with its grids: run(), plan() or a collective that is called while another is
/// under way, by a stage or by another thread, throws skel::error at once. A process that calls std::exit while it runs
/// ends with that code, and static objects are not destroyed.
class grid : public collective_calls {
 public:
  /// Takes arguments that start with --skel- out of the command line (see run_settings; --skel-help lists them).
  /// Collective. Throws skel::input_error for an argument it cannot read, skel::error when the number of ranks is not
  /// the expected one, a choice is forced that there is not, or the file of decisions cannot be written.
  grid(int& argc, char**& argv);
  explicit grid(run_settings settings = {});
  ~grid() override;

  int rank() const override;
  int size() const override;
  runtime::communicator const& ranks() const;
  run_settings const& settings() const;
  run_settings& settings();

  /// Runs a program: measures its stages on the first items, places them, runs them, compares. Collective: every rank
  /// gives the same composition; the source and the sink are called on rank 0 unless pinned elsewhere, a stage where it
  /// is placed. A composition passed as an lvalue keeps the state of its functions: another run() of it has what its
  /// source gives from then on. Where that is nothing, as its stream had ended, the report and a warning say so: make a
  /// composition for each run, copy it before its first run, or let its source begin again.
  /// While it runs, Ctrl-C cancels it: no function is called again and every rank returns. A function that blocks is
  /// waited for; a second Ctrl-C ends the process at once.
  /// A stop that is asked for by `stop` on any rank, from any thread or stage, cancels it likewise, on all ranks. Both
  /// are looked at between items, while stages are measured too; not while ranks meet, a platform is probed or a
  /// placement is searched, after which the run ends before its next item.
  /// Returns the same report on every rank. Throws on every rank: skel::stage_error when a function threw, or the copy
  /// constructor of a worker; skel::cancelled when the run was interrupted or stopped; skel::error when there is no
  /// placement, or when the ranks do not make the same calls (collective_calls).
  template <class Composition>
  requires(!std::is_same_v<std::remove_cvref_t<Composition>, runtime::program> &&
           !runtime::bsp::is_program<std::remove_cvref_t<Composition>> &&
           !skeletons::is_mesh_program<std::remove_cvref_t<Composition>>) run_report
      run(Composition&& app, std::stop_token const& stop = {}) {
    return run(line_of(app), stop);
  }

  /// Runs a BSP program (skel::bsp, <skel/bsp.hpp>, which has these functions), from its beginning each time that it is
  /// called. Its processes begin in blocks on all ranks, and each rank computes with as many threads as it has cores.
  /// Collective: every rank gives the same program. Ctrl-C and `stop` cancel it as they do others; they are looked at
  /// between processes. Returns the same report on every rank, but for its seconds and, on rank 0 alone, refused
  /// announcements; the second also of(process, state) of every process, in their order, on every rank, which has to be
  /// able to cross ranks. Throws on every rank: skel::process_error when a function or serializer of the user threw,
  /// skel::cancelled, skel::error at the program's limit of supersteps, or when the ranks do not make the same calls.
  template <class Program>
  requires runtime::bsp::is_program<Program> bsp_report run(Program const& app, std::stop_token const& stop = {});
  template <class Program, class Of>
  requires(runtime::bsp::is_program<Program>&& std::is_invocable_v<
           Of const&, std::size_t, typename Program::state&>) auto run(Program const& app, Of const& of,
                                                                       std::stop_token const& stop = {});

  /// Runs a program over a mesh (skel::iterate, <skel/iterate.hpp>, which has these functions), from its beginning each
  /// time that it is called. Its elements are parted among all ranks by their speeds, and each rank computes with as
  /// many threads as it has cores. Collective: every rank gives the same program, with the same mesh. Ctrl-C and `stop`
  /// cancel it as they do others; they are looked at between elements. Returns the same report and totals on every
  /// rank, but for the seconds of the run; the second also of(cell) of every element, by their numbers, on every rank,
  /// which has to be able to cross ranks. Throws on every rank: skel::mesh_error when a function of the user threw,
  /// skel::cancelled, skel::error at the program's limit of iterations, or when the ranks do not make the same calls.
  template <class Program>
  requires skeletons::is_mesh_program<Program>
  auto run(Program const& app, std::stop_token const& stop = {});
  template <class Program, class Of>
  requires(skeletons::is_mesh_program<Program>&& std::is_invocable_v<
           Of const&, typename Program::cell const&>) auto run(Program const& app, Of const& of,
                                                               std::stop_token const& stop = {});

  /// How such a program would run, and what an iteration is expected to take, without running it, but for what is
  /// measured of its phases on a piece of the mesh. Collective.
  template <class Program>
  requires skeletons::is_mesh_program<Program> mesh_plan plan(Program const& app);

  /// How a BSP program would begin, and what its supersteps are priced by, without running anything. Collective.
  template <class Program>
  requires runtime::bsp::is_program<Program> bsp_plan plan(Program const& app);

  /// The plan that run() would make, without running anything. Collective. Every stage must say its skel::work.
  template <class Composition>
  requires(!std::is_same_v<std::remove_cvref_t<Composition>, runtime::program> &&
           !runtime::bsp::is_program<std::remove_cvref_t<Composition>> &&
           !skeletons::is_mesh_program<std::remove_cvref_t<Composition>>) planned_program plan(Composition&& app) {
    return plan(line_of(app));
  }

  /// How such a collective is done as long as nothing else is learned, and why. Sizes are decided in classes: the times
  /// are those of the class (mapping::class_of). Collective at the first use of collectives.
  mapping::collective_decision decide(mapping::collective_request const& request);

  /// Of the picture of the machine that collectives are decided by now: 0, as it was when the grid was made; another
  /// number for each other one that all ranks have been told of. Not collective, and the same on all ranks.
  std::uint64_t picture() const;

  /// What its deciders share, for those that skel's own objects make.
  std::shared_ptr<decision_store> const& decisions();

  run_report run(runtime::program const& line, std::stop_token const& stop = {});
  planned_program plan(runtime::program const& line);
  bsp_plan plan(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options,
                skeletons::migration_settings const& migration, std::string const& types);
  record::bsp_record run(runtime::bsp::process_group& group, runtime::bsp::run_options options,
                         skeletons::migration_settings const& migration, std::string const& types,
                         std::stop_token const& stop);
  mesh_plan plan(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                 runtime::iteration::run_options const& options, std::string const& types);
  mesh_report run(runtime::iteration::mesh_part& part, skel::mesh const& mesh, face_neighbours const& faces,
                  runtime::iteration::run_options options, std::string const& types, std::stop_token const& stop);

 private:
  /// Anything is taken, so that what cannot be run is refused in one message.
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
