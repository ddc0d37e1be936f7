#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include <boost/hana/at.hpp>

#include <skel/detail/pattern/collective_stages.hpp>
#include <skel/detail/pattern/runtime_pipeline.hpp>
#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/runtime/station/divisible_state.hpp>
#include <skel/detail/runtime/station/fold.hpp>
#include <skel/detail/runtime/station/joint_stage.hpp>
#include <skel/detail/runtime/station/station_state.hpp>
#include <skel/detail/runtime/station/worker.hpp>

/// Reports of the thread sanitizer name stages. Only in programs that are compiled with it: elsewhere nothing is done.
#if defined(__SANITIZE_THREAD__)
#define SKEL_NAMES_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKEL_NAMES_THREADS 1
#endif
#endif
#ifndef SKEL_NAMES_THREADS
#define SKEL_NAMES_THREADS 0
#endif

/// A composition as engines run it: a line of stations whose item types are hidden behind batches.
namespace skel::runtime {

/// One stage of the line. Source first, sink last.
struct station {
  station();
  station(station const& other);
  station(station&& other) noexcept;
  station& operator=(station const& other);
  station& operator=(station&& other) noexcept;
  ~station();

  skeletons::annotations notes;  ///< name, work, width, at; `ordered` as the outermost farm around it says
  bool replicable = false;       ///< stands inside a farm
  codec const* input =
      nullptr;  ///< how the items that enter it cross ranks; nullptr: they cannot (or it is the source)
  std::type_info const* item = nullptr;  ///< the type of the items that enter it; nullptr: the source
  std::function<std::unique_ptr<producer>()> make_producer;  ///< the source only
  std::function<std::unique_ptr<worker>()> make_worker;      ///< all others; one call per worker
  bool emits = false;                                        ///< gives any number of items for one that it takes
  bool renumbered = false;    ///< its items are not one for each of the source, since one before it emits
  bool folds = false;         ///< gives fewer items than it takes, and when the stream ends what is left (rest())
  bool gives_at_end = false;  ///< of one that folds: gives nothing before the stream ends
  bool gives_blocks = false;  ///< of a farm that folds: some items for each batch, instead of one
  std::shared_ptr<joint_stage const>
      copies;                            ///< of a broadcast stage and the reduce behind it; nullptr: of no such stage
  std::string reduce;                    ///< where workers or copies combine results for it: the reduce's name
  bool stateful = false;                 ///< one instance has to see all items: it may keep something of them
  std::shared_ptr<station_state> state;  ///< its state, if that can go to another rank; nullptr: it cannot
  std::optional<int>* home = nullptr;    ///< where a later run finds the rank that has its state; nullptr: no later run
  std::function<void()> begin{};         ///< of a sink whose function begins before the first item; empty: it does not
  bool* ended = nullptr;                 ///< of the source: whether its stream has ended, for a later run
  // More data that checkpoints depend on (identity_of):
  std::type_info const* function = nullptr;  ///< the type of its function or operator; nullptr: there are several
  std::size_t item_bytes = 0;                ///< size of the type of the items that enter it [B]
  std::size_t window = 0;                    ///< of a reduce: items that make a result; 0: all of the stream
  state_form form{};                         ///< of its state, where that is written
  std::string constants{};                   ///< what its function says of itself, see skel_constants()

  /// True if it must stay where its first item was.
  bool stays() const { return stateful && state == nullptr; }
  /// True for a farm whose workers fold their results, ahead of the reduce of the whole stream behind it.
  bool folds_in_farm() const { return replicable && folds; }
  /// The stage whose function a worker of this station called last.
  std::string const& stage_of(worker const& call) const { return call.combines() ? reduce : notes.name; }
};

/// The line of a program. Refers to the functions inside the composition it was made from, which must outlive it.
struct program {
  std::vector<station> stations;
  std::string types{};  ///< name of the composition's type, which tells functions and operators apart

  std::size_t size() const { return stations.size(); }
  /// "source", "sink" or "stage".
  std::string kind_of(std::size_t station) const {
    return station == 0 ? "source" : station + 1 == size() ? "sink" : "stage";
  }
  /// A station's function as messages call it: "source 'read' on rank 0".
  std::string words_of(std::size_t station, int rank) const {
    return kind_of(station) + " '" + stations[station].notes.name + "' on rank " + std::to_string(rank);
  }
};

namespace program_detail {

/// The farms around a part.
struct scope {
  bool replicated = false;
  bool ordered = true;
  std::size_t width = 1;
  std::vector<std::string> at;
  std::string prefix;
};

template <class T>
inline constexpr bool is_broadcast = false;
template <class W>
inline constexpr bool is_broadcast<skeletons::broadcast<W>> = true;
template <class T>
inline constexpr bool is_contributions = false;
template <class T>
inline constexpr bool is_contributions<skeletons::contributions<T>> = true;

/// Notes a source, of any program of this executable, whose place in its stream cannot be written.
bool note_unplaced(std::type_info const& source);

/// Noted before main, for every source that some part of the executable may run.
template <class F>
struct unplaced_source {
  inline static bool const noted = note_unplaced(typeid(F));
};

/// Walks a composition and appends its stations; the flow's type goes along as a template argument.
class lowering {
 public:
  explicit lowering(std::vector<station>& to) : to_(to) {}

  template <class In, class F>
  void add(skeletons::source<F>& part, scope const& around) {
    using T = typename skeletons::flow_through<skeletons::source<F>, void>::type;
    station s = make(part.notes, around);
    s.make_producer = [&f = part.produce] { return std::make_unique<source_producer<F, T>>(f); };
    follow(s, part.produce, part.home);
    if constexpr (!has_movable_state<F>) static_cast<void>(&unplaced_source<F>::noted);
    s.ended = &part.ended;
    to_.push_back(std::move(s));
  }

  template <class In, class F>
  void add(skeletons::stage<F>& part, scope const& around) {
    using Out = typename skeletons::flow_through<skeletons::stage<F>, In>::type;
    station s = make(part.notes, around);
    accept<In>(s);
    s.emits = skeletons::emits_items<F, In>;
    s.function = &typeid(F);
    constexpr bool copyable = std::copy_constructible<F>;
    if (around.replicated) {
      if constexpr (copyable)
        s.make_worker = [&f = part.function] { return std::make_unique<worker_of<F, In, Out>>(f); };
    } else {
      s.make_worker = [&f = part.function] { return std::make_unique<worker_of<F&, In, Out>>(f); };
      follow(s, part.function, part.home);
      if constexpr (!skeletons::emits_items<F, In>)  // or nobody could say which items have become of which
        if (s.stateful) {
          s.state = stage_state_of<In, Out>(part.function);
          if (s.state != nullptr) s.form = form_of<decltype(part.function)>();
        }
    }
    to_.push_back(std::move(s));
  }

  template <class In, class F>
  void add(skeletons::sink<F>& part, scope const& around) {
    station s = make(part.notes, around);
    accept<In>(s);
    s.make_worker = [&f = part.consume] { return std::make_unique<sink_worker<F, In>>(f); };
    if constexpr (skeletons::begins<F>) s.begin = [&f = part.consume] { f.skel_begin(); };
    follow(s, part.consume, part.home);
    to_.push_back(std::move(s));
  }

  template <class In, class T>
  void add(skeletons::runtime_pipeline<T>& part, scope const& around) {
    for (auto& entry : part.stages()) {
      scope inner = around;
      if (entry.replicated) inner = inside(around, entry.notes);
      inner.prefix = around.prefix;
      station s = make(entry.notes, inner);
      accept<T>(s);
      s.emits = entry.emits();
      std::visit(
          [&]<class F>(F& call) {
            if (inner.replicated)
              s.make_worker = [&call] { return std::make_unique<worker_of<F, T, T>>(call); };
            else
              s.make_worker = [&call] { return std::make_unique<worker_of<F&, T, T>>(call); };
          },
          entry.call);
      if (!inner.replicated) {
        s.stateful = !entry.notes.stateless;
        s.home = &entry.home;
      }
      to_.push_back(std::move(s));
    }
  }

  template <class In, class W>
  void add(skeletons::farm<W>& part, scope const& around) {
    scope inner = inside(around, part.notes);
    std::size_t const first = to_.size();
    add<In>(part.worker, inner);
    if (to_.size() == first + 1) note_farm(to_[first], part.notes, around, inner);
  }

  template <class T, class Op, class Window>
  void add(skeletons::reduction<Op, Window>& part, scope const& around) {
    std::size_t window = 0;
    if constexpr (std::is_same_v<Window, every>) window = part.window.items();
    // Sums: no order changes them, or the author says so; they may round and are small; any other.
    bool const any_order = folds_in_any_order<Op, T> && !part.notes.reproducible;
    bool const by_number = !any_order && (part.notes.reproducible || std::is_trivially_copyable_v<T>);
    bool const in_farm = window == 0 && to_.back().replicable && (!by_number || has_numbers());
    if (window > 0 || (!any_order && !(in_farm && by_number))) keep_order();
    if (in_farm) fold_in_farm<T>(to_.back(), part.op, any_order, by_number);
    station s = make(part.notes, around);
    accept<T>(s);
    s.folds = true;
    s.gives_at_end = window == 0;
    s.window = window;
    s.function = &typeid(Op);
    auto const fold = std::make_shared<partial_fold<T>>();
    s.stateful = true;
    s.state = fold;
    s.make_worker = [&op = part.op, window, blocks = in_farm && by_number, &fold = *fold]() -> std::unique_ptr<worker> {
      if (blocks) return std::make_unique<block_worker<T, Op>>(op, fold);
      return std::make_unique<reduce_worker<T, Op>>(op, window, fold);
    };
    to_.push_back(std::move(s));
  }

  template <class In, class... Parts>
  void add(skeletons::pipeline<Parts...>& line, scope const& around) {
    along<0, In>(line, around);
  }

 private:
  template <std::size_t Index, class In, class... Parts>
  void along(skeletons::pipeline<Parts...>& line, scope const& around) {
    if constexpr (Index < sizeof...(Parts)) {
      auto& part = boost::hana::at_c<Index>(line.parts);
      if constexpr (is_broadcast<std::remove_cvref_t<decltype(part)>>)
        add_joint_stage<In>(part, boost::hana::at_c<Index + 1>(line.parts), around);
      else if constexpr (!is_contributions<In>)  // the reduce behind a broadcast is part of its station
        add<In>(part, around);
      along<Index + 1, typename skeletons::flow_through<std::remove_cvref_t<decltype(part)>, In>::type>(line, around);
    }
  }

  template <class In, class W, class Op>
  void add_joint_stage(skeletons::broadcast<W>& shown, skeletons::reduction<Op>& joined, scope const& around) {
    using Out = typename skeletons::check_copy<W, In>::value;
    station s = make(shown.notes, around);
    note_joint(s, shown.notes, joined.notes);
    s.function = &typeid(W);
    accept<In>(s);
    s.copies = std::make_shared<typed_joint_stage<W, Op, In, Out>>(shown.worker, joined.op);
    s.make_worker = [of = s.copies, copies = std::max<std::size_t>(1, shown.notes.width)] {
      return std::make_unique<joint_worker>(*of, copies);
    };
    to_.push_back(std::move(s));
  }

  /// True if every item comes from one of the source, and keeps its number.
  bool has_numbers() const;

  /// Without it, chance decides which items the reduce behind these stations combines.
  void keep_order();

  /// Makes the workers of the farm station before a reduce of the whole stream fold their results. Its order need not
  /// be restored if no order counts, or numbers tell it.
  template <class T, class Op>
  static void fold_in_farm(station& last, Op const& op, bool any_order, bool by_number) {
    last.folds = true;
    last.gives_at_end = any_order;
    last.gives_blocks = !any_order && by_number;
    if (any_order || by_number) last.notes.ordered = false;
    last.make_worker = [inner = std::move(last.make_worker), &op, any_order, by_number]() -> std::unique_ptr<worker> {
      if constexpr (folds_in_any_order<Op, T>)
        if (any_order) return std::make_unique<folding_worker<T, Op, farm_fold::in_any_order>>(inner(), op);
      if (by_number) return std::make_unique<folding_worker<T, Op, farm_fold::by_number>>(inner(), op);
      return std::make_unique<folding_worker<T, Op, farm_fold::by_batch>>(inner(), op);
    };
  }

  template <class In>
  static void accept(station& s) {
    s.input = codec_of<In>();
    s.item = &typeid(In);
    s.item_bytes = sizeof(In);
  }

  /// For a function with only one instance.
  template <class F>
  static void follow(station& s, F& function, std::optional<int>& home) {
    s.stateful = !skeletons::is_stateless<F> && !s.notes.stateless;
    if constexpr (may_move_state<F>) {
      if (s.stateful) s.state = state_of(function);
      if (s.state != nullptr) s.form = form_of<std::remove_reference_t<decltype(function)>>();
    }
    s.function = &typeid(F);
    if constexpr (requires { function.skel_constants(); }) s.constants = function.skel_constants();
    s.home = &home;
  }

  static scope inside(scope const& around, skeletons::annotations const& farm);
  static station make(skeletons::annotations const& notes, scope const& around);
  /// Writes the settings of a farm into the only station inside it.
  static void note_farm(station& only, skeletons::annotations const& farm, scope const& around, scope const& inner);
  /// Writes the settings of a broadcast and the reduce behind it into their station.
  static void note_joint(station& s, skeletons::annotations const& shown, skeletons::annotations const& joined);

  std::vector<station>& to_;
};

/// Names the stations that have no name, and says of each what follows from those before it. `names_threads`: workers
/// name their threads after their stage.
void complete(program& line, bool names_threads);

}  // namespace program_detail

/// The line of a composition with a source and a sink. Stages without a name are called after their place
/// ("stage 2"); a stage inside a farm with a name is called "farm/stage". O(stages).
template <skeletons::program Composition>
program make_program(Composition& composition) {
  program result;
  program_detail::lowering(result.stations).add<void>(composition, program_detail::scope{});
  result.types = typeid(Composition).name();
  program_detail::complete(result, SKEL_NAMES_THREADS != 0);
  return result;
}

}  // namespace skel::runtime
