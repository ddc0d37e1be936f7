#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/threads/dealt_pieces.hpp>

/// Teams do the parts of a phase of a parallel algorithm.
namespace skel::runtime {

/// A function of the number of a part, called and not kept.
class part_function {
 public:
  template <class F>
  requires std::is_invocable_v<F&, std::size_t> part_function(
      F& function)  // NOLINT: converts from any function, as a view of it
      : object_(const_cast<void*>(static_cast<void const*>(&function))),
        call_([](void* object, std::size_t part) { (*static_cast<F*>(object))(part); }) {}

  void operator()(std::size_t part) const { call_(object_, part); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t);
};

/// Properties of a phase that are known before it runs.
struct phase {
  char const* name = "";
  double bytes = 0;      ///< that all parts together must at least read and write [B]
  double footprint = 0;  ///< memory that they read and write [B]
};

/// Distribution of a phase's things over the parts.
enum class dealing {
  blocks,     ///< part p does block p
  on_demand,  ///< a free part takes over what others have not begun
};

/// Runs phases of P parts each.
class team {
 public:
  explicit team(std::size_t parts) : parts_(parts) {}
  virtual ~team() = default;

  /// P, at least 1.
  std::size_t parts() const { return parts_; }

  /// Calls part(0), ..., part(P - 1), each once, on any threads; returns when all have returned. The next phase sees
  /// all writes of this one. The exception of the part with the lowest number is rethrown when all have ended.
  template <class F>
  void run(phase const& what, F&& part) {
    run_parts(what, parts_, part_function(part));
  }

  /// Calls f() on the calling thread: a phase in which the other parts have nothing to do.
  template <class F>
  void run_alone(phase const& what, F&& f) {
    auto const only = [&](std::size_t) { f(); };
    run_parts(what, 1, part_function(only));
  }

  /// The pieces that a part is to do.
  class pieces {
   public:
    pieces(dealt_pieces& from, std::size_t part) : from_(from), part_(part) {}
    /// The next one; nothing when there are no more.
    std::optional<plan::block> next() { return from_.next(part_); }

   private:
    dealt_pieces& from_;
    std::size_t part_;
  };

  /// Like run(), for n things in all: calls part(p, pieces) for each part, which takes its pieces until there are no
  /// more. On demand they have `grain` things each, and a part may get none. If several parts throw, it is not said
  /// which things had been done.
  template <class F>
  void share(phase const& what, std::size_t things, dealing how, std::size_t grain, F&& part) {
    bool const takes_over = how == dealing::on_demand && runs_at_once();
    pieces_.deal(things, parts_, takes_over ? grain : std::max<std::size_t>(1, things), takes_over);
    run(what, [&](std::size_t number) {
      pieces mine(pieces_, number);
      part(number, mine);
    });
  }

 private:
  /// The first `count` parts of the team: 1 or all.
  virtual void run_parts(phase const& what, std::size_t count, part_function part) = 0;
  virtual bool runs_at_once() const = 0;

  std::size_t parts_;
  dealt_pieces pieces_;
};

/// A team of oneTBB threads. The calling thread is one of them. Not for several threads at once.
class thread_team : public team {
 public:
  /// As many parts as there are threads. Precondition: threads >= 1.
  explicit thread_team(std::size_t threads);
  ~thread_team() override;

 private:
  void run_parts(phase const& what, std::size_t count, part_function part) override;
  bool runs_at_once() const override { return parts() > 1; }

  struct arena;
  std::unique_ptr<arena> arena_;
};

}  // namespace skel::runtime
