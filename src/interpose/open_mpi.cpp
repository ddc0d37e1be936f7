#include "open_mpi.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace skel::interpose {
namespace {

/// The value of a variable of Open MPI's, a number of `Value` or a text; zeros where there is none of this name.
template <class Value>
Value read_variable(char const* name) {
  Value value{};
  int index = 0, count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return value;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return value;
  if (count == 1 || static_cast<std::size_t>(count) <= sizeof value) MPI_T_cvar_read(handle, &value);
  MPI_T_cvar_handle_free(&handle);
  return value;
}

bool is_as_delivered() {
  using text = std::array<char, 8192>;
  if (read_variable<text>("coll")[0] != '\0') return false;  // components that alone, or not, may be taken
  if (read_variable<bool>("coll_tuned_use_dynamic_rules")) return false;
  // Of all components for several hosts it comes first. The others serve one process, or two groups of them.
  int const tuned = read_variable<int>("coll_tuned_priority");
  for (char const* const other :
       {"coll_adapt_priority", "coll_basic_priority", "coll_han_priority", "coll_hcoll_priority", "coll_ucc_priority"})
    if (read_variable<int>(other) >= tuned) return false;
  return true;
}

}  // namespace

bool is_tuned_open_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0, level = MPI_THREAD_SINGLE, provided = 0;
  MPI_Get_library_version(version.data(), &length);
  if (!std::string_view(version.data()).starts_with("Open MPI v4.1.")) return false;
  // Open MPI takes this call's level for that of the whole process, and locks nothing any more after a lower one.
  MPI_Query_thread(&level);
  if (MPI_T_init_thread(level, &provided) != MPI_SUCCESS) return false;
  bool const found = is_as_delivered();
  MPI_T_finalize();
  return found;
}

}  // namespace skel::interpose
