# Writes logdepth(1) and the completions of bash below ${share}, as ${printed_by} prints them.
function(install_output file)
  execute_process(COMMAND ${printed_by} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE $ENV{DESTDIR}${share}/${file} "${text}")
  message(STATUS "Installing: $ENV{DESTDIR}${share}/${file}")
endfunction()

install_output(man/man1/logdepth.1 --man)
install_output(bash-completion/completions/logdepth --completion bash)
