// A program of three stages on oneTBB; skel.cpp is the same on skel.
#include <cstdio>

#include <oneapi/tbb.h>

int main() {
  long sum = 0;
  int i = 0;
  auto const count = [&i](tbb::flow_control& flow) {
    if (i < 1000) return i++;
    flow.stop();
    return 0;
  };
  tbb::parallel_pipeline(
      16, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, count) &
              tbb::make_filter<int, long>(tbb::filter_mode::parallel, [](int x) { return 1L * x * x; }) &
              tbb::make_filter<long, void>(tbb::filter_mode::serial_in_order, [&](long x) { sum += x; }));
  std::printf("%ld\n", sum);
}
