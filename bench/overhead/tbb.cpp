#include <optional>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include "overhead/stream.hpp"

namespace bench {
namespace {

constexpr std::size_t threads = 2;

tally run(stream const& s, double* silent_cpu, std::size_t tokens) {
  namespace tbb = oneapi::tbb;
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
  source next(s, silent_cpu);
  tally seen;
  auto const last = s.ordered ? tbb::filter_mode::serial_in_order : tbb::filter_mode::serial_out_of_order;
  tbb::parallel_pipeline(tokens, tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order,
                                                              [&](tbb::flow_control& control) {
                                                                std::optional<item> const in = next();
                                                                if (in) return *in;
                                                                control.stop();
                                                                return item{};
                                                              }) &
                                     tbb::make_filter<item, item>(tbb::filter_mode::parallel, worker{s.turns}) &
                                     tbb::make_filter<item, void>(last, [&](item const& in) { seen(in); }));
  return seen;
}

}  // namespace

tally run_tbb(stream const& s, double* silent_cpu) {
  return run(s, silent_cpu, threads);
}
tally run_tbb_4(stream const& s, double* silent_cpu) {
  return run(s, silent_cpu, 4 * threads);
}

}  // namespace bench
