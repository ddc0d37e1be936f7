# Kokkos (libtrilinos-kokkos-dev), a competitor in bench/reductions. Makes the target skel_kokkos where it is there.
# By its files and not by find_package(Kokkos): Debian's configuration sets CMAKE_CXX_EXTENSIONS in the user's cache.
include_guard(GLOBAL)

find_path(SKEL_KOKKOS_INCLUDE_DIR Kokkos_ScatterView.hpp PATH_SUFFIXES trilinos kokkos)
find_library(SKEL_KOKKOS_CORE NAMES kokkoscore trilinos_kokkoscore)
find_library(SKEL_KOKKOS_CONTAINERS NAMES kokkoscontainers trilinos_kokkoscontainers)
mark_as_advanced(SKEL_KOKKOS_INCLUDE_DIR SKEL_KOKKOS_CORE SKEL_KOKKOS_CONTAINERS)
if(SKEL_KOKKOS_INCLUDE_DIR AND SKEL_KOKKOS_CORE AND SKEL_KOKKOS_CONTAINERS)
  add_library(skel_kokkos INTERFACE)
  target_include_directories(skel_kokkos SYSTEM INTERFACE ${SKEL_KOKKOS_INCLUDE_DIR})
  target_link_libraries(skel_kokkos INTERFACE ${SKEL_KOKKOS_CONTAINERS} ${SKEL_KOKKOS_CORE})
else()
  message(STATUS "Kokkos is missing (libtrilinos-kokkos-dev): bench_reductions leaves it out and says so")
endif()
