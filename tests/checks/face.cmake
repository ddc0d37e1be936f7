# cmake -D ROOT=folder -P face.cmake
# Refuses programs for users that include what is not for them: the examples, the programs of the guide and the README, and
# the project that uses an installed skel may include <skel/FILE.hpp> and <skel/models/FILE.hpp> only.

cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/examples/*.cpp" "${ROOT}/docs/guide/*.md" "${ROOT}/README.md"
  "${ROOT}/tests/install/downstream/*.cpp")
set(includes 0)
set(violations 0)
foreach(file IN LISTS files)
  file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*<skel/")
  foreach(line IN LISTS lines)
    math(EXPR includes "${includes} + 1")
    if(NOT line MATCHES "<skel/(models/)?[a-z_]+\\.hpp>")
      message("${file}: ${line}: is not of the face: include <skel/FILE.hpp> or <skel/models/FILE.hpp>")
      math(EXPR violations "${violations} + 1")
    endif()
  endforeach()
endforeach()
if(violations)
  message(FATAL_ERROR "${violations} includes are not of the face")
endif()
if(includes EQUAL 0)
  message(FATAL_ERROR "no program under ${ROOT} includes skel")
endif()
message("${includes} includes are of the face")
