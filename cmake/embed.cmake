# cmake -D FILE=text -D FUNCTION=name -D HEADER=made -P embed.cmake: see SkelEmbed.cmake.
cmake_minimum_required(VERSION 3.25)

file(READ ${FILE} text)
string(LENGTH "${text}" length)
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND pieces "\n    R\"skel(${piece})skel\"")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${HEADER} "#pragma once

#include <string_view>

inline std::string_view ${FUNCTION}() {
  static constexpr char text[] =${pieces};
  return {text, sizeof text - 1};
}
")
