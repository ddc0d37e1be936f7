# cmake -D SCRATCH=folder -P face_test.cmake
# Proves that face.cmake finds what it is there to find.

cmake_minimum_required(VERSION 3.25)

set(checking face.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake)

file(REMOVE_RECURSE ${SCRATCH})
check(1 "no program under")
file(WRITE ${SCRATCH}/examples/one.cpp "#include <vector>\n#include <skel/skel.hpp>\n#include <skel/models/pepa.hpp>\n")
check(0 "2 includes are of the face")
file(WRITE ${SCRATCH}/docs/guide/page.md "text\n```cpp\n#include <skel/detail/base/error.hpp>\n```\n")
check(1 "docs/guide/page.md: #include <skel/detail/base/error.hpp>: is not of the face")
file(REMOVE_RECURSE ${SCRATCH})
