# SKEL_INSTALL: install + find_package(skel), or pkg-config. skelConfig.cmake.in lists the components that a user may ask for.
include(CMakePackageConfigHelpers)

# What needs neither MPI nor TBB is exported apart from what does, so that each can be found without the other.
get_property(exported GLOBAL PROPERTY SKEL_EXPORTED_TARGETS)
foreach(target IN LISTS exported)
  set(part models)
  if(target MATCHES "^skel_(runtime|machine|skel)$")
    set(part engines)
  endif()
  list(APPEND ${part} ${target})
  if(SKEL_INSTALL)
    install(TARGETS ${target} EXPORT skel-${part} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} FILE_SET HEADERS)
  endif()
endforeach()

# The same for who has the build tree alone: -D skel_DIR=.../build/release.
export(TARGETS ${models} skel_flags NAMESPACE skel:: FILE ${PROJECT_BINARY_DIR}/skelModels.cmake)
if(SKEL_WITH_MPI)
  export(TARGETS ${engines} NAMESPACE skel:: FILE ${PROJECT_BINARY_DIR}/skelEngines.cmake)
endif()

set(skel_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skel)
configure_package_config_file(cmake/skelConfig.cmake.in ${PROJECT_BINARY_DIR}/skelConfig.cmake
  INSTALL_DESTINATION ${skel_package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/SkelPartitioners.cmake ${PROJECT_BINARY_DIR}/SkelPartitioners.cmake COPYONLY)
if(NOT SKEL_INSTALL)
  return()
endif()

install(EXPORT skel-models FILE skelModels.cmake NAMESPACE skel:: DESTINATION ${skel_package_dir})
if(SKEL_WITH_MPI)
  install(EXPORT skel-engines FILE skelEngines.cmake NAMESPACE skel:: DESTINATION ${skel_package_dir})
endif()
install(FILES ${PROJECT_BINARY_DIR}/skelConfig.cmake ${PROJECT_BINARY_DIR}/skelConfigVersion.cmake
  ${PROJECT_BINARY_DIR}/SkelPartitioners.cmake
  DESTINATION ${skel_package_dir})

# pkg-config --cflags --libs skel: a linker takes static libraries in the order of who needs whom.
if(SKEL_WITH_MPI)
  foreach(target IN LISTS exported)
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL STATIC_LIBRARY)
      string(PREPEND skel_pc_libs "-l${target} ")
    endif()
  endforeach()
  get_target_property(skel_pc_partitioners skel::partitioners INTERFACE_LINK_LIBRARIES)
  list(JOIN skel_pc_partitioners " " skel_pc_partitioners)
  file(RELATIVE_PATH skel_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(cmake/skel.pc.in ${PROJECT_BINARY_DIR}/skel.pc @ONLY)

  # The same code as one shared library, of small programs: skel::shared, pkg-config --cflags --libs skel-shared. As
  # libskel.so is installed where the user says, programs remember where.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shared.cpp CONTENT "// All of libskel.so comes from the static libraries.\n")
  add_library(skel_shared SHARED ${PROJECT_BINARY_DIR}/shared.cpp)
  list(TRANSFORM exported REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
  target_link_libraries(skel_shared PRIVATE -Wl,--whole-archive ${archives} -Wl,--no-whole-archive
    MPI::MPI_CXX PkgConfig::HWLOC TBB::tbb Threads::Threads skel::partitioners)
  add_dependencies(skel_shared ${exported})
  set_property(TARGET skel_shared PROPERTY LINK_DEPENDS ${archives})
  target_link_options(skel_shared PRIVATE LINKER:-Bsymbolic-functions LINKER:--as-needed)
  set_target_properties(skel_shared PROPERTIES OUTPUT_NAME skel VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  install(TARGETS skel_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(skel_pc_libs "-Wl,-rpath,\${libdir} -lskel")
  set(skel_pc_partitioners)
  configure_file(cmake/skel.pc.in ${PROJECT_BINARY_DIR}/skel-shared.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/skel.pc ${PROJECT_BINARY_DIR}/skel-shared.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  # For programs that are compiled with the thread sanitizer.
  install(FILES tests/suppressions/tsan.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/skel)
endif()
