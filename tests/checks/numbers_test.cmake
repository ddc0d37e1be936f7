# cmake -D SCRATCH=folder -P numbers_test.cmake
# Proves that numbers.cmake finds what it is there to find: plants one violation at a time in a small tree.

cmake_minimum_required(VERSION 3.25)

set(checking numbers.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake)

function(plant file content message)
  file(WRITE ${SCRATCH}/${file} "${content}")
  check(1 "${message}")
  file(REMOVE ${SCRATCH}/${file})
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
check(1 "no sources under")
file(WRITE ${SCRATCH}/src/base/number.cpp "#include <locale.h>\nstd::vsnprintf(t, n, \"%g\", x); std::strtod(t, e);\n")
file(WRITE ${SCRATCH}/src/grid/fine.cpp
  "// std::strtod(text), 1 %f\nprint(\"%.3g s\", x);\nstd::snprintf(t, n, \"%zu %% after %016llx\", a, b);\nmy_strtod(text);\n")
file(WRITE ${SCRATCH}/tools/fine.cpp "std::ostringstream out;\nstd::printf(\"%.3f\", x);\n")
check(0 "2 files read and write numbers without a locale")

plant(src/grid/one.cpp "\n\nauto x = std::strtod(text, nullptr);\n" "src/grid/one.cpp:3: ':strtod(' depends on the locale; use skel::number_in")
plant(tools/one.cpp "double x = atof(text);\n" "tools/one.cpp:1: ' atof(' depends on")
plant(examples/one.cpp "double x = std::stod(text);\n" "examples/one.cpp:1: ':stod(' depends on")
plant(cost/one.cpp "int n = sscanf(text, \"%lf\", &x);\n" "cost/one.cpp:1: ' sscanf(' depends on")
plant(mapping/one.cpp "std::snprintf(t, n,\n  \"%zu of %.3g\", a, b);\n" "mapping/one.cpp:1: 'printf(t, n, \"%zu of %.3g")
plant(src/grid/two.cpp "std::fprintf(stderr, \"skel: %s, %.0f s\\n\", a, b);\n" "src/grid/two.cpp:1: 'printf(stderr")
plant(include/skel/detail/cost/one.hpp "\nstd::ostringstream text;\n" "include/skel/detail/cost/one.hpp:2: 'ostringstream ' depends on the locale; use a std::string")
plant(src/platform/one.cpp "std::istringstream in{text};\n" "src/platform/one.cpp:1: 'istringstream ' depends on")
plant(src/record/one.cpp "out << std::setprecision(3) << x;\n" "'std::setprecision' depends on the locale; use skel::shown")
plant(include/skel/one.hpp "std::setlocale(LC_ALL, \"\");\n" "'setlocale' depends on the locale; use no locale")
plant(tools/two.cpp "out.imbue(std::locale::classic());\n" "tools/two.cpp:1: 'imbue' depends on")
file(REMOVE_RECURSE ${SCRATCH})
