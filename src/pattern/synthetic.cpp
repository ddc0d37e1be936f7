#include <skel/detail/pattern/pattern.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>

namespace skel {

namespace {

/// Requirements on the arguments of a function.
struct wish {
  char const* function;

  void expect(bool holds, char const* which, char const* range) const {
    if (!holds) throw input_error(function, which, std::string("must be ") + range);
  }
  void expect_room(std::size_t elements, double connectivity, std::size_t mobility) const {
    expect(elements <= std::size_t{1} << 31, "elements", "at most 2147483648");
    double const subscripts = connectivity * static_cast<double>(elements) * static_cast<double>(mobility);
    expect(connectivity >= 0 && subscripts < 0x1p48, "connectivity",
           "0 or more, with fewer than 2^48 subscripts in all: elements times connectivity times mobility");
  }
};

/// The elements of a part, in runs that do not overlap: each run in a stratum of its own.
struct runs {
  std::size_t length = 0, stratum = 0, elements = 0;
  std::vector<std::size_t> shifts;  // of each run in its stratum

  std::size_t size() const { return shifts.size() * length; }
  /// The element at place k of all the runs.
  std::size_t operator[](std::size_t k) const {
    std::size_t const run = k / length;
    return (run * stratum + shifts[run] + k % length) % elements;
  }
};

/// Numbers from 0 to count - 1, of which blocks of `run` have changed places; 0: none have.
class shuffled_blocks {
 public:
  shuffled_blocks(std::size_t count, std::size_t run, std::mt19937_64& dice) : run_(run) {
    if (run == 0) return;
    for (std::size_t begin = 0; begin < count; begin += run) first_.push_back(begin);
    std::shuffle(first_.begin(), first_.end(), dice);
    // The new place of each block; the last one may be shorter.
    std::vector<std::size_t> place(first_.size());
    std::size_t next = 0;
    for (std::size_t const begin : first_) {
      place[begin / run] = next;
      next += std::min(run, count - begin);
    }
    first_ = std::move(place);
  }

  std::size_t operator()(std::size_t number) const {
    return run_ == 0 ? number : first_[number / run_] + number % run_;
  }

 private:
  std::size_t run_;
  std::vector<std::size_t> first_;
};

/// Rows in the order of their first subscripts, which are less than n; equal ones stay in theirs.
void sort_rows(std::vector<subscript>& index, std::size_t width, std::size_t n) {
  std::vector<std::size_t> places(n + 1, 0);
  for (std::size_t k = 0; k < index.size(); k += width) ++places[index[k] + 1];
  for (std::size_t e = 0; e < n; ++e) places[e + 1] += places[e];
  std::vector<subscript> sorted(index.size());
  for (std::size_t k = 0; k < index.size(); k += width)
    std::copy_n(index.begin() + static_cast<std::ptrdiff_t>(k), width,
                sorted.begin() + static_cast<std::ptrdiff_t>(width * places[index[k]]++));
  index = std::move(sorted);
}

}  // namespace

pattern make_pattern(synthetic_pattern const& wanted, std::uint64_t seed) {
  wish const wish{"skel::make_pattern"};
  wish.expect(wanted.elements >= 1, "elements", "1 or more");
  wish.expect(wanted.parts >= 1, "parts", "1 or more");
  wish.expect(wanted.sparsity > 0 && wanted.sparsity <= 1, "sparsity", "more than 0, and at most 1");
  wish.expect(wanted.apart >= 0 && wanted.apart <= 1, "apart", "from 0 to 1");
  wish.expect(wanted.reach >= 0 && wanted.reach <= 1, "reach", "from 0 to 1");
  wish.expect_room(wanted.elements, wanted.connectivity, wanted.mobility);
  std::mt19937_64 dice(seed);
  auto const uniform = [&] { return static_cast<double>(dice() >> 11) * 0x1p-53; };
  std::size_t const n = wanted.elements;
  auto const iterations =
      static_cast<std::size_t>(std::llround(wanted.connectivity * static_cast<double>(wanted.elements)));
  std::size_t const count = std::clamp<std::size_t>(wanted.clusters, 1, n);
  std::vector<subscript> index;
  index.reserve(iterations * wanted.mobility);
  for (std::size_t part = 0; part < wanted.parts; ++part) {
    runs mine;
    mine.elements = n;
    mine.stratum = n / count;
    double const in_stratum = wanted.sparsity * static_cast<double>(mine.stratum);
    mine.length = std::clamp<std::size_t>(static_cast<std::size_t>(std::llround(in_stratum)), 1, mine.stratum);
    for (std::size_t run = 0; run < count; ++run) {
      double const free = static_cast<double>(mine.stratum - mine.length);
      double const own =
          static_cast<double>(mine.stratum) * static_cast<double>(part) / static_cast<double>(wanted.parts);
      double const anywhere = free * uniform();
      mine.shifts.push_back(static_cast<std::size_t>(anywhere + wanted.apart * (own - anywhere)));
    }
    std::size_t const begin = iterations * part / wanted.parts, end = iterations * (part + 1) / wanted.parts;
    double const places = static_cast<double>(mine.size());
    for (std::size_t i = begin; i < end; ++i) {
      double const progress = static_cast<double>(i - begin) / static_cast<double>(end - begin);
      for (std::size_t slot = 0; slot < wanted.mobility; ++slot) {
        double const place =
            wanted.reach == 0 ? uniform() * places : (progress + wanted.reach * (uniform() - 0.5)) * places;
        auto const wrapped = static_cast<std::size_t>(place < 0 ? place + places : place) % mine.size();
        index.push_back(static_cast<subscript>(mine[wrapped]));
      }
    }
  }
  return pattern(iterations, n, std::move(index));
}

pattern make_lattice(synthetic_lattice const& wanted, std::uint64_t seed) {
  wish const wish{"skel::make_lattice"};
  wish.expect(wanted.elements >= 1, "elements", "1 or more");
  wish.expect(wanted.mobility >= 1, "mobility", "1 or more");
  wish.expect(wanted.dimensions >= 1 && wanted.dimensions <= 3, "dimensions", "1, 2 or 3");
  wish.expect(wanted.distance >= 1, "distance", "1 or more");
  wish.expect_room(wanted.elements, wanted.connectivity, wanted.mobility);
  std::mt19937_64 dice(seed);
  std::size_t const side = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::llround(
             std::pow(static_cast<double>(wanted.elements), 1.0 / static_cast<double>(wanted.dimensions)))));
  std::size_t n = 1;
  for (std::size_t d = 0; d < wanted.dimensions; ++d) n *= side;
  auto const iterations = static_cast<std::size_t>(std::llround(wanted.connectivity * static_cast<double>(n)));
  // Iterations of a site differ in the sites that go with it, in the same way everywhere.
  std::size_t const kinds = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(wanted.connectivity)));
  using offset = std::array<std::size_t, 3>;
  std::vector<offset> offsets(kinds * wanted.mobility, offset{});
  std::uniform_int_distribution<std::size_t> step(0, wanted.distance);
  for (std::size_t k = 0; k < offsets.size(); ++k)
    if (k % wanted.mobility != 0)
      for (std::size_t d = 0; d < wanted.dimensions; ++d) offsets[k][d] = step(dice);
  shuffled_blocks const elements(n, wanted.element_run, dice), order(iterations, wanted.iteration_run, dice);
  std::vector<subscript> index(iterations * wanted.mobility);
  for (std::size_t i = 0; i < iterations; ++i) {
    // Iteration i of `iterations`, evenly over the sites.
    auto const site = static_cast<std::size_t>(static_cast<double>(i) / wanted.connectivity) % n;
    std::size_t const kind = i % kinds, row = order(i) * wanted.mobility;
    for (std::size_t slot = 0; slot < wanted.mobility; ++slot) {
      std::size_t element = 0, rest = site, scale = 1;
      for (std::size_t d = 0; d < wanted.dimensions; ++d, scale *= side) {
        element += (rest % side + offsets[kind * wanted.mobility + slot][d]) % side * scale;
        rest /= side;
      }
      index[row + slot] = static_cast<subscript>(elements(element));
    }
  }
  if (wanted.sorted) sort_rows(index, wanted.mobility, n);
  return pattern(iterations, n, std::move(index));
}

}  // namespace skel
