#pragma once

#include <cstddef>

#include <skel/detail/plan/block.hpp>

namespace skel::runtime::reduction {

/// Which of P contiguous blocks of N elements holds an element: plan::owner_of(), which divides only where the element
/// is not in the block of the one before.
class owner_finder {
 public:
  owner_finder(std::size_t elements, std::size_t parts) : elements_(elements), parts_(parts) {}

  std::size_t operator()(std::size_t element) {
    if (element - block_.begin < block_.size()) return owner_;
    owner_ = plan::owner_of(elements_, parts_, element);
    block_ = plan::block_of(elements_, parts_, owner_);
    return owner_;
  }

 private:
  std::size_t elements_, parts_, owner_ = 0;
  plan::block block_;
};

}  // namespace skel::runtime::reduction
