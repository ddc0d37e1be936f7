# Helpers that every room's CMakeLists.txt uses.

# Warnings and sanitizers for our own code; consumers of an installed skel get neither.
add_library(skel_flags INTERFACE)
target_compile_features(skel_flags INTERFACE cxx_std_20)
# A loop that crosses a line of the instruction cache, which any change elsewhere in a program may bring about, is up to
# 1.7 times slower (docs/decisions/20-choice-of-reductions.md).
set(clang_that_can $<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,14>>)
target_compile_options(skel_flags INTERFACE $<$<OR:$<COMPILE_LANG_AND_ID:CXX,GNU>,${clang_that_can}>:-falign-loops=64>)
target_compile_options(skel_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns of overlapping copies inside std::string's own operator+ (GCC bug 105651).
  target_compile_options(skel_flags INTERFACE -Wno-restrict)
endif()
if(SKEL_SANITIZE)
  target_compile_options(skel_flags INTERFACE -fsanitize=${SKEL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(skel_flags INTERFACE -fsanitize=${SKEL_SANITIZE})
  find_program(SKEL_LLD ld.lld)  # links in a third of the time
  if(SKEL_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(skel_flags INTERFACE -fuse-ld=lld)
  endif()
endif()
if(SKEL_SANITIZE MATCHES undefined AND NOT SKEL_FUZZ)
  # Checks of each access, which compile for as long as everything else. The address sanitizer finds accesses that are
  # wild; fuzzing has these checks for the rooms that parse, tests/runtime for what writes and reads items.
  target_compile_options(skel_flags INTERFACE
    -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow,nonnull-attribute,returns-nonnull-attribute)
endif()
if(SKEL_SANITIZE MATCHES address AND NOT SKEL_FUZZ)
  target_sources(skel_flags INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${PROJECT_SOURCE_DIR}/tests/support/keep_loaded.cpp>)
  target_link_options(skel_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-rdynamic>)
endif()

# skel_library(NAME [sources...]): a static library target skel_NAME with the alias skel::NAME, or an interface library
# where a room has headers only. Its headers are those of include/skel/detail/NAME; skel::skel has grid's and
# the face, skel::mapping the face's models.
function(skel_library name)
  if(ARGN)
    add_library(skel_${name} STATIC ${ARGN})
    set(scope PUBLIC)
    target_link_libraries(skel_${name} PRIVATE $<BUILD_INTERFACE:skel_flags>)
    set_target_properties(skel_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
      UNITY_BUILD ${SKEL_UNITY_BUILD})
  else()
    add_library(skel_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(skel::${name} ALIAS skel_${name})
  set_target_properties(skel_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(skel_${name} ${scope} cxx_std_20)
  set(face ${PROJECT_SOURCE_DIR}/include/skel)
  if(name STREQUAL skel)
    file(GLOB headers CONFIGURE_DEPENDS ${face}/*.hpp ${face}/detail/grid/*.hpp)
  else()
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${face}/detail/${name}/*.hpp)
  endif()
  if(name STREQUAL mapping)
    file(GLOB models CONFIGURE_DEPENDS ${face}/models/*.hpp)
    list(APPEND headers ${models})
  endif()
  target_sources(skel_${name} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  set_property(GLOBAL APPEND PROPERTY SKEL_EXPORTED_TARGETS skel_${name})
endfunction()
