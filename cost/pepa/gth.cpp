#include <cstddef>
#include <vector>

#include "chain.hpp"

namespace skel::cost::pepa::detail {

// States are censored one after the other, the last first: what entered state k and left it again becomes direct
// transitions between the remaining ones. Only sums, products and quotients of positive numbers, so that every
// probability is exact to a few units of rounding, however stiff the chain.
std::vector<double> eliminate(incoming const& q) {
  std::size_t const n = q.states();
  std::vector<double> rate(n * n, 0.0);  // row: source
  for (std::size_t to = 0; to < n; ++to)
    for (std::size_t t = q.first[to]; t < q.first[to + 1]; ++t) rate[q.source[t] * n + to] = q.rate[t];
  for (std::size_t k = n; k-- > 1;) {
    double const* const from_k = &rate[k * n];
    double out = 0;
    for (std::size_t j = 0; j < k; ++j) out += from_k[j];
    for (std::size_t i = 0; i < k; ++i) {
      double* const row = &rate[i * n];
      if (row[k] == 0) continue;
      double const visits = row[k] /= out;
      for (std::size_t j = 0; j < k; ++j) row[j] += visits * from_k[j];
    }
  }
  std::vector<double> probability(n, 0.0);
  probability[0] = 1;
  double sum = 1;
  for (std::size_t k = 1; k < n; ++k) {
    for (std::size_t i = 0; i < k; ++i) probability[k] += probability[i] * rate[i * n + k];
    sum += probability[k];
  }
  for (double& p : probability) p /= sum;
  return probability;
}

}  // namespace skel::cost::pepa::detail
