#pragma once

#include <cstddef>

namespace skel {

/// What an irregular reduction's pattern is like, when P threads run its iterations in P contiguous blocks and own its
/// elements in P contiguous blocks. What algorithms of reductions are chosen by.
/// Source: Yu, Zhang, Dang, Rauchwerger 2004, TR04-002, Texas A&M, section 4, for those in capital letters.
struct pattern_features {
  std::size_t elements = 0;    ///< N
  std::size_t iterations = 0;  ///< M
  std::size_t subscripts = 0;  ///< of all iterations
  std::size_t parts = 1;       ///< P

  double sparsity = 0;   ///< SP: share of P private arrays of N elements that would be touched
  double clusters = 0;   ///< CLUS: maximal runs of touched elements, mean over the threads
  double copies = 1;     ///< rho: times that an iteration runs if every owner of one of its elements runs it, mean
  double load = 1;       ///< iterations of the owner that runs most of them then, over M / P
  double crossing = 0;   ///< share of the iterations with elements of several owners
  double contended = 0;  ///< share of the N elements that several threads touch
  double privates = 0;   ///< private places that SELPRIV needs, sum over the threads, over N
  double private_subscripts = 0;  ///< share of the subscripts whose element their thread keeps privately in SELPRIV
  double turnover = 1;  ///< cache lines that `window` iterations touch, over their subscripts: 1 where all are apart
  double mixing =
      0;  ///< share of pairs of elements next to each other in a sample whose iterations different threads run

  /// CON: the paper's text defines |V|/|E|; its tables have iterations over elements.
  double connectivity() const { return elements == 0 ? 0 : double(iterations) / double(elements); }
  /// MOB: subscripts of an iteration, mean.
  double mobility() const { return iterations == 0 ? 0 : double(subscripts) / double(iterations); }
  /// Mean length of a run of touched elements, over N: CLUS without the size of the problem.
  double run_length() const { return clusters == 0 ? 0 : sparsity * double(elements) / clusters; }

  friend bool operator==(pattern_features const&, pattern_features const&) = default;
};

}  // namespace skel
