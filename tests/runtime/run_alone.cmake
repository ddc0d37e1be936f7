# Read by ctest: tests in which threads are told by who has a core and who waits for one, which other tests would change.
foreach(test IN LISTS test_runtime_TESTS)
  if(test MATCHES "^Lanes[.]Are(NoMore|More)Than")
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
endforeach()
