# How tests and benchmarks start ranks. A process is not bound to a core (it has several threads), gives its core away
# while it waits (more ranks than cores), and may run as root (containers have no other user).
include_guard(GLOBAL)

set(SKEL_MPIRUN_FLAGS --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
  CACHE STRING "Options that tests and benchmarks give to mpirun")
set(SKEL_MPIRUN_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  CACHE INTERNAL "What mpirun needs in its environment, in every folder that includes this once")

# skel_starts_mpirun(TARGET): its sources see SKEL_MPIRUN and SKEL_MPIRUN_ENVIRONMENT, comma-separated string literals: the
# words of the command up to its options, and what the environment needs ("NAME=VALUE").
function(skel_starts_mpirun target)
  list(PREPEND SKEL_MPIRUN_FLAGS ${MPIEXEC_EXECUTABLE})
  list(JOIN SKEL_MPIRUN_FLAGS "\",\"" words)
  list(JOIN SKEL_MPIRUN_ENVIRONMENT "\",\"" variables)
  target_compile_definitions(${target} PRIVATE SKEL_MPIRUN="${words}" SKEL_MPIRUN_ENVIRONMENT="${variables}")
endfunction()
