# Helpers that every room's tests/ROOM/CMakeLists.txt uses.
include(GoogleTest)
include(SkelMpirun)

# Tests are compiled once for each time that they run: what is tested is optimised as the build says, they are hardly.
# Under sanitizers, where optimising takes as long as everything else, not at all.
add_library(skel_test_flags INTERFACE)
if(SKEL_SANITIZE)
  target_compile_options(skel_test_flags INTERFACE -O0)
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(skel_test_flags INTERFACE -O1)
endif()
# What a test may leave out, whichever compiler sanitizes.
foreach(sanitizer address thread)
  if(SKEL_SANITIZE MATCHES ${sanitizer})
    string(TOUPPER ${sanitizer} of)
    target_compile_definitions(skel_test_flags INTERFACE SKEL_${of}_SANITIZER)
  endif()
endforeach()

# GoogleTest's headers, precompiled once for all tests.
add_library(skel_test_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
target_link_libraries(skel_test_headers PRIVATE skel_flags skel_test_flags GTest::gmock GTest::gtest)
target_precompile_headers(skel_test_headers PRIVATE <gtest/gtest.h> <gmock/gmock.h>)

# Tests run with decimal commas (tests/support/comma_locale.cpp). localedef warns of all that this locale does not define.
set(locales ${PROJECT_BINARY_DIR}/locales)
if(NOT EXISTS ${locales}/commas/LC_NUMERIC)
  file(MAKE_DIRECTORY ${locales})
  execute_process(COMMAND localedef -c --no-archive -i ${PROJECT_SOURCE_DIR}/tests/support/commas ${locales}/commas
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT EXISTS ${locales}/commas/LC_NUMERIC)
    message(FATAL_ERROR "tests need localedef, which is of the C library; on Debian: libc-bin")
  endif()
endif()
add_library(skel_comma_locale OBJECT ${PROJECT_SOURCE_DIR}/tests/support/comma_locale.cpp)
target_link_libraries(skel_comma_locale PRIVATE skel_flags skel_test_flags)
target_include_directories(skel_comma_locale PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(skel_comma_locale PRIVATE SKEL_TEST_LOCALES="${locales}")

# Sanitizers make fits of models twenty times as slow.
set(SKEL_TEST_TIMEOUT 300)
if(SKEL_SANITIZE)
  set(SKEL_TEST_TIMEOUT 900)
endif()

# skel_compile_together(TARGET): eight of its sources at once, where there are so many; most of the time they are compiled for
# goes into what they include. Names of their unnamed namespaces meet then, and hide each other.
add_library(skel_names_meet INTERFACE)
target_compile_options(skel_names_meet INTERFACE -Wno-shadow)  # behind those of skel_flags
function(skel_compile_together target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(count GREATER_EQUAL 8 AND SKEL_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    target_link_libraries(${target} PRIVATE skel_names_meet)
  endif()
endfunction()

# skel_test(NAME LIBS targets... SOURCES files...): one GoogleTest executable per room.
function(skel_test name)
  cmake_parse_arguments(arg "" "" "LIBS;SOURCES" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE skel_flags skel_test_flags ${arg_LIBS} skel_comma_locale GTest::gmock GTest::gtest GTest::gtest_main)
  skel_compile_together(test_${name})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_precompile_headers(test_${name} REUSE_FROM skel_test_headers)
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 PROPERTIES
    TIMEOUT ${SKEL_TEST_TIMEOUT} LABELS ${name} ENVIRONMENT "SKEL_KNOWLEDGE=off;SKEL_OTHERS=off")
endfunction()

# skel_test_uses_mpi(TEST): the surroundings of a ctest test whose command starts MPI.
function(skel_test_uses_mpi test)
  # Open MPI 4 keeps its sessions in one folder per user and host, which the last mpirun to leave removes. One that starts
  # at that moment ends with "mkdir: File exists": about one start in 300 while two loops of mpirun run side by side.
  # Tests run side by side, so each has a folder of its own.
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${SKEL_MPIRUN_ENVIRONMENT}
    OMPI_MCA_orte_tmpdir_base=${PROJECT_BINARY_DIR}/mpi/${test}
    XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/mpi/cache  # probed platforms; the user's own cache is not touched
    SKEL_KNOWLEDGE=off  # no test knows what another one has learnt
    SKEL_OTHERS=off)  # nor plans for what runs beside it
  if(SKEL_SANITIZE MATCHES address)
    # Open MPI is built without frame pointers: only the slow unwinder finds whose memory was left.
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=string_append::fast_unwind_on_malloc=0:malloc_context_size=10")
  endif()
endfunction()

# skel_tested_ranks(OUT n...): which of these numbers of ranks are tested. Under sanitizers, the most up to five, once: whoever
# races or uses freed memory does so among them as well as alone or among seven.
function(skel_tested_ranks out)
  set(ranks ${ARGN})
  if(SKEL_SANITIZE)
    list(FILTER ranks INCLUDE REGEX "^[1-5]$")
    list(SORT ranks)
    if(ranks)
      list(GET ranks -1 ranks)
    endif()
  endif()
  set(${out} ${ranks} PARENT_SCOPE)
endfunction()

# skel_mpirun_test(NAME RANKS n... TIMEOUT s COMMAND command...): runs a command under mpirun, as the ctest tests
# NAME.1rank, NAME.2ranks, ... Each passes when every rank exits with 0. mpirun ends a job that hangs and says which rank
# did what.
function(skel_mpirun_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "RANKS;COMMAND;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
    if(SKEL_SANITIZE)
      set(arg_TIMEOUT ${SKEL_TEST_TIMEOUT})
    endif()
  endif()
  math(EXPR kill_after "${arg_TIMEOUT} + 20")
  skel_tested_ranks(tested ${arg_RANKS})
  foreach(ranks IN LISTS tested)
    set(test ${name}.${ranks}ranks)
    if(ranks EQUAL 1)
      set(test ${name}.1rank)
    endif()
    add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${SKEL_MPIRUN_FLAGS} --timeout ${arg_TIMEOUT}
      --report-state-on-timeout -np ${ranks} ${arg_COMMAND})
    set(weight ${ranks})
    if(ranks EQUAL 1)
      set(weight 2)  # a rank that runs has two threads at least, which exchange items
    endif()
    set_tests_properties(${test} PROPERTIES TIMEOUT ${kill_after} PROCESSORS ${weight} LABELS "${arg_LABELS};mpi")
    skel_test_uses_mpi(${test})
  endforeach()
endfunction()

if(SKEL_WITH_MPI)
  add_library(skel_mpi_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
  target_link_libraries(skel_mpi_main PRIVATE skel_flags skel_test_flags GTest::gtest MPI::MPI_CXX)
  target_precompile_headers(skel_mpi_main REUSE_FROM skel_test_headers)
endif()

# skel_mpi_test(NAME RANKS n... LIBS targets... SOURCES files... [TIMEOUT s]): a GoogleTest executable that runs under
# mpirun with each number of ranks. Its main (tests/support/mpi_main.cpp) initialises MPI with MPI_THREAD_MULTIPLE;
# every rank runs every test, and all ranks fail when one does.
function(skel_mpi_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "RANKS;LIBS;SOURCES" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE skel_flags skel_test_flags ${arg_LIBS} skel_comma_locale skel_mpi_main GTest::gmock GTest::gtest MPI::MPI_CXX)
  skel_compile_together(test_${name})
  target_precompile_headers(test_${name} REUSE_FROM skel_test_headers)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  skel_mpirun_test(${name} RANKS ${arg_RANKS} TIMEOUT ${arg_TIMEOUT} COMMAND $<TARGET_FILE:test_${name}> LABELS ${name})
endfunction()

# skel_compile_fail_test(NAME SOURCE file EXPECTED regex [NAMED regex] LIBS targets...): passes when the translation unit
# is refused, the first line that the compiler calls an error has "skel: " and matches EXPECTED, the message as a whole
# matches NAMED and has at most 3 errors and 4 kB. Sanitizers change nothing about that: left out there. Those that link
# skel::skel read the face as it is precompiled once.
function(skel_compile_fail_test name)
  if(SKEL_SANITIZE)
    return()
  endif()
  cmake_parse_arguments(arg "" "SOURCE;EXPECTED;NAMED" "LIBS" ${ARGN})
  cmake_path(ABSOLUTE_PATH arg_SOURCE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  # Never built: it carries the include directories and definitions that the libraries ask for.
  add_library(compile_fail_${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCE})
  target_link_libraries(compile_fail_${name} PRIVATE ${arg_LIBS})
  set(includes $<TARGET_PROPERTY:compile_fail_${name},INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:compile_fail_${name},COMPILE_DEFINITIONS>)
  set(face "")
  if("skel::skel" IN_LIST arg_LIBS)
    set(face ${CMAKE_CURRENT_BINARY_DIR}/compile_fail/face.hpp)
    if(NOT TARGET skel_compile_fail_face)
      file(CONFIGURE OUTPUT ${face} CONTENT "#include <skel/skel.hpp>\n")
      add_custom_command(OUTPUT ${face}.gch
        COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 "-I$<JOIN:${includes},;-I>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
          -MD -MF ${face}.d -MT ${face}.gch -x c++-header ${face} -o ${face}.gch
        DEPENDS ${face} DEPFILE ${face}.d COMMENT "Precompiling the face for what must not compile"
        COMMAND_EXPAND_LISTS VERBATIM)
      add_custom_target(skel_compile_fail_face ALL DEPENDS ${face}.gch)
    endif()
  endif()
  add_test(NAME compile_fail.${name}
    COMMAND ${CMAKE_COMMAND}
      -D "COMPILER=${CMAKE_CXX_COMPILER}" -D "SOURCE=${arg_SOURCE}" -D "EXPECTED=${arg_EXPECTED}"
      -D "NAMED=${arg_NAMED}" -D FACE=${face}
      -D "INCLUDES=${includes}" -D "DEFINITIONS=${definitions}"
      -P ${PROJECT_SOURCE_DIR}/cmake/expect_compile_failure.cmake)
  set_tests_properties(compile_fail.${name} PROPERTIES TIMEOUT 120 LABELS compile_fail)
endfunction()

# skel_fuzz(NAME SOURCE file CORPUS folder LIBS targets...): SOURCE defines LLVMFuzzerTestOneInput. With SKEL_FUZZ (the
# preset `fuzz`) it runs under libFuzzer for SKEL_FUZZ_SECONDS from the seed corpus, which it does not change; in every
# other build each file of the corpus is run through it once.
function(skel_fuzz name)
  cmake_parse_arguments(arg "" "SOURCE;CORPUS" "LIBS" ${ARGN})
  cmake_path(ABSOLUTE_PATH arg_CORPUS BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_executable(fuzz_${name} ${arg_SOURCE})
  target_link_libraries(fuzz_${name} PRIVATE skel_flags ${arg_LIBS})
  if(SKEL_FUZZ)
    set_target_properties(fuzz_${name} PROPERTIES SKEL_FUZZED ON)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(skel_fuzzers fuzz_${name})
    set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz_${name}_corpus)
    file(MAKE_DIRECTORY ${found})
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} -max_total_time=${SKEL_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048
      -max_len=16384 -print_final_stats=1 -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/ ${found} ${arg_CORPUS})
    math(EXPR limit "${SKEL_FUZZ_SECONDS} + 60")
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${limit} LABELS fuzz)
  else()
    target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/replay_corpus.cpp)
    add_test(NAME corpus.${name} COMMAND fuzz_${name} ${arg_CORPUS})
    set_tests_properties(corpus.${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
  endif()
endfunction()
