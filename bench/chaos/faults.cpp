#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/runtime/archive.hpp>

#include "chaos/outcome.hpp"
#include "support/random_programs/programs.hpp"

namespace bench {
namespace {

/// Where users' code runs.
enum class place {
  nowhere,
  source,
  source_finish,
  state,
  state_finish,
  state_save,
  state_load,
  first,
  first_copy,
  first_finish,
  second,
  step,
  step_copy,
  show,
  show_copy,
  show_finish,
  join,
  lambda,
  window,
  between,
  last,
  last_copy,
  total,
  sink,
  sink_finish,
  item_save,
  item_load,
};

constexpr char const* message = "this was planted";

/// One exception that is planted, the same on all ranks.
struct fuse {
  place where = place::nowhere;
  std::uint64_t at = 0;  ///< number of the item; of a copy: which
  bool standard = true;  ///< a std::exception; else an int
};
fuse planted;
std::atomic<std::uint64_t> copies{0};
std::atomic<bool> burnt{false};  // on this rank

/// Called by every function of the user with the item that it has in hand.
void pass(place here, std::uint64_t item) {
  if (here == place::nowhere || here != planted.where || item != planted.at) return;
  burnt = true;
  if (planted.standard) throw std::runtime_error(message);
  throw 42;
}

/// A member of function objects whose copies may fail.
struct copied {
  place where;
  explicit copied(place of) : where(of) {}
  copied(copied const& other) : where(other.where) {
    if (where != place::nowhere && where == planted.where) pass(where, copies++);
  }
  copied(copied&& other) noexcept : where(other.where) {}
  copied& operator=(copied const&) = default;
  copied& operator=(copied&&) noexcept = default;
  ~copied() = default;
};

struct entry {
  std::uint64_t no = 0;     ///< of the source; the greatest, where several are folded
  std::uint64_t count = 1;  ///< of those that were folded
  std::string text;
};

/// Gives an entry on; `finish` as another place.
template <place Here, place Finish = place::nowhere>
struct giving_on {
  copied copy{place::nowhere};
  entry operator()(entry item) {
    pass(Here, item.no);
    return item;
  }
  void finish() {
    if (Finish != place::nowhere) pass(Finish, planted.at);
  }
};

/// Counts what it sees; its state travels.
struct counting {
  std::uint64_t seen = 0;
  entry operator()(entry item) {
    pass(place::state, item.no);
    if (seen++ != item.no) throw std::logic_error("state was lost");
    return item;
  }
  void finish() { pass(place::state_finish, planted.at); }
};

struct showing_on {
  copied copy{place::show_copy};
  entry operator()(entry const& item) {
    pass(place::show, item.no);
    return item;
  }
  void finish() { pass(place::show_finish, planted.at); }
};

/// The later of what copies of a broadcast give, which is the same.
struct joining {
  entry operator()(entry a, entry const&) const {
    pass(place::join, a.no);
    return a;
  }
};

template <place Here>
struct folding {
  entry operator()(entry a, entry const& b) const {
    pass(Here, a.no);
    pass(Here, b.no);
    a.no = std::max(a.no, b.no);
    a.count += b.count;
    return a;
  }
};

struct numbering {
  std::uint64_t items, next = 0;
  std::optional<entry> operator()() {
    if (next == items) return std::nullopt;
    pass(place::source, next);
    return entry{next++, 1, std::string(next % 50, 'x')};
  }
  void finish() { pass(place::source_finish, planted.at); }
};

struct noting {
  std::vector<std::uint64_t>* numbers;
  void operator()(entry item) {
    pass(place::sink, item.no);
    numbers->push_back(item.no);
    numbers->push_back(item.count);
  }
  void finish() { pass(place::sink_finish, planted.at); }
};

}  // namespace
}  // namespace bench

template <>
struct skel::serializer<bench::entry> {
  template <class Archive>
  static void save(Archive& archive, bench::entry const& item) {
    // Where it is only asked for the size of an item that may never be sent, nobody is told what it throws.
    if (archive.counts() && bench::planted.where == bench::place::item_save && item.no == bench::planted.at) throw 42;
    bench::pass(bench::place::item_save, item.no);
    archive(item.no, item.count, item.text);
  }
  template <class Archive>
  static bench::entry load(Archive& archive) {
    bench::entry item;
    archive(item.no, item.count, item.text);
    bench::pass(bench::place::item_load, item.no);
    return item;
  }
};
template <>
struct skel::serializer<bench::counting> {
  template <class Archive>
  static void save(Archive& archive, bench::counting const& f) {
    bench::pass(bench::place::state_save, bench::planted.at);
    archive(f.seen);
  }
  template <class Archive>
  static bench::counting load(Archive& archive) {
    bench::counting f;
    archive(f.seen);
    bench::pass(bench::place::state_load, bench::planted.at);
    return f;
  }
};

namespace bench {
namespace {

/// A place, the stages that may be named for it (none: any), and whether the item is.
struct expectation {
  place where;
  char const* name;
  std::vector<std::string> stages;
  bool item_known;
  bool between_ranks = false;  ///< reached on several ranks only
  bool of_copy = false;        ///< which copy fails is planted, not which item
};

std::vector<expectation> const in_line{
    {place::source, "source", {"source"}, true},
    {place::source_finish, "finish() of the source", {"source"}, false},
    {place::state, "a stage with state", {"state"}, true},
    {place::state_finish, "finish() of a stage", {"state"}, false},
    {place::state_save, "save() of a state", {"state"}, false, true},
    {place::state_load, "load() of a state", {"state"}, false, true},
    {place::first, "first stage in a farm", {"farm/first"}, true},
    {place::first_copy, "copy of a farm's worker", {"farm/first"}, false, false, true},
    {place::first_finish, "finish() of a farm's worker", {"farm/first"}, false},
    {place::second, "second stage in a farm", {"farm/second"}, true},
    {place::step, "stage of a run-time pipeline", {"step"}, true},
    {place::step_copy, "copy in a run-time pipeline", {"step"}, false, false, true},
    {place::show, "broadcast worker", {"show"}, true},
    {place::show_copy, "copy of a broadcast worker", {"show"}, false, false, true},
    {place::show_finish, "finish() of a broadcast worker", {"show"}, false},
    {place::join, "operator behind a broadcast", {"show"}, true},
    {place::lambda, "lambda", {"lambda"}, true},
    {place::sink, "sink", {"sink"}, true},
    {place::sink_finish, "finish() of the sink", {"sink"}, false},
    {place::item_save, "save() of an item", {}, false, true},
    {place::item_load, "load() of an item", {}, false, true}};
std::vector<expectation> const in_folds{{place::first, "farm before windows", {"farm"}, true},
                                        {place::window, "operator of windows", {"window"}, false},
                                        {place::between, "stage behind windows", {"between"}, false},
                                        {place::last, "farm that folds", {"last"}, false},
                                        {place::last_copy, "copy of a worker that folds", {"last"}, false, false, true},
                                        {place::total, "operator of a reduce", {"last", "total"}, false},
                                        {place::sink, "sink behind a reduce", {"sink"}, false}};

/// One program: its line and what keeps it alive.
made_program line_of(bool folds, std::uint64_t items, std::vector<std::uint64_t>& numbers) {
  auto const keep = [](auto composed) {
    auto const app = std::make_shared<decltype(composed)>(std::move(composed));
    return made_program{app, {}, [app = app.get()] { return skel::runtime::make_program(*app); }, false};
  };
  auto from = skel::source("source", numbering{items});
  auto to = skel::sink("sink", noting{&numbers});
  if (folds)
    return keep(std::move(from) | skel::farm("farm", giving_on<place::first>{}) |
                skel::reduce("window", folding<place::window>{}, skel::every(3)) |
                skel::stage("between", giving_on<place::between>{}) |
                skel::farm("last", giving_on<place::last>{copied(place::last_copy)}) |
                skel::reduce("total", skel::commutative(folding<place::total>{})) | std::move(to));
  skel::runtime_pipeline<entry> steps;
  steps.farm("step", giving_on<place::step>{copied(place::step_copy)});
  return keep(
      std::move(from) | skel::stage("state", counting{}) |
      skel::farm("farm", skel::stage("first", giving_on<place::first, place::first_finish>{copied(place::first_copy)}) |
                             skel::stage("second", giving_on<place::second>{})) |
      std::move(steps) | skel::broadcast("show", showing_on{}) | skel::reduce(joining{}) |
      skel::stage("lambda",
                  [seen = 0](entry item) mutable {
                    ++seen;
                    pass(place::lambda, item.no);
                    return item;
                  }) |
      std::move(to));
}

/// What one rank has seen of a run.
struct witness {
  std::string error, stage, cause;  ///< cause: of the exception that it has
  std::uint64_t item = 0;
  int rank = -1;
  bool burnt = false, stage_error = false;
  std::vector<std::uint64_t> numbers;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(error, stage, cause, item, rank, burnt, stage_error, numbers);
  }
};

std::string kind_of(std::exception_ptr const& cause) {
  if (!cause) return "";
  try {
    std::rethrow_exception(cause);
  } catch (std::runtime_error const& e) {
    return e.what();
  } catch (int code) {
    return std::to_string(code);
  } catch (...) {
    return "another exception";
  }
}

std::vector<witness> run_once(skel::grid& grid, bool folds, std::uint64_t items, bool by_hand, dice& roll) {
  witness mine;
  auto app = line_of(folds, items, mine.numbers);
  auto line = app.line();
  auto& settings = grid.settings();
  settings.plan.reset();
  if (by_hand) {
    settings.plan = random_plan(line, items, grid.size(), roll);
  } else {
    settings.calibration_time = roll.one_in(2) ? 0 : 2e-3;
    settings.planning_time = 0.02;
    if (!folds)
      line.stations[1].notes.at = {settings.platform->host_name(roll.below(static_cast<std::size_t>(grid.size())))};
  }
  copies = 0;
  burnt = false;
  try {
    static_cast<void>(grid.run(line));
  } catch (skel::stage_error const& e) {
    mine.stage_error = true;
    mine.error = e.what(), mine.stage = e.stage(), mine.item = e.item(), mine.rank = e.rank();
    mine.cause = kind_of(e.cause());
  } catch (std::exception const& e) {
    mine.error = e.what();
  }
  settings.plan.reset();
  mine.burnt = burnt;
  std::vector<witness> all;
  for (std::string const& text : grid.ranks().all_gather(skel::runtime::to_bytes(mine)))
    all.push_back(skel::runtime::from_bytes<witness>(text));
  return all;
}

/// What is wrong with a run in which nothing was planted, or nothing of it reached.
std::string wrong_results(std::vector<witness> const& all, bool folds, std::uint64_t items) {
  std::vector<std::uint64_t> got, expected;
  for (auto const& one : all) {
    if (!one.error.empty()) return "throws without a reason: " + one.error;
    got.insert(got.end(), one.numbers.begin(), one.numbers.end());
  }
  if (folds)
    expected = {items - 1, items};
  else
    for (std::uint64_t i = 0; i < items; ++i) expected.insert(expected.end(), {i, 1});
  return got == expected ? "" : "gives other results";
}

/// What is wrong with what the ranks were told.
std::string wrong_telling(std::vector<witness> const& all, expectation const& expected) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    witness const& one = all[rank];
    std::string const who = "rank " + std::to_string(rank);
    if (one.error.empty()) return who + " is told nothing";
    if (!one.stage_error) return who + " is told in another way: " + one.error;
    if (one.error != all.front().error) return who + " is told otherwise: " + one.error + " / " + all.front().error;
    if (!expected.stages.empty() &&
        std::find(expected.stages.begin(), expected.stages.end(), one.stage) == expected.stages.end())
      return who + " is told of stage '" + one.stage + "': " + one.error;
    auto const names = [&](std::string const& kind) {
      return one.error.find(kind + " '" + one.stage + "'") != std::string::npos;
    };
    if (!names("source") && !names("stage") && !names("sink")) return "no stage is named: " + one.error;
    if (one.error.find(planted.standard ? message : "not a std::exception") == std::string::npos)
      return "the exception is not told: " + one.error;
    if (expected.item_known && one.item != planted.at)
      return "item " + std::to_string(planted.at) + " failed, not " + std::to_string(one.item) + ": " + one.error;
    bool const its_own = static_cast<std::size_t>(one.rank) == rank;
    if (its_own && !one.burnt) return who + " is blamed, but nothing was thrown there";
    if (one.cause != (its_own ? planted.standard ? message : "42" : ""))
      return who + " has the cause '" + one.cause + "'";
  }
  return "";
}

/// One exception, planted somewhere, and a run after it.
outcome try_fault(skel::grid& grid, dice& roll) {
  bool const folds = roll.one_in(4);
  auto const& places = folds ? in_folds : in_line;
  expectation const* expected = nullptr;
  do expected = &places[roll.below(places.size())];
  while (expected->between_ranks && grid.size() == 1);
  std::uint64_t const items = roll.between(100, 3000);
  bool const by_hand = roll.one_in(2) && expected->where != place::state_save && expected->where != place::state_load;
  planted = {expected->where, roll.one_in(3) ? 0 : roll.below(items), roll.one_in(2)};
  if (expected->of_copy) planted.at = roll.below(3);

  outcome result{outcome::kind::fine, std::string(expected->name) + ", " + (planted.standard ? "std" : "int") + " at " +
                                          std::to_string(planted.at) + " of " + std::to_string(items) +
                                          (by_hand ? ", by hand" : ", measured and planned")};
  auto const all = run_once(grid, folds, items, by_hand, roll);
  bool const reached = std::any_of(all.begin(), all.end(), [](witness const& one) { return one.burnt; });
  std::string wrong = reached ? wrong_telling(all, *expected) : wrong_results(all, folds, items);
  if (!reached) result.what = outcome::kind::not_reached;

  planted = {};
  std::string const after = wrong_results(run_once(grid, folds, items, roll.one_in(2), roll), folds, items);
  if (wrong.empty() && !after.empty()) wrong = "the next run " + after;
  int const ranks = grid.all_reduce(1, std::plus<>{});
  if (wrong.empty() && ranks != grid.size()) wrong = "the next collective gives another result";
  if (!wrong.empty()) {
    result.what = outcome::kind::failed;
    result.text += ": " + wrong;
  }
  return result;
}

}  // namespace

outcome run_fault(skel::grid& grid, std::uint64_t seed) {
  dice roll(seed);
  outcome result;
  // Whether items cross ranks, or a worker has a third copy, is the plan's business: another try where it did not come
  // to what was planted.
  constexpr int tries = 8;
  for (int i = 0; i < tries; ++i)
    if (result = try_fault(grid, roll); result.what != outcome::kind::not_reached) break;
  return result;
}

}  // namespace bench
