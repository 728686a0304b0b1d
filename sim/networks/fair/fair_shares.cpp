#include "sim/networks/fair/fair_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.hpp"

namespace starling {
namespace {

/// With more marked links than this, looking for the one with the least share costs more than it saves.
constexpr std::size_t most_to_choose_from = 32;

/// Added to the number of places in the limit of scans: giving up has a cost of its own, so changes of a few
/// flows may scan more.
constexpr double places_assumed = 64;

}  // namespace

FairShares::FairShares(std::span<const Link> links, double epsilon, double patience, LinkWatch* watch)
    : epsilon_(epsilon), patience_(patience), watch_(watch) {
  STARLING_INVARIANT(epsilon > 0 && patience >= 0);
  for (const Link& link : links) add_link(link.bandwidth_Bps);
  no_link_ = add_link(infinity);
}

LinkIndex FairShares::add_link(double capacity_Bps) {
  LinkIndex index = static_cast<LinkIndex>(links_.size());
  if (unused_links_.empty()) {
    links_.emplace_back();
    loads_.emplace_back();
    levels_.push_back(infinity);
  } else {
    index = unused_links_.back();
    unused_links_.pop_back();
  }
  links_[at(index)].capacity_Bps = capacity_Bps;
  set_level(index, infinity);
  return index;
}

void FairShares::remove_link(LinkIndex link) {
  STARLING_INVARIANT(!is_used(link));
  unused_links_.push_back(link);
}

void FairShares::set_capacity(LinkIndex link, double capacity_Bps, double now_s) {
  changes_s_ = now_s;
  links_[at(link)].capacity_Bps = capacity_Bps;
  set_level(link, levels_[at(link)]);
  change_load(link, 0);
}

void FairShares::join(Flow& flow, double bytes, double now_s) {
  changes_s_ = now_s;
  const auto hops = static_cast<std::int32_t>(flow.hops.size());
  flow.bottleneck_ = Flow::none;
  flow.rest_ = bytes / flow.weight;
  for (std::int32_t i = 0; i < hops; ++i) {
    Hop& hop = flow.hops[static_cast<std::size_t>(i)];
    std::vector<Place>& places = links_[at(hop.link)].places;
    const LinkIndex other = hops == 2   ? flow.hops[static_cast<std::size_t>(1 - i)].link
                            : hops == 1 ? no_link_
                                        : LinkIndex{-1};
    hop.place = static_cast<std::int32_t>(places.size());
    places.push_back({nowhere, flow.weight, &flow, i, other});
  }
  places_ += flow.hops.size();
  const std::int32_t least = least_hop(flow, Flow::none);
  const double level = levels_[at(flow.hops[static_cast<std::size_t>(least)].link)];
  if (!is_settled() || level == infinity) return mark(narrowest(flow));
  attach(flow, least, flow.rest_, now_s);
  for (const Hop& hop : flow.hops) change_load(hop.link, flow.weight * level);
}

void FairShares::extend(Flow& flow, double bytes, double now_s) {
  const LinkIndex link = flow.bottleneck_link_;
  advance(link, now_s);
  Place& place = place_of(flow.hops[static_cast<std::size_t>(flow.bottleneck_)]);
  place.mark += bytes / flow.weight;
  if (place.mark >= links_[at(link)].least_mark) return;
  links_[at(link)].least_mark = place.mark;
  schedule_end(link);
}

void FairShares::shorten(Flow& flow, double bytes, double now_s) {
  if (flow.bottleneck_ == Flow::none)
    flow.rest_ -= bytes / flow.weight;
  else
    extend(flow, -bytes, now_s);
}

void FairShares::leave(Flow& flow, double now_s) {
  changes_s_ = now_s;
  const double rate_Bps =
      flow.bottleneck_ == Flow::none ? 0 : flow.weight * levels_[at(flow.bottleneck_link_)];
  for (const Hop& hop : flow.hops) {
    LinkState& link = links_[at(hop.link)];
    advance(hop.link, now_s);
    Place& place = place_of(hop);
    place = link.places.back();
    place.flow->hops[static_cast<std::size_t>(place.hop)].place = hop.place;
    link.places.pop_back();
    change_load(hop.link, -rate_Bps);
    if (!link.places.empty()) continue;
    set_level(hop.link, infinity);
    set_load(hop.link, 0);
    link.passed = 0;
    link.least_mark = elsewhere;
    schedule_end(hop.link);
  }
  places_ -= flow.hops.size();
}

void FairShares::change_weight(Flow& flow, double weight, double now_s) {
  constexpr double least_bytes = 1e-9;  // a flow that ends now but for rounding still ends now
  const double bytes = std::max(least_bytes, rest_bytes(flow, now_s));
  leave(flow, now_s);
  flow.weight = weight;
  join(flow, bytes, now_s);
}

FairShares::Flow& FairShares::flow_from(LinkIndex link) const {
  const std::vector<Place>& places = links_[at(link)].places;
  const auto found = std::ranges::find(places, 0, &Place::hop);
  STARLING_INVARIANT(found != places.end());
  return *found->flow;
}

double FairShares::rest_bytes(const Flow& flow, double now_s) const {
  if (flow.bottleneck_ == Flow::none) return flow.weight * flow.rest_;
  const Hop& hop = flow.hops[static_cast<std::size_t>(flow.bottleneck_)];
  const LinkState& link = links_[at(hop.link)];
  const double passed = link.passed + levels_[at(hop.link)] * (now_s - link.at_s);
  return flow.weight * std::max(0.0, link.places[static_cast<std::size_t>(hop.place)].mark - passed);
}

void FairShares::set_level(LinkIndex link, double level) {
  const double capacity_Bps = links_[at(link)].capacity_Bps;
  levels_[at(link)] = level;
  loads_[at(link)].least_Bps = level < infinity ? capacity_Bps * (1 - epsilon_) : -infinity;
  loads_[at(link)].greatest_Bps = capacity_Bps * (1 + epsilon_);
}

/// Advances a link's V to now_s: V = V + level · time.
void FairShares::advance(LinkIndex link, double now_s) {
  LinkState& state = links_[at(link)];
  if (levels_[at(link)] < infinity) state.passed += levels_[at(link)] * (now_s - state.at_s);
  state.at_s = now_s;
}

void FairShares::mark(LinkIndex link) {
  Load& load = loads_[at(link)];
  if (load.is_marked || links_[at(link)].capacity_Bps == infinity) return;
  load.is_marked = true;
  marked_.push_back({link, even_Bps(link)});
}

/// Takes the marked link with the least share, whose level is then most often final at once; of many marked
/// links, the first.
LinkIndex FairShares::take_marked() {
  std::size_t chosen = next_marked_;
  if (marked_.size() - next_marked_ <= most_to_choose_from) {
    double least_Bps = marked_[chosen].even_Bps;
    for (std::size_t i = next_marked_ + 1; i < marked_.size(); ++i) {
      const bool is_less = marked_[i].even_Bps < least_Bps;
      chosen = is_less ? i : chosen;
      least_Bps = is_less ? marked_[i].even_Bps : least_Bps;
    }
  }
  const LinkIndex link = std::exchange(marked_[chosen], marked_[next_marked_]).link;
  loads_[at(link)].is_marked = false;
  if (++next_marked_ == marked_.size()) {
    marked_.clear();
    next_marked_ = 0;
  }
  return link;
}

void FairShares::schedule_end(LinkIndex link, double earliest_s) {
  const LinkState& state = links_[at(link)];
  const double level = levels_[at(link)];
  if (level == infinity || state.least_mark == elsewhere) return ends_.set(link, EarliestLinks::never_s);
  const double end_s = state.at_s + std::max(0.0, state.least_mark - state.passed) / level;
  ends_.set(link, std::max(end_s, earliest_s));
}

/// The link of the flow that would give it least if all flows of a link got the same. The flow's rate is
/// computed from there; other links follow if the rate is too much for them.
LinkIndex FairShares::narrowest(const Flow& flow) const {
  return std::ranges::min(flow.hops, {}, [this](const Hop& hop) { return even_Bps(hop.link); }).link;
}

/// The hop, except `except`, whose link has the least level.
std::int32_t FairShares::least_hop(const Flow& flow, std::int32_t except) const {
  std::int32_t least = Flow::none;
  double level = infinity;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(flow.hops.size()); ++i) {
    const double here = levels_[at(flow.hops[static_cast<std::size_t>(i)].link)];
    if (i == except || (least != Flow::none && here >= level)) continue;
    least = i;
    level = here;
  }
  return least;
}

/// Makes the link of a hop the bottleneck of a flow with `rest` bytes per weight left.
void FairShares::attach(Flow& flow, std::int32_t hop, double rest, double now_s) {
  const Hop& on = flow.hops[static_cast<std::size_t>(hop)];
  LinkState& link = links_[at(on.link)];
  advance(on.link, now_s);
  Place& place = place_of(on);
  place.mark = link.passed + rest;
  flow.bottleneck_ = hop;
  flow.bottleneck_link_ = on.link;
  if (place.mark >= link.least_mark) return;
  link.least_mark = place.mark;
  schedule_end(on.link);
}

/// Detaches a flow from its bottleneck. Returns the bytes per weight left of it.
double FairShares::detach(Flow& flow, double now_s) {
  if (flow.bottleneck_ == Flow::none) return flow.rest_;
  advance(flow.bottleneck_link_, now_s);
  Place& place = place_of(flow.hops[static_cast<std::size_t>(flow.bottleneck_)]);
  LinkState& link = links_[at(flow.bottleneck_link_)];
  const double rest = std::max(0.0, place.mark - link.passed);
  place.mark = elsewhere;
  link.is_least_mark_exact = false;
  return rest;
}

/// The flow's level has changed: updates the loads of its other links.
inline void FairShares::spread(const Place& place, double change) {
  if (place.only_other >= 0)
    change_load(place.only_other, place.weight * change);
  else
    spread_far(place, change);
}

void FairShares::spread_far(const Place& place, double change) {
  const Flow& flow = *place.flow;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(flow.hops.size()); ++i)
    if (i != place.hop) change_load(flow.hops[static_cast<std::size_t>(i)].link, place.weight * change);
}

void FairShares::settle(double now_s) {
  const double most_scanned = patience_ * (places_assumed + static_cast<double>(places_));
  double scanned = 0;
  for (Marked& marked : marked_) marked.even_Bps = even_Bps(marked.link);  // flows may have changed
  while (!marked_.empty()) {
    if (scanned > most_scanned) return fill_progressively(now_s);
    const LinkIndex link = take_marked();
    scanned += static_cast<double>(links_[at(link)].places.size());
    share(link, now_s);
  }
}

/// Computes the level of a link from those of all other links.
void FairShares::share(LinkIndex index, double now_s) {
  LinkState& link = links_[at(index)];
  advance(index, now_s);
  find_demands(link);
  const double old_level = levels_[at(index)];
  const double level = water_level(link.capacity_Bps, demands_);
  set_level(index, level);
  link.least_mark = -infinity;  // so that attach() schedules no end: that is done once, below
  double load_Bps = 0;
  double least_mark = elsewhere;
  for (std::size_t i = 0; i < link.places.size(); ++i) {
    Place& place = link.places[i];
    const double limit = demands_[i].limit;
    const double reached = std::min(level, limit);
    load_Bps += place.weight * reached;
    const bool was_elsewhere = place.mark == elsewhere;
    if (was_elsewhere && limit <= level) continue;
    const double before = was_elsewhere ? limit : place.mark == nowhere ? 0 : old_level;
    if (limit < level || was_elsewhere || place.mark == nowhere)
      change_bottleneck(index, place, limit, now_s);
    least_mark = std::min(least_mark, place.mark);
    if (reached != before) spread(place, reached - before);
  }
  set_load(index, load_Bps);
  link.least_mark = least_mark;
  link.is_least_mark_exact = true;
  schedule_end(index);
}

/// Collects the demands of a link's flows. Also restarts V at 0, so that the marks keep the precision of
/// what is left.
void FairShares::find_demands(LinkState& link) {
  demands_.clear();
  for (Place& place : link.places) {
    if (place.mark == nowhere && place.flow->bottleneck_ != Flow::none) place.mark = elsewhere;
    demands_.push_back({place.weight, limit_of(place)});
    if (place.mark != nowhere) place.mark = std::max(0.0, place.mark - link.passed);
  }
  link.passed = 0;
}

/// The least level of the flow's other links. If another link is the flow's bottleneck, that link has it,
/// and the others need not be visited.
double FairShares::limit_of(const Place& place) const {
  if (place.only_other >= 0) return levels_[at(place.only_other)];
  const Flow& flow = *place.flow;
  if (place.mark == elsewhere) return levels_[at(flow.bottleneck_link_)];
  return levels_[at(flow.hops[static_cast<std::size_t>(least_hop(flow, place.hop))].link)];
}

/// The flow's bottleneck changes to another link, or to this one.
void FairShares::change_bottleneck(LinkIndex link, Place& place, double limit, double now_s) {
  Flow& flow = *place.flow;
  const double rest = detach(flow, now_s);
  if (limit >= levels_[at(link)]) return attach(flow, place.hop, rest, now_s);
  attach(flow, least_hop(flow, place.hop), rest, now_s);
  place.mark = elsewhere;
}

void FairShares::find_least_mark(LinkState& link) const {
  link.least_mark = elsewhere;
  for (const Place& place : link.places)
    if (place.mark != nowhere) link.least_mark = std::min(link.least_mark, place.mark);
  link.is_least_mark_exact = true;
}

void FairShares::take_ended(double now_s, double latest_s, std::vector<Flow*>& ended) {
  while (ends_.earliest_s() <= latest_s) {
    const LinkIndex index = ends_.earliest();
    LinkState& link = links_[at(index)];
    advance(index, now_s);
    // The flow with the least mark may have another bottleneck by now.
    if (!link.is_least_mark_exact) find_least_mark(link);
    schedule_end(index);
    if (ends_.time_s(index) > latest_s) continue;

    const double last_mark = std::max(link.passed, link.least_mark) + levels_[at(index)] * (latest_s - now_s);
    link.least_mark = elsewhere;
    for (const Place& place : link.places) {
      if (place.mark == nowhere) continue;
      if (place.mark <= last_mark)
        ended.push_back(place.flow);
      else
        link.least_mark = std::min(link.least_mark, place.mark);
    }
    schedule_end(index, std::nextafter(latest_s, infinity));  // rounding must not return the same flows again
  }
}

/// The flows and links that depend on a marked link, directly or through other flows and links.
FairShares::Component FairShares::component() {
  Component found;
  const auto visit = [&](LinkIndex index) {
    if (std::exchange(links_[at(index)].is_visited, true)) return;
    found.links.push_back(index);
  };
  for (std::size_t i = next_marked_; i < marked_.size(); ++i) visit(marked_[i].link);
  for (std::size_t i = 0; i < found.links.size(); ++i) {
    for (const Place& place : links_[at(found.links[i])].places) {
      if (place.hop == 0) found.flows.push_back(place.flow);
      for (const Hop& hop : place.flow->hops) visit(hop.link);
    }
  }
  for (const LinkIndex index : found.links) links_[at(index)].is_visited = false;
  return found;
}

/// Progressive filling: fixes the rates of the flows of the link with the least share, then those of the
/// next link, and so on, each with the capacity that is left.
void FairShares::fill_progressively(double now_s) {
  const Component all = component();
  for (const LinkIndex index : all.links) advance(index, now_s);
  for (Flow* flow : all.flows) {
    flow->rest_ = detach(*flow, now_s);
    flow->bottleneck_ = Flow::none;
  }
  fillings_.resize(links_.size());
  Fillings order;
  for (const LinkIndex index : all.links) {
    LinkState& link = links_[at(index)];
    set_level(index, infinity);
    set_load(index, 0);
    loads_[at(index)].is_marked = false;
    link.passed = 0;
    link.least_mark = elsewhere;
    Filling& filling = fillings_[at(index)];
    filling = {.room_Bps = link.capacity_Bps, .open_weight = 0, .open = link.places.size()};
    for (const Place& place : link.places) filling.open_weight += place.weight;
    if (filling.open > 0) order.push({filling.share(), index});
  }
  marked_.clear();
  next_marked_ = 0;
  fill(order, now_s);
  for (const LinkIndex index : all.links) schedule_end(index);
}

/// A link's share only grows as others are filled, so an outdated entry of `order` comes up too early and is
/// inserted again.
void FairShares::fill(Fillings& order, double now_s) {
  while (!order.empty()) {
    const auto [share, index] = order.top();
    order.pop();
    const Filling& filling = fillings_[at(index)];
    if (filling.open == 0) continue;
    if (filling.share() > share) {
      order.push({filling.share(), index});
      continue;
    }
    set_level(index, share);
    for (const Place& place : links_[at(index)].places)
      if (place.flow->bottleneck_ == Flow::none) fix(place, share, now_s);
  }
}

/// Fixes the rate of a flow at the level of the link of this place.
void FairShares::fix(const Place& place, double level, double now_s) {
  Flow& flow = *place.flow;
  for (const Hop& hop : flow.hops) {
    Filling& filling = fillings_[at(hop.link)];
    filling.room_Bps -= place.weight * level;
    filling.open_weight -= place.weight;
    --filling.open;
    set_load(hop.link, loads_[at(hop.link)].now_Bps + place.weight * level);
  }
  attach(flow, place.hop, flow.rest_, now_s);
}

}  // namespace starling
