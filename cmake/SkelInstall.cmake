# install + find_package(skel)
