#include "cheapest_sequence.hpp"

#include <skel/detail/base/contract.hpp>

namespace skel::mapping::migration {

way_sequences cheapest_sequences(std::vector<std::vector<double>> const& seconds, std::vector<double> const& change,
                                 std::vector<double> const& chance) {
  std::size_t const ways = seconds.size(), parts = chance.size();
  SKEL_EXPECTS(change.size() == ways * ways && parts > 0);
  way_sequences made{std::vector<double>(ways), std::vector<std::size_t>(ways, parts)};
  for (std::size_t k = parts; k-- > 0;) {
    auto const later = made;
    for (std::size_t a = 0; a < ways; ++a) {
      double least = later.seconds[a];
      for (std::size_t b = 0; b < ways && k + 1 < parts; ++b)
        if (double const other = chance[k + 1] * change[a * ways + b] + later.seconds[b]; other < least)
          least = other, made.changes[a] = k + 1;
      made.seconds[a] = seconds[a][k] + least;
    }
  }
  return made;
}

}  // namespace skel::mapping::migration
