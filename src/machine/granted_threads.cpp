#include <skel/detail/machine/granted_threads.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <skel/detail/base/contract.hpp>

namespace skel {

std::size_t threads_worth(platform::host_reading const& reading, std::size_t most) {
  SKEL_EXPECTS(most > 0);
  bool const knows_cores = !reading.processors.empty();
  double const cores = knows_cores ? static_cast<double>(reading.cores) : std::numeric_limits<double>::infinity();
  double const others = platform::busy_with_others(reading).value_or(0), guests = std::ceil(others);
  double const quota = reading.quota.value_or(std::numeric_limits<double>::infinity());
  std::size_t best = 1;
  double worth = 0;
  for (std::size_t threads = 1; threads <= most; ++threads) {
    double const p = static_cast<double>(threads);
    double const beside = p + guests <= cores || guests == 0 ? 1 : std::max(0.5, 1 - others / guests);
    double const found = p * std::min({quota / p, beside, cores / p});
    if (found > worth * (1 + std::numeric_limits<float>::epsilon())) best = threads, worth = found;
  }
  return best;
}

bool granted_threads::add(platform::host_reading const& reading, double now) {
  last_ = now;
  if (reading.seconds == 0 && !reading.quota) return false;  // it says nothing yet
  std::size_t const wanted = threads_worth(reading, most_);
  seen_ = wanted == next_ ? seen_ + 1 : 1;
  next_ = wanted;
  if (wanted == now_ || seen_ < agreeing) return false;
  now_ = wanted;
  return true;
}

}  // namespace skel
