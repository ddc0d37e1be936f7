#include "forecast_doubt.hpp"

#include <sstream>
#include <string>

#include "forecast_doubt_text.hpp"

namespace skel {

forecast_doubt const& usual_forecast_doubt() {
  static forecast_doubt const known = [] {
    forecast_doubt doubt;
    std::istringstream lines{std::string(forecast_doubt_text())};
    for (std::string text; std::getline(lines, text);) {
      std::istringstream words(text);
      if (!(words >> text)) continue;
      if (text == "before") words >> doubt.before;
      if (text == "beside_others") words >> doubt.beside_others;
      if (text == "runs") words >> doubt.runs;
      if (text == "between") words >> doubt.between;
    }
    return doubt;
  }();
  return known;
}

}  // namespace skel
