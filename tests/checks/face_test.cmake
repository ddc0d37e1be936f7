# cmake -D SCRATCH=folder -P face_test.cmake
# Proves that face.cmake finds what it is there to find.

cmake_minimum_required(VERSION 3.25)

function(check expect_status expect_message)
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${SCRATCH} -P ${CMAKE_CURRENT_LIST_DIR}/face.cmake
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    set(status 1)
  endif()
  string(FIND "${output}" "${expect_message}" found)
  if(NOT status EQUAL expect_status OR found EQUAL -1)
    message(FATAL_ERROR "expected status ${expect_status} and '${expect_message}', got ${status} and:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
check(1 "no program under")
file(WRITE ${SCRATCH}/examples/one.cpp "#include <vector>\n#include <skel/skel.hpp>\n#include <skel/models/pepa.hpp>\n")
check(0 "2 includes are of the face")
file(WRITE ${SCRATCH}/docs/guide/page.md "text\n```cpp\n#include <skel/detail/base/error.hpp>\n```\n")
check(1 "docs/guide/page.md: #include <skel/detail/base/error.hpp>: is not of the face")
file(REMOVE_RECURSE ${SCRATCH})
