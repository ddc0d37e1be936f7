#include "settings.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <mpi.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/registry.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

namespace skel::interpose {
namespace {

using plan::collective;

[[noreturn]] void refuse(char const* variable, std::string const& reason) {
  throw input_error("environment", variable, reason);
}

std::string value_of(char const* variable) {
  char const* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// Nothing for a text that means neither.
std::optional<bool> flag(std::string const& value) {
  for (std::string_view const yes : {"1", "on", "yes", "true"})
    if (value == yes) return true;
  for (std::string_view const no : {"0", "off", "no", "false"})
    if (value == no) return false;
  return std::nullopt;
}

void read_use(settings& result) {
  std::string const value = value_of("SKEL_MPI");
  result.always = value == "always";
  if (value.empty() || result.always) return;
  auto const on = flag(value);
  if (!on) refuse("SKEL_MPI", "'" + value + "' is none of on, always and off");
  result.on = *on;
}

/// The level of messages is no reason to end a run: a text that cannot be read is 1, with a warning.
int read_verbose() {
  std::string const value = value_of("SKEL_MPI_VERBOSE");
  if (value.empty()) return 0;
  if (auto const on = flag(value)) return *on ? 1 : 0;
  auto const level = number_in<int>(value);
  if (level && *level >= 0 && *level <= 2) return *level;
  tell_user("warning: SKEL_MPI_VERBOSE: " + in_quotes(value) + " is no level (0, 1 or 2); it is taken for 1");
  return 1;
}

mismatch read_mismatch() {
  std::string const value = value_of("SKEL_PLATFORM_MISMATCH");
  if (value.empty() || value == "pass") return mismatch::pass;
  if (value == "measure") return mismatch::measure;
  if (value == "refuse") return mismatch::refuse;
  refuse("SKEL_PLATFORM_MISMATCH", is_none_of(value, "action", std::array{"pass", "measure", "refuse"}));
}

/// OPERATION=ALGORITHM or OPERATION=ALGORITHM:SEGMENT
void read_forced(std::string const& word, std::map<collective, forced_algorithm>& forced) try {
  std::size_t const equals = word.find('=');
  if (equals == std::string::npos) refuse("SKEL_MPI_ALGORITHM", "'" + word + "' is not OPERATION=ALGORITHM[:SEGMENT]");
  auto const operation = static_cast<collective>(plan::collectives().at(word.substr(0, equals)));
  forced_algorithm how{.name = word.substr(equals + 1)};
  if (std::size_t const colon = how.name.find(':'); colon != std::string::npos) {
    std::string const number = how.name.substr(colon + 1);
    auto const segment = number_in<decltype(how.segment)>(number);
    if (!segment) refuse("SKEL_MPI_ALGORITHM", "'" + number + "' in '" + word + "' is not a segment in bytes");
    how.segment = *segment;
    how.name.resize(colon);
  }
  (void)algorithm_named(operation, how.name);
  forced[operation] = std::move(how);
} catch (input_error const& unknown) {
  refuse("SKEL_MPI_ALGORITHM", unknown.reason());
}

}  // namespace

std::vector<std::string> words_of(std::string const& text) {
  auto const words = words_in(text, " \t\r\n,;");
  return {words.begin(), words.end()};
}

settings read_settings() {
  settings result;
  read_use(result);
  result.verbose = read_verbose();
  result.platform = value_of("SKEL_PLATFORM");
  result.otherwise = read_mismatch();
  result.hosts = words_of(value_of("SKEL_MPI_HOSTS"));
  result.decisions = value_of("SKEL_DECISIONS");
  for (std::string const& word : words_of(value_of("SKEL_MPI_ALGORITHM"))) read_forced(word, result.forced);
  return result;
}

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
