# The program as WebAssembly: commands of `logdepth` over texts instead of files, for playground/. cmake/wasm_dependencies.sh
# makes the libraries first. What is not here is named by playground/face/left_out.cpp.
set(wasm_libraries ${PROJECT_SOURCE_DIR}/build/wasm-deps CACHE PATH "what cmake/wasm_dependencies.sh built")
if(NOT EXISTS ${wasm_libraries}/lib/libpugixml.a)
  message(FATAL_ERROR "${wasm_libraries}: no libraries for wasm32; expected them from cmake/wasm_dependencies.sh")
endif()

add_library(logdepth_wasm_options INTERFACE)
target_include_directories(logdepth_wasm_options INTERFACE ${PROJECT_SOURCE_DIR} ${wasm_libraries}/include)
target_compile_options(logdepth_wasm_options INTERFACE
  -Oz -flto -fwasm-exceptions -ffunction-sections -fdata-sections -fno-threadsafe-statics -Wall -Wextra -Wpedantic
  "SHELL:-include ${PROJECT_SOURCE_DIR}/playground/face/older_library.hpp")
target_compile_definitions(logdepth_wasm_options INTERFACE FMT_HEADER_ONLY LOGDEPTH_VERSION="${PROJECT_VERSION}" NDEBUG)

add_executable(logdepth_wasm)
# logdepth_wasm_room(FOLDER [EXCEPT names] [ONLY names]): the sources of a folder, as one translation unit.
function(logdepth_wasm_room folder)
  cmake_parse_arguments(ARG "" "" "EXCEPT;ONLY" ${ARGN})
  string(MAKE_C_IDENTIFIER ${folder} room)
  if(ARG_ONLY)
    list(TRANSFORM ARG_ONLY PREPEND ${PROJECT_SOURCE_DIR}/${folder}/ OUTPUT_VARIABLE sources)
    list(TRANSFORM sources APPEND .cpp)
  else()
    file(GLOB sources ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
    foreach(name ${ARG_EXCEPT})
      list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${folder}/${name}.cpp)
    endforeach()
    list(FILTER sources EXCLUDE REGEX "_network\\.cpp$")
  endif()
  add_library(wasm_${room} OBJECT ${sources})
  if(NOT folder STREQUAL recheck)  # two of its files have the same names for other things
    set_target_properties(wasm_${room} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
  target_link_libraries(wasm_${room} PRIVATE logdepth_wasm_options)
  # Names of types are a hundredth of the program. Two rooms ask for the type of an object; one has the base of a
  # class of theirs.
  if(NOT folder MATCHES "^(cli|playground/face|library/runs)$")
    target_compile_options(wasm_${room} PRIVATE -fno-rtti)
  endif()
  # Counts of 64 bits are widened or refused, never cut: size_t has 32 bits here.
  target_compile_options(wasm_${room} PRIVATE -Wshorten-64-to-32 $<$<BOOL:${LOGDEPTH_WERROR}>:-Werror=shorten-64-to-32>)
  target_sources(logdepth_wasm PRIVATE $<TARGET_OBJECTS:wasm_${room}>)
  set_property(GLOBAL APPEND PROPERTY logdepth_wasm_objects $<TARGET_OBJECTS:wasm_${room}>)
endfunction()

# What is downloaded is small (tests/playground/test_wasm.mjs has the bound): -Oz, and optimised as a whole.
foreach(room base runtime/numbers runtime/stream runtime/columns runtime/exact compiler/passes compiler/lemmas
        compiler/analysis compiler/builder compiler/program compiler/meaning compiler/rules compiler/file
        compiler/difference library/requests library/runs proofs-check/check proofs-check/certify playground/face)
  logdepth_wasm_room(${room})
endforeach()
logdepth_wasm_room(objects EXCEPT dot_format)
logdepth_wasm_room(oracle EXCEPT command_oracle reachability_oracle)
logdepth_wasm_room(runtime/file EXCEPT started_program temporary_folder)
logdepth_wasm_room(recheck EXCEPT main)
target_include_directories(wasm_recheck PRIVATE ${PROJECT_SOURCE_DIR}/playground/face)  # openssl/evp.h
logdepth_wasm_room(report/pictures ONLY run_answers)
file(GLOB papers RELATIVE ${PROJECT_SOURCE_DIR}/constructions ${PROJECT_SOURCE_DIR}/constructions/*/*.hpp)
list(TRANSFORM papers REPLACE "/.*" "")
list(REMOVE_DUPLICATES papers)
list(REMOVE_ITEM papers JSHCM26)  # for size; compile formula is refused (playground/face/left_out.cpp)
foreach(paper . ${papers})
  logdepth_wasm_room(constructions/${paper})
endforeach()
logdepth_wasm_room(cli ONLY
  answer_command command_certify command_compile command_info command_inspect command_run command_test options)

set(wasm_archive_names mpfr gmp z pugixml)
set_target_properties(logdepth_wasm PROPERTIES OUTPUT_NAME logdepth SUFFIX .js LINKER_LANGUAGE CXX)
list(TRANSFORM wasm_archive_names PREPEND ${wasm_libraries}/lib/lib OUTPUT_VARIABLE wasm_archives)
list(TRANSFORM wasm_archives APPEND .a)
target_link_libraries(logdepth_wasm PRIVATE ${wasm_archives})
target_link_options(logdepth_wasm PRIVATE -Oz -flto -fwasm-exceptions --no-entry -sMODULARIZE=1 -sEXPORT_NAME=logdepthModule
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=4MB -sEXPORTED_FUNCTIONS=_logdepth_command,_logdepth_left_out,_malloc,_free
  -sBINARYEN_EXTRA_PASSES=--converge -sINCOMING_MODULE_JS_API=wasmBinary -sEXPORTED_RUNTIME_METHODS=allocateUTF8,UTF8ToString -sENVIRONMENT=web,worker,node)
# Emscripten's last steps leave code that a second pass of its optimiser removes.
add_custom_command(TARGET logdepth_wasm POST_BUILD COMMAND wasm-opt -Oz --enable-exception-handling --enable-sign-ext
  --enable-mutable-globals logdepth.wasm -o logdepth.wasm)

# Numbers and files where size_t has 32 bits: the same tests as elsewhere, under node. Debian's package googletest
# has sources; RapidCheck's properties are left out.
if(LOGDEPTH_TESTS)
  get_property(objects GLOBAL PROPERTY logdepth_wasm_objects)
  set(tested rationals reals real_text nested_radicals interned_tuples weights_file weights_refusals)
  list(TRANSFORM tested PREPEND ${PROJECT_SOURCE_DIR}/tests/properties/)
  list(TRANSFORM tested APPEND .cpp)
  add_executable(test_wasm32 ${tested} ${objects} ${PROJECT_SOURCE_DIR}/tests/support/places.cpp
                 ${PROJECT_SOURCE_DIR}/tests/playground/printed_rationals.cpp
                 /usr/src/googletest/googletest/src/gtest-all.cc /usr/src/googletest/googletest/src/gtest_main.cc)
  set_target_properties(test_wasm32 PROPERTIES SUFFIX .js)
  target_include_directories(test_wasm32 PRIVATE /usr/src/googletest/googletest/include /usr/src/googletest/googletest)
  target_compile_definitions(test_wasm32 PRIVATE LOGDEPTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" LOGDEPTH_BUILD_DIR=""
    LOGDEPTH_BINARY="" LOGDEPTH_PYTHON="python3" LOGDEPTH_PRELOAD="" LOGDEPTH_SANITIZED=false
    LOGDEPTH_WITHOUT_RAPIDCHECK)
  target_link_libraries(test_wasm32 PRIVATE logdepth_wasm_options ${wasm_archives})
  target_link_options(test_wasm32 PRIVATE -O1 -flto -fwasm-exceptions -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB
                      -sTOTAL_STACK=4MB -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sENVIRONMENT=node)
endif()
