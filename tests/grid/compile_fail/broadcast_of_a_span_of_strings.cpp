#include <span>
#include <string>
#include <vector>

#include <skel/grid.hpp>

void send(skel::grid& grid, std::vector<std::string>& names) {
  grid.broadcast(std::span{names});
}
