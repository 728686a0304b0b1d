#include "sim/networks/fair/fair_options.hpp"

namespace starling {

void describe(FairOptions& options, OptionVisitor& visitor) {
  visitor.number(
      {"epsilon",
       "by how much of its bandwidth a link may be over- or underloaded before shares are computed "
       "anew: about the error of a message's duration, and 1e-9 is as good as exact"},
      options.epsilon, {.least = 1e-9, .greatest = 0.1});
  visitor.size({"window",
                "most data of a connection between hosts that are sent and not yet acknowledged; the first "
                "window passes as it comes, then one per round trip. Where it may hold connections back (on "
                "more than 512 workers that is not looked up) nothing is evaluated in place of messages, "
                "which takes longer",
                "absent: more than any connection needs"},
               options.window_bytes, sizes_from(1));
  visitor.size({"frame",
                "what is acknowledged at once, by default eight packets: a round trip is the latencies there "
                "and back and the transmission of so much, or of a window if that is less"},
               options.frame_bytes, sizes_from(1));
  visitor.rate(
      {"connection_rate",
       "the most data that a connection between hosts carries, from the first byte on and whatever its "
       "links have left, as clouds limit flows; each of the `channels` of a pair may have so much. Where "
       "that is less than a route has (on more than 512 workers: than the fastest link) nothing is evaluated "
       "in place of messages, which takes longer",
       "absent: unlimited"},
      options.connection_rate_Bps);
  visitor.size({"weight_s",
                "S: connections that compete for a link get rates inversely proportional to latency + Σ "
                "S/bandwidth of their routes, which count as 1 ps at least",
                "absent: equal rates"},
               options.weight_s_bytes);
  visitor.number(
      {"unevenness",
       "how far from equal the shares of a host's connections are: whenever one begins to share the first "
       "link of its way, its weight is drawn, uniformly from 1 ± this, by the scenario's seed",
       "the transport's"},
      options.unevenness, {.least = 0, .greatest = 0.9});
  visitor.number(
      {"queued_at_first_link",
       "which part of a window waits for the first link of a way between hosts where another connection of "
       "the host competes for it: such a connection has less under way where it meets those of other hosts, "
       "and a weight of 1/(1 + this) on its whole way",
       "over TCP what `frames_at_first_link` frames of `tcp` are of its window, by default 0.29; else 0"},
      options.queued_at_first_link, {.least = 0, .greatest = 1});
}

}  // namespace starling
