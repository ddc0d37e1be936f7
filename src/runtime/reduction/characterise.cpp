#include <skel/detail/runtime/reduction/characterise.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/pattern/sampled_features.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/reduction/pattern_parts.hpp>

namespace skel::runtime::reduction {

namespace {

/// Counts the cache lines that every `window` subscripts touch: as many as the lines of a first-level cache of 32 KiB.
class line_counter {
 public:
  static constexpr std::size_t window = 512;

  explicit line_counter(std::size_t line) : shift_(static_cast<int>(std::bit_width(line)) - 1) {}

  void add(subscript element) {
    if (in_window_ == window) next_window();
    ++in_window_, ++subscripts_;
    std::uint32_t const line = element >> shift_;
    for (std::size_t at = line * 2654435769u % table;; at = (at + 1) % table) {
      if (stamps_[at] != stamp_) {
        stamps_[at] = stamp_;
        lines_at_[at] = line;
        ++lines_;
        return;
      }
      if (lines_at_[at] == line) return;
    }
  }
  void next_window() { ++stamp_, in_window_ = 0; }

  std::size_t lines() const { return lines_; }
  std::size_t subscripts() const { return subscripts_; }

 private:
  static constexpr std::size_t table = 4 * window;

  int shift_;
  std::uint32_t stamp_ = 1;
  std::size_t in_window_ = 0, lines_ = 0, subscripts_ = 0;
  std::array<std::uint32_t, table> stamps_{}, lines_at_{};
};

/// Counts how often iterations run if every owner of one of their elements runs them.
class copy_counter {
 public:
  copy_counter(std::size_t elements, std::size_t parts) : owner_(elements, parts), loads_(parts, 0) {}

  /// An iteration; if it has no elements, `runner` runs it. Returns the number of owners that run it.
  std::size_t add(std::span<subscript const> row, std::size_t runner) {
    owners_.clear();
    for (subscript const e : row) {
      std::size_t const one = owner_(e);
      if (std::find(owners_.begin(), owners_.end(), one) == owners_.end()) owners_.push_back(one);
    }
    if (owners_.empty()) owners_.push_back(runner);
    for (std::size_t const one : owners_) ++loads_[one];
    return owners_.size();
  }

  /// Iterations of each owner.
  std::vector<std::size_t> const& loads() const { return loads_; }

 private:
  owner_finder owner_;
  std::vector<std::size_t> owners_, loads_;
};

/// Words of elements of which about one in 2^shift is followed: those whose number, multiplied, begins with zeros.
class word_sample {
 public:
  word_sample(std::size_t elements, std::size_t wanted) {
    while (shift_ < 16 && (elements >> shift_) > wanted) ++shift_;
  }

  bool is_all() const { return shift_ == 0; }
  bool has(std::size_t word) const {
    return shift_ == 0 || static_cast<std::uint32_t>(word) * 2654435769u >> (32 - shift_) == 0;
  }

 private:
  int shift_ = 0;
};

/// Windows of iterations, evenly spread over a block of them, about a share of it in all.
class windows {
 public:
  static constexpr std::size_t length = 256;  // iterations: some lines of the subscripts, so that reading them streams

  windows(plan::block of, double share) : of_(of) {
    std::size_t const all = (of.size() + length - 1) / length;
    count_ = share >= 1 ? all : std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(all)));
    is_all_ = count_ >= all;
  }

  /// Calls visit(begin, end) for each window.
  template <class Visit>
  void for_each(Visit visit) const {
    if (of_.size() == 0) return;
    if (is_all_) return visit(of_.begin, of_.end);
    for (std::size_t k = 0; k < count_; ++k) {
      std::size_t const begin = of_.begin + plan::block_of(of_.size() - length, count_, k).begin;
      visit(begin, begin + length);
    }
  }

 private:
  plan::block of_;
  std::size_t count_ = 0;
  bool is_all_ = true;
};

/// Sums that parts, or slices of the elements, find.
struct counts {
  std::size_t followed = 0, private_subscripts = 0;  // of elements in the sample
  std::size_t iterations = 0, copies = 0, crossing = 0;
  std::size_t lines = 0, line_subscripts = 0;
  std::size_t elements = 0, runs = 0, contended = 0, privates = 0;  // in the sample

  counts& operator+=(counts const& more) {
    followed += more.followed, private_subscripts += more.private_subscripts;
    iterations += more.iterations, copies += more.copies, crossing += more.crossing;
    lines += more.lines, line_subscripts += more.line_subscripts;
    elements += more.elements, runs += more.runs, contended += more.contended, privates += more.privates;
    return *this;
  }
};

double ratio(double of, double all) {
  return all == 0 ? 0 : of / all;
}

/// Reads a pattern once.
class reading {
 public:
  reading(pattern const& of, team& workers, extent const& how)
      : of_(of),
        workers_(workers),
        how_(how),
        sample_(of.elements(), how.elements),
        owner_share_(
            ratio(static_cast<double>(std::min(how.owners, of.subscripts())), static_cast<double>(of.subscripts()))),
        touched_{of.elements(), std::vector<element_set>(workers.parts())},
        followed_(workers.parts()),
        found_(workers.parts()),
        touched_by_(workers.parts(), std::vector<std::size_t>(workers.parts(), 0)),
        loads_(workers.parts()) {
    if (of.subscripts() == 0) owner_share_ = 1;
  }

  pattern_features features() {
    double const bytes = static_cast<double>(of_.subscripts() * sizeof(subscript));
    workers_.run({"read", bytes, bytes}, [&](std::size_t part) { scan(part); });
    count_elements();
    workers_.run({"read again"}, [&](std::size_t part) {
      for (subscript const e : followed_[part]) found_[part].private_subscripts += touched_.parts[part].has(e);
    });
    return estimates();
  }

 private:
  void scan(std::size_t part) {
    counts mine;
    element_set set{std::vector<std::uint64_t>(element_set::words_for(of_.elements()))};
    std::vector<subscript> followed;
    auto const iterations = plan::block_of(of_.iterations(), workers_.parts(), part);
    auto const index = of_.index();
    std::size_t const last = of_.row_begin(iterations.end);
    for (std::size_t k = of_.row_begin(iterations.begin); k < last; ++k) {
      if (!sample_.has(index[k] / 64)) continue;
      set.insert(index[k]);
      followed.push_back(index[k]);
    }
    mine.followed = followed.size();
    line_counter lines(how_.line);
    copy_counter owners(of_.elements(), workers_.parts());
    windows(iterations, owner_share_).for_each([&](std::size_t begin, std::size_t end) {
      lines.next_window();
      for (std::size_t i = begin; i < end; ++i) {
        auto const row = of_.row(i);
        std::size_t const copies = owners.add(row, part);
        mine.copies += copies;
        mine.crossing += copies > 1;
        for (subscript const e : row) lines.add(e);
      }
      mine.iterations += end - begin;
    });
    mine.lines = lines.lines(), mine.line_subscripts = lines.subscripts();
    touched_.parts[part] = std::move(set);
    followed_[part] = std::move(followed);
    found_[part] = mine;
    loads_[part] = owners.loads();
  }

  /// Counts elements, word by word, and leaves in each part's set those that it would keep privately.
  void count_elements() {
    struct edge {
      bool first = false, last = false;  // of a slice's elements, whether a part touches them
    };
    std::size_t const parts = workers_.parts(), words = element_set::words_for(of_.elements());
    writers const by(of_.elements(), parts);
    std::vector<std::vector<edge>> edges(parts, std::vector<edge>(parts));
    std::vector<counts> slices(parts);
    workers_.run({"count"}, [&](std::size_t slice) {
      counts mine;
      auto const own = plan::block_of(words, parts, slice);
      std::vector<std::uint64_t> carry(parts, 0);  // the last element of the word before
      std::vector<std::size_t> touched_by(parts, 0);
      for (std::size_t w = own.begin; w < own.end; ++w) {
        if (!sample_.has(w)) continue;
        std::uint64_t again = 0;
        mine.elements += std::min<std::size_t>(64, of_.elements() - w * 64);
        by.for_each_part(touched_, w, [&](std::size_t part, std::uint64_t touched, std::uint64_t privates) {
          touched_.parts[part].words[w] = privates;
          touched_by[part] += static_cast<std::size_t>(std::popcount(touched));
          // If words are drawn, a run is counted only if it begins inside a word: 63 of 64 places.
          std::uint64_t const before = sample_.is_all() ? touched << 1 | carry[part] : touched << 1 | 1;
          mine.runs += static_cast<std::size_t>(std::popcount(touched & ~before));
          mine.privates += static_cast<std::size_t>(std::popcount(privates));
          carry[part] = touched >> 63;
          if (w == own.begin) edges[slice][part].first = (touched & 1) != 0;
          edges[slice][part].last = carry[part] != 0;
          again |= privates;
        });
        mine.contended += static_cast<std::size_t>(std::popcount(again));
      }
      slices[slice] = mine;
      touched_by_[slice] = std::move(touched_by);
    });
    for (std::size_t slice = 0; slice < parts; ++slice) found_[slice] += slices[slice];
    if (!sample_.is_all()) return;
    // A run that goes on in the next slice was counted in both.
    std::vector<bool> goes_on(parts, false);
    for (std::size_t slice = 0; slice < parts; ++slice) {
      if (plan::block_of(words, parts, slice).size() == 0) continue;
      for (std::size_t part = 0; part < parts; ++part) {
        if (goes_on[part] && edges[slice][part].first) --found_[slice].runs;
        goes_on[part] = edges[slice][part].last;
      }
    }
  }

  pattern_features estimates() const {
    counts all;
    for (counts const& one : found_) all += one;
    double const parts = static_cast<double>(workers_.parts()), n = static_cast<double>(of_.elements());
    double const followed = static_cast<double>(all.elements);
    double touched = 0;  // elements of the sample, sum over the parts
    for (auto const& slice : touched_by_)
      for (std::size_t const here : slice) touched += static_cast<double>(here);
    pattern_features features;
    features.elements = of_.elements();
    features.iterations = of_.iterations();
    features.subscripts = of_.subscripts();
    features.parts = workers_.parts();
    features.sparsity = ratio(touched, followed * parts);
    double const runs = static_cast<double>(all.runs) * (sample_.is_all() ? 1 : 64.0 / 63);
    features.clusters = runs * ratio(n, followed) / parts;
    features.contended = ratio(static_cast<double>(all.contended), followed);
    features.privates = ratio(static_cast<double>(all.privates), followed);
    features.private_subscripts = ratio(static_cast<double>(all.private_subscripts), static_cast<double>(all.followed));
    double const iterations = static_cast<double>(all.iterations);
    features.copies = all.iterations == 0 ? 1 : static_cast<double>(all.copies) / iterations;
    features.crossing = ratio(static_cast<double>(all.crossing), iterations);
    features.turnover =
        all.line_subscripts == 0 ? 1 : ratio(static_cast<double>(all.lines), static_cast<double>(all.line_subscripts));
    std::vector<std::size_t> loads(workers_.parts(), 0);
    for (auto const& found : loads_)
      std::transform(found.begin(), found.end(), loads.begin(), loads.begin(), std::plus<>{});
    features.load = ratio(static_cast<double>(*std::max_element(loads.begin(), loads.end())) * parts, iterations);
    return features;
  }

  pattern const& of_;
  team& workers_;
  extent how_;
  word_sample sample_;
  double owner_share_;
  touched_map touched_;
  std::vector<std::vector<subscript>> followed_;  // by each part, of elements in the sample
  std::vector<counts> found_;
  std::vector<std::vector<std::size_t>> touched_by_;  // elements of a slice that a part touches
  std::vector<std::vector<std::size_t>> loads_;       // iterations of each owner that a part found
};

}  // namespace

pattern_features characterise(pattern const& of, team& workers, extent const& how) {
  SKEL_EXPECTS(std::has_single_bit(how.line));
  auto features = reading(of, workers, how).features();
  features.mixing = sampled_features(of, workers.parts(), how.line).mixing;
  return features;
}

extent extent_of(pattern const& of, std::size_t line) {
  extent how;
  how.line = line;
  // Following an element costs a write to a set, finding owners and lines some comparisons. On an eighth and a
  // sixteenth of the data this takes about as long as reading it all.
  std::size_t const read = std::max<std::size_t>(1, of.subscripts());
  how.elements = std::max<std::size_t>(std::size_t{1} << 16, of.elements() / 8);
  how.owners = std::max<std::size_t>(std::min<std::size_t>(read, 8192), read / 16);
  return how;
}

}  // namespace skel::runtime::reduction
