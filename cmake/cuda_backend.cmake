# The CUDA backend of the float pass, where nvcc is found. It needs no GPU to build: the program asks
# for a device when it runs.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(STATUS "nvcc not found: logdepth is built without --device cuda")
  return()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)  # before enable_language; "native" needs a GPU
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-real 90)
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(float_cuda STATIC runtime/floats/cuda.cu)
target_include_directories(float_cuda PRIVATE ${PROJECT_SOURCE_DIR})
# CMake 3.25.1 takes the project's C++20 for CUDA and does not know CUDA20: the flag is given instead. Without fused operations the numbers
# are those of the host backend.
set_target_properties(float_cuda PROPERTIES CUDA_STANDARD_REQUIRED OFF)
target_compile_options(
  float_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--extended-lambda;--fmad=false>")
if(LOGDEPTH_WERROR)
  target_compile_options(float_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
target_link_libraries(float_cuda PRIVATE CUDA::cudart_static)
target_link_libraries(runtime PRIVATE float_cuda)
target_compile_definitions(runtime PRIVATE LOGDEPTH_CUDA)
