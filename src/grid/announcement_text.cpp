#include "announcement_text.hpp"

#include <skel/detail/base/number.hpp>

namespace skel {

std::string announcement_text(record::heard_announcement const& one, bool ended) {
  std::string const text = (one.seconds > 0 ? print("after %.2f s: ", one.seconds) : "before the run: ") + one.text;
  if (!one.leaves) return text;
  if (one.left < 0)
    return text + (ended ? "; something was there to the end that cannot go elsewhere" : "; stages are there");
  return text + (one.left > one.seconds ? print("; no stage was there after %.2f s", one.left)
                                        : std::string("; no stage was there"));
}

}  // namespace skel
