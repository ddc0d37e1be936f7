#include <skel/detail/record/clock.hpp>

#include <fstream>

namespace skel::record {

std::int64_t kept_waiting_ns() {
  std::ifstream statistics("/proc/thread-self/schedstat");  // time run, time waited for a core, number of turns
  std::int64_t run = 0, waited = 0;
  return statistics >> run >> waited ? waited : 0;
}

}  // namespace skel::record
