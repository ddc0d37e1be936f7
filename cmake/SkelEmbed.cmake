# skel_embed(TARGET FILE FUNCTION HEADER): makes HEADER, found by TARGET's sources, with
#   std::string_view FUNCTION()
# that gives the text of FILE. The text is cut into pieces, as compilers limit the length of a literal.

function(skel_embed target file function header)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header})
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -D FILE=${CMAKE_CURRENT_SOURCE_DIR}/${file} -D FUNCTION=${function} -D HEADER=${made}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${file}")
  target_sources(${target} PRIVATE ${made})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
