#pragma once

#include <span>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// The kind "polynomial": of each algorithm the speedup over the sequential one, and its setup over its run (the
/// paper's O), as polynomials; a quarter of the programs is held out to choose terms. Seconds come from what
/// `sequential`, a sum of terms, predicts.
platform::fitted_kind fit_polynomial_kind(std::span<reduction_sample const> samples, cache_sizes const& caches,
                                          platform::fitted_reduction const& sequential);

}  // namespace skel::cost
