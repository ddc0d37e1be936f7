#pragma once

#include <cstddef>
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
  static constexpr std::size_t most_kept = 4;

  /// Those of a superstep that has ended.
  void add(std::vector<record::bsp_message> const& messages);
  /// The parts make 1; empty before the first superstep.
  std::vector<usual_messages> usual() const;

 private:
  std::vector<usual_messages> kept_;  // parts are weights that age
};

}  // namespace skel::mapping::migration
