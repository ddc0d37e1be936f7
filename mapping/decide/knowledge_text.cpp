#include "knowledge_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skel::mapping::knowledge_text {
namespace {

/// Errors are logarithms of quotients of two times. With both in the range of is_possible_time(), they are at most ln
/// of its length squared, half the logarithm of the greatest number. So no product of a time and exp(error) overflows.
double const largest_error = std::log(std::numeric_limits<double>::max()) / 2;
/// Numbers of observations are exact as doubles.
constexpr unsigned long long most_observations = 1ULL << std::numeric_limits<double>::digits;

bool is_between(double least, double number, double most) {  // false also for NaN
  return number >= least && number <= most;
}

bool is_possible(error_record const& of) {
  auto const& [weight, first, second] = of.observed;
  double const number = static_cast<double>(of.total), most = weight * largest_error;
  constexpr double any = std::numeric_limits<double>::max();
  return is_between(0, of.prior, largest_error) && is_between(0, of.prior_share, 1) && weight > 0 &&
         is_between(0, weight, number * (1 + 1e-9)) && is_between(-most, first, most) &&
         is_between(0, second, most * largest_error) && of.test.shift > 0 && is_between(0, of.test.shift, any) &&
         of.test.interval > 1 && is_between(1, of.test.interval, any) && of.test.fewest >= 1 &&
         is_between(0, of.test.up, any) && is_between(0, of.test.down, any) && of.up_from <= of.total &&
         of.down_from <= of.total && of.changes <= of.total && of.total <= most_observations &&
         std::ranges::all_of(of.last, [](double e) { return is_between(-largest_error, e, largest_error); });
}

}  // namespace

bool is_possible_time(double seconds) {
  double const longest = std::exp(largest_error / 2);
  return is_between(1 / longest, seconds, longest);
}

void write(std::string& text, error_record const& errors) {
  for (double const part :
       {errors.prior, errors.prior_share, errors.observed.weight, errors.observed.first, errors.observed.second,
        errors.test.shift, errors.test.interval, errors.test.up, errors.test.down})
    write(text, part);
  write(text, errors.test.fewest);
  for (double const part : errors.last) write(text, part);
  for (auto const part : {errors.up_from, errors.down_from, errors.total, errors.changes}) write(text, part);
}

bool read(reader& from, error_record& errors) {
  for (double* part :
       {&errors.prior, &errors.prior_share, &errors.observed.weight, &errors.observed.first, &errors.observed.second,
        &errors.test.shift, &errors.test.interval, &errors.test.up, &errors.test.down})
    *part = from.read<double>();
  errors.test.fewest = from.read<int>();
  for (double& part : errors.last) part = from.read<double>();
  for (auto* part : {&errors.up_from, &errors.down_from, &errors.total, &errors.changes})
    *part = from.read<unsigned long long>();
  return from.good() && is_possible(errors);
}

}  // namespace skel::mapping::knowledge_text
