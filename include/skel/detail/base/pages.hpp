#pragma once

#include <cstddef>

/// The memory of large arrays: huge pages, if they pay.
namespace skel {

/// A huge page of x86-64 [B].
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// The least rest after full huge pages that gets one of its own [B]: an eighth of it. Giving 64 small pages takes 95
/// us on the machine that we measured, a huge one 35 us. Even if small ones are given five times as fast, it costs no
/// more than it saves later (docs/decisions/19).
inline constexpr std::size_t least_of_huge_page = huge_page / 8;

/// Bytes of the huge pages of an array, with their unused room.
constexpr std::size_t in_huge_pages(std::size_t bytes) {
  std::size_t const rest = bytes % huge_page;
  return rest >= least_of_huge_page ? bytes - rest + huge_page : bytes - rest;
}

/// Bytes that an array keeps, to within a small page: the requested ones, or the huge pages that hold them.
constexpr std::size_t kept_bytes(std::size_t bytes) {
  std::size_t const huge = in_huge_pages(bytes);
  return huge > bytes ? huge : bytes;
}

}  // namespace skel
