#include "serve.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "datatype.hpp"
#include "known_communicator.hpp"
#include "operator.hpp"

namespace skel::interpose {
namespace {

using mapping::collective_request;
using plan::collective;

/// A communicator on which collectives are served.
class stage {
 public:
  explicit stage(MPI_Comm among) : known_(known_communicator::of(among)) {}

  explicit operator bool() const { return known_ != nullptr; }
  known_communicator& known() const { return *known_; }
  std::size_t size() const { return known_->size(); }
  std::size_t rank() const { return known_->rank(); }

 private:
  known_communicator* known_;
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
bool reduce_to(std::optional<int> root, void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm among) {
  bool const gets = !root || rank_in(among) == *root, in_place = send == MPI_IN_PLACE;
  if (in_place && !gets) return false;
  auto const from = elements_at(in_place ? receive : send, count, type);
  if (!from || from->bytes() == 0 || (gets && receive == MPI_IN_PLACE)) return false;
  auto const what = reduction_of(op, from->type);
  if (!what) return false;
  stage const on(among);
  if (!on) return false;
  collective_request const request{.operation = root ? collective::reduce : collective::allreduce,
                                   .bytes = from->bytes(),
                                   .root = static_cast<std::size_t>(root.value_or(0)),
                                   .unit = from->type.size,
                                   .commutative = what->commutative};
  plan::rank_schedule const* const steps = on.known().steps(request);
  if (steps == nullptr) return false;
  elements const to{receive, from->count, from->type};
  row const input = row::of(*from, on.known());
  row const output = gets ? row::for_(to) : row::aside(0);
  runtime::run_collective(on.known().messages(), *steps, input.bytes(), output.bytes(), combine_by(*what, on.known()));
  if (gets) output.give_back(to, on.known());
  return true;
}

/// What a rank gives and gets in a collective that moves data without changing it. Absent: it gives or gets nothing,
/// or, in place, gets what it has.
struct movement {
  std::optional<elements> gives{}, gets{};
  bool overlaps = false;  ///< what is got comes where what is given stands
};

bool move(collective_request const& request, movement const& what, MPI_Comm among) {
  stage const on(among);
  if (!on) return false;
  plan::rank_schedule const* const steps = on.known().steps(request);
  if (steps == nullptr) return false;
  row input = row::aside(0), output = row::aside(0);
  if (what.gives && what.overlaps) {
    input = row::aside(what.gives->bytes());
    pack(*what.gives, input.bytes().data(), on.known());
  } else if (what.gives) {
    input = row::of(*what.gives, on.known());
  }
  std::uint64_t unloaded = 0;  // what is not wanted needs a place too
  for (plan::copy const& c : steps->unload) unloaded = std::max(unloaded, c.to + c.bytes);
  output = what.gets ? row::for_(*what.gets) : row::aside(unloaded);
  runtime::run_collective(on.known().messages(), *steps, input.bytes(), output.bytes());
  if (what.gets) output.give_back(*what.gets, on.known());
  return true;
}

/// So many times as many.
elements times(elements what, int ranks) {
  what.count *= static_cast<std::uint64_t>(ranks);
  return what;
}

}  // namespace

bool broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm among) {
  auto const what = elements_at(buffer, count, type);
  if (!what || what->bytes() == 0 || !is_rank(root, among)) return false;
  stage const on(among);
  if (!on) return false;
  collective_request const request{
      .operation = collective::broadcast, .bytes = what->bytes(), .root = static_cast<std::size_t>(root)};
  plan::rank_schedule const* const steps = on.known().steps(request);
  if (steps == nullptr) return false;
  bool const has = on.rank() == request.root;
  row const place = has ? row::of(*what, on.known()) : row::for_(*what);
  runtime::run_collective(on.known().messages(), *steps, place.bytes(), place.bytes());
  if (!has) place.give_back(*what, on.known());
  return true;
}

bool reduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm among) {
  return is_rank(root, among) && reduce_to(root, send, receive, count, type, op, among);
}

bool allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm among) {
  return reduce_to(std::nullopt, send, receive, count, type, op, among);
}

bool scatter(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
             MPI_Datatype receive_type, int root, MPI_Comm among) {
  if (!is_rank(root, among)) return false;
  bool const has = rank_in(among) == root, in_place = receive == MPI_IN_PLACE;
  if (in_place && !has) return false;
  auto const given = has ? elements_at(send, send_count, send_type) : std::nullopt;
  auto const got = in_place ? std::nullopt : elements_at(receive, receive_count, receive_type);
  if ((has && !given) || (!in_place && !got)) return false;
  std::uint64_t const bytes = has ? given->bytes() : got->bytes();
  if (bytes == 0 || (got && got->bytes() != bytes)) return false;
  movement what{.gets = got};
  if (has) what.gives = times(*given, size_of(among));
  return move({.operation = collective::scatter, .bytes = bytes, .root = static_cast<std::size_t>(root)}, what, among);
}

bool gather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
            MPI_Datatype receive_type, int root, MPI_Comm among) {
  if (!is_rank(root, among)) return false;
  bool const gets = rank_in(among) == root, in_place = send == MPI_IN_PLACE;
  if (in_place && !gets) return false;
  auto const got = gets ? elements_at(receive, receive_count, receive_type) : std::nullopt;
  auto const given = in_place ? std::nullopt : elements_at(send, send_count, send_type);
  if ((gets && !got) || (!in_place && !given)) return false;
  std::uint64_t const bytes = gets ? got->bytes() : given->bytes();
  if (bytes == 0 || (given && given->bytes() != bytes)) return false;
  movement what{.gives = given};
  if (gets) what.gets = times(*got, size_of(among));
  if (in_place) what.gives = got->from(static_cast<std::uint64_t>(root) * got->count, got->count), what.overlaps = true;
  return move({.operation = collective::gather, .bytes = bytes, .root = static_cast<std::size_t>(root)}, what, among);
}

bool allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, MPI_Comm among) {
  bool const in_place = send == MPI_IN_PLACE;
  auto const got = elements_at(receive, receive_count, receive_type);
  auto const given = in_place ? got : elements_at(send, send_count, send_type);
  if (!got || !given || got->bytes() == 0 || given->bytes() != got->bytes()) return false;
  movement what{.gives = given, .gets = times(*got, size_of(among)), .overlaps = in_place};
  if (in_place) what.gives = got->from(static_cast<std::uint64_t>(rank_in(among)) * got->count, got->count);
  return move({.operation = collective::allgather, .bytes = got->bytes()}, what, among);
}

bool alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
              MPI_Datatype receive_type, MPI_Comm among) {
  bool const in_place = send == MPI_IN_PLACE;
  auto const got = elements_at(receive, receive_count, receive_type);
  auto const given = in_place ? got : elements_at(send, send_count, send_type);
  if (!got || !given || got->bytes() == 0 || given->bytes() != got->bytes()) return false;
  movement const what{
      .gives = times(*given, size_of(among)), .gets = times(*got, size_of(among)), .overlaps = in_place};
  return move({.operation = collective::alltoall, .bytes = got->bytes()}, what, among);
}

bool barrier(MPI_Comm among) {
  return move({.operation = collective::barrier}, {}, among);
}

}  // namespace skel::interpose
