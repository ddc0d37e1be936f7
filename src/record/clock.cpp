#include <skel/detail/record/clock.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

namespace skel::record {

namespace {

/// Of a file "schedstat": time run, time waited for a core, number of turns.
std::optional<process_times> read_schedstat(std::string const& file) {
  std::ifstream statistics(file);
  std::string line;
  std::getline(statistics, line);
  auto const fields = words_in(line);
  if (fields.size() < 2) return std::nullopt;
  auto const run = number_in<std::int64_t>(fields[0]), waited = number_in<std::int64_t>(fields[1]);
  if (!run || !waited) return std::nullopt;
  return process_times{*run, *waited};
}

std::vector<thread_times> threads_of_process() {
  std::error_code none;
  std::vector<thread_times> all;
  for (auto const& entry : std::filesystem::directory_iterator("/proc/self/task", none)) {
    auto const id = number_in<long>(entry.path().filename().native());
    auto const now = read_schedstat(entry.path() / "schedstat");
    if (id && now) all.push_back({*id, *now});  // or it has just ended
  }
  return all;
}

}  // namespace

std::int64_t kept_waiting_ns() {
  // Opening the file takes several times as long as reading it. A thread of a fork has another number than its parent.
  thread_local descriptor file;
  thread_local pid_t opened_by = 0;
  if (pid_t const me = ::gettid(); me != opened_by)
    file = descriptor(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)), opened_by = me;
  char text[80];
  ssize_t const size = file ? ::pread(file.number(), text, sizeof text - 1, 0) : -1;
  if (size <= 0) return 0;
  text[size] = '\0';
  char* after = text;
  std::strtoll(text, &after, 10);
  return std::strtoll(after, nullptr, 10);
}

std::optional<thread_sight> look_at_thread(long id) {
  auto const files = "/proc/self/task/" + std::to_string(id);
  auto const times = read_schedstat(files + "/schedstat");
  std::ifstream about(files + "/stat");
  std::string line;
  std::getline(about, line);
  auto const name_ends = line.rfind(") ");  // the state stands behind the name, which may have any characters
  if (!times || name_ends == std::string::npos || name_ends + 2 >= line.size()) return std::nullopt;
  return thread_sight{times->waited, line[name_ends + 2] == 'R'};
}

bool tells_waiting() {
  return ::access("/proc/thread-self/schedstat", R_OK) == 0;
}

process_times process_clock::read() {
  for (auto& one : threads_) one.is_there = false;
  most_ = {};
  for (auto const& [id, now] :
       clock_detail::in_use != nullptr ? clock_detail::in_use->threads() : threads_of_process()) {
    auto one = std::ranges::lower_bound(threads_, id, {}, &one_thread::id);
    if (one == threads_.end() || one->id != id) {
      // One that has begun meanwhile counts from its beginning.
      one = threads_.insert(one, {id, begun_ ? process_times{} : now});
    } else if (now.run < one->at.run) {
      one->at = {};  // another thread has its number
    }
    process_times const more{now.run - one->at.run, std::max<std::int64_t>(0, now.waited - one->at.waited)};
    sum_.run += more.run;
    sum_.waited += more.waited;
    if (more.run > most_.run) most_ = more;
    one->at = now;
    one->is_there = true;
  }
  std::erase_if(threads_, [](auto const& one) { return !one.is_there; });
  begun_ = true;
  return sum_;
}

}  // namespace skel::record
