#pragma once

#include <cstddef>
#include <cstdint>

#include <skel/detail/runtime/ranks/communicator.hpp>

#include "prediction/random_case.hpp"

namespace bench {

/// Of a stream of `items`, how many are measured: those from a tenth to 19 twentieths of it.
constexpr std::size_t measured_items(std::size_t items) {
  return items - 1 - items / 20 - items / 10;
}

enum class service { exponential, constant };

/// Runs a case on skel's engine with emulated processors and returns its throughput [items/s], measured at the sink
/// between the items at a tenth and at 19 twentieths of the stream. Collective; the same on every rank.
/// The service times of a stage are the quantiles of their distribution, one per item, in random order: samples whose
/// mean and variance are exactly what the model is told.
double measure(random_case const& it, service kind, std::size_t items, std::uint64_t seed,
               skel::runtime::communicator const& ranks);

/// What a move costs in the engine: a stage without neighbours that would keep it waits for one move in and one out
/// (or for the room that it gives back), so that half of what its cycle exceeds its service is a move. Collective.
move_times measure_moves(skel::runtime::communicator const& ranks);

/// By how much the mean time of a service on an idle emulated processor exceeds the nominal one, as a share of it.
double processor_bias();

}  // namespace bench
