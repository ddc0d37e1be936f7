# cmake -D SKEL= -D PARENT= -D COMPILER= -D GENERATOR= -D SCRATCH= -P parent_test.cmake
# Configures PARENT, which adds SKEL as a folder of its own, and installs it: no file of skel comes along.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${SCRATCH})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${PARENT} -B ${SCRATCH}/build -G ${GENERATOR} -D SKEL=${SKEL}
  -D CMAKE_CXX_COMPILER=${COMPILER} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${SCRATCH}/build --prefix ${SCRATCH}/prefix COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE installed RELATIVE ${SCRATCH}/prefix ${SCRATCH}/prefix/*)
if(NOT installed STREQUAL "share/parent/CMakeLists.txt")
  message(FATAL_ERROR "installed: ${installed}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
