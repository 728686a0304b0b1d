#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sim/networks/fair/earliest_links.hpp"
#include "sim/networks/fair/water_level.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Flows that share links max-min fairly: no flow can get more unless a flow that has no more gets less.
/// Incremental: a change on one link is propagated only as far as it matters.
///
/// Every link l has a level, the rate per weight of those of its flows that no other link limits:
///   rate_f = w_f · min over links l of f of level_l
///   Σ over flows f of l of w_f · min(level_l, limit_{f,l}) = capacity_l,
///   limit_{f,l} = the least level on the other links of f
/// where level_l = ∞ if Σ w_f · limit_{f,l} ≤ capacity_l. The only solution is the max-min fair allocation
/// with weights w. A link whose load differs from its capacity by a share of at most epsilon keeps its
/// level. Otherwise its level is computed anew (water_level), which changes the load of other links, and so
/// on until nothing changes. The link that would give its flows the least share is first.
///
/// A flow belongs to its bottleneck, the link with the least level of its route. The link counts the bytes V
/// that it has passed to each of its flows, per weight. A flow ends when V reaches its mark, so that a new
/// level moves the ends of all flows at once.
///
/// A change costs O(flows of the links whose load left its band). If finding the levels would scan the flows
/// concerned too often, all of these flows are computed by progressive filling instead: O(F log F) for F
/// places, pairs of a flow and a link. Memory: O(links + places). Reference: Bertsekas, Gallager, "Data
/// Networks", 2nd edition, 1992, section 6.5.2 (max-min flow control).
class FairShares {
 public:
  /// A flow on one of its links.
  struct Hop {
    LinkIndex link;
    std::int32_t place;  // among the flows of the link, while it flows
  };
  /// A flow; derived classes add what it stands for. Must not move while it flows.
  struct Flow {
    double weight = 1;
    boost::container::small_vector<Hop, 4> hops;

   private:
    friend class FairShares;
    static constexpr std::int32_t none = -1;
    std::int32_t bottleneck_ = none;  // index of the hop
    LinkIndex bottleneck_link_ = 0;
    double rest_ = 0;  // bytes left per weight, while it has no bottleneck
  };

  /// `epsilon`: by what share of its capacity the load of a link may be off. Must be above 0; 1e-9 is
  /// practically exact. `patience`: how often a change may scan the flows concerned before they are all
  /// computed by progressive filling. `watch`, which may be null, receives the rates of all `links`.
  FairShares(std::span<const Link> links, double epsilon, double patience, LinkWatch* watch = nullptr);

  /// Adds a link, whose capacity may be infinite.
  LinkIndex add_link(double capacity_Bps);
  /// Removes a link without flows. Its index may be reused.
  void remove_link(LinkIndex link);
  void set_capacity(LinkIndex link, double capacity_Bps, double now_s);

  /// Starts a flow of `bytes`, above 0, on all links of its hops.
  void join(Flow& flow, double bytes, double now_s);
  /// Extends a flow that has ended by `bytes`, above 0.
  void extend(Flow& flow, double bytes, double now_s);
  /// Takes `bytes` from a flow that has joined, of which more than `bytes` must be left.
  void shorten(Flow& flow, double bytes, double now_s);
  void leave(Flow& flow, double now_s);
  /// Changes the weight of a flow that has joined.
  void change_weight(Flow& flow, double weight, double now_s);
  bool is_used(LinkIndex link) const { return !links_[at(link)].places.empty(); }
  /// One of the flows whose first link this is; there must be one. O(flows on the link).
  Flow& flow_from(LinkIndex link) const;

  /// Whether all rates are up to date. If not, settle() must be called before time passes.
  bool is_settled() const { return marked_.empty(); }
  void settle(double now_s);

  /// A time before which no flow ends; infinity if no flow will end.
  double next_end_s() const { return ends_.earliest_s(); }
  /// Appends the flows that end by `latest_s`, which is now but for rounding, to `ended`. Each must be
  /// extended or leave before time passes.
  void take_ended(double now_s, double latest_s, std::vector<Flow*>& ended);

  /// The rate of a flow that has joined. Requires is_settled().
  double rate_Bps(const Flow& flow) const { return flow.weight * levels_[at(flow.bottleneck_link_)]; }
  /// The link that limits the flow or, once the flow has ended, did so last.
  LinkIndex bottleneck(const Flow& flow) const { return flow.bottleneck_link_; }
  /// The bytes left of a flow.
  double rest_bytes(const Flow& flow, double now_s) const;

 private:
  /// A flow on a link. If the link is its bottleneck, its mark is the value of V at its end.
  struct Place {
    double mark;
    double weight;
    Flow* flow;
    std::int32_t hop;      // index among the flow's hops
    LinkIndex only_other;  // the other link of a flow on two links; no_link_ on one; −1 on more
  };
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// The marks of flows whose bottleneck is another link (elsewhere), or was not known when the link was
  /// last visited (nowhere).
  static constexpr double elsewhere = infinity;
  static constexpr double nowhere = -elsewhere;

  /// The sum of the rates on a link, and the bounds within which the link keeps its level.
  struct Load {
    double now_Bps = 0;
    double least_Bps = 0;
    double greatest_Bps = 0;
    bool is_marked = false;
  };
  struct LinkState {
    double capacity_Bps = 0;
    double passed = 0;  // V at at_s
    double at_s = 0;
    double least_mark = elsewhere;    // a lower bound of its flows' marks …
    bool is_least_mark_exact = true;  // … or, if true, their minimum
    bool is_visited = false;
    std::vector<Place> places;
  };
  /// The state of a link during progressive filling.
  struct Filling {
    double room_Bps = 0;
    double open_weight = 0;  // of the flows whose rate is not fixed yet
    std::size_t open = 0;    // the number of these flows
    double share() const { return room_Bps / open_weight; }
  };
  using Share = std::pair<double, LinkIndex>;
  using Fillings = std::priority_queue<Share, std::vector<Share>, std::greater<>>;
  /// A connected component: flows and links that depend on each other.
  struct Component {
    std::vector<LinkIndex> links;
    std::vector<Flow*> flows;
  };

  /// A link whose level must be computed, and the rate of its flows if all got the same.
  struct Marked {
    LinkIndex link;
    double even_Bps;
  };

  static std::size_t at(LinkIndex link) { return static_cast<std::size_t>(link); }
  Place& place_of(const Hop& hop) { return links_[at(hop.link)].places[static_cast<std::size_t>(hop.place)]; }

  void set_level(LinkIndex link, double level);
  void advance(LinkIndex link, double now_s);
  void set_load(LinkIndex link, double load_Bps) {
    loads_[at(link)].now_Bps = load_Bps;
    if (watch_ != nullptr) [[unlikely]]
      watch_->set_rate(link, load_Bps, changes_s_);
  }
  void change_load(LinkIndex link, double change_Bps) {
    Load& load = loads_[at(link)];
    set_load(link, load.now_Bps + change_Bps);
    if (load.now_Bps > load.greatest_Bps || load.now_Bps < load.least_Bps) mark(link);
  }
  void mark(LinkIndex link);
  LinkIndex take_marked();
  double even_Bps(LinkIndex link) const {
    return links_[at(link)].capacity_Bps / static_cast<double>(links_[at(link)].places.size());
  }
  void schedule_end(LinkIndex link, double earliest_s = 0);

  LinkIndex narrowest(const Flow& flow) const;
  std::int32_t least_hop(const Flow& flow, std::int32_t except) const;
  void attach(Flow& flow, std::int32_t hop, double rest, double now_s);
  double detach(Flow& flow, double now_s);
  void spread(const Place& place, double change);
  void spread_far(const Place& place, double change);

  void share(LinkIndex link, double now_s);
  void find_demands(LinkState& link);
  double limit_of(const Place& place) const;
  void change_bottleneck(LinkIndex link, Place& place, double limit, double now_s);
  void find_least_mark(LinkState& link) const;

  void fill_progressively(double now_s);
  Component component();
  void fill(Fillings& order, double now_s);
  void fix(const Place& place, double level, double now_s);

  double epsilon_;
  double patience_;
  // Per link, split so that what is accessed for every flow of another link lies close together.
  std::vector<double> levels_;
  std::vector<Load> loads_;
  std::vector<LinkState> links_;
  LinkIndex no_link_;  // a link whose level is always infinite
  std::vector<LinkIndex> unused_links_;
  std::vector<Marked> marked_;
  std::size_t next_marked_ = 0;
  std::size_t places_ = 0;
  std::vector<Demand> demands_;    // of the link whose level is being computed
  std::vector<Filling> fillings_;  // per link
  EarliestLinks ends_;
  LinkWatch* watch_;
  double changes_s_ = 0;  // when loads were last changed
};

}  // namespace starling
