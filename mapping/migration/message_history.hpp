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

/// Messages to expect in supersteps, from those of late: a program may talk in some supersteps only. Equal ones count
/// together, and each superstep counts less with every later one. If more than most_kept differ, those with the least
/// weight are forgotten. A superstep takes O(messages); memory O(messages).
class message_history {
 public:
  /// Enough for halves of messages seen once to be like those to come: with 4, random programs took 1 % longer.
  static constexpr std::size_t most_kept = 8;

  /// Messages of a superstep that has ended.
  void add(std::vector<record::bsp_message> const& messages);
  /// The parts make 1; empty before the first superstep.
  std::vector<usual_messages> usual() const;
  /// The same twice, to find an assignment by the first and to judge it by the second. Messages that came again are in
  /// both. Those that came once are divided between them, if they are several; each half stands for all of these. An
  /// assignment that suits some messages by chance suits no others.
  std::pair<std::vector<usual_messages>, std::vector<usual_messages>> halves() const;

 private:
  struct kept {
    usual_messages what;  // its part is a weight that ages
    bool again = false;
  };
  static std::vector<usual_messages> parts_of(std::vector<kept> const& all);

  std::vector<kept> kept_;  // in the order of their first superstep
};

}  // namespace skel::mapping::migration
