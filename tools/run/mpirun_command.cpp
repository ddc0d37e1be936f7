#include "mpirun_command.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::tools {
namespace {

std::vector<std::string> const host_options{"-host", "--host", "-H"};
std::vector<std::string> const file_options{"-hostfile",     "--hostfile",         "-machinefile",
                                            "--machinefile", "--default-hostfile", "-default-hostfile"};
std::vector<std::string> const rank_options{"-np", "--np", "-n", "--n", "-c"};

/// Further options with one value, and with two (mpirun(1), Open MPI 4.1).
std::vector<std::string> const with_value{"-x",
                                          "--bind-to",
                                          "-bind-to",
                                          "--map-by",
                                          "-map-by",
                                          "--rank-by",
                                          "-rank-by",
                                          "-wdir",
                                          "--wdir",
                                          "-wd",
                                          "--path",
                                          "-path",
                                          "--prefix",
                                          "--timeout",
                                          "-timeout",
                                          "-N",
                                          "-npernode",
                                          "--npernode",
                                          "-npersocket",
                                          "--npersocket",
                                          "-cpus-per-proc",
                                          "--cpus-per-proc",
                                          "-stdin",
                                          "--stdin",
                                          "-output-filename",
                                          "--output-filename",
                                          "-rf",
                                          "--rankfile",
                                          "-rankfile",
                                          "--tune",
                                          "-tune",
                                          "--app",
                                          "-app",
                                          "--output-proctable",
                                          "-max-vm-size",
                                          "--ppr",
                                          "-cpu-set",
                                          "--cpu-set",
                                          "-cpu-list",
                                          "--cpu-list",
                                          "--report-state-on-timeout",
                                          "--personality",
                                          "--pmixmca"};
std::vector<std::string> const with_two{"-mca", "--mca", "-gmca", "--gmca", "-omca", "--omca"};

/// Names of mpirun. A dot may follow, with the name of one MPI among several (mpirun.openmpi, mpiexec.hydra).
std::vector<std::string> const mpirun_names{"mpirun", "mpiexec", "orterun", "prterun"};

bool is_mpirun(std::string const& word) {
  if (word.find('=') != std::string::npos) return false;  // a variable, or an option with its value
  std::string const name = std::filesystem::path(word).filename().string();
  return std::ranges::any_of(mpirun_names, [&](auto const& one) { return name == one || name.starts_with(one + "."); });
}

bool is_in(std::vector<std::string> const& names, std::string const& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The word behind `before`, up to white space, in a text from `from` on. Moves `from` behind the word.
std::optional<std::string> word_behind(std::string const& text, std::string_view before, std::size_t& from) {
  std::size_t const at = text.find(before, from);
  if (at == std::string::npos) return std::nullopt;
  std::size_t const begin = text.find_first_not_of(" \n\t", at + before.size());
  if (begin == std::string::npos) return std::nullopt;
  from = std::min(text.size(), text.find_first_of(" \n\t", begin));
  return text.substr(begin, from - begin);
}

/// True if both names mean one host: the short name of a long one counts.
bool is_same_host(std::string const& a, std::string const& b) {
  auto const short_name = [](std::string const& name) { return name.substr(0, name.find('.')); };
  return a == b ||
         ((a.find('.') == std::string::npos || b.find('.') == std::string::npos) && short_name(a) == short_name(b));
}

void add_host(std::vector<mpirun_command::host>& to, mpirun_command::host one) {
  auto const there = std::ranges::find(to, one.name, &mpirun_command::host::name);
  if (there == to.end())
    to.push_back(std::move(one));
  else if (one.slots)
    there->slots = there->slots.value_or(0) + *one.slots;
}

/// "a:2,b": every mention of a host without a number is one slot.
std::vector<mpirun_command::host> hosts_in_list(std::string const& list) {
  std::vector<mpirun_command::host> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) {
    std::size_t const colon = word.find(':');
    auto const slots = colon == std::string::npos ? std::optional<std::size_t>(1)
                                                  : number_in<std::size_t>(std::string_view(word).substr(colon + 1));
    if (!word.empty()) add_host(out, {word.substr(0, colon), slots});
  }
  return out;
}

/// Lines "NAME slots=N", with comments.
std::vector<mpirun_command::host> hosts_in_file(std::string const& text) {
  std::vector<mpirun_command::host> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    mpirun_command::host one;
    if (!(words >> one.name)) continue;
    for (std::string word; words >> word;)
      for (std::string_view const key : {"slots=", "count=", "cpu="})
        if (word.starts_with(key)) one.slots = number_in<std::size_t>(std::string_view(word).substr(key.size()));
    add_host(out, std::move(one));
  }
  return out;
}

}  // namespace

std::optional<death> death_in(std::string const& text) {
  std::size_t from = 0;
  if (auto const rank = word_behind(text, "noticed that process rank", from)) {
    auto const host = word_behind(text, "on node", from);
    auto const signal = host ? word_behind(text, "exited on signal", from) : std::nullopt;
    if (signal) {
      auto const number = number_in<int>(std::string_view(*signal).substr(0, signal->find_first_not_of("0123456789")));
      if (number) return death{number_in<int>(*rank), *host, *number};
    }
  }
  from = text.find("lost communication with a remote daemon");
  if (from == std::string::npos) return std::nullopt;
  if (!word_behind(text, "Remote daemon:", from)) return std::nullopt;
  if (auto const host = word_behind(text, "on node", from)) return death{{}, *host, 0};
  return std::nullopt;
}

bool says_that_it_could_not_start(std::string const& text) {
  for (std::string_view const words :
       {" was unable to launch the specified application", " was unable to find the specified executable"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

mpirun_command::mpirun_command(std::vector<std::string> words)
    : words_(std::move(words)),
      mpirun_(static_cast<std::size_t>(std::ranges::find_if(words_, is_mpirun) - words_.begin())) {}

bool mpirun_command::starts_mpirun() const {
  return mpirun_ < words_.size();
}

std::optional<std::string> mpirun_command::hidden_mpirun() const {
  if (starts_mpirun()) return std::nullopt;
  auto const mentions = [](std::string line) {
    std::ranges::replace_if(
        line, [](char c) { return std::string_view(";&|(){}'\"`").find(c) != std::string_view::npos; }, ' ');
    std::istringstream in(line);
    return std::any_of(std::istream_iterator<std::string>(in), {}, is_mpirun);
  };
  auto const one = std::ranges::find_if(words_, mentions);
  return one == words_.end() ? std::nullopt : std::optional(*one);
}

/// Indices of the options of mpirun, not of their values: these may look like options.
std::vector<std::size_t> mpirun_command::options() const {
  std::vector<std::size_t> out;
  for (std::size_t i = mpirun_ + 1; i < words_.size() && words_[i].starts_with('-');) {
    out.push_back(i);
    bool const has_value = is_in(host_options, words_[i]) || is_in(file_options, words_[i]) ||
                           is_in(rank_options, words_[i]) || is_in(with_value, words_[i]);
    i += is_in(with_two, words_[i]) ? 3U : has_value ? 2U : 1U;
  }
  return out;
}

std::optional<std::size_t> mpirun_command::find(std::vector<std::string> const& names) const {
  for (std::size_t const at : options())
    if (is_in(names, words_[at]) && at + 1 < words_.size()) return at + 1;
  return std::nullopt;
}

bool mpirun_command::has(std::vector<std::string> const& names) const {
  return std::ranges::any_of(options(), [&](std::size_t at) { return is_in(names, words_[at]); });
}

std::optional<std::size_t> mpirun_command::ranks() const {
  auto const at = find(rank_options);
  return at ? number_in<std::size_t>(words_[*at]) : std::nullopt;
}

std::vector<mpirun_command::host> mpirun_command::hosts() const {
  if (!starts_mpirun()) return {};
  if (auto const at = find(host_options)) return hosts_in_list(words_[*at]);
  if (auto const at = find(file_options)) return hosts_in_file(read_text(words_[*at]));
  return {};
}

std::optional<std::string> mpirun_command::value_of(std::string const& option) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] == option && i + 1 < words_.size()) return words_[i + 1];
    if (words_[i].starts_with(option + "=")) return words_[i].substr(option.size() + 1);
  }
  return std::nullopt;
}

std::optional<mpirun_command> mpirun_command::without(std::string const& name) const {
  auto left = hosts();
  if (std::erase_if(left, [&](auto const& one) { return is_same_host(one.name, name); }) == 0 || left.empty())
    return std::nullopt;
  std::string list;
  std::size_t slots = 0;
  bool all_said = true;
  for (auto const& one : left) {
    list += (list.empty() ? "" : ",") + one.name;
    if (one.slots) list += ":" + std::to_string(*one.slots), slots += *one.slots;
    all_said = all_said && one.slots.has_value();
  }
  auto words = words_;
  std::size_t at = 0;
  if (auto const named = find(host_options)) {
    at = *named;
  } else {
    at = *find(file_options);
    words[at - 1] = "--host";
  }
  words[at] = list;
  bool const bounded = all_said && !has({"--oversubscribe", "-oversubscribe"});
  if (auto const count = ranks(); count && bounded && *count > slots)
    words[*find(rank_options)] = std::to_string(slots);
  return mpirun_command(std::move(words));
}

}  // namespace skel::tools
