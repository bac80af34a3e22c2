# liblogdepth: the public headers of logdepth/ and one shared object of the static parts behind them,
# found by find_package(logdepth) and by pkg-config.
add_library(liblogdepth SHARED)
logdepth_room(liblogdepth library)
logdepth_optimise_lightly(liblogdepth)
set(exported ${PROJECT_SOURCE_DIR}/library/exported.map)
set_target_properties(liblogdepth PROPERTIES
  OUTPUT_NAME logdepth EXPORT_NAME logdepth
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${exported})
target_link_libraries(liblogdepth PRIVATE requests exports certify pictures check compiler runtime oracle objects logdepth_warnings)
# The library itself uses little of the builder; its users use the rest.
target_sources(liblogdepth PRIVATE $<TARGET_OBJECTS:compiler>)
target_link_options(liblogdepth PRIVATE LINKER:--version-script=${exported})
target_include_directories(liblogdepth PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_features(liblogdepth INTERFACE cxx_std_20)
file(GLOB headers CONFIGURE_DEPENDS logdepth/*.hpp)
target_sources(liblogdepth PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})

install(TARGETS liblogdepth EXPORT logdepth
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
set(cmake_files ${CMAKE_INSTALL_LIBDIR}/cmake/logdepth)
install(EXPORT logdepth NAMESPACE logdepth:: FILE logdepthConfig.cmake DESTINATION ${cmake_files}
        COMPONENT development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(generated/logdepthConfigVersion.cmake COMPATIBILITY SameMinorVersion)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY
           ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE include_from_pkgconfig)
configure_file(cmake/logdepth.pc.in generated/logdepth.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/logdepthConfigVersion.cmake
        DESTINATION ${cmake_files} COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/logdepth.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
