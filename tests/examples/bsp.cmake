# What the tests of the BSP examples share, which first print what is recorded.
include(${CMAKE_CURRENT_LIST_DIR}/recorded.cmake)
file(MAKE_DIRECTORY ${SCRATCH})

# Runs the program with arguments and compares with what a plain program finds in it; `printed` is its output.
function(must_agree)
  execute_process(COMMAND ${LAUNCH} ${PROGRAM} ${ARGN} --check RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(NOT status EQUAL 0 OR NOT output MATCHES "a plain program finds the same")
    message(FATAL_ERROR "${ARGN}: exit ${status}\n--- printed\n${output}--- standard error\n${errors}")
  endif()
  string(REGEX REPLACE "a plain program[^\n]*\n" "" output "${output}")
  set(printed "${output}" PARENT_SCOPE)
endfunction()

# The program ends with an error, which is said once and matches `message`.
function(must_refuse message)
  execute_process(COMMAND ${LAUNCH} ${PROGRAM} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  string(REGEX MATCHALL "${message}" said "${errors}")
  list(LENGTH said times)
  if(status EQUAL 0 OR NOT times EQUAL 1)
    message(FATAL_ERROR "${ARGN}: exit ${status}, and '${message}' ${times} times\n--- printed\n${output}--- standard error\n${errors}")
  endif()
endfunction()
