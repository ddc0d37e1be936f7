#include "known_communicator.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/collective_plan.hpp>
#include <skel/detail/record/clock.hpp>

#include "process.hpp"

namespace skel::interpose {
namespace {

/// A handle that is seen again is the same communicator as long as none that was known is freed.
std::atomic<std::uint64_t> communicators_freed{0};

extern "C" int skel_delete_known(MPI_Comm, int, void* known, void*) {
  inside const guard;
  communicators_freed.fetch_add(1, std::memory_order_acq_rel);
  delete static_cast<known_communicator*>(known);
  return MPI_SUCCESS;
}

bool legal(plan::order operands, mapping::collective_request const& request) {
  return request.commutative || operands == plan::order::any || (operands == plan::order::rotated && request.root == 0);
}

/// The greatest time that a prediction allows for: its error is hardly more than twice the usual one.
double at_most(double predicted) {
  return predicted * std::exp(2 * mapping::usual_error);
}
/// The least time, of MPI's way.
double at_least(double predicted) {
  return predicted * std::exp(-2 * mapping::tuned_error);
}

/// The collective by which ranks meet.
mapping::collective_request const meeting{
    .operation = plan::collective::allreduce, .bytes = 2 * sizeof(double), .unit = sizeof(double)};

std::string microseconds(double seconds) {
  return shown(1e6 * seconds, 3) + " us";
}

}  // namespace

int known_communicator::make_key() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, skel_delete_known, &key, nullptr);
  return key;
}

known_communicator* known_communicator::of(MPI_Comm original) {
  struct last_seen {
    MPI_Comm original = MPI_COMM_NULL;
    known_communicator* known = nullptr;
    std::uint64_t freed = 0;
  };
  thread_local last_seen last;
  std::uint64_t const freed = communicators_freed.load(std::memory_order_acquire);
  if (being_freed::is(original)) return nullptr;
  if (last.original == original && last.freed == freed) return last.known;
  process const& run = process::self();
  void* found = nullptr;
  int is_there = 0;
  if (MPI_Comm_get_attr(original, run.key(), &found, &is_there) != MPI_SUCCESS) return nullptr;
  if (!is_there) {
    std::unique_ptr<known_communicator> known(new known_communicator(original));
    if (MPI_Comm_set_attr(original, run.key(), known.get()) != MPI_SUCCESS) return nullptr;
    found = known.release();
  }
  auto* const known = static_cast<known_communicator*>(found);
  last = {original, known->is_served() ? known : nullptr, freed};
  return last.known;
}

known_communicator::known_communicator(MPI_Comm original) : original_(original) {
  process& run = process::self();
  int between = 0, size = 0, rank = 0;
  MPI_Comm_test_inter(original, &between);
  MPI_Comm_size(original, &size);
  MPI_Comm_rank(original, &rank);
  size_ = static_cast<std::size_t>(size), rank_ = static_cast<std::size_t>(rank);
  if (between != 0 || size_ == 1) return;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(original, &group);
  std::vector<int> const ranks = process::ranks_of(group);
  MPI_Group_free(&group);
  if (std::ranges::find(ranks, MPI_UNDEFINED) != ranks.end()) return;
  one_host_ = run.on_one_host(ranks);
  if (one_host_ && !run.always() && run.forced().empty()) return;
  group_ = run.knowledge_of(ranks);
  is_alike_ = run.is_alike(*group_);
  if (!is_alike_) credit_ = -run.looking().beginning;
}

known_communicator::~known_communicator() {
  // MPI_Finalize frees the rest, and allows no more calls when it deletes the attributes of MPI_COMM_WORLD.
  if (messages_ != MPI_COMM_NULL && process::self().serving()) MPI_Comm_free(&messages_);
}

begun_use known_communicator::begin(mapping::collective_request const& request) {
  begun_use use{.steps = forced_steps(request)};
  bool has_met = false;
  if (use.steps == nullptr && process::self().always()) {
    use.steps = chosen_steps(request);
  } else if (use.steps == nullptr && !one_host_) {
    auto* const found = find_known(mapping::class_of(request));
    if (found == nullptr) return use;
    use.kind = &found->first, use.known = &found->second;
    if (use.known->tried) agree(*use.kind, *use.known), has_met = true;
    if (use.known->go.waits()) foresee(*use.kind, *use.known);
    if (!use.known->go.is_tried()) watch(*use.kind, *use.known);
    use.how = use.known->go.next();
    if (use.how.timed == way::timing::together && !has_met) meet({});
    if (use.how.skel) use.steps = chosen_steps(request);
  }
  if (use.steps != nullptr) make_messages();
  if (use.how.timed != way::timing::none) use.start = MPI_Wtime();
  return use;
}

void known_communicator::end(begun_use const& use) {
  if (use.how.timed == way::timing::none) return;
  double const seconds = MPI_Wtime() - use.start;
  if (use.how.timed == way::timing::alone) return use.known->watch.took(seconds);
  use.known->tried = use.how, use.known->took = seconds;
}

void known_communicator::agree(mapping::collective_request const& kind, known_kind& known) {
  double const start = MPI_Wtime();
  auto const [seconds, met] = meet({known.took, known.met});
  known.met = MPI_Wtime() - start;
  way& go = known.go;
  way::verdict const before = go.known();
  go.measured(*known.tried, seconds);
  if (known.tried->skel) group_->observe(kind, seconds);
  known.tried.reset();
  if (go.is_settled()) conclude(kind, known, before, met);
}

std::array<double, 2> known_communicator::meet(std::array<double, 2> mine) {
  plan::rank_schedule const* steps = nullptr;
  try {
    if (auto* const mapper = group_->mapper(); mapper != nullptr) steps = &mapper->steps(meeting, rank_);
  } catch (error const&) {  // no way between these clusters
  }
  if (steps == nullptr) {
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, original_);
    return mine;
  }
  std::array<double, 2> all{};
  auto const greatest = [](std::span<std::byte const> received, std::span<std::byte> work, bool) {
    for (std::size_t at = 0; at < work.size(); at += sizeof(double)) {
      double one = 0, other = 0;
      std::memcpy(&one, received.data() + at, sizeof one), std::memcpy(&other, work.data() + at, sizeof other);
      one = std::max(one, other);
      std::memcpy(work.data() + at, &one, sizeof one);
    }
  };
  runtime::run_collective(messages_, *steps, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)),
                          greatest);
  return all;
}

void known_communicator::conclude(mapping::collective_request const& kind, known_kind& known, way::verdict before,
                                  double met) {
  way const& go = known.go;
  way::verdict const found = go.known();
  bool const is_again = known.before != way::verdict::open;
  // Ranks may know different things of the group, but have to tell each other at the same uses.
  if (found != before) known.watch.begin_anew();
  bool const is_other = group_->verdict_of(kind) != found;
  if (is_again) {
    auto const [better, worse] = std::minmax({go.skel_seconds(), go.plain_seconds()});
    double const uses = static_cast<double>(way::trial_uses) * (1 + met / worse);
    known.watch.was_tried(found == known.before, uses, worse / better, share_of_looking);
    known.before = way::verdict::open;
  }
  if (is_other) group_->keep(kind, found);
  if (!(is_again || is_other) || process::self().verbose() < 2 || !process::self().first()) return;
  tell_user(described(kind) + " was tried" + (is_again ? " again" : "") + ": " + microseconds(go.skel_seconds()) +
      ", MPI's way " + microseconds(go.plain_seconds()) + "; it is " +
      (found == way::verdict::won ? "taken" : "left to MPI"));
}

void known_communicator::foresee(mapping::collective_request const& kind, known_kind& known) {
  way::verdict const found = is_alike_ ? group_->verdict_of(kind) : way::verdict::open;
  if (found == way::verdict::lost || (found == way::verdict::won && messages_ != MPI_COMM_NULL))
    return adopt(kind, known, found);
  // Predictions for a kind that trials of an earlier process left to MPI are not believed, even if a new trial is due.
  if (is_alike_ && found == way::verdict::open && group_->has_lost(kind)) return;
  std::uint64_t uses = 1;
  if (!known.asked) {
    prices_of_looking const& prices = process::self().looking();
    double const least = group_->least(kind), latency = group_->least({.operation = kind.operation});
    credit_ += share_of_looking * least;
    // No way takes less than the latency: where MPI's takes hardly more, there is nothing to ask.
    double const plain = group_->plain(kind), seconds = std::max(plain, least);
    if (!(plain > at_most(latency)) || credit_ < prices.deciding) return;
    credit_ -= prices.deciding;
    known.asked = group_->foresee(kind, is_alike_);
    uses += known.go.uses();
    // If uses take so long that they pay for telling, it begins now.
    double const paid_by = prices.telling / change_watch::share_of_watching;
    if (paid_by <= static_cast<double>(change_watch::uses_between) * seconds)
      known.watch.tell_soon(1, uses_until_heard(seconds));
  }
  auto const [plain, skel] = *known.asked;
  double const gain = found == way::verdict::open ? at_least(plain) - at_most(skel) : plain - skel;
  if (!(gain > 0)) return;
  won_ += gain * static_cast<double>(uses);
  believe(kind, known, plain, won_);
}

void known_communicator::believe(mapping::collective_request const& kind, known_kind& known, double plain, double won) {
  process const& run = process::self();
  if (messages_ == MPI_COMM_NULL && won < run.looking().communicator) return;
  make_messages();
  // Results of trials say more than predictions, and are the same on all ranks now.
  if (auto const tried = group_->verdict_of(kind); tried != way::verdict::open) return adopt(kind, known, tried);
  known.go.adopt(way::verdict::won);
  known.watch.begin_anew_below(plain, uses_until_heard(known.asked->skel));
  if (run.verbose() < 2 || !run.first()) return;
  tell_user(described(kind) + " is predicted to take " + microseconds(known.asked->skel) + ", MPI's way " +
            microseconds(plain) + "; it is taken");
}

void known_communicator::try_first(mapping::collective_request const& kind, known_kind& known, double won) {
  if (messages_ == MPI_COMM_NULL && won < process::self().looking().communicator) return;
  make_messages();
  if (auto const tried = group_->verdict_of(kind); tried != way::verdict::open) return adopt(kind, known, tried);
  known.go.adopt(way::verdict::won);
  known.go.try_again();
  known.watch.begin_anew();
}

void known_communicator::watch(mapping::collective_request const& kind, known_kind& known) {
  change_watch& times = known.watch;
  times.next();
  if (times.reads()) {
    double const start = MPI_Wtime();
    told_of_change const all = known.told->read();
    known.told.reset();
    times.spend(MPI_Wtime() - start);
    bool const are_others = times.hear(all);
    if (known.go.waits())
      decide(kind, known, all.seconds);
    else if (are_others)
      try_again(kind, known, all.seconds);
  }
  if (known.go.is_tried() || !times.begins()) return;
  double const start = MPI_Wtime();
  known.told = std::make_unique<agreement>(original_, times.say());
  times.spend(MPI_Wtime() - start);
}

void known_communicator::decide(mapping::collective_request const& kind, known_kind& known, double seconds) {
  process const& run = process::self();
  auto const uses = static_cast<double>(known.go.uses());
  if (!known.asked) {
    if (share_of_looking * seconds * uses < run.looking().deciding) return;
    known.asked = group_->foresee(kind, is_alike_);
  }
  auto const [plain, skel] = *known.asked;
  double const gain = (seconds - at_most(skel)) * uses;  // as many uses are to come as there have been
  if (gain > 0) {
    // Causes that make MPI's way slower than predicted, such as other work of the hosts, may slow skel's as well.
    if (plain > at_most(skel)) return believe(kind, known, seconds, gain);
    return try_first(kind, known, gain);
  }
  known.go.adopt(way::verdict::lost), group_->keep(kind, way::verdict::lost);
  if (run.verbose() < 2 || !run.first()) return;
  tell_user(described(kind) + " is left to MPI, whose way takes " + microseconds(seconds) +
            "; skel's is predicted to take " + microseconds(known.asked->skel));
}

void known_communicator::try_again(mapping::collective_request const& kind, known_kind& known, double seconds) {
  // On the machine as the models know it, skel's way may take no less than MPI's takes now: a lost kind stays lost.
  double const gain = seconds - at_most(group_->foresee(kind, is_alike_).skel);
  if (known.go.known() == way::verdict::lost && !(gain > 0)) return;
  // As many uses are to come as there have been.
  bool const pays = messages_ != MPI_COMM_NULL ||
                    gain * static_cast<double>(known.go.uses()) >= process::self().looking().communicator;
  if (!pays) return;
  make_messages();
  known.before = known.go.known();
  known.go.try_again();
  known.watch.begin_anew();
  if (process::self().verbose() < 2 || !process::self().first()) return;
  tell_user(described(kind) + " takes a different time now, " + microseconds(seconds) + "; it is tried again");
}

std::uint64_t known_communicator::uses_until_heard(double seconds) {
  double const uses = process::self().looking().agreeing / seconds;
  return static_cast<std::uint64_t>(std::clamp(std::ceil(uses), 1.0, static_cast<double>(change_watch::uses_between)));
}

void known_communicator::make_messages() {
  if (messages_ != MPI_COMM_NULL) return;
  if (!is_alike_) agree_on_group();
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(original_, &group);
  // Not a duplicate: copying would call the copy functions of the program's attributes.
  if (MPI_Comm_create(original_, group, &messages_) == MPI_SUCCESS)
    MPI_Comm_set_errhandler(messages_, MPI_ERRORS_ARE_FATAL);
  MPI_Group_free(&group);
}

void known_communicator::agree_on_group() {
  std::array<double, 2> events{group_->events(), -group_->events()};
  MPI_Allreduce(MPI_IN_PLACE, events.data(), static_cast<int>(events.size()), MPI_DOUBLE, MPI_MAX, original_);
  if (events[0] != -events[1]) group_->begin_anew();
  is_alike_ = true;
}

prices_of_looking known_communicator::look_at_prices(MPI_Comm among) {
  std::array<double, 5> seconds{};
  if (known_communicator* const known = of(among)) {
    // The work of a rank alone, on a core of its own: if ranks share cores, the work of others does not count.
    auto const alone = [](auto const& work) {
      std::int64_t const start = record::thread_ns();
      work();
      return 1e-9 * static_cast<double>(record::thread_ns() - start);
    };
    mapping::collective_request kind{
        .operation = plan::collective::allreduce, .bytes = std::uint64_t{1} << 10, .unit = sizeof(double)};
    auto const ask = [&] { known->group_->foresee(kind, known->is_alike_); };
    seconds[0] = alone(ask);
    kind.bytes <<= 10;
    seconds[1] = alone(ask);
    MPI_Barrier(among);
    double const start = MPI_Wtime();
    known->agree_on_group();
    seconds[4] = MPI_Wtime() - start;
    known->make_messages();
    seconds[2] = MPI_Wtime() - start;
    std::unique_ptr<agreement> told;
    for (int i = 0; i < 2; ++i)  // the first one warms up
      told.reset(), seconds[3] = alone([&] { told = std::make_unique<agreement>(among, told_of_change{}); });
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX, among);
  return {.beginning = seconds[0],
          .deciding = seconds[1],
          .communicator = seconds[2],
          .telling = seconds[3],
          .agreeing = seconds[4]};
}

std::pair<mapping::collective_request const, known_kind>* known_communicator::find_known(
    mapping::collective_request const& kind) {
  // Kinds beyond are left to MPI: all ranks have seen the same kinds.
  constexpr std::size_t most_kinds = 4096;
  auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    if (kinds_.size() == most_kinds) return nullptr;
    found = kinds_.try_emplace(kind).first;
    // Trials that nothing has called for may take as much as looking for a way.
    found->second.watch =
        change_watch(static_cast<double>(way::trial_uses) / share_of_looking * static_cast<double>(size_));
  }
  return &*found;
}

void known_communicator::adopt(mapping::collective_request const& kind, known_kind& known, way::verdict found) {
  known.go.adopt(found);
  if (found == way::verdict::won) known.watch.begin_anew();
  if (!group_->keep(kind, found) || process::self().verbose() < 2 || !process::self().first()) return;
  tell_user(described(kind) + " is " + (found == way::verdict::won ? "taken" : "left to MPI") +
      ", as an earlier process has found");
}

plan::rank_schedule const* known_communicator::chosen_steps(mapping::collective_request const& request) {
  mapping::collective_mapper* const mapper = group_->mapper();
  if (mapper == nullptr) return nullptr;
  try {
    if (process::self().verbose() > 0) {
      mapping::collective_decision const& decision = mapper->decide(mapping::class_of(request));
      tell(request, decision.name + ", predicted " + shown(1e3 * decision.predicted, 3) + " ms; " + decision.why);
    }
    return &mapper->steps(request, rank_);
  } catch (error const& problem) {
    tell(request, "left to MPI: " + std::string(problem.what()));
    return nullptr;
  }
}

plan::rank_schedule const* known_communicator::forced_steps(mapping::collective_request const& request) {
  auto const& all = process::self().forced();
  auto const wanted = all.find(request.operation);
  if (wanted == all.end()) return nullptr;
  auto const& [name, segment] = wanted->second;
  if (!legal(plan::find_algorithm(request.operation, name)->operands, request)) return nullptr;
  tell(request, name + (segment > 0 ? ", " + std::to_string(segment) + " B" : "") + ", as SKEL_MPI_ALGORITHM says");
  forced_ = plan::steps_of({.operation = request.operation, .algorithm = name, .segment = segment},
                           {.ranks = size_, .root = request.root, .bytes = request.bytes, .unit = request.unit}, rank_);
  return &forced_;
}

std::string known_communicator::described(mapping::collective_request const& request) const {
  return std::string(plan::name_of(request.operation)) + " of " + std::to_string(request.bytes) + " bytes among " +
         std::to_string(size_) + " ranks, root " + std::to_string(request.root);
}

void known_communicator::tell(mapping::collective_request const& request, std::string const& how) {
  if (!process::self().verbose() || !process::self().first()) return;
  if (!told_.emplace(request.operation, request.bytes, request.root).second) return;
  tell_user(described(request) + ": " + how);
}

}  // namespace skel::interpose
