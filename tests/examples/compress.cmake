# 01_compress gives what gunzip restores, from files, an empty file and standard input, and says what went wrong.
file(MAKE_DIRECTORY ${SCRATCH})
function(run_it expected_status message)
  execute_process(COMMAND ${LAUNCH} ${PROGRAM} ${ARGN} RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL expected_status OR NOT errors MATCHES "${message}")
    message(FATAL_ERROR "01_compress ${ARGN}: exit ${status} instead of ${expected_status}, or no '${message}' in:\n${errors}")
  endif()
endfunction()
function(must_restore packed plain)
  execute_process(COMMAND gunzip -c ${packed} OUTPUT_FILE ${SCRATCH}/restored COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND cmp ${SCRATCH}/restored ${plain} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The program itself, repeated, is real input of some 15 blocks.
file(REMOVE ${SCRATCH}/plain)
foreach(_ RANGE 19)
  execute_process(COMMAND cat ${PROGRAM} OUTPUT_FILE ${SCRATCH}/one COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND sh -c "head -c 2097152 ${SCRATCH}/one >> ${SCRATCH}/plain" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
run_it(0 "predicted" ${SCRATCH}/plain ${SCRATCH}/packed.gz)
must_restore(${SCRATCH}/packed.gz ${SCRATCH}/plain)

file(WRITE ${SCRATCH}/empty "")
run_it(0 "" ${SCRATCH}/empty ${SCRATCH}/empty.gz)
must_restore(${SCRATCH}/empty.gz ${SCRATCH}/empty)

execute_process(COMMAND ${LAUNCH} ${PROGRAM} - - INPUT_FILE ${SCRATCH}/plain OUTPUT_FILE ${SCRATCH}/piped.gz
  ERROR_VARIABLE ignored COMMAND_ERROR_IS_FATAL ANY)
must_restore(${SCRATCH}/piped.gz ${SCRATCH}/plain)

run_it(1 "stage 'write' threw on item 0 on rank 0: /dev/full: cannot be written.*No space left" ${SCRATCH}/plain /dev/full)
run_it(1 "/nowhere/x: cannot be opened: No such file" /nowhere/x ${SCRATCH}/packed.gz)
run_it(1 "usage: 01_compress" ${SCRATCH}/plain)
