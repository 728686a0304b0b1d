#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/messages/pool.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/networks/served_link.hpp"
#include "sim/networks/small_message.hpp"

namespace starling {

/// LogGP with links: messages pass the links of their route cut-through, and every link serves them in the
/// order in which their heads reach it.
///
/// A message of m bytes whose first byte reaches link k at time head_k waits for the work before it:
///   work_k = max(work_k, head_k) + m/bandwidth_k
///   wait_k = max(0, work_k − head_k − m/b_k), or 0 if the link was idle
///   head_{k+1} = head_k + wait_k + latency_k
/// where b_k is the least bandwidth of the links up to k. The message arrives m/b after its first byte, b
/// the least bandwidth of the route. Uncontended, α is thus the sum of the latencies and β the reciprocal of
/// the least bandwidth. A link never idles while work waits, and slow links share a fast one without loss. A
/// message is served as a whole, not packet by packet with those of other flows: the last of n equal flows
/// through a link ends exactly as under fair sharing, the others earlier. A message of at most one packet of
/// 1,500 bytes (a barrier's, an activation, the request and the answer of a rendezvous) passes between the
/// packets of others: it never waits, neither at its source nor on its way.
///
/// Costs O(hops) and one or two agenda entries per message. A link's turn is decided early where every
/// message reaches the link equally long after the decision (find_decision_leads), so messages are still
/// served in the order in which they reach the link, not in the order in which they were sent. Reference:
/// Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995; Hoefler, Schneider, Lumsdaine, "LogGOPSim",
/// HPDC 2010.
class EventNetwork final : public NetworkModel {
 public:
  /// Messages of at most `small_bytes` never wait. Give a smaller value where messages below one packet are
  /// to count as large.
  explicit EventNetwork(const Routes& routes, double small_bytes = small_message_bytes);

  void attach(Scheduler& scheduler) override;
  void start(Transfer& transfer) override;
  ReportedByModel report_to(LinkWatch& watch) override {
    watch_ = &watch;
    return ReportedByModel::carrying;
  }

 private:
  /// Half a cache line.
  struct alignas(32) LinkState : ServedLink {
    static constexpr double none_s = -1;
    /// How long before a message's first byte reaches this link its turn is decided: together with its turn
    /// on the previous link, unless the message waited there. none_s: it is decided when the first byte is
    /// here.
    double decision_lead_s = none_s;
    bool is_decided_with_feeder() const { return decision_lead_s != none_s; }
  };
  struct Departure;

  /// A transfer in transit. It is on the agenda for the decision of its turn on its next link, or for its
  /// arrival.
  struct Flight final : TimedAction {
    Flight(EventNetwork& of, Transfer& what, std::span<const LinkIndex> route, double now_s)
        : network(of),
          transfer(what),
          hops_after(route.data() + 1),
          count_after(static_cast<std::int32_t>(route.size()) - 1),
          link(route.front()),
          head_s(now_s) {}
    void happen() override { network.go_on(*this); }
    void prepare() const override { network.prepare(*this); }

    EventNetwork& network;
    Transfer& transfer;
    const LinkIndex* hops_after;     // the links after the next one
    std::int32_t count_after;        // their number; −1 once it is on its last link
    LinkIndex link;                  // the next link, copied to spare an access to the route
    double head_s;                   // when the first byte reaches the next link
    double slowest_s_per_byte = 0;   // reciprocal of the least bandwidth before it
    Departure* departure = nullptr;  // while it is on the agenda
  };
  /// The event that the sender's buffer takes the last bytes of a flight.
  struct Departure final : TimedAction {
    void happen() override { network->depart(*this); }

    EventNetwork* network = nullptr;
    Flight* flight = nullptr;  // null if it has arrived
  };
  /// Why a link is busy until end_s; kept where causes are recorded.
  struct Busy {
    CausalLog::Index cause = 0;
    double end_s = 0;
    double latency_s = 0;       // since the end of the cause
    CausalLog::Index step = 0;  // the step that ends at end_s; 0 until a message waits for it
  };
  struct LastRoute {
    Rank destination = -1;
    std::int32_t count = 0;
    const LinkIndex* links = nullptr;
  };

  void find_decision_leads();
  void expect_departure(Flight& flight);
  void depart(Departure& departure);
  void go_on(Flight& flight);
  void prepare(const Flight& flight) const;
  void pass_links(Flight& flight);
  void report_to(LinkIndex index, double bytes);
  CausalLog::Index end_of_work(LinkIndex link);
  void explain(Flight& flight, double arrival_s, double work_before_s, double wait_s);
  void arrive(Flight& flight);

  const Routes& routes_;
  double small_bytes_;
  Scheduler* scheduler_ = nullptr;
  std::vector<LinkState> links_;
  bool decides_some_early_ = false;     // whether any link is decided with its feeders
  std::vector<LastRoute> last_routes_;  // per source
  Pool<Departure> departures_;
  LinkWatch* watch_ = nullptr;
  std::vector<Busy> busy_;  // per link; empty unless causes are recorded
};

}  // namespace starling
