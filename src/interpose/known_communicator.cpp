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
#include <skel/detail/base/tell_user.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/collective_plan.hpp>

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

/// What a prediction is hardly wrong by: twice what is expected.
double surely(double predicted) {
  return predicted * std::exp(2 * mapping::usual_error);
}

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
  if (!one_host_ || run.always() || !run.forced().empty()) group_ = run.knowledge_of(ranks);
}

known_communicator::~known_communicator() {
  // MPI_Finalize frees what is left, and allows no more calls when it deletes the attributes of MPI_COMM_WORLD.
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
    if (use.known->go.is_settled()) watch(*use.kind, *use.known);
    use.how = use.known->go.next();
    if (use.how.timed == way::timing::together && !has_met) meet({});
    if (use.how.skel) use.steps = chosen_steps(request);
  }
  if (use.steps != nullptr && messages_ == MPI_COMM_NULL) make_messages();
  if (use.how.timed != way::timing::none) use.start = MPI_Wtime();
  return use;
}

void known_communicator::end(begun_use const& use) {
  if (use.how.timed == way::timing::none) return;
  double const seconds = MPI_Wtime() - use.start;
  way& go = use.known->go;
  if (use.how.timed == way::timing::alone) return go.is_settled() ? use.known->watch.took(seconds) : go.spend(seconds);
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
  mapping::collective_request const request{
      .operation = plan::collective::allreduce, .bytes = sizeof mine, .unit = sizeof(double)};
  plan::rank_schedule const* steps = nullptr;
  try {
    if (auto* const mapper = group_->mapper(); mapper != nullptr) steps = &mapper->steps(request, rank_);
  } catch (error const&) {  // no way between these clusters
  }
  if (steps == nullptr) {
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, original_);
    return mine;
  }
  if (messages_ == MPI_COMM_NULL) make_messages();
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
  // What the group knows is not the same on all ranks, what they tell each other has to be.
  if (found != before) known.watch.begin_anew();
  bool const is_other = group_->verdict_of(kind) != found;
  if (is_again) {
    auto const [better, worse] = std::minmax({go.skel_seconds(), go.plain_seconds()});
    double const uses = static_cast<double>(way::uses_again) * (1 + met / worse);
    known.watch.was_tried(found == known.before, uses, worse / better, share_of_looking);
    known.before = way::verdict::open;
  }
  if (is_other) group_->keep(kind, found);
  if (!(is_again || is_other) || process::self().verbose() < 2 || !process::self().first()) return;
  tell_user(described(kind) + " was tried" + (is_again ? " again" : "") + ": " + microseconds(go.skel_seconds()) +
      ", MPI's way " + microseconds(go.plain_seconds()) + "; it is " +
      (found == way::verdict::won ? "taken" : "left to MPI"));
}

void known_communicator::watch(mapping::collective_request const& kind, known_kind& known) {
  change_watch& times = known.watch;
  times.next();
  if (times.reads()) {
    double const start = MPI_Wtime();
    told_of_change const all = known.told->read();
    known.told.reset();
    times.spend(MPI_Wtime() - start);
    if (times.hear(all)) try_again(kind, known, all.seconds);
  }
  if (!known.go.is_settled() || !times.begins()) return;
  double const start = MPI_Wtime();
  known.told = std::make_unique<agreement>(original_, times.say());
  times.spend(MPI_Wtime() - start);
}

void known_communicator::try_again(mapping::collective_request const& kind, known_kind& known, double seconds) {
  // The models know the machine as it was, where skel's way may take less than MPI's takes now, or takes no less.
  double const gain = seconds - surely(predict(kind));
  if (known.go.known() == way::verdict::lost && !(gain > 0)) return;
  // As many uses are to come as there have been.
  bool const pays = messages_ != MPI_COMM_NULL ||
                    gain * static_cast<double>(known.go.uses()) >= process::self().looking().communicator;
  if (!pays) return;
  known.before = known.go.known();
  known.go.try_again();
  known.watch.begin_anew();
  if (process::self().verbose() < 2 || !process::self().first()) return;
  tell_user(described(kind) + " takes a different time now, " + microseconds(seconds) + "; it is tried again");
}

void known_communicator::make_messages() {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(original_, &group);
  // Not a duplicate: copying would call the copy functions of the program's attributes.
  if (MPI_Comm_create(original_, group, &messages_) == MPI_SUCCESS)
    MPI_Comm_set_errhandler(messages_, MPI_ERRORS_ARE_FATAL);
  MPI_Group_free(&group);
}

prices_of_looking known_communicator::look_at_prices(MPI_Comm among) {
  known_communicator probe(among);
  double seconds[] = {0, 0};
  if (probe.is_served()) {
    double const start = MPI_Wtime();
    if (probe.group_->mapper() != nullptr) static_cast<void>(probe.group_->mapper()->predicted({.bytes = 1024}));
    seconds[0] = MPI_Wtime() - start;
    MPI_Barrier(among);
    double const together = MPI_Wtime();
    probe.make_messages();
    MPI_Comm_free(&probe.messages_);
    seconds[1] = MPI_Wtime() - together;
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, among);
  return {.deciding = seconds[0], .communicator = seconds[1]};
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
        change_watch(static_cast<double>(way::uses_again) / share_of_looking * static_cast<double>(size_));
    waiting_.push_back(kind);
  }
  constexpr std::uint64_t first_review = 16;
  if (found->second.go.waits() && ++calls_ >= first_review && std::has_single_bit(calls_)) review();
  return &*found;
}

void known_communicator::review() {
  // What ranks have kept of a group that had no communicator for a while is not the same on all.
  auto const kept = group_->observed();
  std::vector<double> agreed{kept, -kept};
  for (mapping::collective_request const& kind : waiting_) {
    auto const known = static_cast<double>(group_->verdict_of(kind));
    agreed.insert(agreed.end(), {kinds_.at(kind).go.spent(), known, -known});
  }
  MPI_Allreduce(MPI_IN_PLACE, agreed.data(), static_cast<int>(agreed.size()), MPI_DOUBLE, MPI_MAX, original_);
  if (agreed[0] != -agreed[1]) group_->forget_times();
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    double const spent = agreed[3 * i + 2], most = agreed[3 * i + 3], least = -agreed[3 * i + 4];
    way& which = kinds_.at(waiting_[i]).go;
    if (most == least && most > 0)
      adopt(waiting_[i], which, static_cast<way::verdict>(most));
    else if (which.uses() > 0 && share_of_looking * spent >= process::self().looking().deciding)
      decide(waiting_[i], which, spent / static_cast<double>(which.uses()));
  }
  std::erase_if(waiting_, [&](auto const& kind) { return !kinds_.at(kind).go.waits(); });
}

void known_communicator::adopt(mapping::collective_request const& kind, way& which, way::verdict found) {
  which.adopt(found);
  if (!group_->keep(kind, found) || process::self().verbose() < 2 || !process::self().first()) return;
  tell_user(described(kind) + " is " + (found == way::verdict::won ? "taken" : "left to MPI") +
      ", as an earlier process has found");
}

double known_communicator::predict(mapping::collective_request const& kind) const {
  try {
    if (mapping::collective_mapper* const mapper = group_->mapper(); mapper != nullptr) return mapper->predicted(kind);
  } catch (error const&) {  // no way between these clusters
  }
  return std::numeric_limits<double>::infinity();
}

void known_communicator::decide(mapping::collective_request const& kind, way& which, double seconds) {
  double const predicted = predict(kind), gain = seconds - surely(predicted);
  if (gain > 0) {
    // As many uses are to come as there have been.
    bool const pays = messages_ != MPI_COMM_NULL ||
                      gain * static_cast<double>(which.uses()) >= process::self().looking().communicator;
    if (pays) which.try_it();
    return;
  }
  which.adopt(way::verdict::lost), group_->keep(kind, way::verdict::lost);
  if (process::self().verbose() < 2 || !process::self().first()) return;
  tell_user(described(kind) + " is left to MPI, whose way takes " + microseconds(seconds) +
      "; skel's is predicted to take " + microseconds(predicted));
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
