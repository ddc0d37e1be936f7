#pragma once

/// Pipelines as values: source, stage, farm, reduce, broadcast, sink; emitters; pipelines made at run time; options.
/// skel::grid runs them (<skel/grid.hpp>).
#include <skel/detail/pattern/accumulate.hpp>
#include <skel/detail/pattern/collective_stages.hpp>
#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/pattern/emitter.hpp>
#include <skel/detail/pattern/runtime_pipeline.hpp>
