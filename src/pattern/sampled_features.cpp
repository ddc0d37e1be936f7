#include <skel/detail/pattern/sampled_features.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <skel/detail/base/contract.hpp>

namespace skel {

namespace {

constexpr std::size_t most_windows = 24;

/// Of longer iterations only the first subscripts are read, so that any pattern takes about as long.
constexpr std::size_t longest_row = 16;

/// Owners are told apart in so many classes: all of them if there are no more threads.
constexpr std::size_t owner_classes = 64;

/// The common part of all windows.
class sampled_windows {
 public:
  sampled_windows(pattern const& of, std::size_t parts, std::size_t line)
      : of_(of),
        parts_(parts),
        line_shift_(static_cast<int>(std::bit_width(line)) - 1),
        // A little less than the quotient: of plan::owner_of(), ((i + 1) P - 1) / N, without a division.
        part_of_element_(static_cast<double>(parts) / static_cast<double>(of.elements()) * (1 - 0x1p-40)),
        part_of_iteration_(static_cast<double>(parts) / static_cast<double>(of.iterations()) * (1 - 0x1p-40)) {
    double const mean = static_cast<double>(of.subscripts()) / static_cast<double>(of.iterations());
    double const wanted = sampled_subscripts / most_windows / std::max(mean, 1.0);
    std::size_t const m = of.iterations();
    length_ = std::min(m, static_cast<std::size_t>(std::clamp(wanted, 2.0, 16.0)));
    windows_ = std::min<std::size_t>(most_windows, (m + length_ - 1) / length_);
    std::array<std::size_t, most_windows> begins;
    for (std::size_t w = 0; w < windows_; ++w) {
      begins[w] = windows_ == 1 ? 0 : (m - length_) * w / (windows_ - 1);
      if (!of.uniform()) __builtin_prefetch(&of.offsets()[begins[w]]);
    }
    for (std::size_t w = 0; w < windows_; ++w)
      if (std::size_t const first = of.row_begin(begins[w]); first < of.subscripts())
        __builtin_prefetch(&of.index()[first]);
    for (std::size_t w = 0; w < windows_; ++w) read(begins[w]);
  }

  pattern_features features() {
    pattern_features found;
    found.elements = of_.elements();
    found.iterations = of_.iterations();
    found.subscripts = of_.subscripts();
    found.parts = parts_;
    double const iterations = static_cast<double>(iterations_), subscripts = static_cast<double>(subscripts_);
    found.copies = static_cast<double>(copies_) / iterations;
    found.crossing = static_cast<double>(crossing_) / iterations;
    found.load = load() * found.copies;
    found.turnover = static_cast<double>(lines_) / std::max(1.0, subscripts);
    estimate_meeting(found);
    return found;
  }

 private:
  struct seen_element {
    subscript element;
    std::uint32_t part;
  };

  std::size_t class_of(std::size_t owner) const {
    return parts_ <= owner_classes ? owner : owner * owner_classes / parts_;
  }

  void read(std::size_t begin) {
    ++window_;
    std::uint64_t here = 0;  // classes of owners in this window
    std::size_t middle = begin + length_ / 2;
    for (std::size_t i = begin; i < begin + length_; ++i) {
      std::size_t const row = of_.row_begin(i), end = std::min(of_.row_begin(i + 1), row + longest_row);
      auto const part = static_cast<std::size_t>((static_cast<double>(i) + 1) * part_of_iteration_);
      std::uint64_t owners = 0;
      for (std::size_t k = row; k < end; ++k) {
        subscript const e = of_.index()[k];
        owners |=
            std::uint64_t{1} << class_of(static_cast<std::size_t>((static_cast<double>(e) + 1) * part_of_element_));
        count_line(e >> line_shift_);
      }
      subscripts_ += end - row;
      ++iterations_;
      if (row < end) {
        subscript const first = of_.index()[row];
        if (i >= middle) samples_[sampled_++] = {first, static_cast<std::uint32_t>(part)}, middle = begin + length_;
      } else {
        owners = std::uint64_t{1} << class_of(part);
      }
      copies_ += static_cast<std::size_t>(std::popcount(owners));
      crossing_ += !std::has_single_bit(owners);
      here |= owners;
      for (std::uint64_t rest = owners; rest != 0; rest &= rest - 1)
        ++in_window_[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    std::size_t all = 0;
    for (std::uint64_t rest = here; rest != 0; rest &= rest - 1) {
      auto const owner = static_cast<std::size_t>(std::countr_zero(rest));
      std::size_t const count = in_window_[owner];
      loads_[owner] += count;
      squares_ += count * count;
      all += count;
      in_window_[owner] = 0;
    }
    pairs_ += all * all;
  }

  /// Counts a line of a window, in a table of twice as many places as there may be subscripts in most windows. If it is
  /// full, a line counts as new.
  void count_line(std::uint32_t line) {
    std::uint64_t const entry = std::uint64_t{window_} << 32 | line;
    std::size_t at = line * 2654435769u >> (32 - table_bits);
    for (std::size_t tries = 0; tries < 8; ++tries, at = (at + 1) % table_.size()) {
      if (table_[at] == entry) return;
      if (table_[at] >> 32 != window_) {
        table_[at] = entry;
        break;
      }
    }
    ++lines_;
  }

  /// Iterations of the owner with the most of them, over the mean. Assumes that they differ by the chance that two
  /// iterations of different windows meet at an owner: sqrt(P sum of squares of the owners' shares).
  double load() const {
    std::size_t sum = 0;
    for (std::size_t const one : loads_) sum += one * one;
    double const all = static_cast<double>(copies_) * static_cast<double>(copies_) - static_cast<double>(pairs_);
    if (all <= 0) return 1;
    double const meet = static_cast<double>(sum - squares_) / all;
    return std::sqrt(std::max(1.0, meet * static_cast<double>(std::min(parts_, owner_classes))));
  }

  void estimate_meeting(pattern_features& found) {
    std::sort(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(sampled_),
              [](seen_element a, seen_element b) { return a.element < b.element; });
    std::size_t same = 0;
    for (std::size_t k = 1; k < sampled_; ++k) same += samples_[k].part == samples_[k - 1].part;
    double const parts = static_cast<double>(parts_), n = static_cast<double>(of_.elements());
    double const share = sampled_ < 2 ? 1 : static_cast<double>(same) / static_cast<double>(sampled_ - 1);
    found.mixing = 1 - share;
    double const sharing = 1 / std::max(share, 1 / parts);  // threads in a region
    double const updates = static_cast<double>(of_.subscripts()) / std::max(1.0, n);
    double const touch = -std::expm1(-updates / sharing);   // a chance for one of them
    double const alone = std::pow(1 - touch, sharing - 1);  // none of the others does
    double const touching = sharing * touch;                // of an element
    found.sparsity = touching / parts;
    found.contended = std::max(0.0, 1 - std::pow(1 - touch, sharing) - touching * alone);
    // One of those that touch an element keeps it in the array.
    found.privates = std::max(0.0, touching - (1 - std::pow(1 - touch, sharing)));
    found.private_subscripts = touching == 0 ? 0 : found.privates / touching;
    // Runs end at an element that is not touched, in regions of N sharing / P elements.
    found.clusters = std::max(1.0, n * sharing / parts * touch * (1 - touch));
  }

  static constexpr int table_bits = 7;

  pattern const& of_;
  std::size_t parts_;
  int line_shift_;
  double part_of_element_, part_of_iteration_;
  std::size_t length_ = 1, windows_ = 1;
  std::uint32_t window_ = 0;
  std::size_t iterations_ = 0, subscripts_ = 0, copies_ = 0, crossing_ = 0, lines_ = 0;
  std::size_t squares_ = 0, pairs_ = 0, sampled_ = 0;
  std::array<std::size_t, owner_classes> loads_{};
  std::array<std::uint32_t, owner_classes> in_window_{};
  std::array<std::uint64_t, std::size_t{1} << table_bits> table_{};
  std::array<seen_element, most_windows> samples_;
};

}  // namespace

pattern_features sampled_features(pattern const& of, std::size_t parts, std::size_t line) {
  SKEL_EXPECTS(parts >= 1 && std::has_single_bit(line));
  if (of.iterations() == 0 || of.elements() == 0) {
    pattern_features nothing;
    nothing.elements = of.elements();
    nothing.iterations = of.iterations();
    nothing.parts = parts;
    return nothing;
  }
  return sampled_windows(of, parts, line).features();
}

}  // namespace skel
