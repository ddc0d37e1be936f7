#include "datatype.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <optional>
#include <vector>

#include "process.hpp"

namespace skel::interpose {
namespace {

int combiner_of(MPI_Datatype type, int& integers, int& addresses, int& types) {
  int combiner = MPI_COMBINER_NAMED;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner;
}

bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0;
  return combiner_of(type, integers, addresses, types) == MPI_COMBINER_NAMED;
}

/// True if the data of one element is in a row, in the order of its type map. That is so for a predefined type without
/// gaps, or any number of them behind each other. Other types may be in a row, too, but are packed.
bool in_a_row(MPI_Datatype type) {
  MPI_Count size = 0, lower = 0, extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lower, &extent);
  if (size != extent || lower != 0) return false;
  int integers = 0, addresses = 0, types = 0;
  int const combiner = combiner_of(type, integers, addresses, types);
  if (combiner == MPI_COMBINER_NAMED) return true;
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return false;
  std::vector<int> ints(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses));
  MPI_Datatype part = MPI_DATATYPE_NULL;
  MPI_Type_get_contents(type, integers, addresses, 1, ints.data(), places.data(), &part);
  bool const result = in_a_row(part);
  if (!is_named(part)) MPI_Type_free(&part);
  return result;
}

/// Types of a gibibyte and more are rare; MPI_Pack, whose counts are int, cannot take them.
constexpr std::uint64_t most_packed = std::uint64_t{1} << 30;

/// Some elements at a time, as many as MPI can count in bytes.
template <class Each>
void for_each_part(elements const& all, Each&& each) {
  std::uint64_t const most = std::max<std::uint64_t>(1, most_packed / std::max<std::uint64_t>(1, all.type.size));
  for (std::uint64_t i = 0; i < all.count; i += most)
    each(all.from(i, std::min(most, all.count - i)), i * all.type.size);
}

/// So many bytes as one element.
class packed_type {
 public:
  explicit packed_type(std::uint64_t bytes) {
    constexpr std::uint64_t piece = most_packed;
    auto const rest = static_cast<int>(bytes % piece);
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(piece), MPI_PACKED, &block);
    int const lengths[] = {static_cast<int>(bytes / piece), rest};
    MPI_Aint const places[] = {0, static_cast<MPI_Aint>(bytes - static_cast<std::uint64_t>(rest))};
    MPI_Datatype const types[] = {block, MPI_PACKED};
    MPI_Type_create_struct(2, lengths, places, types, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&block);
  }
  ~packed_type() { MPI_Type_free(&type_); }
  packed_type(packed_type const&) = delete;
  packed_type& operator=(packed_type const&) = delete;

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// A message of this rank to itself.
void convey(void const* from, MPI_Datatype as, void* to, MPI_Datatype into, known_communicator const& among) {
  auto const me = static_cast<int>(among.rank());
  constexpr int tag = known_communicator::free_tag;
  MPI_Sendrecv(from, 1, as, me, tag, to, 1, into, me, tag, among.messages(), MPI_STATUS_IGNORE);
}

}  // namespace

std::optional<layout> layout_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return std::nullopt;
  bool const named = is_named(type);
  if (!named) {
    char nothing = 0;
    int position = 0;
    if (MPI_Pack(&nothing, 0, type, &nothing, 1, &position, process::self().alone()) != MPI_SUCCESS)
      return std::nullopt;
  }
  MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lower, &extent);
  MPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
  return layout{.type = type,
                .size = static_cast<std::uint64_t>(size),
                .extent = extent,
                .first = true_lower,
                .end = true_lower + true_extent,
                .dense = in_a_row(type)};
}

void pack(elements const& from, std::byte* to, known_communicator const& among) {
  if (from.bytes() == 0) return;
  if (from.type.dense) {
    std::memcpy(to, from.at, from.bytes());
    return;
  }
  for_each_part(from, [&](elements const& part, std::uint64_t offset) {
    if (part.bytes() > most_packed) {
      convey(part.at, part.type.type, to + offset, packed_type(part.bytes()).get(), among);
      return;
    }
    int position = 0;
    MPI_Pack(part.at, static_cast<int>(part.count), part.type.type, to + offset, static_cast<int>(part.bytes()),
             &position, process::self().alone());
  });
}

void unpack(std::byte const* from, elements const& to, known_communicator const& among) {
  if (to.bytes() == 0) return;
  if (to.type.dense) {
    std::memcpy(to.at, from, to.bytes());
    return;
  }
  for_each_part(to, [&](elements const& part, std::uint64_t offset) {
    if (part.bytes() > most_packed) {
      convey(from + offset, packed_type(part.bytes()).get(), part.at, part.type.type, among);
      return;
    }
    int position = 0;
    MPI_Unpack(from + offset, static_cast<int>(part.bytes()), &position, part.at, static_cast<int>(part.count),
               part.type.type, process::self().alone());
  });
}

row row::of(elements const& what, known_communicator const& among) {
  row result = for_(what);
  if (result.own_) pack(what, result.own_.get(), among);
  return result;
}

row row::for_(elements const& what) {
  if (!what.type.dense) return aside(what.bytes());
  row result;
  result.bytes_ = {static_cast<std::byte*>(what.at), what.bytes()};
  return result;
}

row row::aside(std::uint64_t bytes) {
  row result;
  result.own_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  result.bytes_ = {result.own_.get(), bytes};
  return result;
}

}  // namespace skel::interpose
