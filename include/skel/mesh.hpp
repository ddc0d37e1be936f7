#pragma once

/// Meshes, graphs and matrices, from files or made, refined and renumbered, with the neighbours of their cells. Also
/// their patterns of subscripts, and files for ParaView.
#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/formats/vtu.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/mesh_marks.hpp>
#include <skel/detail/pattern/pattern.hpp>
