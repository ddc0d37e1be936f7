#include <skel/runtime/page_memory.hpp>

#include <sys/mman.h>

#include <cstdint>
#include <limits>

namespace skel::runtime {

namespace {

constexpr std::align_val_t line{64};

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

}  // namespace

page_memory::page_memory(std::size_t bytes) {
  if (bytes == 0) return;
  constexpr std::size_t page = 4096;
  if (bytes < least) {
    data_ = ::operator new(bytes, line);
    bytes_ = bytes;
    return;
  }
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
  // What does not fill a huge page has small ones, unless it is much of one.
  std::size_t const rest = bytes % huge;
  std::size_t const in_huge = rest >= least ? rounded_up(bytes, huge) : bytes - rest;
  bytes_ = rest >= least ? in_huge : rounded_up(bytes, page);
  // So much more that a multiple of a huge page's size can be cut out of it.
  std::size_t const reserved = bytes_ + huge;
  void* const begin = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  auto const at = reinterpret_cast<std::uintptr_t>(begin);
  std::size_t const before = rounded_up(at, huge) - at;
  if (before > 0) munmap(begin, before);
  data_ = reinterpret_cast<void*>(at + before);
  munmap(reinterpret_cast<void*>(at + before + bytes_), reserved - before - bytes_);
  mapped_ = bytes_;
  if (in_huge > 0) madvise(data_, in_huge, MADV_HUGEPAGE);  // refused: then all pages are small
}

page_memory::~page_memory() {
  if (mapped_ > 0)
    munmap(data_, mapped_);
  else if (data_ != nullptr)
    ::operator delete(data_, line);
}

}  // namespace skel::runtime
