#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <skel/detail/record/superstep.hpp>

namespace skel::mapping::migration {

/// Messages of a superstep, and the part of supersteps for which they stand.
struct usual_messages {
  std::vector<record::bsp_message> messages;
  double part = 1;
};

/// Which messages go in supersteps, by those that went lately: a program may talk in some supersteps only. Equal ones
/// count together, and each superstep counts less with every one that comes after it; where more than most_kept differ,
/// those that have come to count least are forgotten. A superstep takes O(messages); memory O(messages).
class message_history {
 public:
  /// Enough for two halves of what comes once to be like what is to come: with 4, random programs took 1 % longer.
  static constexpr std::size_t most_kept = 8;

  /// Those of a superstep that has ended.
  void add(std::vector<record::bsp_message> const& messages);
  /// The parts make 1; empty before the first superstep.
  std::vector<usual_messages> usual() const;
  /// The same twice, to look for an assignment by the first and to judge it by the second: what has come again is in
  /// both, and of what came once, where there are several, each is in one, for all of them. An assignment that is good
  /// for some messages by chance is good for no others.
  std::pair<std::vector<usual_messages>, std::vector<usual_messages>> halves() const;

 private:
  struct kept {
    usual_messages what;  // its part is a weight that ages
    bool again = false;
  };
  static std::vector<usual_messages> parts_of(std::vector<kept> const& all);

  std::vector<kept> kept_;  // in the order in which they came first
};

}  // namespace skel::mapping::migration
