#include "collective_engine.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <skel/detail/runtime/collective/collective.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/ranks/native.hpp>

namespace skel {

namespace {

/// Requests that are remembered to have been met for. All ranks forget them at the same time.
constexpr std::size_t most_met = 4096;

}  // namespace

runtime::collective_call call_of(mapping::collective_request const& request, combining const& combine) {
  std::uint64_t const types = combine ? combine.target_type().hash_code() : 0;  // of its name: the same on all ranks
  return {request.operation, request.bytes, request.root, request.unit, request.commutative, types};
}

void give_up(runtime::rendezvous& meeting) {
  meeting.fail("it threw: " + runtime::describe_failure({}).what);
}

collective_engine::collective_engine(runtime::communicator const& ranks, run_platform const& where,
                                     mapping::decision_setup const& as)
    : messages_(runtime::native(ranks)),
      meeting_(*ranks.meeting()),
      number_(ranks.number()),
      look_([&meeting = meeting_] { meeting.look(); }),
      rank_(static_cast<std::size_t>(ranks.rank())),
      mapper_(where.picture.machine(), where.host_of_rank),
      machine_(where) {
  mapper_.set_up(as);
  int* most_tag = nullptr;
  int found = 0;
  MPI_Comm_get_attr(messages_.get(), MPI_TAG_UB, &most_tag, &found);
  constexpr auto each = static_cast<std::int64_t>(runtime::strand_tags);
  if (found != 0) tags_ = static_cast<int>(std::max<std::int64_t>(1, (std::int64_t{*most_tag} + 1) / each));
}

mapping::collective_decision const& collective_engine::decide(mapping::collective_request const& request) {
  return mapper_.decide(mapping::class_of(request));
}

void collective_engine::perform(mapping::collective_request const& request, std::span<std::byte const> input,
                                std::span<std::byte> output, combining const& combine) {
  auto const call = call_of(request, combine);
  std::uint64_t const history = meeting_.begin(number_, call);
  int const tag = static_cast<int>(history % static_cast<std::uint64_t>(tags_) * runtime::strand_tags);
  if (news_ && is_look_due(request)) look_for_news(tag);
  auto const run = [&] {
    try {
      runtime::run_collective(messages_.get(), mapper_.steps(request, rank_), input, output, combine, tag, look_);
    } catch (...) {
      if (!meeting_.mistake()) give_up(meeting_);
      throw;
    }
  };
  bool const is_timed = mapper_.begin(request);
  if (met_.size() >= most_met) met_.clear();
  bool const is_new = met_.insert(runtime::hash_of(call)).second;
  if (is_new || is_timed) meeting_.meet();
  if (!is_timed) return run();
  // The delay of late ranks is no part of the time.
  auto const together =
      plan::find_algorithm(plan::collective::barrier, "dissemination")->make({.ranks = mapper_.ranks()});
  runtime::run_collective(messages_.get(), together.ranks[rank_], {}, {}, {}, tag, look_);
  double const start = MPI_Wtime();
  run();
  double const mine = MPI_Wtime() - start;
  mapper_.observe(request, slowest(mine, tag));
}

void collective_engine::take(std::string const& news) {
  if (machine_.take(read_news(news))) mapper_.turn_to(machine_.number(), machine_.machine());
}

/// Counts the use of a request, which begins.
bool collective_engine::is_look_due(mapping::collective_request const& request) {
  bool const is_first = !used_;
  double const look = mapper_.predicted({.operation = plan::collective::broadcast, .bytes = sizeof(std::uint64_t)});
  bool const is_due = is_first || look <= most_looking * *used_;
  if (is_due) used_ = 0;
  *used_ += mapper_.predicted(mapping::class_of(request));
  return is_due;
}

/// From rank 0 to all, as the mapper says.
void collective_engine::spread(std::span<std::byte> bytes, int tag) {
  mapping::collective_request const request{.operation = plan::collective::broadcast, .bytes = bytes.size()};
  runtime::run_collective(messages_.get(), mapper_.steps(request, rank_), bytes, bytes, {}, tag, look_);
}

void collective_engine::look_for_news(int tag) {
  std::string text;
  if (rank_ == 0) text = news_();
  std::uint64_t length = text.size();
  spread(std::as_writable_bytes(std::span(&length, 1)), tag);
  if (length == 0) return;
  text.resize(length);
  spread(std::as_writable_bytes(std::span(text)), tag);
  take(text);
}

/// Of all ranks. Waiting ranks check that the others come.
double collective_engine::slowest(double mine, int tag) {
  auto const way = plan::find_algorithm(plan::collective::allreduce, "recursive_doubling")
                       ->make({.ranks = mapper_.ranks(), .bytes = sizeof mine, .unit = sizeof mine});
  double all = 0;
  auto const most = [](std::span<std::byte const> received, std::span<std::byte> work, bool) {
    double theirs = 0, own = 0;
    std::memcpy(&theirs, received.data(), sizeof theirs);
    std::memcpy(&own, work.data(), sizeof own);
    own = std::max(own, theirs);
    std::memcpy(work.data(), &own, sizeof own);
  };
  runtime::run_collective(messages_.get(), way.ranks[rank_], std::as_bytes(std::span(&mine, 1)),
                          std::as_writable_bytes(std::span(&all, 1)), most, tag, look_);
  return all;
}

}  // namespace skel
