# cmake -D LAUNCH=command -D PROGRAM=FILE -D RECORDED=FILE -P printed.cmake: a program prints what is recorded.
execute_process(COMMAND ${LAUNCH} ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
file(READ ${RECORDED} recorded)
if(NOT status EQUAL 0 OR NOT output STREQUAL recorded)
  message(FATAL_ERROR "exit ${status}\n--- recorded\n${recorded}--- printed\n${output}--- standard error\n${errors}")
endif()
