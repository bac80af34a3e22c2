# The Python package (python/, pyproject.toml): an extension module over the public headers of
# logdepth/, with the parts behind them linked in, the stubs that type checkers read, and the program.
# From CPython 3.12 on the module keeps to the stable ABI, as pyproject.toml asks for.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
if(NOT TARGET Python::SABIModule AND UNIX AND NOT APPLE)
  # Of a CMake before 3.26; outside Windows the stable ABI takes the headers, and no library.
  add_library(Python::SABIModule INTERFACE IMPORTED)
  target_include_directories(Python::SABIModule INTERFACE ${Python_INCLUDE_DIRS})
endif()
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_bindings NB_STATIC STABLE_ABI)
logdepth_room(_bindings python/bindings)
logdepth_room(_bindings library)
target_include_directories(_bindings PRIVATE ${PROJECT_SOURCE_DIR})
logdepth_optimise_lightly(_bindings)
target_link_libraries(_bindings PRIVATE requests exports certify pictures check compiler runtime oracle objects logdepth_warnings)

set(stub ${CMAKE_CURRENT_BINARY_DIR}/generated/_bindings.pyi)
nanobind_add_stub(_bindings_stub MODULE _bindings OUTPUT ${stub}
                  PYTHON_PATH $<TARGET_FILE_DIR:_bindings> DEPENDS _bindings)
add_custom_target(python_package DEPENDS _bindings _bindings_stub)

install(TARGETS _bindings LIBRARY DESTINATION logdepth COMPONENT python)
install(FILES ${stub} DESTINATION logdepth COMPONENT python)

# python/logdepth/__main__.py runs it from there.
if(LOGDEPTH_PROGRAM)
  set(program ${LOGDEPTH_PROGRAM})
  install(PROGRAMS ${program} DESTINATION logdepth/bin COMPONENT python)
else()
  set(program $<TARGET_FILE:logdepth>)
  add_dependencies(python_package logdepth)
  install(TARGETS logdepth RUNTIME DESTINATION logdepth/bin COMPONENT python)
endif()
# The page, which Model.play and `logdepth play` serve, and whose views Model.widget shows.
install(DIRECTORY playground/ DESTINATION logdepth/playground COMPONENT python
        FILES_MATCHING PATTERN *.mjs PATTERN *.html PATTERN *.css PATTERN *.json)
install(FILES bench/results/circuits/learned-S5.svg DESTINATION logdepth/playground/examples COMPONENT python)
# The program's manual page and what shells complete go where the environment has those of other programs.
install(CODE "set(printed_by \"${program}\")
              set(share \"${SKBUILD_DATA_DIR}/share\")"
        COMPONENT python)
install(SCRIPT cmake/install_reference.cmake COMPONENT python)
