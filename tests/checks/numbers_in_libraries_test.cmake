# cmake -D SCRATCH=folder -D NM=nm -D COMPILER=c++ -P numbers_in_libraries_test.cmake
# Proves that numbers_in_libraries.cmake finds what it is there to find, optimised or not.

cmake_minimum_required(VERSION 3.25)

function(expect status message function)
  file(WRITE ${SCRATCH}/one.cpp "#include <cstdio>\n#include <cstdlib>\n#include <istream>\n#include <ostream>\n#include <string>\n${function}\n")
  foreach(level 0 2)
    execute_process(COMMAND ${COMPILER} -std=c++20 -O${level} -c ${SCRATCH}/one.cpp -o ${SCRATCH}/one.o COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE_COMMAND} -D NM=${NM} -D LIBRARIES=${SCRATCH}/one.o
      -P ${CMAKE_CURRENT_LIST_DIR}/numbers_in_libraries.cmake RESULT_VARIABLE found OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT found EQUAL 0)
      set(found 1)
    endif()
    if(NOT found EQUAL status OR NOT output MATCHES "${message}")
      message(FATAL_ERROR "-O${level}, ${function}: expected status ${status} and '${message}', got ${found} and:\n${output}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
expect(0 "1 libraries read" "std::string f(int n, std::ostream& out) { out << \"text\" << std::string(3, 'x'); return std::to_string(n); }")
expect(1 "__to_xstring" "std::string f(double x) { return std::to_string(x); }")
expect(1 "std::ostream" "void f(std::ostream& out, double x) { out << x; }")
expect(1 "std::ostream" "void f(std::ostream& out, unsigned long n) { out << n; }")
expect(1 "std::ostream" "void f(std::ostream& out, int n) { out << n; }")
expect(1 "std::istream" "void f(std::istream& in, double& x) { in >> x; }")
expect(1 "std::istream" "void f(std::istream& in, int& n) { in >> n; }")
expect(1 "snprintf" "int f(char* to, double x) { return std::snprintf(to, 9, \"%g\", x); }")
expect(1 "strtod" "double f(char const* text) { return std::strtod(text, nullptr); }")
expect(1 "strtod" "double f(std::string const& text) { return std::stod(text); }")
file(REMOVE_RECURSE ${SCRATCH})
