#include <skel/detail/cost/pepa/generate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

namespace skel::cost::pepa {
namespace {

using names = std::vector<std::string>;

/// A processor with one state per set of busy stages has 2^12 of them at most.
constexpr std::size_t most_counted = 12;

std::string activity(std::string const& action, std::string const& rate) {
  return "(" + action + ", " + rate + ").";
}

/// (a, infty).Next + (b, infty).Next
std::string any_of(names const& actions, std::string const& next) {
  names terms;
  for (std::string const& action : actions) terms.push_back(activity(action, "infty") + next);
  return joined(terms, " + ");
}

std::string comment(std::string const& text) {
  std::string result;
  for (char const c : text) result += c == '\n' || c == '\r' ? ' ' : c;
  return result;
}

class writer {
 public:
  explicit writer(line const& given) : line_(given) {
    check(line_);
    rates_ = worker_rates(line_);
    for (station const& s : line_.stations)
      for (worker const& w : s.workers) ++on_host_[w.host].workers;
    for (station const& s : line_.stations)
      for (worker const& w : s.workers) {
        host& h = on_host_[w.host];
        h.fastest = std::max(h.fastest, w.rate);
        if (s.buffer > 0 || (s.workers.size() > 1 && line_.farms == dispatch::on_demand)) h.turns = true;
      }
  }

  std::string text() {
    for (std::size_t i = 0; i < line_.stations.size(); ++i) write_station(i);
    write_network();
    write_processors();
    return heading() + rate_text_ + process_text_ + system();
  }

  names throughput() const {
    for (std::size_t i = 0; i < line_.stations.size(); ++i) {
      names services;
      for (std::size_t w = 0; w < width(i); ++w) {
        if (sharing_of(i, w) == sharing::turns) services.clear();
        if (sharing_of(i, w) == sharing::turns) break;
        services.push_back(service(i, w));
      }
      std::sort(services.begin(), services.end());
      services.erase(std::unique(services.begin(), services.end()), services.end());
      if (!services.empty()) return services;
    }
    return moves(0);
  }

 private:
  struct host {
    std::size_t workers = 0;
    double fastest = 0;
    bool turns = false;
  };

  /// The source of a worker's rate.
  enum class sharing {
    constant,  // it has its own, whatever else happens on the host
    counted,   // the processor knows which of its stations are busy
    turns,     // the processor offers turns, which busy workers share equally
  };

  sharing sharing_of(std::size_t i, std::size_t w) const {
    host const& h = on_host_.at(line_.stations[i].workers[w].host);
    if (line_.sharing == share::fixed || h.workers == 1) return sharing::constant;
    return h.turns ? sharing::turns : sharing::counted;
  }

  std::size_t width(std::size_t i) const { return line_.stations[i].workers.size(); }
  bool in_turn(std::size_t i) const { return width(i) > 1 && line_.farms == dispatch::round_robin; }
  static std::string ordinal(std::size_t i) { return std::to_string(i + 1); }
  std::string processor(std::size_t h) const { return "Processor" + ordinal(h); }
  std::string turn(std::size_t h) const { return "work" + ordinal(h); }

  /// Suffixes of the moves over link j as its sender (receiver) tells them apart: one empty suffix if it does not.
  names suffixes(std::size_t i) const {
    names result;
    if (i >= line_.stations.size() || !in_turn(i)) return {""};
    for (std::size_t w = 0; w < width(i); ++w) result.push_back("_" + ordinal(w));
    return result;
  }

  static names moves(std::size_t j, names const& senders, names const& receivers) {
    names result;
    for (std::string const& from : senders)
      for (std::string const& to : receivers) result.push_back("move" + ordinal(j) + from + to);
    return result;
  }
  /// All moves over link j, which leads to station j.
  names moves(std::size_t j) const { return moves(j, suffixes(j - 1), suffixes(j)); }
  names moves_to(std::size_t i, std::size_t w) const {
    return in_turn(i) ? moves(i, suffixes(i - 1), {"_" + ordinal(w)}) : moves(i);
  }
  names moves_from(std::size_t i, std::size_t w) const {
    return in_turn(i) ? moves(i + 1, {"_" + ordinal(w)}, suffixes(i + 1)) : moves(i + 1);
  }

  /// The action that ends the service of a worker that does not work in turns.
  std::string service(std::size_t i, std::size_t w) const {
    bool const told_apart = width(i) > 1 && sharing_of(i, w) == sharing::counted;
    return "process" + ordinal(i) + (told_apart ? "_" + ordinal(w) : "");
  }

  void define_rate(std::string const& name, double value) { rate_text_ += name + " = " + exact(value) + ";\n"; }
  void define(std::string const& name, std::string const& body) { process_text_ += name + " = " + body + ";\n"; }

  /// A worker while it processes: `done` follows the service, `again` is the state itself.
  std::string serve(std::size_t i, std::size_t w, std::string const& rate_name, std::string const& done,
                    std::string const& again) {
    worker const& me = line_.stations[i].workers[w];
    switch (sharing_of(i, w)) {
      case sharing::counted:
        return activity(service(i, w), "infty") + done;
      case sharing::constant:
        return activity(service(i, w), width(i) == 1 ? "infty" : rate_name) + done;
      case sharing::turns:
        break;
    }
    double const part = me.rate / on_host_.at(me.host).fastest;
    if (part == 1) return activity(turn(me.host), "infty") + done;
    return activity(turn(me.host), exact(part) + " * infty") + done + " + " +
           activity(turn(me.host), exact(1 - part) + " * infty") + again;
  }

  void write_worker(std::size_t i, std::size_t w, std::string const& name, std::string const& rate_name) {
    std::size_t const k = line_.stations[i].buffer;
    names const in = moves_to(i, w), out = moves_from(i, w);
    if (k == 0 && in.size() == 1 && out.size() == 1 && sharing_of(i, w) != sharing::turns) {
      define(name, activity(in[0], "infty") + serve(i, w, rate_name, "", "") + activity(out[0], "infty") + name);
      return;
    }
    auto const processing = [&](std::size_t n) { return name + "_P" + std::to_string(n); };
    auto const finished = [&](std::size_t n) { return name + "_F" + std::to_string(n); };
    define(name, any_of(in, processing(1)));
    for (std::size_t n = 1; n <= k + 1; ++n) {
      bool const room = n <= k;
      define(processing(n),
             serve(i, w, rate_name, finished(n), processing(n)) + (room ? " + " + any_of(in, processing(n + 1)) : ""));
      define(finished(n),
             any_of(out, n == 1 ? name : processing(n - 1)) + (room ? " + " + any_of(in, finished(n + 1)) : ""));
    }
  }

  void write_station(std::size_t i) {
    station const& s = line_.stations[i];
    std::string const base = "Stage" + ordinal(i);
    process_text_ += "\n// stage " + ordinal(i) + (s.name.empty() ? "" : ": " + comment(s.name)) + "\n";
    if (s.workers.size() == 1) {
      write_worker(i, 0, base, "");
      stations_.push_back(base);
      return;
    }
    if (in_turn(i)) {
      names workers;
      for (std::size_t w = 0; w < width(i); ++w) {
        workers.push_back(base + "_" + ordinal(w));
        write_worker(i, w, workers.back(), own_rate(i, w, "_" + ordinal(w)));
      }
      write_turns("In" + ordinal(i), i, &writer::moves_to);
      write_turns("Out" + ordinal(i), i, &writer::moves_from);
      names both = moves(i), out = moves(i + 1);
      both.insert(both.end(), out.begin(), out.end());
      stations_.push_back("((" + joined(workers, " || ") + ") <" + joined(both, ", ") + "> (In" + ordinal(i) +
                          "_1 || Out" + ordinal(i) + "_1))");
      return;
    }
    write_alike(i, base);
  }

  /// A constant for the rate of a farm's worker, if the rate stands in the worker itself.
  std::string own_rate(std::size_t i, std::size_t w, std::string const& suffix) {
    if (sharing_of(i, w) != sharing::constant) return "";
    std::string const name = "mu" + ordinal(i) + suffix;
    define_rate(name, rates_[i][w]);
    return name;
  }

  /// The turns: In2_1 takes the next item for worker 1 and becomes In2_2.
  void write_turns(std::string const& name, std::size_t i, names (writer::*actions)(std::size_t, std::size_t) const) {
    for (std::size_t w = 0; w < width(i); ++w)
      define(name + "_" + ordinal(w), any_of((this->*actions)(i, w), name + "_" + ordinal((w + 1) % width(i))));
  }

  /// A farm on demand: workers that cannot be told apart are an array.
  void write_alike(std::size_t i, std::string const& base) {
    struct alike {
      std::size_t first, copies;
    };
    std::vector<alike> groups;
    std::map<std::pair<std::size_t, double>, std::size_t> place;
    for (std::size_t w = 0; w < width(i); ++w) {
      bool const anywhere = sharing_of(i, w) == sharing::constant;
      std::size_t const where = anywhere ? 0 : line_.stations[i].workers[w].host + 1;
      auto const [entry, fresh] = place.try_emplace({where, rates_[i][w]}, groups.size());
      if (fresh) groups.push_back({w, 0});
      ++groups[entry->second].copies;
    }
    names members;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::string const suffix = groups.size() == 1 ? "" : "_" + ordinal(g);
      write_worker(i, groups[g].first, base + suffix, own_rate(i, groups[g].first, suffix));
      members.push_back(base + suffix + (groups[g].copies > 1 ? "[" + std::to_string(groups[g].copies) + "]" : ""));
    }
    stations_.push_back(members.size() == 1 ? members[0] : "(" + joined(members, " || ") + ")");
  }

  void write_network() {
    names terms;
    for (std::size_t j = 0; j < line_.moves.size(); ++j) {
      std::string const rate = "lambda" + ordinal(j);
      define_rate(rate, line_.moves[j]);
      for (std::string const& action : moves(j)) terms.push_back(activity(action, rate) + "Network");
    }
    process_text_ += "\n// a move takes an exponential time; moves do not wait for each other\n";
    define("Network", joined(terms, "\n        + "));
  }

  /// A worker that its processor tells apart.
  struct unit {
    std::string label, service;
    names arrivals;
    double rate;
  };

  void write_processors() {
    process_text_ += "\n";
    for (auto const& [h, about] : on_host_) {
      if (line_.sharing == share::dynamic && about.workers > 1 && about.turns) {
        define_rate("mu_" + turn(h), about.fastest);
        define(processor(h), activity(turn(h), "mu_" + turn(h)) + processor(h));
        processors_.push_back(processor(h));
        with_processors_.push_back(turn(h));
      } else if (line_.sharing == share::dynamic && about.workers > 1) {
        write_counting(h);
      } else {
        write_constant(h);
      }
    }
  }

  /// The processor of the paper: a choice that gives each of its stages its rate.
  void write_constant(std::size_t h) {
    names terms;
    for (std::size_t i = 0; i < line_.stations.size(); ++i) {
      if (width(i) != 1 || line_.stations[i].workers[0].host != h) continue;
      define_rate("mu" + ordinal(i), rates_[i][0]);
      terms.push_back(activity(service(i, 0), "mu" + ordinal(i)) + processor(h));
      with_processors_.push_back(service(i, 0));
    }
    if (terms.empty()) return;  // only workers of farms, which know their rates
    define(processor(h), joined(terms, " + "));
    processors_.push_back(processor(h));
  }

  /// A processor that divides equally among its busy stages: one state for each set of them.
  void write_counting(std::size_t h) {
    std::vector<unit> units;
    for (std::size_t i = 0; i < line_.stations.size(); ++i)
      for (std::size_t w = 0; w < width(i); ++w) {
        worker const& me = line_.stations[i].workers[w];
        if (me.host != h) continue;
        std::string const label = ordinal(i) + (width(i) > 1 ? "w" + ordinal(w) : "");
        units.push_back({label, service(i, w), moves_to(i, w), me.rate});
        with_processors_.push_back(units.back().service);
        with_processors_.insert(with_processors_.end(), units.back().arrivals.begin(), units.back().arrivals.end());
        define_rate("mu" + label, me.rate);
      }
    if (units.size() > most_counted)
      throw error("PEPA text: " + std::to_string(units.size()) + " stages share host " + std::to_string(h) +
                  " dynamically, which needs 2^" + std::to_string(units.size()) +
                  " states of its processor; use a fixed share, or spread the stages over more hosts");
    auto const named = [&](std::size_t set) {
      std::string name = processor(h);
      for (std::size_t u = 0; u < units.size(); ++u)
        if ((set >> u & 1) != 0) name += "_" + units[u].label;
      return name;
    };
    for (std::size_t set = 0; set < std::size_t{1} << units.size(); ++set) {
      auto const busy = static_cast<std::size_t>(__builtin_popcountll(set));
      names terms;
      for (std::size_t u = 0; u < units.size(); ++u) {
        std::size_t const other = set ^ (std::size_t{1} << u);
        if ((set >> u & 1) == 0)
          terms.push_back(any_of(units[u].arrivals, named(other)));
        else
          terms.push_back(
              activity(units[u].service, "mu" + units[u].label + (busy > 1 ? " / " + std::to_string(busy) : "")) +
              named(other));
      }
      define(named(set), joined(terms, " + "));
    }
    processors_.push_back(processor(h));
  }

  std::string heading() const {
    std::string const share_text = line_.sharing == share::fixed ? "fixed" : "dynamic";
    return "// " + std::to_string(line_.stations.size()) + " stages, " + share_text + " share of processors\n" +
           "// throughput: " + joined(throughput(), " + ") + "\n\n";
  }

  std::string system() const {
    names all_moves;
    for (std::size_t j = 0; j < line_.moves.size(); ++j) {
      names const link = moves(j);
      all_moves.insert(all_moves.end(), link.begin(), link.end());
    }
    std::string pipeline = stations_[0];
    for (std::size_t i = 1; i < stations_.size(); ++i)
      pipeline += "\n    <" + joined(moves(i), ", ") + "> " + stations_[i];
    std::string text = "\nNetwork <" + joined(all_moves, ", ") + "> (\n    " + pipeline + "\n)";
    if (!processors_.empty()) text += " <" + joined(with_processors_, ", ") + "> (" + joined(processors_, " || ") + ")";
    return text + "\n";
  }

  line const& line_;
  std::vector<std::vector<double>> rates_;
  std::map<std::size_t, host> on_host_;
  std::string rate_text_, process_text_;
  names stations_, processors_, with_processors_;
};

}  // namespace

std::string to_pepa(line const& line) {
  return writer(line).text();
}

std::vector<std::string> throughput_actions(line const& line) {
  return writer(line).throughput();
}

}  // namespace skel::cost::pepa
