#pragma once

#include <cstddef>

/// How much memory large arrays are given: huge pages, where they pay.
namespace skel {

/// A huge page of x86-64 [B].
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// From so much on what is left over after full huge pages gets one of its own [B]: an eighth of it. Giving 64 small
/// pages takes 95 us on the machine that we measured, a huge one 35 us, and where small ones are given five times as
/// fast it costs no more than it saves later (docs/decisions/19).
inline constexpr std::size_t least_of_huge_page = huge_page / 8;

/// Bytes of an array that lie in huge pages, with what room these have for more.
constexpr std::size_t in_huge_pages(std::size_t bytes) {
  std::size_t const rest = bytes % huge_page;
  return rest >= least_of_huge_page ? bytes - rest + huge_page : bytes - rest;
}

/// What an array keeps, but for less than a small page: what was asked for, or the huge pages that hold it.
constexpr std::size_t kept_bytes(std::size_t bytes) {
  std::size_t const huge = in_huge_pages(bytes);
  return huge > bytes ? huge : bytes;
}

}  // namespace skel
