# learned_core (models and training) and the program logdepth-train, where libtorch is found.
# A libtorch with CUDA looks for the architecture of the GPU by compiling a program, which it cannot
# where the toolkit is newer than CMake; there are no kernels of ours to compile for one.
if(NOT DEFINED TORCH_CUDA_ARCH_LIST)
  set(TORCH_CUDA_ARCH_LIST 9.0)
endif()
# PyTorch's CMake files (PREFIX/share/cmake) would take the libc10 of the system before their own.
foreach(prefix ${CMAKE_PREFIX_PATH})
  list(APPEND CMAKE_LIBRARY_PATH ${prefix}/../../lib)
endforeach()
find_package(Torch QUIET)
if(NOT Torch_FOUND)
  message(STATUS "libtorch not found (Debian: libtorch-dev): logdepth train is built without it")
  return()
endif()
if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
  message(WARNING "libtorch in ${TORCH_INSTALL_PREFIX} has the ABI that GCC had before version 5, as PyTorch "
                  "up to 2.6 from PyPI: logdepth train is built without it; expected PyTorch 2.7 or newer")
  return()
endif()
file(GLOB core_sources CONFIGURE_DEPENDS learned/core/*.cpp learned/*/*_network.cpp)
list(REMOVE_DUPLICATES core_sources)
list(FILTER core_sources EXCLUDE REGEX "/train_program\\.cpp$")
add_library(learned_core STATIC ${core_sources})
set_target_properties(learned_core PROPERTIES UNITY_BUILD ${LOGDEPTH_UNITY})
logdepth_optimise_lightly(learned_core)  # its arithmetic is libtorch's, but for attention_rows
target_include_directories(learned_core PUBLIC ${PROJECT_SOURCE_DIR})
# A newer libtorch brings headers of another fmt than the library that is linked. The headers of that one
# come first, through a link, since the compiler ignores an option for a folder of its default path.
get_target_property(fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
cmake_path(COMPARE "${fmt_headers}" EQUAL "${TORCH_INSTALL_PREFIX}/include" fmt_of_torch)
if(NOT fmt_of_torch AND EXISTS ${TORCH_INSTALL_PREFIX}/include/fmt)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/generated/fmt_first)
  file(CREATE_LINK ${fmt_headers}/fmt ${CMAKE_CURRENT_BINARY_DIR}/generated/fmt_first/fmt SYMBOLIC)
  target_include_directories(learned_core BEFORE PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/generated/fmt_first)
endif()
target_link_libraries(learned_core PUBLIC learned ${TORCH_LIBRARIES} PRIVATE logdepth_warnings)
target_precompile_headers(learned_core PRIVATE <torch/autograd.h> <torch/types.h>)
# With the headers and libraries of CUDA a training step on a device is recorded and replayed as a whole.
if(TARGET c10_cuda)
  target_compile_definitions(learned_core PUBLIC LOGDEPTH_CUDA_GRAPHS)  # the program shares its precompiled header
  target_link_libraries(learned_core PUBLIC torch_cuda c10_cuda)
  set_source_files_properties(learned/core/device.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endif()
# Loops over channels; fused multiply-adds where the processor has them.
set_source_files_properties(learned/core/attention_rows.cpp PROPERTIES
                            COMPILE_OPTIONS "-O3;-fopenmp-simd;$<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>" SKIP_PRECOMPILE_HEADERS ON)

add_executable(logdepth-train learned/core/train_program.cpp)
target_precompile_headers(logdepth-train REUSE_FROM learned_core)
logdepth_optimise_lightly(logdepth-train)
target_link_libraries(logdepth-train PRIVATE learned_core CLI11::CLI11 logdepth_warnings)
target_compile_definitions(logdepth-train PRIVATE LOGDEPTH_VERSION="${PROJECT_VERSION}")
install(TARGETS logdepth-train RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT training)
