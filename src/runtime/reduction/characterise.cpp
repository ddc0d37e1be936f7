#include <skel/runtime/reduction/characterise.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <skel/base/contract.hpp>
#include <skel/plan/reduction.hpp>
#include <skel/runtime/reduction/owner_finder.hpp>

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

/// Counts of one part, or of one slice of the elements; sums are the pattern's.
struct counts {
  std::size_t iterations = 0;  // looked at
  std::size_t copies = 0, crossing = 0, bordering = 0;
  std::size_t lines = 0, line_subscripts = 0;
  std::size_t touched = 0, runs = 0, contended = 0, privates = 0;  // elements

  counts& operator+=(counts const& more) {
    iterations += more.iterations;
    copies += more.copies, crossing += more.crossing, bordering += more.bordering;
    lines += more.lines, line_subscripts += more.line_subscripts;
    touched += more.touched, runs += more.runs, contended += more.contended, privates += more.privates;
    return *this;
  }
};

counts sum(std::vector<counts> const& all) {
  counts total;
  for (counts const& one : all) total += one;
  return total;
}

double share(std::size_t of, double all) {
  return all == 0 ? 0 : static_cast<double>(of) / all;
}

/// Counts how often iterations run if every owner of one of their elements runs them.
class copy_counter {
 public:
  copy_counter(std::size_t elements, std::size_t parts) : owner_(elements, parts), loads_(parts, 0) {}

  /// An iteration that `runner` runs where it has no elements. Returns how many owners run it.
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

/// Counts elements, word by word, and leaves in each part's set what it would keep privately.
void count_elements(touched_map& map, team& workers, std::vector<counts>& found) {
  struct edge {
    bool first = false, last = false;  // of a slice's elements, whether a part touches them
  };
  std::size_t const parts = map.parts.size();
  keepers const keeper(map.elements, parts);
  std::vector<std::vector<edge>> edges(workers.parts(), std::vector<edge>(parts));
  workers.run({"count elements"}, [&](std::size_t slice) {
    counts mine;
    auto const words = plan::block_of(element_set::words_for(map.elements), workers.parts(), slice);
    std::vector<std::uint64_t> carry(parts, 0);  // the last element of the word before
    for (std::size_t w = words.begin; w < words.end; ++w) {
      std::uint64_t again = 0;
      keeper.for_each_part(map, w, [&](std::size_t part, std::uint64_t touched, std::uint64_t privates) {
        map.parts[part].words[w] = privates;
        mine.touched += static_cast<std::size_t>(std::popcount(touched));
        mine.runs += static_cast<std::size_t>(std::popcount(touched & ~(touched << 1 | carry[part])));
        mine.privates += static_cast<std::size_t>(std::popcount(privates));
        carry[part] = touched >> 63;
        if (w == words.begin) edges[slice][part].first = (touched & 1) != 0;
        edges[slice][part].last = carry[part] != 0;
        again |= privates;
      });
      mine.contended += static_cast<std::size_t>(std::popcount(again));
    }
    found[slice] += mine;
  });
  // A run that goes on in the next slice was counted in both.
  std::vector<bool> goes_on(parts, false);
  for (std::size_t slice = 0; slice < edges.size(); ++slice) {
    if (plan::block_of(element_set::words_for(map.elements), workers.parts(), slice).size() == 0) continue;
    for (std::size_t part = 0; part < parts; ++part) {
      if (goes_on[part] && edges[slice][part].first) --found[slice].runs;
      goes_on[part] = edges[slice][part].last;
    }
  }
}

/// What the owner with most iterations has, `loads` having been found part by part.
double heaviest(std::vector<std::vector<std::size_t>> const& loads) {
  std::vector<std::size_t> sums(loads.size(), 0);
  for (auto const& found : loads) std::transform(found.begin(), found.end(), sums.begin(), sums.begin(), std::plus<>{});
  return static_cast<double>(*std::max_element(sums.begin(), sums.end()));
}

pattern_features features_of(pattern const& of, std::size_t parts, counts const& all) {
  pattern_features features;
  features.elements = of.elements();
  features.iterations = of.iterations();
  features.subscripts = of.subscripts();
  features.parts = parts;
  double const elements = static_cast<double>(of.elements());
  double const looked_at = static_cast<double>(all.iterations);
  features.sparsity = share(all.touched, elements * static_cast<double>(parts));
  features.clusters = static_cast<double>(all.runs) / static_cast<double>(parts);
  features.contended = share(all.contended, elements);
  features.privates = share(all.privates, elements);
  features.copies = all.iterations == 0 ? 1 : share(all.copies, looked_at);
  features.crossing = share(all.crossing, looked_at);
  features.bordering = share(all.bordering, looked_at);
  features.turnover = all.line_subscripts == 0 ? 1 : share(all.lines, static_cast<double>(all.line_subscripts));
  return features;
}

}  // namespace

pattern_features characterise(pattern const& of, team& workers, std::size_t line) {
  SKEL_EXPECTS(std::has_single_bit(line));
  std::size_t const parts = workers.parts();
  touched_map map = find_touched(of, workers);
  std::vector<counts> found(parts);
  std::vector<std::vector<std::size_t>> loads(parts);
  count_elements(map, workers, found);
  workers.run({"count iterations"}, [&](std::size_t part) {
    counts mine;
    line_counter lines(line);
    copy_counter owners(of.elements(), parts);
    auto const& privates = map.parts[part];
    auto const iterations = plan::block_of(of.iterations(), parts, part);
    for (std::size_t i = iterations.begin; i < iterations.end; ++i) {
      auto const row = of.row(i);
      std::size_t const copies = owners.add(row, part);
      mine.copies += copies;
      mine.crossing += copies > 1;
      mine.bordering += std::any_of(row.begin(), row.end(), [&](subscript e) { return privates.has(e); });
      for (subscript const e : row) lines.add(e);
    }
    mine.iterations = iterations.size();
    mine.lines = lines.lines(), mine.line_subscripts = lines.subscripts();
    found[part] += mine;
    loads[part] = owners.loads();
  });
  pattern_features features = features_of(of, parts, sum(found));
  features.load =
      heaviest(loads) * static_cast<double>(parts) / static_cast<double>(std::max<std::size_t>(1, of.iterations()));
  return features;
}

}  // namespace skel::runtime::reduction
