#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace skel::platform {

/// Reads a mesh program (JSON, "skel_mesh_app": 1; the format is in docs/formats.md) that may run on this machine. Each
/// phase has a coefficient for each of its clusters, and may have some for clusters of other machines. Throws
/// skel::input_error with `source`, the path inside it and the reason.
record::mesh_app parse_mesh_app(std::string_view text, std::string const& source, description const& machine);

/// The program as JSON text that parse_mesh_app reads back to an equal value.
std::string to_json(record::mesh_app const& app);

/// Memory for programs on a host of each cluster [B]: as the description says, otherwise the least of its hosts that
/// was measured, otherwise infinite. O(hosts).
std::vector<double> host_memory(description const& machine);

}  // namespace skel::platform
