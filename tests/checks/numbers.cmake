# cmake -D ROOT=folder -P numbers.cmake
# Refuses what reads or writes numbers by the locale of C, of C++ or of a stream, where include/skel/detail/base/number.hpp
# does it without one. It knows calls, and not types: numbers_in_libraries.cmake finds what goes to a stream or to
# std::to_string with a point.

cmake_minimum_required(VERSION 3.25)

# What is for these functions themselves, and an archive, which has no text.
set(exempt include/skel/detail/base/number.hpp src/base/number.cpp
  include/skel/detail/runtime/archive.hpp)

# refuse(WHERE WHAT USE): in these folders, what this expression finds, for what is to be used instead.
function(refuse where what use)
  if(NOT file MATCHES "^(${where})/" OR NOT text MATCHES "${what}")
    return()
  endif()
  set(found "${CMAKE_MATCH_0}")
  string(FIND "${text}" "${found}" position)
  string(SUBSTRING "${text}" 0 ${position} before)
  string(REGEX MATCHALL "\n" newlines "${before}")
  list(LENGTH newlines line)
  math(EXPR line "${line} + 1")
  string(REGEX REPLACE "[ \n]+" " " found "${found}")
  message("${file}:${line}: '${found}' depends on the locale; use ${use}")
  math(EXPR violations "${violations} + 1")
  set(violations ${violations} PARENT_SCOPE)
endfunction()

set(violations 0)
set(checked 0)
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/include/*" "${ROOT}/src/*" "${ROOT}/cost/*" "${ROOT}/mapping/*"
  "${ROOT}/tools/*" "${ROOT}/examples/*")
list(FILTER files INCLUDE REGEX "\\.(hpp|cpp|h|ipp)$")
list(REMOVE_ITEM files ${exempt})
foreach(file IN LISTS files)
  math(EXPR checked "${checked} + 1")
  file(READ "${ROOT}/${file}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REPLACE "%%" "" text "${text}")
  # Programs of skel's own, and examples, never take over a locale: there, streams and printf write as the classic one says.
  set(rooms "include|src|cost|mapping")
  refuse("${rooms}" "printf *\\([^;]*%[-+ #0-9.*]*l?[aefgAEFG]" "skel::print, skel::shown or skel::fixed")
  refuse("${rooms}" "(o|i)?stringstream[ {&(]" "a std::string, or skel::words_in and skel::number_in")
  refuse("${rooms}" "std::(setprecision|fixed|scientific|hexfloat|defaultfloat)" "skel::shown or skel::fixed")
  refuse("${rooms}|tools|examples" "[^a-z_](strto(d|f|ld)|atof|sto(d|f|ld)|v?f?s?scanf) *\\("
    "skel::number_in or skel::take_number")
  refuse("${rooms}|tools|examples" "setlocale|std::locale|imbue|<c?locale>|<locale.h>"
    "no locale: that of the program which skel is a part of is not skel's business")
endforeach()
if(violations)
  message(FATAL_ERROR "${violations} numbers depend on the locale")
endif()
if(checked EQUAL 0)
  message(FATAL_ERROR "no sources under '${ROOT}'")
endif()
message("${checked} files read and write numbers without a locale")
