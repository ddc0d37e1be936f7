# 12_maxwell writes what it is asked for, and refuses what it cannot do.
include(${CMAKE_CURRENT_LIST_DIR}/recorded.cmake)
file(MAKE_DIRECTORY ${SCRATCH})

function(must_refuse message)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(status EQUAL 0 OR NOT errors MATCHES "${message}")
    message(FATAL_ERROR "${ARGN}: exit ${status} without '${message}'\n${output}${errors}")
  endif()
endfunction()
must_refuse("leap-frog is stable with no step where the flux is upwind" --flux upwind)
must_refuse("the point 0.5[0-9]*, 0.5[0-9]*, 2[.0]* is outside of the mesh" --probe 0.5,0.5,2)
must_refuse("two numbers above 0" --mode 3,0,0)
must_refuse("--order" --order 3)
must_refuse("/nowhere/x: cannot be written" --cells 1 --steps 1 --series /nowhere/x)
must_refuse("/nowhere/x: cannot be written" --cells 1 --steps 1 --dump /nowhere/x)

foreach(order 0 1 2)
  execute_process(COMMAND ${PROGRAM} --cells 2 --steps 7 --order ${order} --flux upwind --integrator lsrk
    --series ${SCRATCH}/series.txt RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  file(STRINGS ${SCRATCH}/series.txt lines)
  list(LENGTH lines count)
  if(NOT status EQUAL 0 OR NOT count EQUAL 9)
    message(FATAL_ERROR "order ${order}: exit ${status}, ${count} lines of a head and eight times\n${output}${errors}")
  endif()
endforeach()

execute_process(COMMAND ${PROGRAM} --cells 1 --steps 2 --every 2 --vtk ${SCRATCH}/light RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0 OR NOT EXISTS ${SCRATCH}/light_0000002.pvtu)
  message(FATAL_ERROR "--vtk: exit ${status}, and no light_0000002.pvtu of ${SCRATCH}\n${output}${errors}")
endif()
