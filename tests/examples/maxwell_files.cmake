# What 12_maxwell writes over ranks where it is stopped: no file of parts that are not there, and a whole series of a run
# that has gone on from a checkpoint.
include(${CMAKE_CURRENT_LIST_DIR}/maxwell_ranks.cmake)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
set(small --cells 2 --steps 6 --flux upwind --integrator lsrk ${all_ranks})

function(run_maxwell expected)
  execute_process(COMMAND ${LAUNCH} ${PROGRAM} ${small} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(NOT errors MATCHES "${expected}")
    message(FATAL_ERROR "${ARGN}: exit ${status} without '${expected}'\n${output}${errors}")
  endif()
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

run_maxwell("" --series ${SCRATCH}/undisturbed.txt)
set(undisturbed "${output}")
# The last rank cannot write its part of the second file, and ends the run.
file(MAKE_DIRECTORY ${SCRATCH}/light_0000004_${last}.vtu)
set(kept --skel-checkpoint ${SCRATCH}/kept --skel-checkpoint-period 1e-9 --skel-force "remap=stay")
run_maxwell("output 'parts' threw in iteration 4 on rank ${last}" --vtk ${SCRATCH}/light --every 2 ${kept})
if(status EQUAL 0 OR NOT EXISTS ${SCRATCH}/light_0000002.pvtu OR EXISTS ${SCRATCH}/light_0000004.pvtu)
  message(FATAL_ERROR "exit ${status}; light_0000002.pvtu alone is to be in ${SCRATCH}")
endif()
run_maxwell("goes on after iteration [1-9]" --series ${SCRATCH}/resumed.txt ${kept})
file(READ ${SCRATCH}/undisturbed.txt all)
file(READ ${SCRATCH}/resumed.txt resumed)
if(NOT status EQUAL 0 OR NOT output STREQUAL undisturbed OR NOT all STREQUAL resumed)
  message(FATAL_ERROR "exit ${status}; a run that went on does not say what an undisturbed one says\n${output}${resumed}")
endif()
