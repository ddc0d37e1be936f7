#include "decision_store.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/forced_uses.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/mapping/copy_tree_problem.hpp>
#include <skel/detail/mapping/exchange_problem.hpp>
#include <skel/detail/mapping/mesh_clusters_problem.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/placement_choice.hpp>
#include <skel/detail/mapping/reduction_choice.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/ranks/sole_use.hpp>

#include "run_files.hpp"
#include "warn.hpp"

namespace skel {
namespace {

std::vector<std::string> algorithms_of_reductions() {
  std::vector<std::string> names;
  for (auto const& traits : plan::reduction_catalogue()) names.emplace_back(traits.name);
  return names;
}

/// A log for deciders on several threads.
class guarded_log final : public record::decision_log {
 public:
  explicit guarded_log(record::decision_log& to) : to_(to) {}

  std::uint64_t decided(record::decision_entry const& made) override {
    std::lock_guard const lock(guard_);
    return to_.decided(made);
  }
  void measured(std::uint64_t decision, record::measured_entry const& so_far) override {
    std::lock_guard const lock(guard_);
    to_.measured(decision, so_far);
  }
  void paid(std::uint64_t decision, double seconds) override {
    std::lock_guard const lock(guard_);
    to_.paid(decision, seconds);
  }

 private:
  std::mutex guard_;
  record::decision_log& to_;
};

/// Deciders that belong to no grid ask for it.
struct shared_store {
  std::mutex guard;
  std::weak_ptr<decision_store> last;
};
shared_store& of_all() {
  static shared_store one;
  return one;
}

}  // namespace

std::shared_ptr<decision_store> decision_store::of_program() {
  std::lock_guard const lock(of_all().guard);
  return of_all().last.lock();
}

void decision_store::share(std::shared_ptr<decision_store> const& one) {
  std::lock_guard const lock(of_all().guard);
  of_all().last = one;
}

decision_store::decision_store(runtime::communicator const& ranks, run_settings const& settings, bool is_measured)
    : is_root_(ranks.rank() == 0) {
  static_cast<void>(was_force_used(""));  // from now on its registry lives as long as this
  std::string refused;
  if (ranks.rank() == 0) {
    auto opened = platform::open_knowledge(ranks.hosts(), settings.knowledge, is_measured);
    if (!opened.warning.empty()) warn(opened.warning);
    kept_ = std::move(opened.kept), setup_.known = std::move(opened.known);
    try {
      if (kept_) {
        kept_->expect_other("--skel-decisions", settings.decisions);
        kept_->expect_other("--skel-report", settings.report);
        kept_->expect_other("--skel-trace", settings.trace);
        kept_->expect_other("--skel-scenario", settings.scenario);
      }
      if (!settings.decisions.empty()) {
        run_files::begin_for_grid(settings.decisions, "decisions");
        file_ = std::make_unique<record::decision_file>(settings.decisions);
      }
    } catch (error const& e) {
      refused = e.what();
    }
  }
  std::pair told(std::move(refused), std::move(setup_.known));
  if (ranks.size() > 1) told = runtime::from_bytes<decltype(told)>(ranks.broadcast(runtime::to_bytes(told)));
  if (!told.first.empty()) throw error(told.first);
  setup_.known = std::move(told.second);
  setup_.forced = settings.forced;
  if (auto const where = setup_.forced.find(mapping::placement_choice::name); where != setup_.forced.end())
    where->second = to_string(plan::read_placement(where->second));
  if (file_) log_ = std::make_unique<guarded_log>(*file_);
  setup_.log = log_.get();
}

decision_store::~decision_store() {
  if (runtime::is_fork()) {
    static_cast<void>(file_.release());  // the parent's
    return;
  }
  if (file_ && !file_->problem().empty()) warn(file_->problem());
  if (is_root_ && std::uncaught_exceptions() == 0) warn_of_unused();
  if (!kept_ || learnt_.empty()) return;
  try {
    if (auto const warning = kept_->add(learnt_); !warning.empty()) warn(warning);
  } catch (std::exception const& e) {
    warn(std::string("the learnt times are not kept: ") + e.what());
  }
}

/// A forced "stay" is not asked for where nothing could move.
void decision_store::warn_of_unused() const {
  for (auto const& [problem, choice] : setup_.forced) {
    if (choice == record::move_decision::stay || was_force_used(problem)) continue;
    warn_once("--skel-force " + problem + "=" + choice + " had no effect: this program made no decision of " + problem);
  }
}

std::optional<std::string> decision_store::forced(std::string_view problem) const {
  auto const found = setup_.forced.find(problem);
  return found == setup_.forced.end() ? std::nullopt : std::optional(found->second);
}

void decision_store::learnt(mapping::decision_entries const& by_one) {
  if (!kept_ || runtime::is_fork()) return;
  std::lock_guard const lock(guard_);
  std::set const known(setup_.known.begin(), setup_.known.end());
  for (auto const& one : by_one) {
    if (known.contains(one)) continue;
    std::erase_if(learnt_, [&](auto const& other) { return other.first == one.first; });
    learnt_.push_back(one);
  }
}

std::vector<std::string> const& decision_problems() {
  static std::vector<std::string> const all = [] {
    std::vector<std::string> names{
        std::string(mapping::placement_choice::name),     std::string(mapping::copy_tree_problem::name),
        std::string(mapping::exchange_problem::name),     std::string(mapping::reduction_choice::name),
        std::string(mapping::remap_choice::name),         std::string(mapping::of_bsp.problem),
        std::string(mapping::mesh_clusters_problem::name)};
    for (auto const operation : plan::all_collectives) names.emplace_back(plan::name_of(operation));
    return names;
  }();
  return all;
}

void check_forced(mapping::forced_choices const& forced) {
  for (auto const& [problem, choice] : forced) {
    std::string const said = "--skel-force " + problem + "=" + choice;
    if (std::ranges::find(decision_problems(), problem) == decision_problems().end())
      throw error(said + ": there is no such problem; there are " + joined(decision_problems()) +
                  did_you_mean(problem, decision_problems()));
    if (problem == mapping::placement_choice::name) try {
        (void)plan::read_placement(choice);
      } catch (error const& unreadable) {
        throw error(said + ": " + unreadable.what() + "; a placement is such as \"a | a+b*2 | a\"");
      }
    if (problem == mapping::remap_choice::name && choice != record::move_decision::stay)
      throw error(said +
                  ": you can force a run to stay, but not to go elsewhere while it runs: --skel-force remap=stay. For "
                  "the whole run, force placement=... of a pipeline, or clusters=... of a program over a mesh");
    if (problem == mapping::of_bsp.problem && choice != record::move_decision::stay)
      throw error(said + ": you can force processes to stay, but not to go elsewhere: --skel-force migration=stay");
    if (problem == mapping::exchange_problem::name && !plan::find_exchange(choice))
      throw error(said + ": an exchange is dense or sparse");
    if (problem == mapping::reduction_choice::name && !plan::find_reduction(choice))
      throw error(said + ": no algorithm of reductions; there are " + joined(algorithms_of_reductions()) +
                  did_you_mean(choice, algorithms_of_reductions()));
  }
}

}  // namespace skel
