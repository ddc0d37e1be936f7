#include "buffer_ledger.hpp"

#include <algorithm>

namespace skel {

using plan::set_of;

void buffer_ledger::next_pattern() {
  plans_ = 0;
  patterns_before_ = patterns_++;
}

void buffer_ledger::prepared(plan::reduction_algorithm algorithm, pattern_features const& of, bool has_buffers) {
  plans_ |= set_of(algorithm);
  if (!has_buffers) return;
  auto& largest = largest_[static_cast<std::size_t>(algorithm)];
  bool const had_some = (buffers_ & set_of(algorithm)) != 0;
  if (had_some && (buffers_for(of) & set_of(algorithm)) == 0) lose();
  if (!had_some) largest = {};
  largest.elements = std::max(largest.elements, of.elements);
  largest.subscripts = std::max(largest.subscripts, of.subscripts);
  buffers_ |= set_of(algorithm);
}

void buffer_ledger::keep_only(plan::reduction_algorithm algorithm) {
  if ((buffers_ & ~set_of(algorithm)) != 0) lose();
  plans_ &= set_of(algorithm);
  buffers_ &= set_of(algorithm);
}

void buffer_ledger::clear() {
  plans_ = buffers_ = 0;
  patterns_ = patterns_before_ = 0;
}

plan::reduction_set buffer_ledger::buffers_for(pattern_features const& of) const {
  using enum plan::reduction_algorithm;
  plan::reduction_set enough = 0;
  for (auto const& traits : plan::reduction_catalogue()) {
    auto const& largest = largest_[static_cast<std::size_t>(traits.algorithm)];
    bool const whole_copies = traits.algorithm == replicated_buffer || traits.algorithm == replicated_links ||
                              traits.algorithm == lazy_blocks;  // others keep places of subscripts
    if (of.elements <= largest.elements && (whole_copies || of.subscripts <= largest.subscripts))
      enough |= set_of(traits.algorithm);
  }
  return buffers_ & enough;
}

}  // namespace skel
