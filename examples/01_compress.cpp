// A parallel gzip: reads blocks, deflates them in an ordered farm, writes one .gz of many members. gunzip restores it.
//   01_compress IN OUT.gz        `-` is standard input or output; alone or under mpirun
#include <libdeflate.h>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <skel/skel.hpp>

using block = std::vector<char>;

/// A file of the C library. Its first use opens it, so that only the rank that uses it has it open.
class file {
 public:
  file(std::string name, char const* mode) : name_(std::move(name)), mode_(mode) {}
  ~file() {  // otherwise a part of the output would look like all of it
    if (handle_ != nullptr && *mode_ == 'w' && std::filesystem::is_regular_file(name_)) std::remove(name_.c_str());
  }

  block read(std::size_t most) {
    block data(most);
    data.resize(std::fread(data.data(), 1, most, handle()));
    check(!data.empty() || !std::ferror(handle()), "read");
    return data;
  }
  void write(block const& data) { check(std::fwrite(data.data(), 1, data.size(), handle()) == data.size(), "written"); }
  void close() { check(std::fclose(handle()) == 0, "written to its end"), handle_ = nullptr; }

 private:
  std::FILE* handle() {
    if (handle_ == nullptr) handle_ = name_ != "-" ? std::fopen(name_.c_str(), mode_) : *mode_ == 'r' ? stdin : stdout;
    return check(handle_ != nullptr, "opened"), handle_;
  }
  void check(bool fine, char const* done) {
    if (!fine) throw std::system_error(errno, std::generic_category(), name_ + ": cannot be " + done);
  }

  std::string name_;
  char const* mode_;
  std::FILE* handle_ = nullptr;
};

struct append {
  file& to;
  void operator()(block const& packed) { to.write(packed); }
  void finish() { to.close(); }  // after the last block, so that a full disk is noticed
};

struct deflate {  // each worker of the farm has its own compressor
  std::shared_ptr<libdeflate_compressor> compressor{libdeflate_alloc_compressor(6), libdeflate_free_compressor};
  deflate() = default;
  deflate(deflate const&) : deflate() {}

  block operator()(block const& plain) {
    block packed(libdeflate_gzip_compress_bound(compressor.get(), plain.size()));
    packed.resize(libdeflate_gzip_compress(compressor.get(), plain.data(), plain.size(), packed.data(), packed.size()));
    return packed;
  }
};

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  if (argc != 3) throw skel::error("usage: 01_compress IN OUT.gz   (- for standard input or output; --skel-help)");
  file in(argv[1], "rb"), out(argv[2], "wb");
  auto read = [&, first = true, none = std::error_code()]() mutable -> std::optional<block> {
    if (first && std::filesystem::equivalent(argv[1] == std::string("-") ? "/dev/stdin" : argv[1], argv[2], none))
      throw skel::error(std::string(argv[2]) + " is the input: give the output another name");
    block plain = in.read(1 << 20);  // larger blocks compress better, smaller ones balance better
    if (plain.empty() && !first) return std::nullopt;
    return first = false, plain;  // an empty input gives one empty member
  };
  auto app = skel::source("read", read) | skel::farm("deflate", deflate{}) | skel::sink("write", append{out});
  if (auto report = grid.run(app); grid.rank() == 0) std::cerr << report;
} catch (std::exception const& e) {
  std::cerr << "01_compress: " << e.what() << "\n";
  return 1;
}
