#pragma once

#include <memory>
#include <optional>
#include <string>

#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel {

/// A model of irregular reductions, and what errors call it.
struct chosen_reduction_model {
  std::shared_ptr<platform::reduction_model const> model;
  std::string source;
};

/// The model that settings ask for: the named file, else that which is kept for this machine, else the one that ships.
/// What is kept is read once in a process. Throws skel::input_error for a named file that cannot be read. Warns on
/// stderr, once in a process for each file, where a named one is of another machine (it is used) or a kept one is
/// damaged or can have been written by another user (it is not). A kept one of another machine, whose home folder this
/// one shares, is passed over.
chosen_reduction_model choose_reduction_model(reduction_settings const& settings);

/// The warning for a model of another machine; nothing for one of this machine.
std::optional<std::string> warning_of(platform::reduction_model const& model, std::string const& source,
                                      std::string const& this_machine);

}  // namespace skel
