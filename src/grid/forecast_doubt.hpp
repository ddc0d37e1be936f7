#pragma once

namespace skel {

/// How far throughputs are from their forecasts, as standard deviations of ln(measured / predicted). They are those of
/// normal numbers of which as many lie in an interval of forecast_confidence.
struct forecast_doubt {
  double before = 0;   ///< from a forecast that rests on the first items, measured before the run
  double runs = 0;     ///< of a station's time per item, from one run of a program to the next
  double beside_others = 0;  ///< where k threads of others run on n cores, as a part of ln((n + k) / n)
  double between = 0;  ///< from one stretch of a run to the next as long, by what neither stretch shows in itself
};

/// The content of forecast_doubt.txt, with its origin. O(1) after the first call.
forecast_doubt const& usual_forecast_doubt();

}  // namespace skel
