# cmake -D BUILD= -D DOWNSTREAM= -D COMPILER= -D GENERATOR= -D SCRATCH= -D ENGINES=ON|OFF [-D MPIRUN=command]
#   [-D BUILD_TREE=ON] -P install_test.cmake
# Installs BUILD into a new prefix, builds DOWNSTREAM against it and runs what comes out. BUILD_TREE: against BUILD
# itself.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status COMMAND_ECHO STDOUT)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "exit ${status}: ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
if(BUILD_TREE)
  set(package -D skel_DIR=${BUILD})
else()
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
  set(package -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix)
endif()

set(without)
if(NOT ENGINES)  # as on a machine that has neither
  set(without -D CMAKE_DISABLE_FIND_PACKAGE_MPI=ON -D CMAKE_DISABLE_FIND_PACKAGE_TBB=ON)
endif()
run(${CMAKE_COMMAND} -S ${DOWNSTREAM} -B ${SCRATCH}/build -G ${GENERATOR} -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_CXX_COMPILER=${COMPILER} ${package} -D SKEL_TEST_ENGINES=${ENGINES} ${without})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/models)
if(ENGINES)
  if(NOT BUILD_TREE AND NOT EXISTS ${SCRATCH}/prefix/share/skel/tsan.supp)
    message(FATAL_ERROR "what the thread sanitizer may leave out was not installed")
  endif()
  run(${SCRATCH}/build/pipeline)
  run(${MPIRUN} -np 2 ${SCRATCH}/build/pipeline)
endif()
if(ENGINES AND NOT BUILD_TREE)  # with the shared library
  run(${MPIRUN} -np 2 ${SCRATCH}/build/small_pipeline)
  file(SIZE ${SCRATCH}/build/small_pipeline bytes)
  if(bytes GREATER 2000000)
    message(FATAL_ERROR "a program with the shared library has ${bytes} bytes")
  endif()
endif()
if(ENGINES AND NOT BUILD_TREE)  # as a Makefile does it
  file(GLOB_RECURSE pc ${SCRATCH}/prefix/*/skel.pc)
  cmake_path(GET pc PARENT_PATH pc)
  foreach(module skel skel-shared)
    run(sh -c "PKG_CONFIG_PATH='${pc}' && export PKG_CONFIG_PATH && '${COMPILER}' -O1 '${DOWNSTREAM}/pipeline.cpp' -o '${SCRATCH}/made' $(pkg-config --cflags --libs ${module})")
    run(${SCRATCH}/made)
  endforeach()
endif()
file(REMOVE_RECURSE ${SCRATCH})
