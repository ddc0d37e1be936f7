#include "chosen_reduction_model.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>

#include "warn.hpp"

namespace skel {

namespace {

std::string const& this_machine() {
  static std::string const name = platform::this_processor().name;
  return name;
}

using shared_model = std::shared_ptr<platform::reduction_model const>;

/// The model that is kept for this machine; nothing if it cannot be used.
shared_model read_kept(std::filesystem::path const& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return nullptr;
  try {
    auto model = std::make_shared<platform::reduction_model const>(
        platform::parse_reduction_model(read_input(file, most_text_bytes, file_of::this_user), file.string()));
    cost::reduction_predictor const usable(*model, file.string());  // throws if a part of it is unknown
    if (model->machine == this_machine()) return model;
  } catch (error const& problem) {
    warn(std::string(problem.what()) + "; the model that skel ships is used instead");
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> warning_of(platform::reduction_model const& model, std::string const& source,
                                      std::string const& this_machine) {
  if (model.machine == this_machine) return std::nullopt;
  return source + ": is a model of '" + model.machine + "', fitted on " + model.date + "; this machine is '" +
         this_machine + "'. It is used; 'skel train' makes one of this machine";
}

chosen_reduction_model choose_reduction_model(reduction_settings const& settings) {
  static std::mutex guard;
  static std::set<std::string> warned;
  static std::map<std::filesystem::path, shared_model> kept;
  std::lock_guard const lock(guard);
  if (!settings.model_file.empty()) {
    auto const model =
        std::make_shared<platform::reduction_model const>(platform::read_reduction_model(settings.model_file));
    if (auto const text = warning_of(*model, settings.model_file, this_machine());
        text && warned.insert(settings.model_file).second)
      warn(*text);
    return {model, settings.model_file};
  }
  if (auto const file = platform::kept_reduction_model_file()) {
    auto found = kept.find(*file);
    if (found == kept.end()) found = kept.emplace(*file, read_kept(*file)).first;
    if (found->second) return {found->second, file->string()};
  }
  return {shared_model(shared_model(), &cost::default_reduction_model()), "the model that skel ships"};
}

}  // namespace skel
