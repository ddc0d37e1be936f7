#include <skel/detail/runtime/threads/page_memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <new>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/pages.hpp>

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

}  // namespace skel::runtime
