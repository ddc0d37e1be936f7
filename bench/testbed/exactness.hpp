#pragma once

namespace bench {

/// Measures what becomes of latencies and bandwidths that a testbed is asked for, by plain TCP for about so many
/// seconds each and by `skel probe`, and prints a table.
void print_exactness(double seconds);

/// What runs on a host for that: prints the figures of the way to another one.
void print_tcp_figures(char const* address, double seconds);

}  // namespace bench
