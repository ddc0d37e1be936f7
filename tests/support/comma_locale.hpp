#pragma once

#include <locale>

/// Decimal commas and blanks between thousands, as streams write and read them.
std::locale comma_locale();
