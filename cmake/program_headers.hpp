// What programs with a command line include, precompiled once for all of them. A program reads its command line once,
// so that GCC need not optimise CLI11: half of the time that such a source is compiled for. Templates that CLI11
// includes first would not be optimised either, so they stand before it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#ifndef __clang__
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif
#include <CLI/CLI.hpp>
#ifndef __clang__
#pragma GCC pop_options
#endif
