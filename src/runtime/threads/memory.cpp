#include <skel/detail/runtime/threads/memory.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/pages.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel::runtime {

namespace {

/// The address sanitizer sees writes beyond memory of the heap only.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SKEL_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SKEL_ADDRESS_SANITIZER 1
#endif
#if defined(SKEL_ADDRESS_SANITIZER)
constexpr std::size_t least_mapped = std::numeric_limits<std::size_t>::max();
#else
constexpr std::size_t least_mapped = least_of_huge_page;
#endif

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

/// Fresh pages that begin where a huge one may. bytes: a multiple of a page.
std::byte* mapped(std::size_t bytes) {
  // So much more that a multiple of a huge page's size can be cut out of it.
  std::size_t const reserved = bytes + huge_page;
  void* const begin = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(begin);
  auto const at = reinterpret_cast<std::uintptr_t>(begin);
  std::size_t const before = rounded_up(at, huge_page) - at, after = reserved - before - bytes;
  if (before > 0) munmap(first, before);
  if (after > 0) munmap(first + before + bytes, after);
  return first + before;
}

}  // namespace

page_memory::page_memory(std::size_t bytes, std::size_t alignment) : alignment_(alignment) {
  SKEL_EXPECTS(std::has_single_bit(alignment) && alignment <= huge_page);
  if (bytes == 0) return;
  if (bytes > std::numeric_limits<std::size_t>::max() / 4) throw std::bad_alloc();
  if (bytes < least_mapped) {
    data_ = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}));
    bytes_ = bytes;
    return;
  }
  bytes_ = rounded_up(kept_bytes(bytes), static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  data_ = mapped(bytes_);
  is_mapped_ = true;
  if (auto const huge = in_huge_pages(bytes); huge > 0)
    madvise(data_, huge, MADV_HUGEPAGE);  // refused: then all pages are small
}

page_memory::~page_memory() {
  if (is_mapped_)
    munmap(data_, bytes_);
  else if (data_ != nullptr)
    ::operator delete (data_, std::align_val_t{alignment_});
}

memory_bandwidth measure_bandwidth(std::size_t threads, double cache, double memory) {
  constexpr std::size_t rounds = 7;
  auto const bytes = static_cast<std::size_t>(cache);
  std::size_t const n = bytes / sizeof(double);
  if (n == 0 || 3 * static_cast<double>(bytes) > memory / 2)
    throw error("memory bandwidth: cannot be measured with a last-level cache of " + std::to_string(bytes) + " B and " +
                shown(memory / 1e9) + " GB of memory");
  auto const array = [&] { return std::make_unique_for_overwrite<double[]>(n); };
  auto const a = array(), b = array(), c = array();
  thread_team team(threads);
  auto const on_all = [&](auto const& f) {
    team.run({"triad"}, [&](std::size_t part) {
      auto const mine = plan::block_of(n, threads, part);
      for (std::size_t i = mine.begin; i < mine.end; ++i) f(i);
    });
  };
  on_all([&](std::size_t i) { a[i] = 0, b[i] = 1, c[i] = 2; });
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < rounds; ++round) {
    double const begin = record::now();
    on_all([&, s = 1.0 + static_cast<double>(round)](std::size_t i) { a[i] = b[i] + s * c[i]; });
    least = std::min(least, record::now() - begin);
  }
  return {3 * static_cast<double>(n * sizeof(double)) / least, bytes, threads, rounds};
}

}  // namespace skel::runtime
