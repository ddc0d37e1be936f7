#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/measured.hpp>

#include "warn.hpp"

namespace skel {

/// What the speeds of a platform that skel::probe keeps mean; a file that says otherwise, or nothing, is not taken.
inline constexpr char const* speeds_of_cores = "whole cores";

/// The file between runs that keeps what one probing found, on the rank that reads and writes it. `Options` has
/// `cache`, `use_cache`, `max_age` and `warn` (skel::probe_options).
template <class Options>
class kept_platform {
 public:
  /// `hosts`: of every rank. `kind` tells apart what is probed in other ways on the same hosts.
  kept_platform(Options const& options, std::vector<std::string> hosts, std::string const& kind = {})
      : options_(options), hosts_(std::move(hosts)) {
    if (!options.use_cache) return;
    std::vector<std::string> key = hosts_;
    if (!kind.empty()) key.push_back(kind);
    file_ = options.cache.empty() ? platform::default_cache_file(key) : options.cache;
  }

  /// What is kept, if it is of these hosts, young enough, and `fits`.
  std::optional<platform::description> read(std::function<bool(platform::description const&)> const& fits = {}) const {
    if (!file_) return std::nullopt;
    platform::cached_platform found = platform::read_cache(*file_, hosts_, options_.max_age);
    if (found.damaged) tell(found.reason + "; measuring anew");
    if (found.platform && fits && !fits(*found.platform)) return std::nullopt;
    return std::move(found.platform);
  }

  void write(std::string const& text) const {
    if (!file_) return;
    try {
      platform::write_cache(*file_, text);
    } catch (error const& problem) {
      tell(std::string(problem.what()) + "; the measurement is not kept");
    }
  }

 private:
  void tell(std::string const& text) const {
    if (options_.warn)
      options_.warn(text);
    else
      skel::warn(text);
  }

  Options const& options_;
  std::vector<std::string> hosts_;
  std::optional<std::filesystem::path> file_;
};

}  // namespace skel
