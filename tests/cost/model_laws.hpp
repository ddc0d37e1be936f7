#pragma once

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <skel/detail/cost/communication/model.hpp>

namespace skel::testing_cost {

/// The laws of the concept communication_model, for parameters whose functions never fall.
template <cost::communication_model Model>
void check_model_laws(Model const& model, std::size_t ranks = 2) {
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t to = 0; to < ranks; ++to) {
      if (from == to) continue;
      double transfer_before = 0, busy_before = 0, receive_before = 0;
      for (double bytes = 0; bytes < 1e10; bytes = bytes * 1.37 + 1) {
        cost::message const m{.bytes = bytes, .from = from, .to = to};
        std::string const at =
            std::to_string(bytes) + " bytes from " + std::to_string(from) + " to " + std::to_string(to);
        double const busy = model.send_busy(m), transfer = model.transfer(m), receive = model.receive_busy(m),
                     overhead = model.receive_overhead(m);
        for (double value : {busy, transfer, receive, overhead})
          ASSERT_TRUE(std::isfinite(value) && value >= 0) << value << " for " << at;
        ASSERT_GE(transfer, transfer_before) << at;
        ASSERT_GE(busy, busy_before) << at;
        ASSERT_GE(receive, receive_before) << at;
        ASSERT_LE(overhead, receive) << at;
        ASSERT_EQ(transfer, model.transfer(m)) << at;
        transfer_before = transfer, busy_before = busy, receive_before = receive;
        double alone = transfer;
        for (double rivals : {2., 3., 10., 1000.}) {
          cost::message crowded = m;
          crowded.at_receiver = crowded.in_network = rivals;
          double const time = model.transfer(crowded);
          ASSERT_TRUE(std::isfinite(time)) << at;
          ASSERT_GE(time, alone * (1 - 1e-12)) << rivals << " messages, " << at;
          ASSERT_TRUE(Model::contended || time == transfer) << at;
          alone = time;
        }
      }
      auto const corners = model.breakpoints();
      for (std::size_t i = 0; i < corners.size(); ++i) {
        ASSERT_TRUE(std::isfinite(corners[i]));
        ASSERT_TRUE(i == 0 || corners[i - 1] < corners[i]) << corners[i];
      }
    }
}

/// Between breakpoints the four functions are lines.
template <cost::communication_model Model>
void check_linear_between_breakpoints(Model const& model) {
  std::vector<double> corners{0};
  for (double at : model.breakpoints())
    if (at > 0) corners.push_back(at);
  corners.push_back(2 * corners.back() + 1e6);
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    auto const at = [&](double part) {
      return cost::message{.bytes = corners[i] + part * (corners[i + 1] - corners[i])};
    };
    auto const check = [&](auto&& f) {
      EXPECT_NEAR(f(at(0.25)) + f(at(0.75)), 2 * f(at(0.5)), 1e-12 * f(at(1)) + 1e-18);
      EXPECT_NEAR(f(at(0.5)), (f(at(0)) + f(at(1))) / 2, 1e-12 * f(at(1)) + 1e-18);
    };
    check([&](cost::message const& m) { return model.send_busy(m); });
    check([&](cost::message const& m) { return model.transfer(m); });
    check([&](cost::message const& m) { return model.receive_busy(m); });
    check([&](cost::message const& m) { return model.receive_overhead(m); });
  }
}

}  // namespace skel::testing_cost
