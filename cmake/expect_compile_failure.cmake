# cmake -D COMPILER= -D SOURCE= -D EXPECTED= -D INCLUDES= -D DEFINITIONS= -P expect_compile_failure.cmake
# Fails unless COMPILER refuses SOURCE with a message that matches EXPECTED.
cmake_minimum_required(VERSION 3.25)

set(ENV{LC_ALL} C)  # plain quotes in messages
list(TRANSFORM INCLUDES PREPEND -I)
list(TRANSFORM DEFINITIONS PREPEND -D)
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only ${INCLUDES} ${DEFINITIONS} ${SOURCE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles; it must be refused with a message that matches: ${EXPECTED}")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message("The compiler said:\n${output}")
  message(FATAL_ERROR "${SOURCE} is refused, but no message matches: ${EXPECTED}")
endif()
string(LENGTH "${output}" length)
message("refused as expected, ${length} characters of message, with: ${CMAKE_MATCH_0}")
