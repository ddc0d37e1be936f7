#include "pause_agreement.hpp"

#include <algorithm>
#include <cstring>

#include <skel/detail/base/contract.hpp>

namespace skel::runtime::iteration {

pause_agreement::pause_agreement(transport& among, channel where, std::vector<int> const& ranks,
                                 std::uint64_t const& iteration, std::uint64_t first)
    : among_(among), where_(where), ranks_(ranks), iteration_(iteration), first_(first) {
  among.open(where, [this](int /*from*/, std::span<std::byte const> body, auto /*sizes*/) {
    letter come{};
    SKEL_EXPECTS(body.size() == sizeof come);
    std::memcpy(&come, body.data(), sizeof come);
    hear(come);
    return landing{};
  });
}

/// A rank hears what it tells itself without a message.
void pause_agreement::send(int to, kind what, std::uint64_t iteration) {
  letter const out{what, iteration};
  if (to == among_.rank())
    hear(out);
  else
    among_.send(to, where_, message::of(out));
}

void pause_agreement::ask() {
  SKEL_EXPECTS(among_.rank() == 0 && !asked_);
  asked_ = true;
  for (int const rank : ranks_) send(rank, kind::question, 0);
}

void pause_agreement::hear(letter const& what) {
  if (over_) return;
  switch (what.what) {
    case kind::question:
      answered_ = true;
      return send(0, kind::answer, std::max(iteration_, first_));
    case kind::answer:
      greatest_ = std::max(greatest_, what.iteration);
      if (++answers_ < ranks_.size()) return;
      for (int const rank : ranks_) send(rank, kind::decision, greatest_);
      return;
    case kind::decision:
      after_ = what.iteration;
      return;
  }
}

}  // namespace skel::runtime::iteration
