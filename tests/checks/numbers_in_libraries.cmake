# cmake -D NM=nm -D "LIBRARIES=file;file" -P numbers_in_libraries.cmake
# Refuses libraries that put numbers into streams, take them out of streams, or write or read numbers with a point by
# functions of C: all of that depends on the locale. What numbers.cmake cannot see in the text, as it knows no types, the
# compiler has written down as symbols.

cmake_minimum_required(VERSION 3.25)

# std::to_string of a number with a point is __to_xstring.
set(number "unsigned |short|int|long|float|double|bool")
set(stream "std::(basic_)?[io]stream(<[^>]*>)?::(_M_insert<|_M_extract<|operator<<\\((${number})|operator>>\\((${number}))")
set(of_c "__to_xstring| [UTtWw] (__isoc[0-9]+_)?(v?s?n?printf|__v?s?n?printf_chk|strtod|strtof|strtold|v?f?s?scanf)(@|$)")

# base has the functions that others call; platform has nlohmann-json inside, which runs in a skel::classic_locale.
set(exempt_from_c "libskel_(base|platform)\\.a$")

set(violations 0)
set(checked 0)
foreach(library IN LISTS LIBRARIES)
  execute_process(COMMAND ${NM} -C ${library} OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  math(EXPR checked "${checked} + 1")
  string(REGEX REPLACE "[][;]" "_" symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "\\.o:$")
      set(object "${symbol}")
    elseif(symbol MATCHES "${stream}" OR (symbol MATCHES "${of_c}" AND NOT library MATCHES "${exempt_from_c}"))
      message("${library}: ${object}${symbol}: depends on the locale; use skel/detail/base/number.hpp")
      math(EXPR violations "${violations} + 1")
    endif()
  endforeach()
endforeach()
if(violations)
  message(FATAL_ERROR "${violations} symbols depend on the locale")
endif()
if(checked EQUAL 0)
  message(FATAL_ERROR "no libraries")
endif()
message("${checked} libraries read and write numbers without a locale")
