# cmake -D SCRATCH=folder -P size_test.cmake
# Proves that tests/checks/size finds what it is there to find, in a small tree.

cmake_minimum_required(VERSION 3.25)

set(size ${CMAKE_CURRENT_LIST_DIR}/size)
set(limits ${SCRATCH}/tests/checks/size.txt)

# expect(STATUS regex...): what it says of the tree as it is
function(expect status)
  execute_process(COMMAND bash ${size} --root ${SCRATCH} RESULT_VARIABLE is OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT is EQUAL status)
    message(FATAL_ERROR "exit status ${is}, not ${status}:\n${out}")
  endif()
  foreach(regex IN LISTS ARGN)
    if(NOT out MATCHES "${regex}")
      message(FATAL_ERROR "nothing matches ${regex}:\n${out}")
    endif()
  endforeach()
endfunction()

function(write_lines file count)
  string(REPEAT "line\n" ${count} content)
  file(WRITE ${SCRATCH}/${file} "${content}")
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
expect(2 "size.txt cannot be read")
file(WRITE ${limits} "# of rooms\nbase 60 10\ncost 0 100\nbeside 0 9\ncore 70 20\nall 70 20\nfiles-below-50 2 1\n")
expect(2 "no sources under")

write_lines(src/base/a.cpp 20)
write_lines(include/skel/detail/base/a.hpp 40)
write_lines(cost/b.cpp 10)
write_lines(cost/b.txt 1000) # is no source
expect(1 "base +60 +60 +10 *\n" "cost +10 +100 +100 *\n" "core +70 +70" "files-below-50 +3 +2 +1 +has grown by 1")
write_lines(cost/b.cpp 50)
expect(1 "base +60 +60 +10 *\n" "cost +50 +100 +100 *\n" "core +110 +70 +20 +has grown by 40")
write_lines(cost/b.cpp 10)
file(REMOVE ${SCRATCH}/include/skel/detail/base/a.hpp)
expect(1 "base +20 +60 +10 +has shrunk: lower its limit" "cost +10")
execute_process(COMMAND bash ${size} --root ${SCRATCH} --lower COMMAND_ERROR_IS_FATAL ANY)
expect(0 "base +20 +20 +10 *\n" "core +30 +30 +20" "all +30 +30" "files-below-50 +2 +2 +1")
file(READ ${limits} kept)
if(NOT kept MATCHES "^# of rooms\n")
  message(FATAL_ERROR "comments are lost:\n${kept}")
endif()

write_lines(cost/pepa/p.cpp 5) # beside the core, but not beside all
expect(1 "beside +5 +9 +9 *\n" "core +30" "all +35 +30 +20 +has grown by 5")
file(REMOVE_RECURSE ${SCRATCH}/cost/pepa)
write_lines(src/elsewhere/c.cpp 1)
expect(1 "elsewhere: 1 lines in a room that .*size.txt does not name")
