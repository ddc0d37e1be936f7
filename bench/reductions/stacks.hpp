#pragma once

#include <cstddef>
#include <functional>

namespace bench::reductions {

/// Runs this program again, from main(), with stacks of `bytes` for the threads of OpenMP, unless OMP_STACKSIZE is set
/// already: OpenMP reads it before main(). Throws skel::error when the program cannot be started again.
void restart_with_stacks(char** argv, std::size_t bytes);

/// Runs f on a thread with a stack like those of OpenMP's threads: the thread that begins a parallel region keeps a
/// copy of the array as well. Exceptions are passed on. Memory of stacks that is never touched is never used.
void run_with_stacks(std::function<void()> const& f);

/// What the smaller of the calling thread's stack and those of OpenMP has room for, but for what calls need [B].
std::size_t least_stack();

}  // namespace bench::reductions
