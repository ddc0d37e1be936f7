// main of the fuzz targets where libFuzzer is not linked: runs every file of the given folders through the target once.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i)
    for (auto const& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string const text{std::istreambuf_iterator<char>(in), {}};
      std::printf("%s (%zu bytes)\n", entry.path().c_str(), text.size());
      std::fflush(stdout);  // so that the last line names the file that crashed
      LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
      ++files;
    }
  std::printf("%zu files\n", files);
  return files == 0;  // an empty corpus is a wrong path
}
