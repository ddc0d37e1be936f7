#include "datatype.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

namespace skel::interpose {
namespace {

/// The classes of predefined types that MPI 3.1 names in section 5.9.2, and MAXLOC's pairs.
enum kind : unsigned {
  integer = 1,
  fortran_integer = 2,
  floating = 4,
  logical = 8,
  complex = 16,
  byte = 32,
  pair = 64
};

using kinds_by_type = std::unordered_map<MPI_Datatype, unsigned>;

kinds_by_type make_kinds() {
  kinds_by_type result;
  auto const add = [&](kind what, std::initializer_list<MPI_Datatype> types) {
    for (MPI_Datatype type : types)
      if (type != MPI_DATATYPE_NULL) result.emplace(type, what);
  };
  add(integer, {MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG,
                MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T,
                MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T});
  add(fortran_integer, {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8});
  add(floating, {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8});
  add(logical, {MPI_LOGICAL, MPI_C_BOOL, MPI_CXX_BOOL});
  add(complex, {MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
                MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX});
  add(byte, {MPI_BYTE});
  add(pair, {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL,
             MPI_2DOUBLE_PRECISION, MPI_2INTEGER});
  return result;
}

unsigned kind_of(MPI_Datatype type) {
  static kinds_by_type const* const all = new kinds_by_type(make_kinds());
  auto const at = all->find(type);
  return at == all->end() ? 0 : at->second;
}

struct predefined {
  MPI_Op op;
  unsigned defined_on;
};

predefined const* find_predefined(MPI_Op op) {
  constexpr unsigned integers = integer | fortran_integer;
  static std::vector<predefined> const* const all = new std::vector<predefined>{
      {MPI_MAX, integers | floating},
      {MPI_MIN, integers | floating},
      {MPI_SUM, integers | floating | complex},
      {MPI_PROD, integers | floating | complex},
      {MPI_LAND, integer | logical},
      {MPI_LOR, integer | logical},
      {MPI_LXOR, integer | logical},
      {MPI_BAND, integers | byte},
      {MPI_BOR, integers | byte},
      {MPI_BXOR, integers | byte},
      {MPI_MAXLOC, pair},
      {MPI_MINLOC, pair},
      {MPI_REPLACE, 0},
      {MPI_NO_OP, 0},
  };
  auto const at = std::ranges::find(*all, op, &predefined::op);
  return at == all->end() ? nullptr : &*at;
}

/// Elements at a time that are unpacked, combined and packed again: all three stay in a core's cache.
constexpr std::uint64_t block_bytes = std::uint64_t{1} << 15;

/// Memory for elements as the program has them.
class room {
 public:
  room(layout const& type, std::uint64_t count) {
    std::int64_t const last = static_cast<std::int64_t>(count - 1) * type.extent;
    std::int64_t const begin = std::min<std::int64_t>(last, 0) + type.first;
    std::int64_t const end = std::max<std::int64_t>(last, 0) + type.end;
    // Elements are as aligned as an array of them that the program has allocated.
    constexpr std::int64_t align = alignof(std::max_align_t);
    std::int64_t const shift = ((begin % align) + align) % align;
    memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(end - begin + shift));
    at_ = memory_.get() + (shift - begin);
  }
  std::byte* at() const { return at_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::byte* at_;
};

class combiner {
 public:
  combiner(reduction const& what, known_communicator const& among) : what_(what), among_(&among) {}

  void operator()(std::span<std::byte const> received, std::span<std::byte> work, bool received_first) const {
    std::uint64_t const size = what_.type.size;
    std::uint64_t const most = what_.type.dense ? std::max<std::uint64_t>(1, (std::uint64_t{1} << 30) / size)
                                                : std::max<std::uint64_t>(1, block_bytes / size);
    for (std::uint64_t count = work.size() / size; count > 0;) {
      std::uint64_t const now = std::min(count, most);
      block(received.data(), work.data(), now, received_first || what_.commutative);
      received = received.subspan(now * size), work = work.subspan(now * size);
      count -= now;
    }
  }

 private:
  /// second = first (op) second
  void apply(void const* first, void* second, std::uint64_t count) const {
    MPI_Reduce_local(first, second, static_cast<int>(count), what_.type.type, what_.op);
  }

  void block(std::byte const* received, std::byte* work, std::uint64_t count, bool received_first) const {
    std::uint64_t const bytes = count * what_.type.size;
    if (!what_.type.dense) {
      room const theirs(what_.type, count), mine(what_.type, count);
      elements const their_elements{theirs.at(), count, what_.type}, my_elements{mine.at(), count, what_.type};
      unpack(received, their_elements, *among_);
      unpack(work, my_elements, *among_);
      apply(received_first ? theirs.at() : mine.at(), received_first ? mine.at() : theirs.at(), count);
      pack(received_first ? my_elements : their_elements, work, *among_);
    } else if (received_first) {
      apply(received, work, count);
    } else {
      auto const result = std::make_unique_for_overwrite<std::byte[]>(bytes);
      std::memcpy(result.get(), received, bytes);
      apply(work, result.get(), count);
      std::memcpy(work, result.get(), bytes);
    }
  }

  reduction what_;
  known_communicator const* among_;
};

}  // namespace

std::optional<reduction> reduction_of(MPI_Op op, layout const& type) {
  if (op == MPI_OP_NULL) return std::nullopt;
  reduction result{.op = op, .type = type};
  if (predefined const* const known = find_predefined(op)) {
    if ((kind_of(type.type) & known->defined_on) == 0) return std::nullopt;
    return result;
  }
  int commutes = 0;
  if (MPI_Op_commutative(op, &commutes) != MPI_SUCCESS) return std::nullopt;
  result.commutative = commutes != 0;
  return result;
}

runtime::combine_function combine_by(reduction const& what, known_communicator const& among) {
  return combiner(what, among);
}

}  // namespace skel::interpose
