#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace skel::runtime::iteration {

/// Finds the iteration after which ranks pause that are not in the same one. Rank 0 asks, and all say at once in which
/// one they are. They begin no further one until rank 0 has heard all and told them the greatest. No rank waits for one
/// that waits for it: none has to go on to answer. As a rule the answer is there before an iteration has ended.
class pause_agreement {
 public:
  /// `ranks`: those that iterate, rising. `iteration`: the one that this rank is in, as it stands. `first`: the one
  /// that a rank is to make first, which it answers as long as it has not begun.
  pause_agreement(transport& among, channel where, std::vector<int> const& ranks, std::uint64_t const& iteration,
                  std::uint64_t first);

  /// On rank 0, once: a pause is wanted.
  void ask();
  bool asked() const { return asked_; }
  /// True if the next iteration must not begin before more is known.
  bool holds() const { return answered_ && !after_; }
  /// The iteration after which all pause; nothing: nobody has asked, or it is not known yet.
  std::optional<std::uint64_t> after() const { return after_; }
  /// The run is over here: messages are not answered, as nobody receives answers before the next run begins.
  void end() { over_ = true; }

 private:
  enum class kind : std::uint64_t { question, answer, decision };
  struct letter {
    kind what;
    std::uint64_t iteration;
  };

  void send(int to, kind what, std::uint64_t iteration);
  void hear(letter const& what);

  transport& among_;
  channel where_;
  std::vector<int> const& ranks_;
  std::uint64_t const& iteration_;
  std::uint64_t first_;
  bool asked_ = false, answered_ = false, over_ = false;
  std::size_t answers_ = 0;
  std::uint64_t greatest_ = 0;
  std::optional<std::uint64_t> after_;
};

}  // namespace skel::runtime::iteration
