#pragma once

#include <vector>

#include "sim/network_model.hpp"

namespace starling {

/// LogGP with links: messages pass the links of their route cut-through, and every link serves them in the order their heads reach it.
///
/// A message of m bytes whose head reaches link k at time a_k is behind the work that came before it:
///   work_k = max(work_k, a_k) + m/bandwidth_k             the link is busy until then
///   tail_k = max(work_k, tail_{k−1} + latency_{k−1})      its last byte leaves the link then
///   a_{k+1} = tail_k − m/(least bandwidth so far) + latency_k
/// and it arrives at tail of the last link plus that link's latency. So α is the sum of the latencies and β the reciprocal of the least
/// bandwidth, uncontended; a link never idles while work waits, and slow links feeding a fast one share it without loss. A message is served whole, it does
/// not share a link in time as packets of concurrent flows do: the last of n equal flows through a link ends exactly as under fair
/// sharing, the others earlier.
///
/// Costs O(hops) and one or two agenda entries a message. A link's turn is decided early where every message reaches it equally long
/// after the decision (`decision_lead_s`), so the order of service is exact, not the order of sending.
/// Reference: Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995; Hoefler, Schneider, Lumsdaine, "LogGOPSim", HPDC 2010.
class EventNetwork final : public NetworkModel {
 public:
  explicit EventNetwork(const Routes& routes);

  void attach(Scheduler& scheduler) override;
  void start(Transfer& transfer) override;

 private:
  struct LinkState {
    double work_s = 0;  // busy until then
    double s_per_byte = 0;
    double latency_s = 0;
    double decision_lead_s = 0;  // a message's turn on this link is decided this long before its head gets there
  };
  struct LastRoute {
    Rank destination = -1;
    std::span<const LinkIndex> links;
  };

  void find_decision_leads();
  void proceed(Transfer& transfer) override;

  const Routes& routes_;
  Scheduler* scheduler_ = nullptr;
  std::vector<LinkState> links_;
  std::vector<LastRoute> last_routes_;  // per source
};

}  // namespace starling
