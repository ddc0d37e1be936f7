# What programs with a command line include: reading it takes 4 s of the 5 to 9 s that such a source is compiled for.
include_guard(GLOBAL)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/program_headers.cpp CONTENT "// Holds the precompiled headers of programs.\n")
add_library(skel_program_headers OBJECT ${PROJECT_BINARY_DIR}/program_headers.cpp)
target_link_libraries(skel_program_headers PRIVATE skel_flags CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
target_precompile_headers(skel_program_headers PRIVATE ${CMAKE_CURRENT_LIST_DIR}/program_headers.hpp)

# skel_precompile_headers_of_programs(): for all executables of this folder that link CLI11.
function(skel_precompile_headers_of_programs)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(kind ${target} TYPE)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(kind STREQUAL EXECUTABLE AND "CLI11::CLI11" IN_LIST libraries)
      target_link_libraries(${target} PRIVATE fmt::fmt)  # whose definitions the precompiled headers have
      target_precompile_headers(${target} REUSE_FROM skel_program_headers)
    endif()
  endforeach()
endfunction()
