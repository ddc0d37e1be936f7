#include <hwloc.h>

#include <algorithm>
#include <memory>

#include <skel/detail/platform/reduction_model.hpp>

namespace skel::platform {

processor_kind this_processor() {
  processor_kind found;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return found;
  std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> const topology(raw, &hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return found;
  found.threads = static_cast<std::size_t>(std::max(1, hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_PU)));
  auto const capacity = [&](hwloc_obj_type_t level) {
    hwloc_obj_t const cache = hwloc_get_obj_by_type(raw, level, 0);
    return cache == nullptr || cache->attr == nullptr ? 0.0 : static_cast<double>(cache->attr->cache.size);
  };
  found.caches[0] = capacity(HWLOC_OBJ_L1CACHE);
  found.caches[1] = capacity(HWLOC_OBJ_L2CACHE);
  found.caches[2] = std::max(capacity(HWLOC_OBJ_L3CACHE), capacity(HWLOC_OBJ_L4CACHE));
  for (hwloc_obj_t each : {hwloc_get_obj_by_type(raw, HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(raw)})
    if (each != nullptr)
      if (char const* const name = hwloc_obj_get_info_by_name(each, "CPUModel"); name != nullptr) {
        found.name = name;
        break;
      }
  return found;
}

}  // namespace skel::platform
