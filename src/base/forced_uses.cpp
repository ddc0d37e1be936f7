#include <skel/detail/base/forced_uses.hpp>

#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace skel {
namespace {

struct noted_problems {
  std::mutex guard;
  std::set<std::string, std::less<>> names;
};
noted_problems& of_process() {
  static noted_problems one;
  return one;
}

}  // namespace

void note_forced_use(std::string_view problem) {
  std::lock_guard const lock(of_process().guard);
  of_process().names.emplace(problem);
}

bool was_force_used(std::string_view problem) {
  std::lock_guard const lock(of_process().guard);
  return of_process().names.contains(problem);
}

}  // namespace skel
