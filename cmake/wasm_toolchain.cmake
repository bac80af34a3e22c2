# Debian's Emscripten (package emscripten): cmake -DCMAKE_TOOLCHAIN_FILE=cmake/wasm_toolchain.cmake -DLOGDEPTH_WASM=ON
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER emcc)
set(CMAKE_CXX_COMPILER em++)
set(CMAKE_AR emar CACHE FILEPATH "archiver of Emscripten")
set(CMAKE_RANLIB emranlib CACHE FILEPATH "ranlib of Emscripten")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
