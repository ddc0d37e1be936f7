#include <skel/detail/cost/reduction/default_model.hpp>

#include "default_model_text.hpp"

namespace skel::cost {

platform::reduction_model const& default_reduction_model() {
  static platform::reduction_model const model =
      platform::parse_reduction_model(default_model_text(), "the model that skel ships");
  return model;
}

}  // namespace skel::cost
