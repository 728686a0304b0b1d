# Settings of cpack -G DEB: all installed files in one package.
set(CPACK_PACKAGE_NAME starling)
set(CPACK_PACKAGE_CONTACT "The maintainers of Starling <maintainers@starling.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts how fast distributed training runs")
set(CPACK_PACKAGE_DESCRIPTION
    "Runs the algorithms that average gradients or models of a training job,
 message by message, on a simulated cluster, or under MPI on a real one.")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# The libraries that the program needs, found by dpkg-shlibdeps.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# mpirun, the library that draws the charts of reports, and the packages that programs which use Starling are built with. apt installs
# them as well, unless --no-install-recommends is given, as on the nodes of a cluster.
set(recommended
    openmpi-bin
    pkg-config
    libboost-context-dev
    libsimgrid-dev
    libfmt-dev
    nlohmann-json3-dev
    libpugixml-dev
    libyaml-cpp-dev
    libeigen3-dev
    libcli11-dev
    libjs-vega
    libsqlitecpp-dev
    libopenmpi-dev
    "libopenblas-serial-dev | libopenblas-dev")
list(JOIN recommended ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, g++, gnuplot-nox, iproute2")
include(CPack)
