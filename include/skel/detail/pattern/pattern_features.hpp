#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace skel {

/// Features of an irregular reduction's pattern, if P threads run its iterations in P contiguous blocks and own its
/// elements in P contiguous blocks. They decide the algorithm of a reduction.
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
  double turnover = 1;  ///< cache lines that `window` iterations touch, over their subscripts: 1 if all are apart
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

/// One of the features of a pattern, as commands and files write it.
struct listed_feature {
  std::string_view name;     ///< the symbol of the paper if it has one
  std::string_view meaning;  ///< one line, for readers of the number
  bool counts;               ///< true if values are whole numbers
  double (*value)(pattern_features const&);
};

/// All of them, in the order in which they are shown: sizes first, then causes of costs.
inline constexpr std::array<listed_feature, 17> feature_list{{
    {"N", "elements of the array", true, [](pattern_features const& f) { return double(f.elements); }},
    {"M", "iterations", true, [](pattern_features const& f) { return double(f.iterations); }},
    {"P", "threads, with a contiguous block of iterations and one of elements each", true,
     [](pattern_features const& f) { return double(f.parts); }},
    {"subscripts", "of all iterations", true, [](pattern_features const& f) { return double(f.subscripts); }},
    {"CON", "iterations over elements", false, [](pattern_features const& f) { return f.connectivity(); }},
    {"MOB", "subscripts of an iteration", false, [](pattern_features const& f) { return f.mobility(); }},
    {"SP", "share of P private arrays of N elements that is touched", false,
     [](pattern_features const& f) { return f.sparsity; }},
    {"CLUS", "runs of touched elements, mean over the threads", false,
     [](pattern_features const& f) { return f.clusters; }},
    {"run_length", "elements of such a run, mean", false, [](pattern_features const& f) { return f.run_length(); }},
    {"rho", "times that an iteration runs if each owner of its elements runs it (LOCALWR)", false,
     [](pattern_features const& f) { return f.copies; }},
    {"load", "iterations of the owner that has most of them then, over M / P", false,
     [](pattern_features const& f) { return f.load; }},
    {"crossing", "share of the iterations with elements of several owners", false,
     [](pattern_features const& f) { return f.crossing; }},
    {"contended", "share of the N elements that several threads touch", false,
     [](pattern_features const& f) { return f.contended; }},
    {"privates", "private places, all threads together, over N (SELPRIV)", false,
     [](pattern_features const& f) { return f.privates; }},
    {"private_subscripts", "share of the subscripts that have a private place (SELPRIV)", false,
     [](pattern_features const& f) { return f.private_subscripts; }},
    {"turnover", "cache lines that 512 subscripts touch, over 512: 1 where all are apart", false,
     [](pattern_features const& f) { return f.turnover; }},
    {"mixing", "share of neighbours in a sample of elements that different threads update", false,
     [](pattern_features const& f) { return f.mixing; }},
}};

}  // namespace skel
