# METIS (libmetis-dev) and Scotch (libscotch-dev) as the target skel::partitioners, for skel's own build and for who uses an
# installed skel. Sets skel_PARTITIONERS_MISSING where one is not there. libscotchmetis, which has METIS's names too, is
# not for us.
include_guard(GLOBAL)

find_path(SKEL_METIS_INCLUDE_DIR metis.h)
find_library(SKEL_METIS_LIBRARY metis)
find_path(SKEL_SCOTCH_INCLUDE_DIR scotch/scotch.h)
find_library(SKEL_SCOTCH_LIBRARY scotch)
find_library(SKEL_SCOTCH_ERROR_LIBRARY scotcherr)  # prints errors; scotcherrexit would end the program
mark_as_advanced(SKEL_METIS_INCLUDE_DIR SKEL_METIS_LIBRARY SKEL_SCOTCH_INCLUDE_DIR SKEL_SCOTCH_LIBRARY
  SKEL_SCOTCH_ERROR_LIBRARY)

set(skel_PARTITIONERS_MISSING "")
if(NOT SKEL_METIS_INCLUDE_DIR OR NOT SKEL_METIS_LIBRARY)
  list(APPEND skel_PARTITIONERS_MISSING "METIS (on Debian: libmetis-dev)")
endif()
if(NOT SKEL_SCOTCH_INCLUDE_DIR OR NOT SKEL_SCOTCH_LIBRARY OR NOT SKEL_SCOTCH_ERROR_LIBRARY)
  list(APPEND skel_PARTITIONERS_MISSING "Scotch (on Debian: libscotch-dev)")
endif()
list(JOIN skel_PARTITIONERS_MISSING " and " skel_PARTITIONERS_MISSING)

if(NOT skel_PARTITIONERS_MISSING AND NOT TARGET skel::partitioners)
  add_library(skel::partitioners INTERFACE IMPORTED GLOBAL)
  target_include_directories(skel::partitioners INTERFACE ${SKEL_METIS_INCLUDE_DIR} ${SKEL_SCOTCH_INCLUDE_DIR})
  target_link_libraries(skel::partitioners INTERFACE
    ${SKEL_METIS_LIBRARY} ${SKEL_SCOTCH_LIBRARY} ${SKEL_SCOTCH_ERROR_LIBRARY})
endif()
