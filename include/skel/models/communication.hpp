#pragma once

/// Models of messages: Hockney, LogP and its kin, pLogP, LMO; their fits and conversions.
#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/cost/communication/fit.hpp>
#include <skel/detail/cost/communication/model.hpp>
