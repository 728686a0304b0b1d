#include "sim/networks/fair/fair_options.hpp"

namespace starling {

void describe(FairOptions& options, OptionVisitor& visitor) {
  visitor.number(
      {"epsilon",
       "share of its bandwidth by which a link may be over- or underloaded before rates are computed anew: "
       "about the relative error of a message's duration; 1e-9 is practically exact"},
      options.epsilon, {.least = 1e-9, .greatest = 0.1});
  visitor.size(
      {"window",
       "most data of a connection between hosts that are sent and not yet acknowledged; the first window is "
       "sent without waiting, then one per round trip. Where windows may limit connections (assumed with "
       "more than 512 workers) all messages are simulated one by one, which takes longer",
       "absent: more than any connection needs"},
      options.window_bytes, sizes_from(1));
  visitor.size({"frame",
                "data per acknowledgment, by default eight packets: a round trip takes the latencies there "
                "and back and the transmission of this much, or of a window if that is less"},
               options.frame_bytes, sizes_from(1));
  visitor.rate({"connection_rate",
                "largest rate of a connection between hosts, from the first byte on and however idle its "
                "links are, as clouds limit flows; it holds for each of the `channels` of a pair. Where it "
                "is less than a route's bandwidth (with more than 512 workers: than the fastest link's) all "
                "messages are simulated one by one, which takes longer",
                "absent: unlimited"},
               options.connection_rate_Bps);
  visitor.size({"weight_s",
                "S: connections that compete for a link get rates inversely proportional to latency + Σ "
                "S/bandwidth of their routes, which counts as at least 1 ps",
                "absent: equal rates"},
               options.weight_s_bytes);
  visitor.number({"unevenness",
                  "how far the bandwidth shares of a host's connections are from equal: whenever a "
                  "connection begins to share the first link of its route, its weight is drawn uniformly "
                  "from 1 ± this value, by the scenario's seed",
                  "the transport's"},
                 options.unevenness, {.least = 0, .greatest = 0.9});
  visitor.number(
      {"queued_at_first_link",
       "share of a window that waits for the first link of a route between hosts where another connection of "
       "the host competes for that link: less of the window is left for links shared with other hosts, so "
       "the connection has a weight of 1/(1 + this value) on its whole route",
       "over TCP the share of `frames_at_first_link` frames in the window, both of `tcp`, by default 0.29; "
       "else 0"},
      options.queued_at_first_link, {.least = 0, .greatest = 1});
}

}  // namespace starling
