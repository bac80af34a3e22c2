# The CUDA backend of the float pass, on request (-DLOGDEPTH_CUDA=ON). It needs no GPU to build: the
# program asks for a device when it runs.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "LOGDEPTH_CUDA is on and there is no CUDA compiler: expected nvcc on the path")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)  # before enable_language; "native" needs a GPU
  # One that every later GPU can run, compiled for it when the program starts there: an architecture
  # takes one and a half minutes. A release is built with "75-virtual;80-real;90".
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(float_cuda STATIC runtime/floats/cuda.cu)
target_include_directories(float_cuda PRIVATE ${PROJECT_SOURCE_DIR})
# CMake 3.25.1 takes the project's C++20 for CUDA and does not know CUDA20: the flag is given instead.
# Without fused operations the numbers are those of the host backend. It is part of the shared library.
set_target_properties(float_cuda PROPERTIES CUDA_STANDARD_REQUIRED OFF POSITION_INDEPENDENT_CODE ON)
target_compile_options(
  float_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--extended-lambda;--fmad=false>")
if(LOGDEPTH_WERROR)
  target_compile_options(float_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
target_link_libraries(float_cuda PRIVATE CUDA::cudart_static)
target_link_libraries(runtime PRIVATE float_cuda)
target_compile_definitions(floats PRIVATE LOGDEPTH_CUDA)
