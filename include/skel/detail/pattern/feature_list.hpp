#pragma once

#include <array>
#include <string_view>

#include <skel/detail/pattern/pattern_features.hpp>

namespace skel {

/// One of the features of a pattern, as commands and files write it.
struct listed_feature {
  std::string_view name;     ///< the symbol of the paper where it has one
  std::string_view meaning;  ///< one line, for somebody who reads the number
  bool counts;               ///< whether values are whole numbers
  double (*value)(pattern_features const&);
};

/// All of them, in the order in which they are shown: sizes first, then what costs an algorithm something.
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
