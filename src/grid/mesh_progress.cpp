#include "mesh_progress.hpp"

#include <skel/detail/base/number.hpp>

namespace skel {

std::optional<std::string> mesh_progress::pass(std::uint64_t iteration, double now) {
  if (!begun_) {
    begun_ = said_ = now, last_ = iteration;
    return std::nullopt;
  }
  if (now - said_ < period || iteration == last_) return std::nullopt;
  double const each = (now - said_) / static_cast<double>(iteration - last_);
  said_ = now, last_ = iteration;
  std::string out = counted(iteration, "iteration") + print(", %.0f s, ", now - *begun_) + scaled(each, "s") + " each";
  if (expected_ > 0) out += ", " + scaled(expected_, "s") + " expected";
  if (iterations_ && *iterations_ > iteration)
    out += print(", %.0f s to go", each * static_cast<double>(*iterations_ - iteration));
  return out;
}

}  // namespace skel
