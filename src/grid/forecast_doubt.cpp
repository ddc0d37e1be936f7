#include "forecast_doubt.hpp"

#include <utility>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

#include "forecast_doubt_text.hpp"

namespace skel {

forecast_doubt const& usual_forecast_doubt() {
  static forecast_doubt const known = [] {
    forecast_doubt doubt;
    for (auto const line : split(forecast_doubt_text(), '\n')) {
      auto const words = words_in(line);
      if (words.size() != 2) continue;
      for (auto const& [name, figure] :
           {std::pair("before", &doubt.before), std::pair("beside_others", &doubt.beside_others),
            std::pair("runs", &doubt.runs), std::pair("between", &doubt.between)})
        if (words[0] == name) *figure = number_in<double>(words[1]).value();
    }
    return doubt;
  }();
  return known;
}

}  // namespace skel
