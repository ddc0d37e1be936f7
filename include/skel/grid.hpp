#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <skel/grid/collective_calls.hpp>
#include <skel/grid/report.hpp>
#include <skel/grid/settings.hpp>
#include <skel/runtime/communicator.hpp>
#include <skel/runtime/errors.hpp>
#include <skel/runtime/program.hpp>

namespace skel {

/// The machine a program runs on: one process, or the ranks that mpirun has started. Make one, first thing in main, on
/// every rank; it initialises MPI where there is any and ends it when it is destroyed.
class grid : public collective_calls {
 public:
  /// Takes arguments that start with --skel- out of the command line (see run_settings; --skel-help lists them).
  /// Collective. Throws skel::input_error for an argument it cannot read, skel::error when the number of ranks is not
  /// the expected one.
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
  /// is placed. A composition passed as an lvalue keeps the state of its functions.
  /// While it runs, Ctrl-C cancels it: no function is called again and every rank returns. A function that blocks is
  /// waited for; a second Ctrl-C ends the process at once.
  /// Returns the same report on every rank. Throws on every rank: skel::stage_error when a function threw,
  /// skel::cancelled when the run was interrupted, skel::error when there is no placement.
  template <class Composition>
  requires patterns::program<std::remove_cvref_t<Composition>> run_report run(Composition&& app) {
    std::remove_cvref_t<Composition>& composition = app;
    return run(runtime::make_program(composition));
  }

  /// The plan that run() would make, without running anything. Collective. Every stage must say its skel::work.
  template <class Composition>
  requires patterns::program<std::remove_cvref_t<Composition>> planned_program plan(Composition&& app) {
    std::remove_cvref_t<Composition>& composition = app;
    return plan(runtime::make_program(composition));
  }

  /// How such a collective would be done, and why. Collective at the first use of collectives.
  mapping::collective_decision decide(mapping::collective_request const& request);

  run_report run(runtime::program const& line);
  planned_program plan(runtime::program const& line);

 private:
  void perform(mapping::collective_request const& request, std::span<std::byte const> input,
               std::span<std::byte> output, combining const& combine) override;

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace skel
