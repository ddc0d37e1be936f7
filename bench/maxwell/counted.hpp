#pragma once

#include <cmath>
#include <cstdint>

namespace bench {

/// A number that counts what is computed with it: additions, subtractions, multiplications, divisions and roots, one
/// each. Changes of sign are free.
struct counted {
  double value = 0;
  inline static std::uint64_t operations = 0;

  counted() = default;
  explicit counted(double of) : value(of) {}

  friend counted operator+(counted a, counted b) { return once(a.value + b.value); }
  friend counted operator-(counted a, counted b) { return once(a.value - b.value); }
  friend counted operator*(counted a, counted b) { return once(a.value * b.value); }
  friend counted operator/(counted a, counted b) { return once(a.value / b.value); }
  friend counted operator-(counted a) { return counted(-a.value); }
  friend counted sqrt(counted a) { return once(std::sqrt(a.value)); }
  friend counted& operator+=(counted& a, counted b) { return a = a + b; }
  friend counted& operator-=(counted& a, counted b) { return a = a - b; }

 private:
  static counted once(double of) {
    ++operations;
    return counted(of);
  }
};

}  // namespace bench
