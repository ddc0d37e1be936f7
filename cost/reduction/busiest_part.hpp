#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <skel/detail/base/pages.hpp>
#include <skel/detail/cost/reduction/mechanisms.hpp>

namespace skel::cost {

/// The work of the busiest part of a reduction: tells it to tell(mechanism, amount), which makes a list of amounts, or
/// a sum of their times.
class busiest_part {
 public:
  busiest_part(reduction_problem const& problem, cache_sizes const& caches)
      : of_(problem.pattern),
        caches_(caches),
        parts_(static_cast<double>(of_.parts)),
        n_(static_cast<double>(of_.elements)),
        iterations_(static_cast<double>(of_.iterations)),
        subscripts_(static_cast<double>(of_.subscripts)),
        bytes_(problem.value_bytes),
        words_(bytes_ / word_bytes),
        lines_(bytes_ / line_bytes),
        others_((parts_ - 1) / parts_),
        touched_(std::min(1.0, of_.sparsity) * n_),
        privates_(of_.privates * n_ / parts_),
        other_seconds_(problem.other_seconds) {}

  /// amounts_of_run().
  template <class Tell>
  void tell_run(plan::reduction_algorithm algorithm, Tell tell) const {
    using enum plan::reduction_algorithm;
    double const each = 1 / parts_;
    switch (algorithm) {
      case sequential:
        tell_loop(tell, 1, std::min(1.0, of_.sparsity * parts_) * n_ * bytes_);
        return;
      case local_write: {
        double const share = of_.load * each;
        tell_loop(tell, share, n_ * bytes_ * each);
        // Share of crossing iterations among those of a part.
        double const crossing = of_.copies == 0 ? 0 : (of_.copies - 1 + of_.crossing) / of_.copies;
        tell(mechanism::checked_owner, subscripts_ * share * crossing);
        tell(mechanism::crossing_iteration, iterations_ * share * crossing);
        // An owner's iterations lie apart where neighbouring ones belong to others.
        double const apart = std::max(std::min(1.0, of_.copies - 1), of_.mixing);
        tell_lines(tell, mechanism::line_from_second, iterations_ * share * apart,
                   iterations_ * word_bytes + subscripts_ * 4);
        return;
      }
      case segmented_gather: {
        double const stored = subscripts_ * (4 + bytes_);
        tell_loop(tell, each, subscripts_ * bytes_ * each);
        tell(mechanism::phase, 1);
        tell(mechanism::stored_word, subscripts_ * each * words_);
        tell(mechanism::gathered_element, n_ * each);
        tell_lines(tell, mechanism::streamed_from_second, 2 * stored * each / line_bytes, stored);
        return;
      }
      default:
        break;
    }
    tell_loop(tell, each, touched_ * bytes_);
    switch (algorithm) {
      case replicated_buffer:
        tell(mechanism::phase, 1);
        tell_merge(tell, n_ * others_, n_ * bytes_ * parts_);
        break;
      case replicated_links:
        tell(mechanism::phase, 1);
        tell_merge(tell, touched_ * others_, touched_ * bytes_ * parts_);
        tell(mechanism::merged_run, of_.clusters * others_);
        break;
      case selective_privates:
        tell(mechanism::phase, 1);
        tell(mechanism::private_update, subscripts_ * of_.private_subscripts * each);
        tell_merge(tell, privates_, of_.privates * n_ * bytes_);
        tell_lines(tell, mechanism::line_from_second, privates_ * lines_, n_ * bytes_);
        break;
      case atomic:
        tell(mechanism::atomic_word, subscripts_ * each * words_);
        break;
      case lazy_blocks: {
        double const opened = opened_blocks();
        tell(mechanism::phase, 1);
        tell(mechanism::block_lookup, subscripts_ * each * others_);
        tell_merge(tell, opened * block_bytes / bytes_ * others_, opened * block_bytes * parts_);
        break;
      }
      default:
        break;
    }
  }

  /// amounts_of_setup().
  template <class Tell>
  void tell_setup(plan::reduction_algorithm algorithm, Tell tell) const {
    using enum plan::reduction_algorithm;
    double const each = 1 / parts_;
    auto const mark = [&] {
      tell(mechanism::marked_subscript, subscripts_ * each);
      tell(mechanism::bitmap_word, n_ / 64);
    };
    tell(mechanism::inspection, 1);
    if (algorithm != sequential && algorithm != atomic) tell(mechanism::prepared_part, parts_);
    switch (algorithm) {
      case sequential:
      case atomic:
        break;
      case replicated_buffer:
        tell_fresh(tell, n_ * bytes_);
        break;
      case replicated_links:
        mark();
        tell(mechanism::linked_run, of_.clusters);
        tell_fresh(tell, n_ * bytes_);
        break;
      case selective_privates:
        mark();
        tell(mechanism::listed_iteration, iterations_ * each);
        tell(mechanism::private_subscript, subscripts_ * each * std::min(1.0, of_.private_subscripts * of_.mobility()));
        tell(mechanism::private_element, privates_);
        tell_fresh(tell, privates_ * bytes_);
        break;
      case local_write:
        tell(mechanism::owned_subscript, subscripts_ * each);
        tell(mechanism::crossing_subscript, subscripts_ * of_.crossing * each);
        tell(mechanism::copied_iteration, iterations_ * of_.load * each);
        break;
      case lazy_blocks:
        tell(mechanism::block, n_ * bytes_ / block_bytes);
        tell(mechanism::opened_block, opened_blocks());
        break;
      case segmented_gather:
        tell(mechanism::sorted_subscript, subscripts_ * each);
        tell(mechanism::crossing_subscript, subscripts_ * of_.crossing * each);
        tell(mechanism::counted_line, subscripts_ * each * of_.turnover);
        tell(mechanism::counted_element, n_ * each);
        tell_fresh(tell, subscripts_ * bytes_);
        break;
    }
  }

 private:
  static constexpr double line_bytes = 64, word_bytes = 8, block_bytes = 4096;

  /// Lines, and the bytes that they are of: those that a cache does not hold come from beyond it. `first` is the
  /// mechanism of the nearest level.
  template <class Tell>
  void tell_lines(Tell& tell, mechanism first, double count, double footprint) const {
    auto at = static_cast<std::size_t>(first);
    for (double const capacity : {caches_.first, caches_.second, caches_.last}) {
      if (footprint > capacity) tell(static_cast<mechanism>(at), count * (1 - capacity / footprint));
      ++at;
    }
  }

  /// The loop: `share` of all iterations, into elements of so many bytes.
  template <class Tell>
  void tell_loop(Tell& tell, double share, double footprint) const {
    double const updates = subscripts_ * share;
    tell(mechanism::beginning, 1);
    tell(mechanism::iteration, iterations_ * share);
    tell(mechanism::other_work, iterations_ * share * other_seconds_);
    tell(mechanism::update, updates);
    tell(mechanism::updated_word, updates * (words_ - 1));
    tell_lines(tell, mechanism::line_from_second, updates * of_.turnover * std::max(1.0, lines_), footprint);
    double const streams = iterations_ * word_bytes + subscripts_ * 4;  // what an iteration reads, and the subscripts
    tell_lines(tell, mechanism::streamed_from_second, streams * share / line_bytes, streams);
  }

  /// A buffer of so many bytes, as the system gives memory (base/pages.hpp).
  template <class Tell>
  void tell_fresh(Tell& tell, double buffer) const {
    double const huge = static_cast<double>(in_huge_pages(static_cast<std::size_t>(buffer)));
    tell(mechanism::fresh_huge_page, huge / static_cast<double>(huge_page));
    tell(mechanism::fresh_page, std::max(0.0, buffer - huge) / block_bytes);
    tell(mechanism::fresh_line, buffer / line_bytes);
  }

  /// Blocks that a part touches, if the runs of its elements begin anywhere: B (1 - exp(-(runs + touched blocks) /
  /// B)).
  double opened_blocks() const {
    double const blocks = n_ * bytes_ / block_bytes;
    return blocks == 0 ? 0 : -blocks * std::expm1(-(of_.clusters + touched_ * bytes_ / block_bytes) / blocks);
  }

  template <class Tell>
  void tell_merge(Tell& tell, double elements, double footprint) const {
    tell(mechanism::merged_element, elements);
    tell(mechanism::merged_word, elements * words_);
    tell_lines(tell, mechanism::merged_from_second, elements * lines_, footprint);
  }

  pattern_features const& of_;
  cache_sizes const& caches_;
  double parts_, n_, iterations_, subscripts_;
  double bytes_, words_, lines_;  // of an element
  double others_;                 // (P - 1) / P
  double touched_;                // elements
  double privates_;               // places of SELPRIV
  double other_seconds_;
};

}  // namespace skel::cost
