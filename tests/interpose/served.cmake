# cmake -D "RUN=command" -D "PRELOAD=libraries" -D "VARIABLES=NAME=VALUE;..." -D "SERVED=operations" [-D REFUSED=regex]
#   [-D SAYS=regex] [-D CHOOSES=ON] -P served.cmake
# Runs a program with the library in front of MPI. It must succeed, find nothing wrong, and the library must say that it
# has served every operation of SERVED: a test that passes everything through would show nothing. So skel's way is
# always taken then. Without SERVED, nothing may have been served, unless the library is left to choose (CHOOSES). With
# REFUSED, the program must fail and say that.
cmake_minimum_required(VERSION 3.25)

set(environment)
foreach(variable IN LISTS VARIABLES)
  list(APPEND environment -x "${variable}")
endforeach()
if(SERVED)
  list(APPEND environment -x SKEL_MPI=always)
endif()
list(POP_FRONT RUN mpirun)
# Two variables: what goes into one is mixed as it comes, in the middle of lines too.
execute_process(COMMAND ${mpirun} -x LD_PRELOAD=${PRELOAD} -x SKEL_MPI_VERBOSE=2 ${environment} ${RUN}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE diagnostics)
set(output "${output}\n${diagnostics}")
message("${output}")
if(REFUSED)
  if(status EQUAL 0 OR NOT output MATCHES "${REFUSED}")
    message(FATAL_ERROR "exit status ${status}; it should have been refused with: ${REFUSED}")
  endif()
  return()
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit status ${status}")
endif()
if(NOT output MATCHES "(^|\n)0 of [1-9][0-9]* checks failed")
  message(FATAL_ERROR "the program did not say that nothing failed")
endif()
if(SAYS AND NOT output MATCHES "${SAYS}")
  message(FATAL_ERROR "nothing matches: ${SAYS}")
endif()
string(REGEX MATCH "rank 0 called, and was served:[^\n]*" summary "${output}")
foreach(operation IN LISTS SERVED)
  if(NOT summary MATCHES " ${operation} [0-9]+, [1-9]")
    message(FATAL_ERROR "${operation} was not served")
  endif()
endforeach()
if(NOT SERVED AND NOT CHOOSES AND summary)
  message(FATAL_ERROR "calls were served")
endif()
