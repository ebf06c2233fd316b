# qd_embed(OUT SYMBOL FILE) writes a C file OUT that defines
#   const unsigned char SYMBOL[]; const unsigned long SYMBOL_size;
# with the bytes of FILE and a closing zero that the size does not count.
# Run as a script (cmake -DOUT=.. -DSYMBOL=.. -DFILE=.. -P QuadrilleEmbed.cmake) it does the writing.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${FILE}" hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REPEAT "0x[0-9a-f][0-9a-f]," 20 row)
  string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
  file(WRITE "${OUT}" "extern const unsigned char ${SYMBOL}[];\nextern const unsigned long ${SYMBOL}_size;\n"
                      "const unsigned char ${SYMBOL}[] = {\n${bytes}0};\n"
                      "const unsigned long ${SYMBOL}_size = ${size}UL;\n")
  return()
endif()

set(QD_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(qd_embed out symbol file)
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${out}" "-DSYMBOL=${symbol}" "-DFILE=${file}" -P "${QD_EMBED_SCRIPT}"
    DEPENDS "${file}" "${QD_EMBED_SCRIPT}"
    VERBATIM)
endfunction()
