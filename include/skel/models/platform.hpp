#pragma once

/// Descriptions of hosts, clusters and links: made, read and written.
#include <skel/detail/platform/clusters.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/model_parameters.hpp>
