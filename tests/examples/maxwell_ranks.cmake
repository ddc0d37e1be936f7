# Sets `all_ranks` to what makes every rank take part, however little there is to compute.
execute_process(COMMAND ${PROGRAM} --cells 1 --steps 1 --report OUTPUT_QUIET ERROR_VARIABLE report)
if(NOT report MATCHES "rank 0 on ([^:]+): ")
  message(FATAL_ERROR "a report that does not say where rank 0 is\n${report}")
endif()
math(EXPR last "${RANKS} - 1")
set(all_ranks --skel-force "clusters=${CMAKE_MATCH_1}-r0 to ${CMAKE_MATCH_1}-r${last}")
