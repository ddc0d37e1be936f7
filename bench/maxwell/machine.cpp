#include "machine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <utility>
#include <vector>

namespace bench {

namespace {

/// Makes the compiler believe that this memory is read and written.
void touch(void* memory) {
  asm volatile("" : : "g"(memory) : "memory");
}

template <std::size_t Chains>
double operations_of_chains() {
  constexpr std::size_t repeats = 1 << 20;
  std::array<double, Chains> x{};
  double factor = 0.999999, term = 1e-6;  // goes to 1, and never to what is slow to compute with
  touch(&factor), touch(&term);
  double const start = processor_seconds();
  for (std::size_t i = 0; i < repeats; ++i)
    for (double& one : x) one = one * factor + term;
  double const seconds = processor_seconds() - start;
  touch(x.data());
  return 2.0 * Chains * repeats / seconds;
}

}  // namespace

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double triad_bandwidth(std::size_t bytes, double seconds) {
  std::size_t const n = bytes / (3 * sizeof(double));
  std::vector<double> a(n, 0), b(n, 1), c(n, 2);
  double const factor = 3;
  double best = 0;
  // The clock tells microseconds: a round of this many bytes takes a thousand of them at least.
  constexpr std::size_t bytes_of_a_round = std::size_t{1} << 27;
  std::size_t const repeats = 1 + bytes_of_a_round / (bytes + 1);
  double const end = processor_seconds() + seconds;
  do {
    double const start = processor_seconds();
    for (std::size_t k = 0; k < repeats; ++k) {
      for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + factor * c[i];
      touch(a.data());
      std::swap(a, c);  // so that none can be left out
    }
    best = std::max(best, static_cast<double>(repeats * 3 * sizeof(double) * n) / (processor_seconds() - start));
  } while (processor_seconds() < end);
  return best;
}

#ifndef __clang__
__attribute__((target_clones("avx2", "default"), flatten))  // as examples/maxwell/order_one.cpp
#endif
double
most_operations() {
  double best = 0;
  for (int round = 0; round < 5; ++round)
    best = std::max({best, operations_of_chains<8>(), operations_of_chains<16>(), operations_of_chains<20>(),
                     operations_of_chains<24>(), operations_of_chains<32>(), operations_of_chains<48>(),
                     operations_of_chains<64>(), operations_of_chains<96>()});
  return best;
}

}  // namespace bench
