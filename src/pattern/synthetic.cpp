#include <skel/pattern/synthetic.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <skel/base/contract.hpp>

namespace skel {

namespace {

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

}  // namespace

pattern make_pattern(synthetic_pattern const& wanted, std::uint64_t seed) {
  SKEL_EXPECTS(wanted.elements >= 1 && wanted.parts >= 1 && wanted.sparsity > 0 && wanted.sparsity <= 1);
  SKEL_EXPECTS(wanted.connectivity >= 0 && wanted.apart >= 0 && wanted.apart <= 1 && wanted.reach >= 0);
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

}  // namespace skel
