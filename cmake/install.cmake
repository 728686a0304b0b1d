# What cmake --install delivers: the program, its data, headers, libraries, and a CMake package, so that
# another project says find_package(starling). Every path is relative to the prefix.
include(CMakePackageConfigHelpers)

# Independent of the umask of the user who installs.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

get_property(libraries GLOBAL PROPERTY STARLING_LIBRARIES)
if(STARLING_WITH_MPI)
  list(REMOVE_ITEM libraries starling_commands_without_mpi)
endif()
# Building the program builds everything that is installed.
get_property(modules GLOBAL PROPERTY STARLING_MODULES)
add_dependencies(starling_main ${libraries} ${modules})

list(APPEND libraries starling_options starling_command_line)
foreach(library ${libraries})
  string(REGEX REPLACE "^starling_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()

install(TARGETS starling_main RUNTIME DESTINATION bin)
install(TARGETS ${modules} LIBRARY DESTINATION lib/starling)
install(TARGETS ${libraries} EXPORT starling_targets ARCHIVE DESTINATION lib/starling)
install(EXPORT starling_targets NAMESPACE starling:: DESTINATION lib/cmake/starling)

install(DIRECTORY base io sim topologies workloads algorithms scenarios testbed analysis commands
        DESTINATION include/starling FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY workloads scenarios DESTINATION share/starling
        FILES_MATCHING PATTERN "*.json" PATTERN "*.md" PATTERN "*.svg" PATTERN "*.py" PATTERN "*.sbatch")
install(DIRECTORY analysis/report/page DESTINATION share/starling/analysis/report)
install(FILES LICENSE DESTINATION share/doc/starling RENAME copyright)
install(FILES CHANGELOG.md README.md DESTINATION share/doc/starling)
# Removes folders in which no file matched the patterns.
install(CODE [[
  foreach(folder include/starling share/starling)
    execute_process(COMMAND find $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${folder} -type d -empty -delete)
  endforeach()
]])

configure_package_config_file(cmake/starling-config.cmake.in cmake/starling-config.cmake
                              INSTALL_DESTINATION lib/cmake/starling)
write_basic_package_version_file(cmake/starling-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/starling-config.cmake
              ${PROJECT_BINARY_DIR}/cmake/starling-config-version.cmake cmake/installed_data.cpp.in
        DESTINATION lib/cmake/starling)
include(cmake/package.cmake)
