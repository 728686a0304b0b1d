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

/// Flows that share links max-min fairly: no flow can have more unless one that has no more than it gets
/// less. Incremental: what changes on one link is followed only as far as it matters.
///
/// Every link l has a level, the rate of those of its flows that nothing else limits:
///   rate_f = w_f · min over links l of f of level_l
///   Σ over flows f of l of w_f · min(level_l, limit_{f,l}) = capacity_l,
///   limit_{f,l} = the least level on the other links of f
/// where level_l = ∞ if Σ w_f · limit_{f,l} ≤ capacity_l. The only solution is the max-min fair allocation
/// with weights w. A link whose load changes by a share of at most epsilon keeps its level; otherwise its
/// level is found anew (water_level), which changes the load of other links, until nothing changes. The link
/// that would get the least share is first.
///
/// A flow belongs to its bottleneck, the link with the least level of its route. That counts the bytes V that
/// it has passed to each of its flows, per weight; a flow ends when V reaches its mark, so that a new level
/// moves the ends of all of them at once.
///
/// Costs O(flows of the links whose load left its band) a change. If finding the levels scans the flows
/// concerned too often, it is given up and all of them are computed by progressive filling: O(F log F) for F
/// places of flows on links. Memory: O(links + places). Reference: Bertsekas, Gallager, "Data Networks", 2nd
/// edition, 1992, section 6.5.2 (max-min flow control).
class FairShares {
 public:
  /// A flow on one of its links.
  struct Hop {
    LinkIndex link;
    std::int32_t place;  // among the flows of the link, while it flows
  };
  /// Who derives from it says what it is for; must stay where it is while it flows.
  struct Flow {
    double weight = 1;
    boost::container::small_vector<Hop, 4> hops;

   private:
    friend class FairShares;
    static constexpr std::int32_t none = -1;
    std::int32_t bottleneck_ = none;  // which of its hops
    LinkIndex bottleneck_link_ = 0;
    double rest_ = 0;  // to flow, per weight; while it has no bottleneck
  };

  /// `epsilon`: by how much of its capacity the load of a link may be off. Must be above 0: 1e-9 is as good
  /// as exact. `patience`: how often a change may scan the flows concerned before all is computed anew.
  /// `watch`, which may be null, is told the rates of all `links`.
  FairShares(std::span<const Link> links, double epsilon, double patience, LinkWatch* watch = nullptr);

  /// Adds a link, whose capacity may be infinite.
  LinkIndex add_link(double capacity_Bps);
  /// Removes a link that no flow is on. A later one may get its index.
  void remove_link(LinkIndex link);
  void set_capacity(LinkIndex link, double capacity_Bps, double now_s);

  /// Puts the flow on all links of its hops, from now until it has had `bytes`, more than 0.
  void join(Flow& flow, double bytes, double now_s);
  /// Lets a flow that has ended go on with `bytes` more, above 0.
  void extend(Flow& flow, double bytes, double now_s);
  /// Takes `bytes` from a flow that has joined; more than these must be left of it.
  void shorten(Flow& flow, double bytes, double now_s);
  void leave(Flow& flow, double now_s);
  /// Gives a flow that has joined another weight.
  void change_weight(Flow& flow, double weight, double now_s);
  bool is_used(LinkIndex link) const { return !links_[at(link)].places.empty(); }
  /// One of the flows of which this is the first link; there must be one. O(flows on it).
  Flow& flow_from(LinkIndex link) const;

  /// Whether all rates are right: if not, settle() must be called before time passes.
  bool is_settled() const { return marked_.empty(); }
  void settle(double now_s);

  /// A time before which no flow ends; infinity if none will.
  double next_end_s() const { return ends_.earliest_s(); }
  /// Adds the flows that end until `latest_s`, which is now but for rounding, to `ended`. Each must be
  /// extended or leave before time passes.
  void take_ended(double now_s, double latest_s, std::vector<Flow*>& ended);

  /// The rate of a flow that has joined, while all is settled.
  double rate_Bps(const Flow& flow) const { return flow.weight * levels_[at(flow.bottleneck_link_)]; }
  /// The link that limits the flow, or did until it ended.
  LinkIndex bottleneck(const Flow& flow) const { return flow.bottleneck_link_; }
  /// What is left of it.
  double rest_bytes(const Flow& flow, double now_s) const;

 private:
  /// A flow on a link. Its mark is V at its end if this is its bottleneck.
  struct Place {
    double mark;
    double weight;
    Flow* flow;
    std::int32_t hop;      // of the flow
    LinkIndex only_other;  // the other link, of a flow of two; no_link_ of one; −1 of more
  };
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// The marks of flows whose bottleneck is another link, or was not known when the link was last looked at.
  static constexpr double elsewhere = infinity;
  static constexpr double nowhere = -elsewhere;

  /// Σ of the rates on a link, and within which bounds it fits its level.
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
    double least_mark = elsewhere;    // or less …
    bool is_least_mark_exact = true;  // … if this is false
    bool is_visited = false;
    std::vector<Place> places;
  };
  /// What progressive filling knows of a link.
  struct Filling {
    double room_Bps = 0;
    double open_weight = 0;  // of the flows whose rate is not known yet
    std::size_t open = 0;    // and how many they are
    double share() const { return room_Bps / open_weight; }
  };
  using Share = std::pair<double, LinkIndex>;
  using Fillings = std::priority_queue<Share, std::vector<Share>, std::greater<>>;
  /// The flows and links that depend on each other.
  struct Component {
    std::vector<LinkIndex> links;
    std::vector<Flow*> flows;
  };

  /// A link whose level must be found, and what its flows would get if all got the same.
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
  // Per link; what is read and written for every flow of another link lies close together.
  std::vector<double> levels_;
  std::vector<Load> loads_;
  std::vector<LinkState> links_;
  LinkIndex no_link_;  // whose level is always infinite
  std::vector<LinkIndex> unused_links_;
  std::vector<Marked> marked_;
  std::size_t next_marked_ = 0;
  std::size_t places_ = 0;
  std::vector<Demand> demands_;    // of the link that is shared
  std::vector<Filling> fillings_;  // per link
  EarliestLinks ends_;
  LinkWatch* watch_;
  double changes_s_ = 0;  // when loads were last changed
};

}  // namespace starling
