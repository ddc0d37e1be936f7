#pragma once

#include <string>
#include <vector>

#include <skel/detail/cost/line.hpp>

namespace skel::cost::pepa {

/// The PEPA model of a placed line, as text that parse() reads. Stage names, which need not be PEPA names, stand in
/// comments. One worker per station, fixed share and no buffers give the model of Benoit et al. 2005: Stage1..StageN,
/// Network, Processor1..ProcessorP, actions move1..move(N+1) and process1..processN.
/// Beyond that paper, a buffer of k makes a stage count its items: Stage1_P2 processes one of two. A farm is a set of
/// workers in parallel. Dispatched on demand they share one passive move. Dispatched in turn, each has its own
/// (move2_1, move2_2; between two farms move2_SENDER_RECEIVER). A shared host with dynamic share counts its busy stages
/// (Processor1_1_3: stages 1 and 3). If buffers or farms on demand hide the worker that starts, it offers equal turns
/// (work1). These end the service with the probability rate / greatest rate on that host: the same Markov chain.
/// Throws skel::input_error for a line that check() refuses. Throws skel::error for a dynamic share of one host by more
/// than 12 stages without buffers (2^12 states of its processor). O(length of the text).
std::string to_pepa(cost::line const& line);

/// The actions whose throughputs add up to that of the line: {"process1"}, or the moves into the first stage if no
/// action stands for its service alone.
std::vector<std::string> throughput_actions(cost::line const& line);

}  // namespace skel::cost::pepa
