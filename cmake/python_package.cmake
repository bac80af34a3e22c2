# The Python package (python/, pyproject.toml): an extension module over the public headers of
# logdepth/, with the parts behind them linked in, and the stubs that type checkers read.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_bindings NB_STATIC)
logdepth_room(_bindings python/bindings)
logdepth_room(_bindings library)
target_include_directories(_bindings PRIVATE ${PROJECT_SOURCE_DIR})
logdepth_optimise_lightly(_bindings)
target_link_libraries(_bindings PRIVATE requests exports pictures check compiler runtime oracle objects logdepth_warnings)

set(stub ${CMAKE_CURRENT_BINARY_DIR}/generated/_bindings.pyi)
nanobind_add_stub(_bindings_stub MODULE _bindings OUTPUT ${stub}
                  PYTHON_PATH $<TARGET_FILE_DIR:_bindings> DEPENDS _bindings)
add_custom_target(python_package DEPENDS _bindings _bindings_stub)

install(TARGETS _bindings LIBRARY DESTINATION logdepth COMPONENT python)
install(FILES ${stub} DESTINATION logdepth COMPONENT python)
