#include "knowledge_text.hpp"

namespace skel::mapping::knowledge_text {
namespace {

bool is_possible(error_record const& of) {
  return of.prior >= 0 && of.prior_share >= 0 && of.prior_share <= 1 && of.observed.weight > 0 &&
         of.observed.second >= 0 && of.test.shift > 0 && of.test.interval > 1 && of.test.fewest >= 1 &&
         of.test.up >= 0 && of.test.down >= 0 && of.total > 0 && of.up_from <= of.total && of.down_from <= of.total;
}

}  // namespace

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
