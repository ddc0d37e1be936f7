# Runs an example and compares its standard output with what is recorded.
execute_process(COMMAND ${LAUNCH} ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
file(READ ${RECORDED} recorded)
if(NOT status EQUAL 0 OR NOT output STREQUAL recorded)
  message(FATAL_ERROR "exit ${status}\n--- recorded\n${recorded}--- printed\n${output}--- standard error\n${errors}")
endif()

# Output that cannot be written is an error, where it is known.
if(NOT LAUNCH)
  execute_process(COMMAND ${PROGRAM} OUTPUT_FILE /dev/full RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 1 OR NOT errors MATCHES "cannot be written")
    message(FATAL_ERROR "exit ${status} and not 1 when standard output is full: ${errors}")
  endif()
endif()
