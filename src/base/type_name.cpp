#include <skel/detail/base/type_name.hpp>

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace skel {

std::string type_name(std::type_info const& type) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    std::free);
  return text ? text.get() : type.name();
}

}  // namespace skel
