# check(STATUS MESSAGE): runs the check that `checking` names on the tree SCRATCH, and fails unless it ends so and says so.

function(check expect_status expect_message)
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${SCRATCH} -P ${CMAKE_CURRENT_LIST_DIR}/${checking}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    set(status 1)
  endif()
  string(FIND "${output}" "${expect_message}" found)
  if(NOT status EQUAL expect_status OR found EQUAL -1)
    message(FATAL_ERROR "expected status ${expect_status} and '${expect_message}', got ${status} and:\n${output}")
  endif()
endfunction()
