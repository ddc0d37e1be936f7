#include "serve.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "datatype.hpp"
#include "known_communicator.hpp"
#include "process.hpp"

namespace skel::interpose {
namespace {

using mapping::collective_request;
using plan::collective;

/// A use of a collective, from the decision which way it goes until it is done.
class stage {
 public:
  stage(MPI_Comm among, collective_request const& request) : known_(known_communicator::of(among)) {
    if (known_ != nullptr) use_ = known_->begin(request);
  }

  explicit operator bool() const { return use_.steps != nullptr; }
  plan::rank_schedule const& steps() const { return *use_.steps; }
  known_communicator& known() const { return *known_; }
  std::size_t rank() const { return known_->rank(); }

  answer left_to_mpi() const { return {.among = known_, .timed = use_}; }
  answer served() const {
    known_->end(use_);
    return {.served = true};
  }

 private:
  known_communicator* known_;
  begun_use use_{};
};

bool is_rank(int root, MPI_Comm among) {
  int size = 0;
  return root >= 0 && MPI_Comm_size(among, &size) == MPI_SUCCESS && root < size;
}
int size_of(MPI_Comm among) {
  int size = 1;
  MPI_Comm_size(among, &size);
  return size;
}
int rank_in(MPI_Comm among) {
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  return rank;
}

/// The program's elements, if that is what they are.
std::optional<elements> elements_at(void const* at, int count, MPI_Datatype type) {
  if (count < 0 || at == MPI_IN_PLACE) return std::nullopt;
  auto const how = layout_of(type);
  if (!how) return std::nullopt;
  return elements{const_cast<void*>(at), static_cast<std::uint64_t>(count), *how};
}

/// A reduction to one rank, or to all where there is no root.
answer reduce_to(std::optional<int> root, void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm among) {
  bool const gets = !root || rank_in(among) == *root, in_place = send == MPI_IN_PLACE;
  if (in_place && !gets) return {};
  auto const from = elements_at(in_place ? receive : send, count, type);
  if (!from || from->bytes() == 0 || (gets && receive == MPI_IN_PLACE)) return {};
  // MPI lets one element pass where all ranks get it.
  bool const aliased = gets && !in_place && send == receive && (root || count > 1);
  if (aliased && process::self().mpi_refuses_aliases()) return {};
  auto const what = reduction_of(op, from->type);
  if (!what) return {};
  collective_request const request{.operation = root ? collective::reduce : collective::allreduce,
                                   .bytes = from->bytes(),
                                   .root = static_cast<std::size_t>(root.value_or(0)),
                                   .unit = from->type.size,
                                   .commutative = what->commutative};
  stage const on(among, request);
  if (!on) return on.left_to_mpi();
  elements const to{receive, from->count, from->type};
  row const input = row::of(*from, on.known());
  row const output = gets ? row::for_(to) : row::aside(0);
  runtime::run_collective(on.known().messages(), on.steps(), input.bytes(), output.bytes(),
                          combine_by(*what, on.known()));
  if (gets) output.give_back(to, on.known());
  return on.served();
}

/// The elements that a rank gives and gets in a collective that moves data without changing it. Absent: it gives or
/// gets nothing, or, in place, gets its own.
struct movement {
  std::optional<elements> gives{}, gets{};
  bool overlaps = false;  ///< received elements replace given ones
};

answer move(collective_request const& request, movement const& what, MPI_Comm among) {
  stage const on(among, request);
  if (!on) return on.left_to_mpi();
  row input = row::aside(0), output = row::aside(0);
  if (what.gives && what.overlaps) {
    input = row::aside(what.gives->bytes());
    pack(*what.gives, input.bytes().data(), on.known());
  } else if (what.gives) {
    input = row::of(*what.gives, on.known());
  }
  std::uint64_t unloaded = 0;  // unwanted data needs a place too
  for (plan::copy const& c : on.steps().unload) unloaded = std::max(unloaded, c.to + c.bytes);
  output = what.gets ? row::for_(*what.gets) : row::aside(unloaded);
  runtime::run_collective(on.known().messages(), on.steps(), input.bytes(), output.bytes());
  if (what.gets) output.give_back(*what.gets, on.known());
  return on.served();
}

/// So many times as many.
elements times(elements what, int ranks) {
  what.count *= static_cast<std::uint64_t>(ranks);
  return what;
}

}  // namespace

answer broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm among) {
  auto const what = elements_at(buffer, count, type);
  if (!what || what->bytes() == 0 || !is_rank(root, among)) return {};
  collective_request const request{
      .operation = collective::broadcast, .bytes = what->bytes(), .root = static_cast<std::size_t>(root)};
  stage const on(among, request);
  if (!on) return on.left_to_mpi();
  bool const has = on.rank() == request.root;
  row const place = has ? row::of(*what, on.known()) : row::for_(*what);
  runtime::run_collective(on.known().messages(), on.steps(), place.bytes(), place.bytes());
  if (!has) place.give_back(*what, on.known());
  return on.served();
}

answer reduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm among) {
  if (!is_rank(root, among)) return {};
  return reduce_to(root, send, receive, count, type, op, among);
}

answer allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm among) {
  return reduce_to(std::nullopt, send, receive, count, type, op, among);
}

answer scatter(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm among) {
  if (!is_rank(root, among)) return {};
  bool const has = rank_in(among) == root, in_place = receive == MPI_IN_PLACE;
  if (in_place && !has) return {};
  auto const given = has ? elements_at(send, send_count, send_type) : std::nullopt;
  auto const got = in_place ? std::nullopt : elements_at(receive, receive_count, receive_type);
  if ((has && !given) || (!in_place && !got)) return {};
  std::uint64_t const bytes = has ? given->bytes() : got->bytes();
  if (bytes == 0 || (got && got->bytes() != bytes)) return {};
  movement what{.gets = got};
  if (has) what.gives = times(*given, size_of(among));
  return move({.operation = collective::scatter, .bytes = bytes, .root = static_cast<std::size_t>(root)}, what, among);
}

answer gather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
              MPI_Datatype receive_type, int root, MPI_Comm among) {
  if (!is_rank(root, among)) return {};
  bool const gets = rank_in(among) == root, in_place = send == MPI_IN_PLACE;
  if (in_place && !gets) return {};
  auto const got = gets ? elements_at(receive, receive_count, receive_type) : std::nullopt;
  auto const given = in_place ? std::nullopt : elements_at(send, send_count, send_type);
  if ((gets && !got) || (!in_place && !given)) return {};
  std::uint64_t const bytes = gets ? got->bytes() : given->bytes();
  if (bytes == 0 || (given && given->bytes() != bytes)) return {};
  movement what{.gives = given};
  if (gets) what.gets = times(*got, size_of(among));
  if (in_place) what.gives = got->from(static_cast<std::uint64_t>(root) * got->count, got->count), what.overlaps = true;
  return move({.operation = collective::gather, .bytes = bytes, .root = static_cast<std::size_t>(root)}, what, among);
}

answer allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm among) {
  bool const in_place = send == MPI_IN_PLACE;
  auto const got = elements_at(receive, receive_count, receive_type);
  auto const given = in_place ? got : elements_at(send, send_count, send_type);
  if (!got || !given || got->bytes() == 0 || given->bytes() != got->bytes()) return {};
  movement what{.gives = given, .gets = times(*got, size_of(among)), .overlaps = in_place};
  if (in_place) what.gives = got->from(static_cast<std::uint64_t>(rank_in(among)) * got->count, got->count);
  return move({.operation = collective::allgather, .bytes = got->bytes()}, what, among);
}

answer alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, MPI_Comm among) {
  bool const in_place = send == MPI_IN_PLACE;
  auto const got = elements_at(receive, receive_count, receive_type);
  auto const given = in_place ? got : elements_at(send, send_count, send_type);
  if (!got || !given || got->bytes() == 0 || given->bytes() != got->bytes()) return {};
  movement const what{
      .gives = times(*given, size_of(among)), .gets = times(*got, size_of(among)), .overlaps = in_place};
  return move({.operation = collective::alltoall, .bytes = got->bytes()}, what, among);
}

answer barrier(MPI_Comm among) {
  return move({.operation = collective::barrier}, {}, among);
}

}  // namespace skel::interpose
