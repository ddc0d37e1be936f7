#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

#include <skel/detail/runtime/transferable.hpp>

/// Sources and sinks that know their place in a file, so that a program with checkpoints goes on from there.
namespace skel {

namespace runtime {

/// An item that a file can have as its bytes: a text or a range of plain elements, or a plain value.
template <class T>
concept file_bytes = (std::ranges::contiguous_range<T const> && std::ranges::sized_range<T const> &&
                      plain<std::remove_cv_t<std::ranges::range_value_t<T const>>>) ||
                     (!std::ranges::range<T const> && plain<T>);

template <file_bytes T>
std::string_view bytes_in_file(T const& item) {
  if constexpr (std::ranges::contiguous_range<T const>)
    return {reinterpret_cast<char const*>(std::ranges::data(item)),
            std::ranges::size(item) * sizeof(std::ranges::range_value_t<T const>)};
  else
    return {reinterpret_cast<char const*>(std::addressof(item)), sizeof item};
}

/// The common part of sources that read a file forward from a place that they know. The file is opened when the first
/// item is asked for.
class file_source {
 public:
  file_source(file_source&&) noexcept;
  file_source& operator=(file_source&&) noexcept;

  template <class Archive>
  void save(Archive& archive) const {
    archive(position());
  }
  template <class Archive>
  void load(Archive& archive) {
    std::uint64_t position = 0;
    archive(position);
    go_on_at(position);
  }
  /// Place of the next item in the file [B].
  std::uint64_t position() const;
  /// Its data that checkpoints depend on besides.
  std::string skel_constants() const;

 protected:
  explicit file_source(std::string file);
  ~file_source();

  struct reader;
  std::unique_ptr<reader> reader_;

 private:
  void go_on_at(std::uint64_t position);
};

}  // namespace runtime

/// A sink that writes the bytes of its items into a file, one behind the other: std::string, std::vector<float>, or any
/// plain type. It begins the file anew; if it goes on from a checkpoint, it cuts the file where that was made. With
/// each checkpoint it brings its bytes to the disk, and the name of a file that it has made. The file is opened where
/// the sink is, when the run begins; a pipe is opened when the first bytes are written. Its content stays until then.
/// Descriptors that are open already (/dev/stdout, /dev/fd/N) are written on where they are, and never cut. Its
/// functions throw skel::error with file and reason if it cannot be written, or is shorter than a checkpoint says.
class file_sink {
 public:
  explicit file_sink(std::string file);
  file_sink(file_sink&&) noexcept;
  file_sink& operator=(file_sink&&) noexcept;
  ~file_sink();

  template <runtime::file_bytes T>
  void operator()(T const& item) {
    write(runtime::bytes_in_file(item));
  }
  /// Before the first item: opens the file, and cuts nothing yet.
  void skel_begin();
  /// At the end of the stream: brings all to the disk.
  void finish();
  /// Bytes that it has taken.
  std::uint64_t position() const;
  /// Its data that checkpoints depend on besides.
  std::string skel_constants() const;

  template <class Archive>
  void save(Archive& archive) const {
    archive(safe_position());
  }
  template <class Archive>
  void load(Archive& archive) {
    std::uint64_t position = 0;
    archive(position);
    go_on_at(position);
  }

 private:
  void write(std::string_view bytes);
  std::uint64_t safe_position() const;
  void go_on_at(std::uint64_t position);

  struct state;
  std::unique_ptr<state> state_;
};

/// Waits until a descriptor can be read, has ended, or the token is stopped; returns false in the last case. For
/// sources that read pipes, sockets and terminals, so that a run that ends early does not wait for them.
bool wait_for_input(int descriptor, std::stop_token const& stop);

/// A source that gives each line of a file, without its end, also a last one that has none. A line ends with LF or with
/// CR LF; a CR alone is a byte as others. A byte order mark of UTF-8 at the beginning is left out. Otherwise lines are
/// given as they are, text or not. For the exact bytes of a file, use skel::block_source. If a pipe or a terminal has
/// nothing yet, it waits no longer than the run goes on.
class line_source : public runtime::file_source {
 public:
  explicit line_source(std::string file);

  /// Throws skel::error with file and reason. Empty, too, if the token is stopped.
  std::optional<std::string> operator()(std::stop_token const& stop = {});
};

/// A source that reads the bytes of a file as they are, in blocks of so many, the last of which may be shorter.
class block_source : public runtime::file_source {
 public:
  /// Throws skel::error if a block has no bytes.
  block_source(std::string file, std::size_t bytes);

  std::optional<std::string> operator()(std::stop_token const& stop = {});
  std::string skel_constants() const;

 private:
  std::size_t bytes_;
};

}  // namespace skel
