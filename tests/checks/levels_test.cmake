# cmake -D SCRATCH=folder -P levels_test.cmake
# Proves that levels.cmake finds what it is there to find: plants one violation at a time in a small tree.

cmake_minimum_required(VERSION 3.25)

set(checking levels.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake)

function(plant file content message)
  file(WRITE ${SCRATCH}/${file} "${content}")
  check(1 "${message}")
  file(REMOVE ${SCRATCH}/${file})
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
check(1 "no sources under")
file(WRITE ${SCRATCH}/include/skel/detail/cost/hockney.hpp
  "#pragma once\n\n#include <vector>\n\n#include <Eigen/Dense>\n#include <skel/detail/plan/placement.hpp>\n")
file(WRITE ${SCRATCH}/src/runtime/channel.cpp "#include <mpi.h>\n#include <sys/mman.h>\n#include \"ring.hpp\"\n")
file(WRITE ${SCRATCH}/tools/main.cpp "#include <CLI/CLI.hpp>\n#include <skel/skel.hpp>\n")
check(0 "8 includes in 3 files go down the levels")

plant(include/skel/detail/cost/up.hpp "#pragma once\n#include <skel/detail/mapping/mapper.hpp>\n"
  "include/skel/detail/cost/up.hpp:2: room 'cost' may not include <skel/detail/mapping/mapper.hpp> (mapping)")
plant(include/skel/detail/plan/beside.hpp "\n\n#include <skel/detail/platform/description.hpp>\n"
  "include/skel/detail/plan/beside.hpp:3: room 'plan' may not include <skel/detail/platform/description.hpp> (platform)")
plant(src/show/page.cpp "#include <skel/detail/grid/report.hpp>\n"
  "src/show/page.cpp:1: room 'show' may not include <skel/detail/grid/report.hpp> (grid)")
plant(src/runtime/model.cpp "#include <skel/detail/cost/line.hpp>\n" "src/runtime/model.cpp:1: room 'runtime' may not include")
plant(mapping/search.cpp "#include <mpi.h>\n" "mapping/search.cpp:1: room 'mapping' may not include <mpi.h> (mpi)")
plant(cost/lock.cpp "#include <vector>\n#include <mutex>\n" "cost/lock.cpp:2: room 'cost' may not include <mutex> (threads)")
plant(include/skel/detail/pattern/json.hpp "#include <nlohmann/json.hpp>\n" "may not include <nlohmann/json.hpp> (json)")
plant(src/platform/top.cpp "#include <skel/skel.hpp>\n" "may not include <skel/skel.hpp> (face)")
plant(src/grid/top.cpp "#include <skel/grid.hpp>\n#include <skel/mesh.hpp>\n" "src/grid/top.cpp:2: room 'grid' may not include <skel/mesh.hpp> (face)")
plant(include/skel/grid.hpp "#include <skel/mesh.hpp>\n" "room 'grid' may not include <skel/mesh.hpp> (face)")
plant(src/platform/data.cpp "#include <skel/detail/formats/lb_data_file.hpp>\n" "room 'platform' may not include <skel/detail/formats/")
plant(src/formats/cost.cpp "#include <skel/detail/cost/line.hpp>\n" "room 'formats' may not include <skel/detail/cost/line.hpp> (cost)")
plant(cost/line.cpp "#include <skel/models/pepa.hpp>\n" "room 'cost' may not include <skel/models/pepa.hpp> (pepa)")
plant(include/skel/models/line.hpp "#include <skel/detail/cost/pepa/chain.hpp>\n" "room 'models' may not include <skel/detail/cost/pepa/")
plant(cost/chain.cpp "#include \"pepa/chain.hpp\"\n" "cost/chain.cpp:1: room 'cost' may not include \"pepa/chain.hpp\" (pepa)")
plant(mapping/migration/policy.cpp "#include \"published/migbsp.hpp\"\n" "room 'mapping' may not include \"published/migbsp.hpp\" (published)")
plant(mapping/migration/published/hana.cpp "#include <boost/hana.hpp>\n" "room 'published' may not include <boost/hana.hpp> (hana)")
plant(src/grid/mpi.cpp "#include <skel/detail/interpose/way.hpp>\n" "room 'grid' may not include <skel/detail/interpose/way.hpp> (interpose)")
plant(tools/train/hosts.cpp "#include \"testbed/hosts.hpp\"\n" "room 'train' may not include \"testbed/hosts.hpp\" (testbed)")
plant(tools/testbed/fit.cpp "#include <train/fit.hpp>\n" "room 'testbed' may not include <train/fit.hpp> (train)")
plant(include/skel/detail/base/new.hpp "  #  include <zlib.h>\n" "new.hpp:1: room 'base' may not include <zlib.h> (an unknown library)")
plant(include/skel/detail/base/quoted.hpp "#include \"error.hpp\"\n" "a header of skel is included as <skel/detail/ROOM/FILE.hpp>")
plant(src/grid/sideways.cpp "#include \"../runtime/channel.hpp\"\n" "quotes are for files of one folder")
plant(include/skel/detail/base/macro.hpp "#include CONFIG\n" "cannot be checked")
plant(include/skel/detail/attic/old.hpp "#include <vector>\n" "stands in no room of the house")
file(REMOVE_RECURSE ${SCRATCH})
