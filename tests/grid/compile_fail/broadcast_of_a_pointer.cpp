#include <skel/grid.hpp>

void send(skel::grid& grid, double* model) {
  grid.broadcast(model);
}
