#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/dealt_pieces.hpp>

/// Who does the parts of a phase of a parallel algorithm.
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

/// What is known of a phase before it runs.
struct phase {
  char const* name = "";
  double bytes = 0;      ///< that all parts together must at least read and write [B]
  double footprint = 0;  ///< of what they read and write [B]
};

/// Who does what of the things that a phase has to do.
enum class dealing {
  blocks,     ///< part p does block p
  on_demand,  ///< whoever is free takes over what others have not begun
};

/// Runs phases of P parts each.
class team {
 public:
  explicit team(std::size_t parts) : parts_(parts) {}
  virtual ~team() = default;

  /// P, at least 1.
  std::size_t parts() const { return parts_; }

  /// Calls part(0), ..., part(P - 1), each once, on any threads; returns when all have returned. What one phase has
  /// written the next one sees. The exception of the part with the lowest number is rethrown when all have ended.
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

  /// Like run(), where all parts together are to do n things: calls part(p, pieces) for each, which takes its pieces
  /// until there are no more. On demand they have `grain` things each, and a part may get none; where several parts
  /// throw, it is not said which things had been done.
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

/// What memory can do for virtual threads.
struct memory_bound {
  double bandwidth = 0;  ///< for all threads together [B/s]; 0: not bound
  double cache = 0;      ///< what the threads' own caches hold, all together [B]

  /// The least time in which a phase can move what its caches do not hold [s].
  double seconds(phase const& what) const {
    if (bandwidth <= 0 || what.footprint <= cache) return 0;
    return what.bytes * (1 - cache / what.footprint) / bandwidth;
  }
};

/// What a phase took in virtual threads.
struct virtual_phase {
  std::string name;
  double slowest = 0;              ///< part [s]
  double total = 0;                ///< that the calling thread took for all of it, timing the parts included [s]
  double bandwidth = 0;            ///< what moving its bytes takes all threads together at the least [s]
  std::vector<double> parts = {};  ///< each [s]
  bool bound() const { return bandwidth > slowest; }
  double seconds() const { return bound() ? bandwidth : slowest; }
};

/// A team of more threads than the machine has: the parts of a phase run one after the other on the calling thread,
/// each is timed alone, and the phase counts as its slowest part, or as the time in which all of them together can move
/// the phase's bytes, if that is longer. Time in which other programs have the core is not counted.
/// Limits: caches are not shared by parts that run at once and no line moves between them, so false sharing and
/// contended atomics cost nothing; starting and joining threads costs nothing; no part takes over what others are to
/// do.
class virtual_team : public team {
 public:
  /// Precondition: parts >= 1.
  explicit virtual_team(std::size_t parts, memory_bound memory = {});

  /// The phases since the last clear(), in their order.
  std::vector<virtual_phase> const& phases() const { return phases_; }
  /// Their time, one after the other [s].
  double seconds() const;
  void clear() { phases_.clear(); }

 private:
  void run_parts(phase const& what, std::size_t count, part_function part) override;
  bool runs_at_once() const override { return false; }

  memory_bound memory_;
  std::vector<virtual_phase> phases_;
};

}  // namespace skel::runtime
