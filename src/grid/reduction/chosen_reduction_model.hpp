#pragma once

#include <memory>
#include <optional>
#include <string>

#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel {

/// A model of irregular reductions, and its name in errors.
struct chosen_reduction_model {
  std::shared_ptr<platform::reduction_model const> model;
  std::string source;
};

/// The model that settings ask for: the named file, else the kept one of this machine, else the one that ships. The
/// kept one is read once in a process. Throws skel::input_error for a named file that cannot be read. Warns on stderr,
/// once in a process for each file. It warns if a named one is of another machine (it is used). It also warns if a kept
/// one is damaged or another user can have written it (it is not). A kept one of another machine that shares the home
/// folder is passed over.
chosen_reduction_model choose_reduction_model(reduction_settings const& settings);

/// The warning for a model of another machine; nothing for one of this machine.
std::optional<std::string> warning_of(platform::reduction_model const& model, std::string const& source,
                                      std::string const& this_machine);

}  // namespace skel
