#pragma once

namespace skel::runtime {

/// While it lives, this process is in one call of a grid: a run, a plan, a collective. Grids share MPI, the signals and
/// the cores of their process. So only one such call may be under way in it, on all threads and grids together.
///
/// A process that calls std::exit meanwhile, say in a stage, ends at once with the given code. Static objects are not
/// destroyed under the threads that still use them. A fork of a process that has made such a call has neither its
/// threads nor its MPI, and is refused.
class sole_use {
 public:
  /// `call` names it in messages ("run()") and is a string literal. Throws skel::error if another one is under way:
  /// on the same thread (a user's function that is called by it) or on another.
  explicit sole_use(char const* call);
  ~sole_use();
  sole_use(sole_use const&) = delete;
  sole_use& operator=(sole_use const&) = delete;

  /// Throws skel::error if such a call is under way, as ranks cannot do something else together then. `what`: what they
  /// would do ("a grid was made").
  static void expect_none(char const* what);
  /// The call that is under way; nullptr: none.
  static char const* under_way_here();
};

/// From now on, forks of this process know that they are.
void watch_forks();
/// True if this process is a fork of one that watched.
bool is_fork();

}  // namespace skel::runtime
