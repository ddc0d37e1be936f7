# 01_compress gives what gunzip restores, from files, an empty file and standard input, reports what is recorded, and
# says what went wrong.
file(MAKE_DIRECTORY ${SCRATCH})

# Runs the program; `message` is a regular expression that its standard error must match. A failure says all there was.
function(run_it expected_status message)
  cmake_parse_arguments(arg "" "INPUT;OUTPUT" "" ${ARGN})
  set(streams)
  foreach(stream INPUT OUTPUT)
    if(arg_${stream})
      list(APPEND streams ${stream}_FILE ${arg_${stream}})
    endif()
  endforeach()
  # Once in some thousand starts, mpirun of Open MPI 4.1 itself crashes where it hands on standard input: run again then.
  foreach(attempt RANGE 1 3)
    execute_process(COMMAND ${LAUNCH} ${PROGRAM} ${arg_UNPARSED_ARGUMENTS} ${streams} RESULT_VARIABLE status
      OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT errors MATCHES "orte_iof_hnp_read_local_handler")
      break()
    endif()
  endforeach()
  if(NOT status EQUAL expected_status OR NOT errors MATCHES "${message}")
    set(sizes "")
    foreach(file ${arg_UNPARSED_ARGUMENTS} ${arg_INPUT} ${arg_OUTPUT})
      if(EXISTS ${file} AND NOT file MATCHES "^/dev/")
        file(SIZE ${file} size)
        string(APPEND sizes "${file}: ${size} B\n")
      endif()
    endforeach()
    message(FATAL_ERROR "${LAUNCH} ${PROGRAM} ${ARGN}: exit '${status}', expected '${expected_status}' and "
      "'${message}' on standard error\n--- standard error\n${errors}\n--- standard output\n${output}\n--- files\n${sizes}")
  endif()
  set(errors "${errors}" PARENT_SCOPE)
endfunction()
function(must_restore packed plain)
  execute_process(COMMAND gunzip -c ${packed} OUTPUT_FILE ${SCRATCH}/restored RESULT_VARIABLE status ERROR_VARIABLE why)
  execute_process(COMMAND cmp ${SCRATCH}/restored ${plain} RESULT_VARIABLE differs ERROR_VARIABLE where
    OUTPUT_VARIABLE where)
  if(NOT status EQUAL 0 OR NOT differs EQUAL 0)
    file(SIZE ${packed} size)
    message(FATAL_ERROR "gunzip of ${packed} (${size} B) does not give ${plain}: exit ${status} ${why}\n${where}")
  endif()
endfunction()

# What of a report is the same on every machine: numbers with their units become #, equal lines one. Cores and the speed of
# the disk decide how many runners-up there are, which model is solved, what limits, and whether reading and writing
# take long enough to stand in the plan.
function(normalise text result)
  string(REPLACE "\n" ";" lines "${text}")
  set(in_plan TRUE)
  set(last "")
  set(kept "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^run: ")
      set(in_plan FALSE)
    endif()
    # Whether a forecast is made anew while it runs depends on the machine.
    if(line MATCHES "^  from item|^  [.][.][.] |^  not taken|^the search priced" OR
       (in_plan AND line MATCHES "^  (read|write) "))
      continue()
    endif()
    string(REGEX REPLACE "^(bottleneck|why|expected): .*" "\\1: ..." line "${line}")
    if(in_plan AND line MATCHES "^  deflate ")
      set(line "  deflate ...")
    endif()
    if(line MATCHES "^  the first items were not like the others")  # as on a machine that does something else beside
      continue()
    endif()
    string(REGEX REPLACE " \\[[^]]*, [^]]*\\]" "" line "${line}")  # of a forecast
    string(REGEX REPLACE "[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?( ?%| [numkMG]?(items/s|/s|s|B))?" "#" line "${line}")
    string(REGEX REPLACE "  +" " " line "${line}")
    string(REGEX REPLACE " ranks" " rank" line "${line}")
    if(NOT line STREQUAL last)
      string(APPEND kept "${line}\n")
    endif()
    set(last "${line}")
  endforeach()
  set(${result} "${kept}" PARENT_SCOPE)
endfunction()
function(must_report_as_recorded report)
  file(READ ${RECORDED} recorded)
  string(REPLACE ";" "," recorded "${recorded}")
  string(REPLACE ";" "," printed "${report}")
  normalise("${recorded}" expected)
  normalise("${printed}" got)
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "the report has not the form that is recorded\n--- recorded\n${expected}\n--- printed\n${got}\n"
      "--- as it was\n${report}")
  endif()
endfunction()

# The program itself, repeated, is real input of some 30 blocks.
file(REMOVE ${SCRATCH}/plain)
foreach(_ RANGE 19)
  execute_process(COMMAND sh -c "head -c 2097152 '${PROGRAM}' >> '${SCRATCH}/plain'" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
run_it(0 "predicted" ${SCRATCH}/plain ${SCRATCH}/packed.gz)
must_report_as_recorded("${errors}")
must_restore(${SCRATCH}/packed.gz ${SCRATCH}/plain)

file(WRITE ${SCRATCH}/empty "")
run_it(0 "" ${SCRATCH}/empty ${SCRATCH}/empty.gz)
must_restore(${SCRATCH}/empty.gz ${SCRATCH}/empty)

run_it(0 "" - - INPUT ${SCRATCH}/plain OUTPUT ${SCRATCH}/piped.gz)
must_restore(${SCRATCH}/piped.gz ${SCRATCH}/plain)

# The output must not be the input: by name, through a link, through another path. The input stays as it was.
set(copy ${SCRATCH}/copy)
file(REMOVE ${copy} ${copy}.hard ${copy}.soft)
file(COPY_FILE ${SCRATCH}/plain ${copy})
file(CREATE_LINK ${copy} ${copy}.hard)
file(CREATE_LINK ${copy} ${copy}.soft SYMBOLIC)
get_filename_component(folder ${SCRATCH} NAME)
set(names ${copy} ${copy}.hard ${copy}.soft ${SCRATCH}/../${folder}/copy)
if(LAUNCH)
  set(names ${copy}.hard)  # mpirun takes 2 s to end a program that fails
endif()
foreach(same IN LISTS names)
  run_it(1 "source 'read' threw on item 0 on rank 0: .*copy[.a-z]* is the input: give the output another name"
    ${copy} ${same})
  execute_process(COMMAND cmp ${copy} ${SCRATCH}/plain COMMAND_ERROR_IS_FATAL ANY)
endforeach()

if(NOT LAUNCH)  # mpirun brings standard input through a pipe, and an interrupt to all ranks
  run_it(1 "copy is the input: give the output another name" - ${copy} INPUT ${copy})
  execute_process(COMMAND cmp ${copy} ${SCRATCH}/plain COMMAND_ERROR_IS_FATAL ANY)

  # A run that is interrupted leaves no part of its output, which would look like all of it.
  set(part ${SCRATCH}/part.gz)
  # It is interrupted when it has begun its output, however long that takes, while its input is still open.
  file(REMOVE ${part} ${part}.in)
  execute_process(COMMAND sh -c "
    mkfifo '${part}.in'
    '${PROGRAM}' - '${part}' <'${part}.in' & program=$!
    { cat '${SCRATCH}/plain'; exec sleep 60; } >'${part}.in' & input=$!
    for i in $(seq 300); do [ -s '${part}' ] && break; sleep 0.1; done
    kill -INT $program
    wait $program
    kill $input"
    ERROR_VARIABLE errors)
  if(EXISTS ${part} OR NOT errors MATCHES "cancelled")
    message(FATAL_ERROR "an interrupted run left ${part}, or did not say that it was cancelled:\n${errors}")
  endif()
endif()

run_it(1 "sink 'write' threw on item 0 on rank 0: /dev/full: cannot be written.*No space left" ${SCRATCH}/plain /dev/full)
run_it(1 "/nowhere/x: cannot be opened: No such file" /nowhere/x ${SCRATCH}/packed.gz)
run_it(1 "usage: 01_compress" ${SCRATCH}/plain)
