#include "stacks.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include <skel/detail/base/error.hpp>

namespace bench::reductions {

namespace {

constexpr std::size_t for_calls = std::size_t{1} << 20;

std::size_t default_stack() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

/// What OMP_STACKSIZE says: a number of kilobytes, or with the unit B, K, M or G. OpenMP ignores anything else.
std::size_t openmp_stack() {
  char const* const set = std::getenv("OMP_STACKSIZE");
  if (set == nullptr) return default_stack();
  std::string_view const text(set);
  std::size_t number = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return default_stack();
  char const unit = end == text.data() + text.size() ? 'K' : *end;
  switch (unit) {
    case 'B':
    case 'b':
      return number;
    case 'M':
    case 'm':
      return number << 20U;
    case 'G':
    case 'g':
      return number << 30U;
    default:
      return number << 10U;
  }
}

}  // namespace

void restart_with_stacks(char** argv, std::size_t bytes) {
  if (std::getenv("OMP_STACKSIZE") != nullptr) return;
  setenv("OMP_STACKSIZE", (std::to_string(bytes) + "B").c_str(), 1);
  execv("/proc/self/exe", argv);
  throw skel::error("OMP_STACKSIZE: must be set before this program starts, and it cannot start itself again: " +
                    std::string(std::strerror(errno)) + "; set it to " + std::to_string(bytes) + "B");
}

void run_with_stacks(std::function<void()> const& f) {
  struct job {
    std::function<void()> const& f;
    std::exception_ptr failure;
  } work{f, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int problem = pthread_attr_setstacksize(&attributes, std::max(openmp_stack(), default_stack()));
  pthread_t thread{};
  if (problem == 0)
    problem = pthread_create(
        &thread, &attributes,
        [](void* given) -> void* {
          auto& mine = *static_cast<job*>(given);
          try {
            mine.f();
          } catch (...) {
            mine.failure = std::current_exception();
          }
          return nullptr;
        },
        &work);
  pthread_attr_destroy(&attributes);
  if (problem != 0)
    throw skel::error("OMP_STACKSIZE: a thread with a stack of " + std::to_string(openmp_stack()) +
                      " B cannot be started: " + std::strerror(problem) + "; set a smaller one");
  pthread_join(thread, nullptr);
  if (work.failure) std::rethrow_exception(work.failure);
}

std::size_t least_stack() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t mine = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &lowest, &mine);
  pthread_attr_destroy(&attributes);
  std::size_t const bytes = std::min(mine, openmp_stack());
  return bytes > for_calls ? bytes - for_calls : 0;
}

}  // namespace bench::reductions
