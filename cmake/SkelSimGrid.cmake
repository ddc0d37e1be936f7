# SimGrid with its SMPI (libsimgrid-dev), for the simulated grids of bench/grid and bench/simulation. Sets SKEL_SMPIRUN, SKEL_SMPI_INCLUDE_DIR,
# SKEL_SIMGRID_LIBRARY, and SKEL_HAS_SIMGRID where all of them are there.
include_guard(GLOBAL)

find_program(SKEL_SMPIRUN smpirun)
find_path(SKEL_SMPI_INCLUDE_DIR mpi.h PATH_SUFFIXES smpi)
find_library(SKEL_SIMGRID_LIBRARY simgrid)
mark_as_advanced(SKEL_SMPIRUN SKEL_SMPI_INCLUDE_DIR SKEL_SIMGRID_LIBRARY)
set(SKEL_HAS_SIMGRID OFF)
if(SKEL_SMPIRUN AND SKEL_SIMGRID_LIBRARY AND SKEL_SMPI_INCLUDE_DIR MATCHES "smpi$")
  set(SKEL_HAS_SIMGRID ON)
else()
  message(STATUS "SimGrid is missing (libsimgrid-dev): bench_grid will say so; bench_shared_grid and the tests of both are left out")
endif()
