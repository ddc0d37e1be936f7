# cmake -D COMPILER= -D SOURCE= -D EXPECTED= -D NAMED= -D FACE= -D INCLUDES= -D DEFINITIONS= -P expect_compile_failure.cmake
# Fails unless COMPILER refuses SOURCE and says why at once: its first error is one of skel's and matches EXPECTED, what
# it says as a whole matches NAMED, and there are at most 3 errors and 4096 bytes of it. FACE, where it is given, is a
# header that is read before SOURCE, precompiled where FACE.gch is there.
cmake_minimum_required(VERSION 3.25)
set(most_errors 3)
set(most_bytes 4096)

set(ENV{LC_ALL} C)  # plain quotes in messages
list(TRANSFORM INCLUDES PREPEND -I)
list(TRANSFORM DEFINITIONS PREPEND -D)
if(FACE)
  list(PREPEND INCLUDES -include ${FACE})
endif()
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only ${INCLUDES} ${DEFINITIONS} ${SOURCE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles; it must be refused with a message that matches: ${EXPECTED}")
endif()

string(REGEX MATCHALL ": (fatal )?error: " errors "${output}")
list(LENGTH errors errors)
string(REGEX MATCH ": (fatal )?error: [^\n]*" first "${output}")
string(LENGTH "${output}" bytes)
set(wrong "")
if(NOT first MATCHES "skel: " OR NOT first MATCHES "${EXPECTED}")
  list(APPEND wrong "the first error is not one of skel's that matches: ${EXPECTED}")
endif()
if(NOT output MATCHES "${NAMED}")
  list(APPEND wrong "no message matches: ${NAMED}")
endif()
if(errors GREATER most_errors)
  list(APPEND wrong "there are ${errors} errors, and at most ${most_errors} are wanted")
endif()
if(bytes GREATER most_bytes)
  list(APPEND wrong "there are ${bytes} bytes of messages, and at most ${most_bytes} are wanted")
endif()
if(wrong)
  message("The compiler said:\n${output}")
  list(JOIN wrong "\n" wrong)
  message(FATAL_ERROR "${SOURCE} is refused, but\n${wrong}")
endif()
message("refused as expected, errors: ${errors}, bytes: ${bytes}, first${first}")
